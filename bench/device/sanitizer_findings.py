#!/usr/bin/env python3
# Reads reports of compute-sanitizer, and says which of them this repository explains.
# SPDX-License-Identifier: BSD-3-Clause
"""sanitizer_findings.py --tool racecheck --version VERSION --sources numeric/cuda LOG ...

Exits with 1 if a report is not in KNOWN, if the tool did not finish, or if it counted reports that it
did not print. A report is identified by its text, and by the function and the source line of the places
it names, so the program must contain line numbers (nvcc -lineinfo, which changes no instruction).
Unknown reports are printed once for each kind, with their count."""
import argparse
import collections
import pathlib
import re
import sys
from typing import NamedTuple, Optional

PLACE = re.compile(r"^(?P<function>.*)\+0x[0-9a-f]+(?: in (?P<file>[^ :]+):(?P<line>\d+))?(?: \[\d+ hazards?\])?$")
RACE = re.compile(r"^(?:\w+: )?(?:Race reported between|and) (?P<kind>Read|Write) access at (?P<place>.*)$")
FRAME = re.compile(r"^(?:at|Device Frame:) ?(?P<place>.*)$")
SUMMARY = re.compile(r"^(?:ERROR|RACECHECK) SUMMARY: (?P<count>\d+) (?:errors?$|hazards? displayed)")
PASSED = re.compile(r"^\[  PASSED  \] (\d+) tests?\.", re.MULTILINE)
SKIPPED = re.compile(r"^\[  SKIPPED \]|: Skipped$", re.MULTILINE)
BOILERPLATE = re.compile(r"^(COMPUTE-SANITIZER$|ERROR SUMMARY:|RACECHECK SUMMARY:)")


class Place(NamedTuple):
    kind: str  # Read, Write, or nothing
    function: str
    text: str  # of the source line, if it is in the project


class Report(NamedTuple):
    what: str
    places: tuple


class Log(NamedTuple):
    reports: list
    count: Optional[int]  # from the tool's summary; None: the tool did not finish


class Known(NamedTuple):
    tool: str
    what: str  # beginning of the report
    accesses: tuple  # (kind, function, text): regular expressions; each place of a race must match one, of other reports at least one place
    reason: str
    log: str = ""  # a regular expression for the names of logs to which the entry applies
    before: tuple = ()  # the tool errs before this version, and may then count more reports than it prints

    def explains(self, report, log, version):
        if not re.search(self.log, log) or (self.before and version >= self.before) or not re.match(self.what, report.what):
            return False

        def fits(place):
            return any(re.search(k, place.kind) and re.search(f, place.function) and re.search(t, place.text) for k, f, t in self.accesses)

        fitting = [fits(place) for place in report.places]
        return all(fitting) and len(fitting) > 1 if self.tool == "racecheck" else any(fitting)


# The reasons are in docs/design/14-tests.md.
KNOWN = (
    Known(
        "racecheck",
        "Race reported",
        (
            ("Write", r"run_(tasks|alone)<.*Loop", r"shared\.ticket = ticket = atomicAdd\("),
            ("Read", r"run_(tasks|alone)<.*Loop", r"if \(shared\.ticket >= task_count\) return;"),
            ("Write", r"copy_words<", r"reinterpret_cast<int\*>\(&to\)\[lane\] = "),
            ("Read", r"FrontCells::pivot_cells", ""),
        ),
        "a barrier of the whole block lies between the write and the reads of a ticket, its task and its front, two between these and the next",
        log=r"\.portable\.",
    ),
    Known(
        "racecheck",
        "Race reported",
        (
            ("Write", r"portable::(put|store_unit)<", ""),
            ("Read", r"portable::load_(unit|row)<", ""),
            ("Read", r"portable::\w+Loop.*::multiply", ""),
            ("Read", r"portable::Tf32Loop.*::load", ""),
        ),
        "the halves of a chain's team meet at named barriers, at which one half arrives and the other waits",
        log=r"\.portable\.",
    ),
    Known(
        "initcheck",
        "Uninitialized __global__ memory read",
        (
            ("", "", r"entries\[panel \+ "),  # the verdict's, of L
            ("", "", r"__ldcg\((child\.block \+ |entries \+ term\[)"),  # of a child's block
            ("", r"load_tile<", r"\? diagonal\["),  # inverses of 16 x 16 blocks of L
        ),
        "small fronts, their blocks and what Hopper's chains make are written by bulk copies from shared memory, which initcheck knows from 2025.4 on",
        log=r"\.levels\.|\.portable\.6\.",  # the latter's backend factorises a small matrix of doubles by Hopper's kernels when it is made
        before=(2025, 4),
    ),
    Known(
        "initcheck",
        "Uninitialized __global__ memory read",
        (("", r"::prefetch\(int\)", r"Loads::copy\(shared_\.panel \+ place\(k\), l_ \+ front\(k\)\.panel"),),
        "sweeps copy panels in units of 16 bytes, of which the last may hold what is no entry: portable loops do not write that, and nobody reads it",
        log=r"\.plain\.",
    ),
)


