#!/usr/bin/env python3
# Times one solve from Python, from A and b in memory to x, beside scipy.sparse.linalg.spsolve,
# scikit-sparse (0.4 or 0.5) and cholespy, if installed.
# SPDX-License-Identifier: BSD-3-Clause
"""python3 bench/python/peers.py ../shared/matrices/*.npz ../shared/matrices/*.mtx.gz --output peers.jsonl
python3 bench/python/peers.py --table peers.jsonl

A system is a file of SciPy (.npz) or Matrix Market (.mtx, .mtx.gz), both halves or one; b is A times
random numbers. All solvers get the same A, both halves, by columns, float64, 32-bit indices, and repeat
everything at each call: ordering, analysis, factor, solve. Each solver has a separate process, so that
thread pools do not interfere; the processes run in turn, and while one works the others wait. The least
time of each counts. "kauri told" is kauri with analyze_cores (the cores for which auto weighs
orderings) equal to --threads; without it auto assumes 8. Writes a line of JSON for each system, then a
Markdown table with seconds, and how many times faster each of these two is."""
import argparse
import json
import math
import multiprocessing
import os
import pathlib
import platform
import resource
import sys
import time

OURS = ("kauri", "kauri told")
SOLVERS = (*OURS, "spsolve", "scikit-sparse", "cholespy")


def read(path):
    """Returns A of a file, both halves, by columns."""
    import numpy as np
    import scipy.io
    import scipy.sparse as sp

    a = sp.load_npz(path) if path.endswith(".npz") else scipy.io.mmread(path)
    a = sp.csc_matrix(a, dtype=np.float64)
    if sp.triu(a, 1).nnz == 0 or sp.tril(a, -1).nnz == 0:
        a = sp.csc_matrix(a + a.T - sp.diags(a.diagonal()))
    a.sum_duplicates()
    a.indices, a.indptr = a.indices.astype(np.int32), a.indptr.astype(np.int32)
    return a


def with_kauri(threads, **options):
    import kauri

    def solve(a, b):
        solve.factor = kauri.cholesky(a, threads=threads, **options)
        return solve.factor(b)

    solve.version = kauri.__version__
    return solve


def with_kauri_told(threads):
    return with_kauri(threads, analyze_cores=threads)


def with_spsolve(threads):
    import scipy
    import scipy.sparse.linalg

    def solve(a, b):
        return scipy.sparse.linalg.spsolve(a, b, use_umfpack=False)

    solve.version = scipy.__version__
    return solve


def with_scikit_sparse(threads):
    from importlib.metadata import version

    from sksparse import cholmod

    def solve(a, b):
        return cholmod.cholesky(a)(b) if hasattr(cholmod, "cholesky_AAt") else cholmod.cho_factor(a, lower=True).solve(b)

    solve.version = version("scikit-sparse")
    return solve


def with_cholespy(threads):
    from importlib.metadata import version

    import cholespy
    import numpy as np

    def solve(a, b):
        x = np.empty_like(b)
        cholespy.CholeskySolverD(a.shape[0], a.indptr, a.indices, a.data, cholespy.MatrixType.CSC).solve(b, x)
        return x

    solve.version = version("cholespy")
    return solve


MAKERS = dict(zip(SOLVERS, (with_kauri, with_kauri_told, with_spsolve, with_scikit_sparse, with_cholespy)))


