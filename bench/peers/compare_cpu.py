#!/usr/bin/env python3
# Times `kauri bench` and the CPU peers (shared/peers/cpu/peer_cpu) on the same systems in one run,
# in turn, and prints how many times faster kauri is in each phase. The least time of all rounds
# counts on both sides; a ratio above 1 means that kauri is faster.
# SPDX-License-Identifier: BSD-3-Clause
"""Examples:
  compare_cpu.py --kauri build/src/cli/kauri --peer ../shared/peers/cpu/peer_cpu "poisson3d 40" "elast3d 16"
  compare_cpu.py --kauri build/src/cli/kauri --peer peer_cpu --solver pardiso,cholmod-metis --rounds 5 *.kspd

A SYSTEM is a specification (kauri generate --help lists them) or a file: .mtx, .mtx.gz, .npz or .kspd.
Files are converted for the side that cannot read them, which needs NumPy and SciPy. The script compares
the least refactorisation, the least solve with 1 and with 32 right-hand sides, and ordering plus
symbolic analysis; both sides repeat refactorisations --reps times and solves three times in every
round."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

MANY = 32
# Maps a phase to kauri's keys (summed) and the peer's key.
PHASES = {
    "factor": (["factor_s"], "t_factor_min"),
    "solve 1": (["solve1_s"], "t_solve_1"),
    f"solve {MANY}": ([f"solve{MANY}_s"], f"t_solve_{MANY}"),
    "order + symbolic": (["reorder_s", "symbolic_s"], "t_analyze"),
}
KSPD_MAGIC = b"KSPD0001"


class Failed(Exception):
    """One side could not solve a system; the text says why."""


def read_kspd(path):
    """Reads a lower triangle by rows: magic, int64 n and nnz, int64 row_ptr[n+1], int32 col[nnz],
    float64 value[nnz]."""
    import numpy as np
    import scipy.sparse as sp

    with open(path, "rb") as file:
        if file.read(8) != KSPD_MAGIC:
            raise Failed(f"{path}: not a .kspd file")
        n, nnz = np.fromfile(file, "<i8", 2)
        row_ptr = np.fromfile(file, "<i8", n + 1)
        col = np.fromfile(file, "<i4", nnz)
        value = np.fromfile(file, "<f8", nnz)
    return sp.csr_matrix((value, col, row_ptr), shape=(n, n))


def write_kspd(path, lower):
    import numpy as np

    with open(path, "wb") as file:
        file.write(KSPD_MAGIC)
        np.array([lower.shape[0], lower.nnz], "<i8").tofile(file)
        lower.indptr.astype("<i8").tofile(file)
        lower.indices.astype("<i4").tofile(file)
        lower.data.astype("<f8").tofile(file)


def read_lower(path):
    """Returns the lower triangle of a file, by rows with columns ascending."""
    import numpy as np
    import scipy.io
    import scipy.sparse as sp

    full = sp.load_npz(path) if path.suffix == ".npz" else scipy.io.mmread(path)
    lower = sp.tril(full, format="csr").astype(np.float64)
    if lower.nnz == full.shape[0] and sp.triu(full, 1).nnz > 0:  # only the upper half is stored
        lower = sp.triu(full).T.tocsr().astype(np.float64)
    lower.sum_duplicates()
    lower.sort_indices()
    return lower


def prepare(system, folder):
    """Returns name, kauri's words and the peer's words for a system."""
    path = pathlib.Path(system)
    if not path.is_file():
        return system, ["--gen", system], ["--gen", system]
    name = path.name
    for ending in [".gz", ".mtx", ".npz", ".kspd"]:
        name = name.removesuffix(ending)
    try:
        if path.suffix == ".kspd":
            import scipy.sparse as sp

            converted = folder / f"{name}.npz"
            sp.save_npz(converted, read_kspd(path), compressed=False)
            return name, [str(converted)], [str(path), "--name", name]
        converted = folder / f"{name}.kspd"
        write_kspd(converted, read_lower(path))
        return name, [str(path)], [str(converted), "--name", name]
    except ImportError as error:
        sys.exit(f"compare_cpu.py: {system}: converting files needs NumPy and SciPy ({error})")


def lines_of(command, timeout):
    """Returns the JSON objects that a command prints, one a line; they contain the failure that the
    exit code reports."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"more than {timeout:g} s") from error
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise Failed((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
    return lines


def run_kauri(options, words):
    command = [options.kauri, "bench", *words, "--ordering", options.ordering, "--threads", str(options.threads), "--reps", str(options.reps)]
    [line] = lines_of(command, options.timeout)
    if line["status"] != "ok":
        raise Failed(line["fail"])
    return line, {phase: sum(line[key] for key in keys) for phase, (keys, _) in PHASES.items()}


def run_peer(options, solver, words):
    command = [options.peer, *words, "--solver", solver, "--threads", str(options.threads), "--reps", str(options.reps), "--nrhs", str(MANY),
               "--timeout", str(options.timeout), "--mem-gb", str(options.mem_gb)]  # fmt: skip
    [line] = lines_of(command, 1.1 * options.timeout + 60)
    if line["status"] != "ok":
        raise Failed(line["status"])
    return line, {phase: line[key] for phase, (_, key) in PHASES.items() if line[key] is not None}


class Runner:
    """One side on one system: keeps the least times over the rounds, until it fails once."""

    def __init__(self, name, work):
        self.name, self.work = name, work
        self.times, self.lines, self.failure = {}, [], None

    def turn(self):
        if self.failure:
            return
        try:
            line, times = self.work()
        except Failed as failure:
            self.failure = str(failure)
            return
        self.lines.append(line)
        for phase, seconds in times.items():
            self.times[phase] = min(seconds, self.times.get(phase, math.inf))


def measure(options, system, folder):
    """Runs kauri and each peer in turn, with the order reversed in every second round, so that a
    drift of the machine affects all alike."""
    name, kauri_words, peer_words = prepare(system, folder)
    runners = [Runner("kauri", lambda: run_kauri(options, kauri_words))]
    runners += [Runner(s, lambda s=s: run_peer(options, s, peer_words)) for s in options.solver.split(",")]
    for k in range(options.rounds):
        for runner in runners if k % 2 == 0 else reversed(runners):
            runner.turn()
    return name, runners


def busy_share(runners):
    """Returns the largest share of a core that other work took while a peer ran, in per cent; None
    if no peer reports it."""
    shares = [line["other_cpu"] / line["wall"] for r in runners for line in r.lines if line.get("wall") and line.get("other_cpu") is not None]
    return 100 * max(shares) if shares else None


def figures(line):
    """Returns nnz(L) in millions and the residual of one right-hand side."""
    residual = line.get("residual", line.get("resid_1"))
    entries = line.get("nnzL")
    return f"{entries / 1e6:.3f} M" if entries else "-", f"{residual:.1e}" if residual is not None else "-"


def process_mb(lines):
    """Returns the process's largest memory in 1e6 bytes: the least over the rounds; peers report it
    in units of 2^20."""
    sizes = [line["peak_rss_bytes"] / 1e6 if "peak_rss_bytes" in line else line["peak_rss_mb"] * 2**20 / 1e6 for line in lines]
    return min(sizes)


def print_table(rows):
    width = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, width))).rstrip())
    print()


