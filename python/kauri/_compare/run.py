# compare: the predicted and measured cost of each ordering.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _core, _options
from .._arrays import dtypes, matrix, memory
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .._errors import (
    InputError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError, UsageError)
from .._factor.analyze import analysis
from .._factor.backward_error import status_of
from . import table
from .comparison import Comparison
from .records import Record, System

if TYPE_CHECKING:
    from .._factor import Factor

# Most rows for which the default includes natural, whose cost may be excessive for more.
_SMALL = 10_000
_SOLVES = 3  # solves that are timed, as in the program; the least time counts
# Errors of one system or one ordering after which the others are still compared.
_FAILURES = (InputError, TooLargeError, OutOfMemoryError, MemoryError)


_Ordering: TypeAlias = str | Mapping[str, Any] | ArrayLike  # a name, options or a permutation
# Result of _ordering().
_Requested: TypeAlias = tuple[str, dict[str, Any], NDArray[Any] | None]


@dataclasses.dataclass(frozen=True)
class _Job:
    """Arguments that all orderings of all systems share."""

    factorize: bool
    repetitions: int
    most_seconds: float | None
    triangle: str
    symmetry: float
    dtype: Any
    cancel: Any
    options: dict


def _known() -> list[str]:
    """Returns the names of all orderings."""
    return [*_options.METHODS, "best"]


def _ordering(label: Any, what: Any) -> _Requested:
    """Returns (label, options of the analysis, permutation or None) for one requested ordering."""
    options = what if isinstance(what, dict) else {"ordering_method": what} if isinstance(what, str) else None
    if options is None:
        return str(label), {}, np.asarray(what)
    name = options.get("ordering_method", "auto")
    if name not in _known() and name not in _options.ORDERINGS:
        raise UsageError(f"ordering {name!r}: expected one of {', '.join(_known())}")
    _options.texts(options)  # raises UsageError for an unknown option
    return str(label), options, None


def _orderings(
        wanted: str | Sequence[str] | Mapping[str, _Ordering] | None) -> list[_Requested] | None:
    """Returns the requested orderings as a list of _ordering(), or None for the default."""
    if wanted is None:
        return None
    if isinstance(wanted, str):
        wanted = [wanted]
    pairs = wanted.items() if isinstance(wanted, dict) else [(one, one) for one in wanted]
    if not isinstance(wanted, dict) and not all(isinstance(one, str) for one in wanted):
        raise UsageError("orderings: expected a list of names; pass permutations and options in a dict, each under its own name")
    found = [_ordering(label, what) for label, what in dict(pairs).items()]
    if not found:
        raise UsageError(f"orderings is empty, expected one or more of {', '.join(_known())}")
    return found


def _default(n: int) -> list[_Requested]:
    names = ["rcm", "amd", "nd"] + ["metis"] * (_core.ordering_available("metis") and _core.ordering_compared("metis")) + ["auto"]
    return [_ordering(name, name) for name in (["natural"] if n <= _SMALL else []) + names]


def _systems(A: Any, name: str) -> list[tuple[str, Matrix]]:
    """Returns [(name, matrix)] for one matrix, or for a dict or a list of several."""
    if isinstance(A, dict):
        return [(str(key), one) for key, one in A.items()]
    several = isinstance(A, (list, tuple)) and len(A) > 0 and all(len(getattr(one, "shape", ())) == 2 for one in A)
    return [(f"{name}[{k}]", one) for k, one in enumerate(A)] if several else [(name, A)]


def _refusal(cost: dict[str, Any], f: Factor, job: _Job) -> str:
    """Returns the reason why this factorisation is not run, or an empty string."""
    predicted = cost["predicted_factor_s"]
    if job.most_seconds is not None and predicted > job.most_seconds:
        return f"not factorised: predicted to take {table.seconds(predicted)}, more than most_seconds={job.most_seconds:g}"
    if f._symbolic.on_device:
        return ""
    needed, room = cost["peak_bytes"] + cost["workspace_bytes"], memory.available_bytes()
    if needed > room:
        return f"not factorised: that needs {table.size(needed)}, but only {table.size(room)} are available"
    return ""


def _judged(error: dict[str, Any], finite: bool, dtype: np.dtype[Any]) -> dict[str, str]:
    """Returns status and note of an x with these errors, by the rule of the program."""
    normwise, componentwise = (math.nan if error[key] is None else error[key] for key in ("normwise", "componentwise"))
    status = status_of(normwise, componentwise, dtype) if finite else "not_finite"
    note = {
        "ok": "", "not_finite": f"the solution overflows {dtype}",
        "not_converged": f"not solved: the backward error is {normwise:.2g}, above {math.sqrt(np.finfo(dtype).eps):.2g}"
    }
    return {"status": status, "note": note[status]}