def work(name, threads, memory, pipe):
    """Runs in the process of one solver: receives paths and "solve", and answers with dicts."""
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # hides the output of solvers
    try:
        solve = MAKERS[name](threads)
    except ImportError as error:
        pipe.send({"missing": str(error)})
        return
    pipe.send({"version": solve.version})
    import numpy as np

    a = b = None
    while (told := pipe.recv()) is not None:
        if told != "solve":
            a = read(told)
            b = a @ np.random.default_rng(1).standard_normal(a.shape[0])
            norm = float(abs(a).sum(axis=0).max())
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            pipe.send({"n": a.shape[0], "nnz": int((a.nnz + np.count_nonzero(a.diagonal())) // 2)})
            continue
        started = time.perf_counter()
        try:
            x = solve(a, b)
        except BaseException as error:
            pipe.send({"failed": f"{type(error).__name__}: {error}".splitlines()[0]})
            continue
        seconds = time.perf_counter() - started
        answer = {"s": seconds, "error": float(np.abs(b - a @ x).max() / (norm * np.abs(x).max() + np.abs(b).max()))}
        if name in OURS:
            report = solve.factor.report()
            answer["phases"] = {phase: report[phase]["seconds"] for phase in ("ordering", "symbolic", "prepare", "factor", "solve")}
            answer["ordering"] = report["ordering_method"]
            solve.factor = None
        pipe.send(answer)


class Solver:
    """The process of a solver, and its answers."""

    def __init__(self, name, arguments):
        context = multiprocessing.get_context("spawn")
        self.name, self.times, self.last, self.ended = name, [], {}, None
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(name, arguments.threads, int(arguments.memory * 2**30), other), daemon=True)
        self.process.start()
        other.close()
        told = self.hear(120)
        self.version = told.get("version")
        if self.version is None:
            self.ended = told.get("missing", "did not start")

    def hear(self, seconds):
        """Returns its answer, or {"failed": reason}."""
        try:
            if self.pipe.poll(seconds):
                return self.pipe.recv()
            reason = f"> {seconds:g} s"
        except (EOFError, ConnectionError):
            self.process.join(10)
            reason = f"ended by signal {-self.process.exitcode}" if (self.process.exitcode or 0) < 0 else "ended"
        self.close()
        self.ended = reason
        return {"failed": reason}

    def close(self):
        if self.process.is_alive():
            self.process.kill()
        self.process.join(60)

    def ask(self, text, seconds):
        self.pipe.send(text)
        return self.hear(seconds)

    def solve(self, limit):
        told = self.ask("solve", limit)
        if "failed" in told:
            self.ended = told["failed"]
            return
        self.times.append(told["s"])
        self.last = told


def record(path, arguments):
    """Returns the line of a system."""
    solvers = [Solver(name, arguments) for name in arguments.solvers]
    for solver in solvers:
        if solver.ended is None:
            told = solver.ask(path, 600)
            if "failed" not in told:
                size = told
    load = os.getloadavg()[0]
    for turn in range(arguments.rounds):
        for solver in solvers[turn % len(solvers) :] + solvers[: turn % len(solvers)]:
            if solver.ended is None and (turn == 0 or sum(solver.times) + min(solver.times) < arguments.seconds):
                solver.solve(arguments.limit)
    line = {"system": pathlib.Path(path).name.split(".")[0], **size, "threads": arguments.threads, "load": load, "solvers": {}}
    for solver in solvers:
        told = {"version": solver.version}
        if solver.times:
            told.update({**solver.last, "s": min(solver.times), "all": solver.times})
        if solver.ended is not None:
            told["ended"] = solver.ended
        line["solvers"][solver.name] = told
        solver.close()
    return line


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def faster(line, own, name):
    """Returns how many times faster kauri, or kauri told, is than a solver: (text, the ratio or
    None)."""
    ours, told = line["solvers"].get(own, {}).get("s"), line["solvers"].get(name, {})
    if ours and "s" in told:
        return number(told["s"] / ours), told["s"] / ours
    if ours and told.get("ended", "").startswith("> "):
        return "> " + number(float(told["ended"].split()[1]) / ours), None
    return "–", None


def seconds(told):
    """Returns the time of a solver as text, or why it has none."""
    return number(told["s"]) if "s" in told else told.get("ended", "not run").removesuffix(" s").split(":")[0]


def table(lines):
    """Returns the Markdown table and its summary."""
    ours, names = ([name for name in group if any("s" in line["solvers"].get(name, {}) for line in lines)] for group in (OURS, SOLVERS[2:]))
    own_heads = " | ".join("ordering | kauri, s" if name == OURS[0] else "told | told, s" for name in ours)
    heads = " | ".join(f"{name}, s | ratios" for name in names)
    text = [f"| system | n | entries | {own_heads} | {heads} | backward errors |",
            "|---|---:|---:|" + "---|---:|" * len(ours) + "---:|---:|" * len(names) + "---|"]
    ratios = {(own, name): [] for own in ours for name in names}
    for line in lines:
        row = [line["system"], f"{line['n']:,}", f"{line['nnz']:,}"]
        for name in ours:
            own = line["solvers"].get(name, {})
            row += [f"`{own.get('ordering')}`", seconds(own)]
        for name in names:
            texts = []
            for which in ours:
                words, value = faster(line, which, name)
                texts.append(words)
                ratios[which, name] += [] if value is None else [value]
            row += [seconds(line["solvers"].get(name, {})), "; ".join(texts)]
        errors = [line["solvers"].get(name, {}).get("error") for name in (*ours, *names)]
        text.append("| " + " | ".join([*row, ", ".join("–" if error is None else f"{error:.0e}" for error in errors)]) + " |")
    text.append("")
    for (own, name), values in ratios.items():
        slower = ", ".join(line["system"] for line in lines if (faster(line, own, name)[1] or 1) < 1)
        if not values:
            text.append(f"{own} over {name}: no system was done by both")
            continue
        mean = math.exp(sum(map(math.log, values)) / len(values))
        text.append(f"{own} over {name}: {len(values)} systems, {mean:.2f} times as fast in the geometric mean, the least {min(values):.2f}, "
                    f"the greatest {max(values):.1f}; slower: {slower or 'none'}")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="*", help="files")
    parser.add_argument("--solvers", type=lambda text: text.split(","), default=list(SOLVERS))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=7, help="at most, of each solver and system")
    parser.add_argument("--seconds", type=float, default=30, help="no further round of a solver that took so long")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one solve")
    parser.add_argument("--memory", type=float, default=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, help="GiB of address space")
    parser.add_argument("--output", help="lines of JSON are added to this file")
    parser.add_argument("--table", help="print the table of such a file, and do nothing else")
    arguments = parser.parse_args()
    if arguments.table:
        print(table([json.loads(line) for line in open(arguments.table, encoding="utf-8")]))
        return
    if "kauri" not in arguments.solvers:
        parser.error("kauri is one of --solvers")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(arguments.threads)
    lines = []
    for path in arguments.systems:
        lines.append({**record(path, arguments), "machine": platform.processor() or platform.machine(), "python": platform.python_version()})
        text = json.dumps(lines[-1])
        print(text, flush=True)
        if arguments.output:
            with open(arguments.output, "a", encoding="utf-8") as out:
                out.write(text + "\n")
    print(table(lines))


if __name__ == "__main__":
    main()