def print_system(name, runners):
    """Prints the times of both sides; returns the ratios {solver: {phase: ratio}}."""
    kauri, peers = runners[0], runners[1:]
    busy = busy_share(runners)
    print(f"{name}" + (f"   (others took up to {busy:.0f} % of a core)" if busy is not None and busy > 10 else ""))
    rows = [["", "solver", "nnz(L)", "residual", "process", *PHASES, *(f"x {phase}" for phase in PHASES)]]
    ratios = {}
    for runner in runners:
        if runner.failure:
            print(f"  {runner.name}: {runner.failure}")
        if not runner.lines:
            continue
        ratios[runner.name] = {p: runner.times[p] / kauri.times[p] for p in PHASES if p in runner.times and kauri.times.get(p)}
        cells = [f"{1e3 * runner.times[p]:.3f} ms" if p in runner.times else "-" for p in PHASES]
        factors = [f"{ratios[runner.name][p]:.2f}" if runner is not kauri and p in ratios[runner.name] else "" for p in PHASES]
        rows.append(["", runner.name, *figures(runner.lines[0]), f"{process_mb(runner.lines):.0f} MB", *cells, *factors])
    print_table(rows)
    ratios.pop("kauri", None)
    done = [ratios[peer.name] for peer in peers if peer.name in ratios]
    if done:
        ratios["best of them"] = {p: min(r[p] for r in done if p in r) for p in PHASES if any(p in r for r in done)}
    return ratios


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_summary(all_ratios):
    """Prints geometric mean, least and greatest ratio per solver and phase, over the systems that
    both sides solved."""
    names = list(dict.fromkeys(solver for ratios in all_ratios for solver in ratios))
    rows = [["", "kauri is faster than", "systems", *(f"x {phase}" for phase in PHASES)]]
    for solver in names:
        cells = []
        for phase in PHASES:
            values = [r[solver][phase] for r in all_ratios if phase in r.get(solver, {})]
            cells.append(f"{geometric_mean(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else "-")
        rows.append(["", solver, str(sum(solver in r for r in all_ratios)), *cells])
    print("Geometric means (least to greatest); above 1: kauri is faster")
    print_table(rows)


def parse():
    parser = argparse.ArgumentParser(description="kauri against the CPU peers, interleaved.", epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("system", nargs="+", help="specification or file")
    parser.add_argument("--kauri", required=True, help="the program kauri")
    parser.add_argument("--peer", required=True, help="the program peer_cpu")
    parser.add_argument("--solver", default="pardiso,cholmod-metis,mumps-metis", help="peers, with commas between (default: %(default)s)")
    parser.add_argument("--ordering", default="metis", help="kauri's (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="of both (default: %(default)s)")
    parser.add_argument("--reps", type=int, default=3, help="refactorisations of both, in each round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one turn (default: %(default)s)")
    parser.add_argument("--mem-gb", type=float, default=16, help="memory of a peer (default: %(default)s)")
    parser.add_argument("--out", help="append every line measured to this JSON lines file")
    options = parser.parse_args()
    if options.rounds < 1 or options.reps < 1:
        parser.error("--rounds and --reps are at least 1")
    for program in [options.kauri, options.peer]:
        if not os.access(program, os.X_OK):
            parser.error(f"{program}: no program")
    options.kauri, options.peer = (os.path.abspath(program) for program in (options.kauri, options.peer))
    return options


def main():
    options = parse()
    print(f"{options.threads} threads, {options.rounds} rounds of {options.reps} refactorisations, kauri with --ordering {options.ordering}\n")
    all_ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for system in options.system:
            name, runners = measure(options, system, pathlib.Path(folder))
            all_ratios.append(print_system(name, runners))
            sys.stdout.flush()
            if options.out:
                with open(options.out, "a", encoding="utf-8") as out:
                    out.writelines(json.dumps(line) + "\n" for runner in runners for line in runner.lines)
    if any(all_ratios):
        print_summary(all_ratios)
    return 0 if all(all_ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