def _measured(f: Factor, a: Any, job: _Job) -> dict[str, Any]:
    """Factorises and solves; returns the figures that the reports of the library give."""
    twin = f._twin()
    fill = twin._make().refactorize
    times = []
    for _ in range(1 + job.repetitions):  # the first one touches new memory, so it is not counted
        twin._fill(fill, a, 0.0, job.cancel)
        times.append(twin.report()["factor"]["seconds"])
    b = np.random.default_rng(1).uniform(-1, 1, f.n).astype(f.dtype)
    solves = []
    for _ in range(_SOLVES):
        x = twin.solve(b, refine=0, cancel=job.cancel)
        solves.append(twin.report()["solve"]["seconds"])
    # The report has the error of the unrefined x only if the solve is refined.
    twin.solve(b, refine=1, cancel=job.cancel)
    error = twin.report()["refinement"]["unrefined"]
    return {
        "factor_s": min(times[1:]), "solve1_s": min(solves), **_judged(error, bool(np.isfinite(x).all()), f.dtype),
        "backward_error": error["normwise"], "backward_error_componentwise": error["componentwise"]
    }


def _numeric(f: Factor, a: Any, cost: dict[str, Any], job: _Job) -> dict[str, Any]:
    """Returns _measured(), or status and note if there are no figures."""
    refused = _refusal(cost, f, job)
    if refused:
        return {"status": "not_run", "note": refused}
    try:
        return _measured(f, a, job)
    except NotPositiveDefiniteError as error:
        return {"status": "not_positive_definite", "note": str(error), "column": error.column}
    except _FAILURES as error:
        return {"status": "not_run", "note": f"not factorised: {error}"}


_FROM_COST = ("nnzL", "flops", "fill_ratio", "stored_entries", "executed_flops", "tree_height", "supernodes", "largest_front",
              "largest_supernode", "factor_bytes", "peak_bytes", "predicted_factor_s", "predicted_solve_s")


def _record(
        system: str, a: Any, array: bool, ordering: _Requested,
        job: _Job) -> tuple[Record, dict[str, Any] | None]:
    """Returns the record of one ordering, and the report of its analysis or None."""
    label, own, permutation = ordering
    options = {**job.options, **own}
    method = "given" if permutation is not None else _options.ORDERINGS.get(options["ordering_method"], options)["ordering_method"]
    failed = {"system": system, "ordering": label, "method": method, "n": a.n, "nnz_lower": a.nnz, "status": "failed"}
    if method == "metis" and not _core.ordering_available("metis"):
        return Record(**failed, note="not available in this build"), None
    name = options.pop("ordering_method", "auto")
    try:
        f = analysis(a, "auto", name, array, (job.triangle, job.symmetry), permutation, job.cancel, options)
    # A bad permutation (UsageError) is a failure of this ordering alone.
    except (_FAILURES if permutation is None else (*_FAILURES, UsageError)) as error:
        return Record(**failed, note=f"not analysed: {error}"), None
    cost, report = f.cost(), f.report()
    method = cost["ordering"]
    figures = {
        "status": "ok", "method": method, "order_s": report["ordering"]["seconds"], "symbolic_s": report["symbolic"]["seconds"], "factor": f,
        "effort": dict(f._symbolic.options)["ordering.effort"] if method == "nd" else None
    }
    if job.factorize:
        figures.update(_numeric(f, a, cost, job))
    return Record(**{**failed, **{key: cost[key] for key in _FROM_COST}, **figures}), report


def _marked(records: list[Record]) -> tuple[Record, ...]:
    """Returns the records with ``chosen`` set for the ordering that auto took."""
    auto = next((r for r in records if r.ordering == "auto" and r.factor is not None), None)
    if auto is None:
        return tuple(records)
    return tuple(
        dataclasses.replace(r, chosen=r is not auto and (r.method, r.effort, r.nnzL, r.flops) == (auto.method, auto.effort, auto.nnzL, auto.flops))
        for r in records)


def _where(report: dict[str, Any]) -> str:
    """Returns target, kernels, threads and type of the numbers in the words of the program."""
    target, kernels, threads = report["target"], report["kernels"], report["threads"]
    return (f"{target}{'' if kernels == target else f' ({kernels})'}, {threads} thread{'' if threads == 1 else 's'}, "
            f"{'float' if report['scalar_bytes'] == 4 else 'double'}")