class Sources:
    """Lines of the project's files by file name without folders, as the tool prints it. If several
    files share a name, a line of each counts."""

    def __init__(self, folder):
        files = (path for path in folder.rglob("*") if path.suffix in (".cu", ".cuh", ".hpp", ".cpp"))
        self.lines = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8").splitlines() for path in files}

    def text(self, file, line):
        number, name = int(line or 0), pathlib.PurePath(file or "").name
        files = [lines for path, lines in sorted(self.lines.items()) if pathlib.PurePath(path).name == name]
        return " | ".join(lines[number - 1].strip() for lines in files if 0 < number <= len(lines))


def place_of(kind, text, sources):
    match = PLACE.match(text.strip())
    if not match:
        return Place(kind, text.strip(), "")
    return Place(kind, match["function"], sources.text(match["file"], match["line"]))


def report_of(lines, sources):
    """Returns the Report of lines without their prefix; the first line is its head."""
    places = []
    for line in lines:
        if race := RACE.match(line):
            places.append(place_of(race["kind"], race["place"], sources))
        elif frame := FRAME.match(line):
            places.append(place_of("", frame["place"], sources))
    what = re.sub(r"^(Error|Warning): ", "", lines[0])
    return Report(re.sub(r" between .*| (at|to) 0x[0-9a-f]+.*", "", what), tuple(places))


def read(text, sources):
    reports, count, lines = [], None, []

    def close():
        if lines:
            reports.append(report_of(lines, sources))
        lines.clear()

    for line in text.splitlines():
        if not line.startswith("========="):
            continue
        body = line[len("=========") :]
        if not body.strip():
            close()
        elif body.startswith("  "):  # continues a report
            lines.append(body.strip())
        else:
            close()
            body = body.strip()
            if summary := SUMMARY.match(body):
                count = int(summary["count"])
            elif not BOILERPLATE.match(body):
                lines.append(body)
    close()
    return Log(reports, count)


def version_of(text):
    match = re.search(r"\b(20\d\d)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else ()


def judge(log, name, tool, version):
    """Returns (unknown reports, known ones by their entry, other faults) of the log of that
    name."""
    unknown, known = collections.Counter(), collections.Counter()
    for report in log.reports:
        entry = next((k for k in KNOWN if k.tool == tool and k.explains(report, name, version)), None)
        if entry:
            known[entry] += 1
        else:
            unknown[report] += 1
    faults = []
    if log.count is None:
        faults.append("no summary: the tool did not come to its end")
    elif log.count > len(log.reports) and not (known and all(entry.before for entry in known)):
        faults.append(f"{log.count - len(log.reports)} of {log.count} reports were not printed")
    elif log.count < len(log.reports):
        faults.append(f"{len(log.reports)} reports, of which the summary counts {log.count}")
    return unknown, known, faults


def faults_of_tests(text):
    """Returns faults if tests did not run: their log proves nothing."""
    passed = PASSED.search(text)
    faults = [] if passed and int(passed[1]) > 0 else ["no test passed"]
    return faults + (["a test was skipped"] if SKIPPED.search(text) else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, choices=("memcheck", "initcheck", "racecheck"))
    parser.add_argument("--version", required=True, help="what compute-sanitizer --version prints")
    parser.add_argument("--sources", required=True, type=pathlib.Path, help="folder of the sources that line numbers are of")
    parser.add_argument("logs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    version, sources, failed = version_of(arguments.version), Sources(arguments.sources), False
    if not version:
        parser.error(f"no version in {arguments.version!r}")
    for path in arguments.logs:
        text = path.read_text(encoding="utf-8", errors="replace")
        log = read(text, sources)
        unknown, known, faults = judge(log, path.name, arguments.tool, version)
        faults += faults_of_tests(text)
        failed = failed or bool(unknown or faults)
        print(f"{path.name}: {len(log.reports)} reports of {log.count}, {sum(unknown.values())} unknown")
        for entry, count in known.items():
            print(f"  known, {count} times: {entry.what}: {entry.reason}")
        for report, count in unknown.most_common():
            print(f"  UNKNOWN, {count} times: {report.what}")
            for place in report.places:
                print(f"    {place.kind} {place.function} | {place.text}")
        for fault in faults:
            print(f"  FAULT: {fault}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
