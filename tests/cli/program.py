# Runs the program kauri for the tests, and reads and writes the small files that they need, with
# the standard library alone.
# SPDX-License-Identifier: BSD-3-Clause
import ast
import contextlib
import json
import math
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import threading
import time
import unittest

BINARY = None  # set by run_tests.py
LIMIT_SECONDS = 1200  # a limit for tests that hang, not for slow ones

HEADER_KEYS = ["schema", "system", "solver", "commit", "device", "backend", "threads", "kernels", "scalar", "ordering", "effort", "options"]


def kauri(*words, **more):
    """Runs the program; returns the finished process, with standard output and error as text."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.run([BINARY, *map(str, words)], text=True, timeout=LIMIT_SECONDS, check=False, **more)


def kauri_with_data_limit(limit_bytes, *words):
    """Runs the program in a process that may hold at most this many bytes of data."""
    return kauri(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes)))


@contextlib.contextmanager
def killed_at_limit(child):
    """Kills the process if the body takes longer than the limit."""
    timer = threading.Timer(LIMIT_SECONDS, child.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def at_pipe(pipe, work, after=0.0):
    """Makes a named pipe, at whose other end work(pipe) runs in a thread after `after` seconds. The
    thread ends with the body, even if the program did not open this end: opening the pipe for a
    moment releases a thread that waits in open() or read()."""
    os.mkfifo(pipe)  # ends: by the visits below
    other = threading.Timer(after, work, [pipe])
    other.daemon = True
    other.start()
    try:
        yield pipe
    finally:
        end = time.monotonic() + LIMIT_SECONDS
        while other.is_alive():
            if time.monotonic() > end:
                raise AssertionError(f"the other end of {pipe} is still at work after {LIMIT_SECONDS} s")
            visit = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # on Linux this never blocks, and counts as both ends
            other.join(0.05)
            os.close(visit)


def kauri_with_peak(*words, stdin=None):
    """Runs the program; returns its exit code, standard error and largest resident memory in
    bytes."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([BINARY, *map(str, words)], stdin=stdin, stdout=subprocess.DEVNULL, stderr=errors)
        with killed_at_limit(child):
            _, status, usage = os.wait4(child.pid, 0)  # ends: by killed_at_limit()
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return child.returncode, errors.read().decode(), usage.ru_maxrss * 1024


def strict_json(text):
    """Parses JSON strictly: NaN, Infinity and repeated keys are errors."""

    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    def pairs(items):
        keys = [key for key, _ in items]
        if len(keys) != len(set(keys)):
            raise ValueError(f"a key comes twice: {keys}")
        return dict(items)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=pairs)


def has_metis():
    return build_facts()["metis"]


def compares_metis():
    """Returns whether commands compare METIS without naming it, which needs METIS inside kauri."""
    return build_facts()["metis_inside"]


def available(orderings):
    """Returns the given orderings that this build has."""
    return [name for name in orderings if name != "metis" or has_metis()]


class ProgramTest(unittest.TestCase):
    """A test with its own temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_ok(self, *words):
        done = kauri(*words)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        self.assertEqual(done.stderr, "", words)
        return done.stdout

    def json_of(self, *words, code=0):
        done = kauri(*words, "--json")
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        return strict_json(done.stdout)

    def fails(self, code, *words, says=()):
        """Expects this exit code, one line on standard error that starts with the program's name,
        and nothing on standard output."""
        done = kauri(*words)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "", words)
        self.assertRegex(done.stderr, r"\Akauri: [^\n]+\n\Z", words)
        for word in says:
            self.assertIn(word, done.stderr, words)
        return done.stderr

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="ascii")
        return path

    def write_symmetric(self, name, n, entries):
        """Writes a Matrix Market file. entries: {(row, col): value} of the lower triangle, counted
        from 0."""
        lines = [f"{i + 1} {j + 1} {value!r}" for (i, j), value in sorted(entries.items())]
        head = f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(lines)}\n"
        return self.write(name, head + "\n".join(lines) + "\n")


def read_symmetric(path):
    """Returns n and {(row, col): value} of a Matrix Market coordinate file, both counted from 0."""
    lines = [line for line in pathlib.Path(path).read_text(encoding="ascii").splitlines() if not line.startswith("%")]
    n = int(lines[0].split()[0])
    entries = {}
    for line in lines[1:]:
        i, j, value = line.split()
        entries[int(i) - 1, int(j) - 1] = float(value)
    return n, entries


def read_array(path):
    """Returns the columns of a Matrix Market array file."""
    lines = [line for line in pathlib.Path(path).read_text(encoding="ascii").splitlines() if not line.startswith("%")]
    rows, cols = map(int, lines[0].split())
    values = [float(line) for line in lines[1:]]
    return [values[c * rows : (c + 1) * rows] for c in range(cols)]


def read_npy(path):
    """Returns the columns of a .npy file of doubles, one- or two-dimensional."""
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"\x93NUMPY", "magic"
    length = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10 : 10 + length].decode("latin1"))
    assert head["descr"] == "<f8", head
    shape = head["shape"] if len(head["shape"]) == 2 else (head["shape"][0], 1)
    values = struct.unpack(f"<{shape[0] * shape[1]}d", data[10 + length :])
    if head["fortran_order"] or shape[1] == 1:
        return [list(values[c * shape[0] : (c + 1) * shape[0]]) for c in range(shape[1])]
    return [list(values[c :: shape[1]]) for c in range(shape[1])]


def backward_error(n, entries, x, b):
    """Returns max |b - A x|_i / (|A||x| + |b|)_i."""
    terms = [[b_i] for b_i in b]
    for (i, j), value in entries.items():
        terms[i].append(-value * x[j])
        if i != j:
            terms[j].append(-value * x[i])
    worst = 0.0
    for i in range(n):
        scale = math.fsum(map(abs, terms[i]))
        if scale > 0:
            worst = max(worst, abs(math.fsum(terms[i])) / scale)
    return worst


def build_facts():
    return strict_json(kauri("info", "--json").stdout)["build"]


def has_cuda_device():
    return build_facts()["cuda_device"]


def set_binary(path):
    global BINARY
    BINARY = os.path.abspath(path)