def _compared(name: str, A: Matrix, orderings: list[_Requested] | None, job: _Job) -> System:
    given, A = dtypes.given_dtype(A), matrix.to_scipy(A)
    a = matrix.to_core(A, job.dtype, job.triangle, job.symmetry, given)
    records, where, reason = [], "", ""
    for ordering in orderings or _default(a.n):
        record, report = _record(name, a, isinstance(A, sp.sparray), ordering, job)
        records.append(record)
        if report is not None:
            where = _where(report)
            reason = report["ordering_reason"] if record.ordering == "auto" else reason
    return System(name, a.n, a.nnz, where, job.factorize, reason, _marked(records))


def compare(
        A: Matrix | Mapping[str, Matrix] | Sequence[Matrix],
        orderings: str | Sequence[str] | Mapping[str, _Ordering] | None = None, *,
        factorize: bool = False, repetitions: int = 3, most_seconds: float | None = 30.0,
        threads: int | None = None, triangle: str = "auto", symmetry: float = 0,
        dtype: DTypeLike | None = None, name: str = "A", cancel: CancelToken | None = None,
        **options: Any) -> Comparison:
    """Compares orderings of A by entries of L, operations, memory and time, as ``kauri compare``
    does.

    The result prints as a table and draws pictures.

    Parameters
    ----------
    A : matrix of shape (n, n), or a dict or a list of several
        Any matrix that :func:`kauri.cholesky` accepts. The keys of a dict name its systems; those
        of a list are named ``A[0]``, ``A[1]`` ...
    orderings : str, list of str or dict, optional
        Names: ``natural``, ``rcm``, ``md``, ``amd``, ``pamd``, ``nd``, ``metis``, ``auto``,
        ``best``, and those of scikit-sparse. The keys of a dict are labels of your choice; its
        values are a name, options (``{"ordering_method": "nd", "ordering_seed": 3}``), or a
        permutation, shape (n,): rows of A in the order of elimination. None: ``natural`` up to
        10000 rows, ``rcm``, ``amd``, ``nd``, ``metis`` if it is compiled into kauri, and ``auto``,
        whose time is that of all orderings that it tried.
    factorize : bool
        True: factorise and solve with each ordering as well, and report the times.
    repetitions : int
        Number of timed refactorisations after a first one; the least time counts.
    most_seconds : float or None
        A factorisation that is predicted to take longer is not run. None: no limit. A factorisation
        that needs more memory than is available is never run.
    threads : int, optional
        Number of threads. 0 or None: all.
    triangle, symmetry, dtype, cancel
        Arguments of :func:`kauri.cholesky`.
    name : str
        Name of A in tables and pictures.
    **options
        Options of kauri.option_names(), for all orderings.

    Returns
    -------
    Comparison

    Raises
    ------
    UsageError
        An ordering or option is unknown; nothing has been run then.
    InputError, Cancelled, DeviceError
        A single A that is not symmetric raises InputError (UsageError if it is not square). If
        several are compared, the table shows the error (``comparison.failures``), and the next one
        follows. An ordering that fails, for example since A is not positive definite, is recorded
        in ``Record.status`` and ``note``.

    Examples
    --------
    >>> import scipy.sparse as sp, kauri
    >>> line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(30, 30))
    >>> A = sp.kron(line, sp.eye_array(30)) + sp.kron(sp.eye_array(30), line)
    >>> comparison = kauri.compare(A, ["natural", "rcm", "amd", "nd"])
    >>> [record.ordering for record in comparison]
    ['natural', 'rcm', 'amd', 'nd']
    >>> comparison["natural"].nnzL, comparison["natural"].flops
    (27029, 828067.0)
    >>> comparison.best("flops").flops < comparison["rcm"].flops
    True
    """
    if repetitions < 1:
        raise UsageError(f"repetitions is {repetitions}, expected 1 or more")
    if threads is not None:
        options["threads"] = threads
    if "ordering_method" in options:
        raise UsageError("option 'ordering_method': compare takes orderings=[...]")
    _options.texts(options)
    job = _Job(factorize, repetitions, most_seconds, triangle, symmetry, dtype, cancel, options)
    wanted = _orderings(orderings)
    several = _systems(A, name)
    if len(several) == 1 and several[0][1] is A:
        return Comparison([_compared(name, A, wanted, job)])
    found = []
    for key, one in several:
        try:
            found.append(_compared(key, one, wanted, job))
        except (*_FAILURES, UsageError, NotImplementedError) as error:
            found.append(System(key, failure=str(error)))
    return Comparison(found)
