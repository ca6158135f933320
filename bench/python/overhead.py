#!/usr/bin/env python3
# Measures the cost of a small solve in Python beyond the C++ solve: the time of f(b), less the
# seconds that the report gives for a solve by the C++ module alone. There are ten calls for each
# report, since making its text leaves the caches cold for the next call.
#     python3 bench/python/overhead.py [--rounds 2000] [--device cupy|torch|jax]     --device: b on a device, as an array of that library
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import statistics
import time

import numpy as np
import scipy.sparse as sp

import kauri


def poisson(k):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(k, k))
    return sp.csc_array(sp.kron(line, sp.eye_array(k)) + sp.kron(sp.eye_array(k), line))


def alone(f, b):
    """Returns a function that makes the C++ module's solve without Python's work before and after
    it."""
    if not kauri._arrays.protocols.is_foreign(b):
        return lambda: f(b)
    kind = kauri._arrays.cuda.kind_of(b)
    x = kind.copy(b)
    return lambda: f._numbers.solve_there("A", kind.view(b), kind.view(x), 0, kind.stream(b), None, None)


def microseconds(f, b, rounds):
    """Returns (median of the calls, median of some solves in C++), taken in turn."""
    total, inside, solve = [], [], alone(f, b)
    for _ in range(max(rounds // 10, 1)):
        for _ in range(10):
            started = time.perf_counter()
            f(b)
            total.append(time.perf_counter() - started)
        for _ in range(2):
            solve()
        report = f.report()
        inside.append(report["solve"]["seconds"] + report["refine"]["seconds"])
    return 1e6 * statistics.median(total), 1e6 * statistics.median(inside)


def there(library):
    """Returns a function that copies a NumPy array to the device and keeps its order, except that
    JAX has only one."""
    if library == "cupy":
        import cupy

        return lambda x: cupy.asarray(x, order="K")
    if library == "torch":
        import torch

        return lambda x: torch.from_numpy(x).to("cuda")
    if library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return lambda x: jax.device_put(x, jax.devices("cuda")[0])
    return lambda x: x


def main():
    parser = argparse.ArgumentParser(description="Overhead of a solve in Python over C++")
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--device", choices=("cupy", "torch", "jax"))
    arguments = parser.parse_args()
    rounds, bring = arguments.rounds, there(arguments.device)
    print(f"kauri {kauri.__version__}, {rounds} rounds, medians in microseconds")
    print(f"{'n':>7} {'b':>10} {'call':>9} {'in C++':>9} {'overhead':>9}")
    for k in (1, 3, 10, 30, 100):
        f = kauri.cholesky(poisson(k), backend="cuda") if arguments.device else kauri.cholesky(poisson(k), threads=1)
        for name, b in (("(n,)", np.ones(f.n)), ("(n, 4) C", np.ones((f.n, 4))), ("(n, 4) F", np.ones((f.n, 4), order="F"))):
            b = bring(b)
            f(b)
            total, inside = microseconds(f, b, rounds if k < 100 else rounds // 4)
            print(f"{f.n:7} {name:>10} {total:9.1f} {inside:9.1f} {total - inside:9.1f}")


if __name__ == "__main__":
    main()
