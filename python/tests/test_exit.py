# Tests how a process ends: daemon threads in calls of kauri, leaks, sub-interpreters. Each test
# runs in a separate process.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import LIMIT_SECONDS

import kauri

SYSTEM = """
import threading, time, numpy as np, scipy.sparse as sp, kauri
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(60, 60))
A = (sp.kron(line, sp.eye_array(60)) + sp.kron(sp.eye_array(60), line)).tocsc()
f, b, bad = kauri.cholesky(A), np.ones(3600), A - 3 * sp.eye_array(3600)
m = kauri.cholesky_mixed(A)
far = (sp.eye_array(3600) + sp.coo_array(([0.1, 0.1], ([3599, 0], [0, 3599])), shape=(3600, 3600))).tocsc()
path = PATH
"""

WORK = """
begun = threading.Event()
def call():
    CALL
def work():
    call()
    begun.set()
    while True:
        call()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
assert begun.wait(1200)
time.sleep(0.1)
"""

# These calls release the interpreter's lock.
CALLS = {
    "solve": "f(b)",
    "refactorize": "f.refactorize(A)",
    "analyse and factorise": "kauri.cholesky(A)",
    "a breakdown": """try:
        kauri.cholesky(bad)
    except kauri.NotPositiveDefiniteError: pass""",
    "an error": """try:
        f(np.ones(7))
    except kauri.UsageError: pass""",
    "an error of the library's": """try:
        f.refactorize(far)
    except kauri.UsageError: pass""",
    "log-determinant": "f.logdet()",
    "save": "f.save(path)",
    "mixed": "m(b); m.in_double; m.refactorize(A)",
    "selected inverse": "f.inverse_diagonal()",
}


def run(program, *arguments):
    folder = str(pathlib.Path(kauri.__file__).parents[1])
    return subprocess.run([sys.executable, *arguments, "-c", program], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])})


@pytest.mark.parametrize("name", CALLS)
def test_a_daemon_thread_in_a_call_does_not_end_the_process(name, tmp_path):
    """Python before 3.14 ends such a thread by unwinding its stack, which must not pass a noexcept
    destructor."""
    done = run(SYSTEM.replace("PATH", repr(str(tmp_path / "factor"))) + WORK.replace("CALL", CALLS[name]))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_daemon_thread_that_sleeps_makes_no_messages():
    """The thread keeps the program's globals, among them factors, to the end, which nanobind would
    report as a leak."""
    done = run(SYSTEM.replace("PATH", "None") + "threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()\n")
    assert (done.returncode, done.stderr) == (0, "")


LEAKY = "import kauri\nkauri._core.leak_warnings(True)\n"


def test_nothing_is_leaked():
    program = LEAKY + SYSTEM.replace("PATH", "None") + """
import copy, pickle
for g in (f, m, kauri.analyze(A), f.copy(), pickle.loads(pickle.dumps(f)), f.cholesky(2 * A)):
    g.report()
f.L(), f.L_D(), f.inverse_entries(), f.supernodes(), f.density(), f.cost(), f.condition(), f.solve(b, refine=2)
for wrong in (lambda: kauri.cholesky(bad), lambda: kauri.cholesky(A, thread=1), lambda: f(np.ones(3)), lambda: f._numbers.solve("U", b, b, 0, None)):
    try:
        wrong()
    except kauri.KauriError as error:
        kept = error
threads = [threading.Thread(target=lambda: f(b)) for _ in range(3)]
[t.start() for t in threads], [t.join() for t in threads]
kauri.compare(A, ["amd", "nd"])
import kauri.cholmod05
kauri.cholmod05.cho_factor(A).solve(b)
"""
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_memory_stays_of_factors():
    """A loop makes a factor in each turn, as programs written for SciPy do."""
    program = SYSTEM.replace("PATH", "None") + """
import gc, os
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")
small = sp.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(300, 300)).tocsc()
c = np.ones(300)
for turn in range(2500):
    if turn == 500:
        gc.collect()
        before = resident()
    kauri.cholesky(small)(c)
gc.collect()
more = resident() - before
assert more < 1 << 20, f"{more} bytes more after 2000 factors"
"""
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_leaked_would_be_told():
    """Shows that the message that the tests above look for can appear."""
    done = run(LEAKY + SYSTEM.replace("PATH", "None") + "threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()\n")
    assert done.returncode == 0 and "leaked" in done.stderr


def sub_interpreters():
    """Returns the name of the module with which Python's own tests make sub-interpreters; skips if
    there is none."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return __import__(name).__name__
        except ImportError:
            continue
    pytest.skip("this Python offers no sub-interpreters")


@pytest.mark.parametrize("isolated", [True, False])
def test_sub_interpreters_are_refused(isolated, tmp_path):
    name = sub_interpreters()
    made = {"_interpreters": f"interpreters.create({'isolated' if isolated else 'legacy'!r})",
            "_xxsubinterpreters": f"interpreters.create(isolated={isolated})"}[name]
    told = tmp_path / "told"
    program = f"""
import {name} as interpreters
BEFORE
inside = {made}
interpreters.run_string(inside, '''
try:
    import kauri
except ImportError as error:
    open({str(told)!r}, "a").write(str(error) + "|")
else:
    open({str(told)!r}, "a").write("taken|")
''')
"""
    for before in ("", "import kauri"):
        done = run(program.replace("BEFORE", before))
        assert done.returncode == 0, done.stderr
    first, second, rest = told.read_text().split("|")
    assert "interpreter" in first and "interpreter" in second and not rest
