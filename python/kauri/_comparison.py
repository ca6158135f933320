# Comparison: the records that compare() returns, with their tables and figures.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import _table
from ._errors import UsageError
from ._factor import Factor


@dataclasses.dataclass(frozen=True)
class Record:
    """Figures of one ordering of one system.

    Names and figures are those of ``kauri compare --json`` (docs/json.md). Seconds are wall time.
    Figures that were not computed are None.

    Attributes
    ----------
    system, ordering : str
        Names that the caller gave, or that :func:`kauri.compare` chose.
    method : str
        The ordering that was run: for ``auto`` the one that it took; ``given`` for a permutation.
    effort : str or None
        Effort of the ordering, if method is ``nd``.
    status : str
        ``ok``; ``failed``: there are no figures; or, for the factorisation,
        ``not_positive_definite``, ``not_finite``, ``not_converged`` (the normwise backward error is
        above sqrt(eps)) or ``not_run``. ``note`` gives the reason.
    nnzL, flops, fill_ratio : int, float, float
        Entries of L; operations of the factorisation (a multiply-add is two); entries of L over
        those of A's lower triangle.
    stored_entries, executed_flops : int, float
        Entries of L and operations, including the zeros that amalgamation stores.
    tree_height, supernodes, largest_front, largest_supernode : int
        Columns on the longest path of the elimination tree; number of supernodes, each of which has
        a front; rows of the largest front; columns of the largest supernode.
    factor_bytes, peak_bytes : int
        Bytes of L; bytes of a whole factorisation.
    order_s, symbolic_s, factor_s, solve1_s : float
        Seconds of the ordering and of the rest of the analysis; with ``factorize=True`` the least
        seconds of the refactorisations, and of three solves with one right-hand side.
    predicted_factor_s, predicted_solve_s : float
        Seconds that the plan predicts for double.
    backward_error, backward_error_componentwise : float or None
        Errors of the solution, which is not refined.
    column : int or None
        Failing column of A, if A is not positive definite.
    chosen : bool
        True for the ordering that ``auto`` took, if it was also compared by its name.
    factor : Factor or None
        The analysis, without numbers.
    """

    system: str
    ordering: str
    method: str
    n: int
    nnz_lower: int
    effort: str | None = None
    status: str = "ok"
    note: str = ""
    nnzL: int | None = None
    flops: float | None = None
    fill_ratio: float | None = None
    stored_entries: int | None = None
    executed_flops: float | None = None
    tree_height: int | None = None
    supernodes: int | None = None
    largest_front: int | None = None
    largest_supernode: int | None = None
    factor_bytes: int | None = None
    peak_bytes: int | None = None
    order_s: float | None = None
    symbolic_s: float | None = None
    predicted_factor_s: float | None = None
    predicted_solve_s: float | None = None
    factor_s: float | None = None
    solve1_s: float | None = None
    backward_error: float | None = None
    backward_error_componentwise: float | None = None
    column: int | None = None
    chosen: bool = False
    factor: Factor | None = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def label(self) -> str:
        """Name of the ordering in tables and pictures; for ``auto`` with the ordering that it took.
        """
        return self.ordering if self.ordering != "auto" or self.method == "auto" else f"auto ({self.method})"

    def as_dict(self) -> dict[str, Any]:
        """Returns all figures by name, without ``factor``."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "factor"}


@dataclasses.dataclass(frozen=True)
class System:
    """One matrix of a comparison.

    Attributes
    ----------
    name : str
    n, nnz_lower : int
        Number of rows; entries of the lower half, diagonal included.
    where : str
        Target, threads and type of the numbers, in the words of the program.
    measured : bool
        True if factorisations were requested.
    reason : str
        Reason for the choice of ``auto``, if it was compared.
    records : tuple of Record
    failure : str or None
        Reason why there are no records.
    """

    name: str
    n: int = 0
    nnz_lower: int = 0
    where: str = ""
    measured: bool = False
    reason: str = ""
    records: tuple[Record, ...] = ()
    failure: str | None = None


class Comparison:
    """Result of :func:`kauri.compare`. It prints as a table, also in a notebook.

    ``comparison["nd"]`` is the :class:`Record` of an ordering; if several systems were compared,
    ``comparison["grid", "nd"]``. Iteration goes over all records.

    Attributes
    ----------
    systems : dict of str to System
    """

    def __init__(self, systems: Iterable[System]) -> None:
        self.systems = {system.name: system for system in systems}

    @property
    def records(self) -> tuple[Record, ...]:
        """Tuple of all records: system by system, in the order of the orderings requested."""
        return tuple(record for system in self.systems.values() for record in system.records)

    @property
    def failures(self) -> dict[str, str]:
        """Dict of the systems that could not be compared: name and reason."""
        return {name: system.failure for name, system in self.systems.items() if system.failure is not None}

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __getitem__(self, key: str | tuple[str, str]) -> Record:
        name, ordering = key if isinstance(key, tuple) else (None, key)
        if name is None and len(self.systems) > 1:
            raise KeyError(f"{key!r}: several systems were compared, so comparison[system, ordering]; systems: {', '.join(self.systems)}")
        for record in self.records:
            if record.ordering == ordering and name in (None, record.system):
                return record
        there = dict.fromkeys(r.ordering for r in self.records)
        raise KeyError(f"{key!r}: orderings: {', '.join(there)}" + ("" if name is None else f"; systems: {', '.join(self.systems)}"))

    def __str__(self):
        return "\n".join(_table.text(system) for system in self.systems.values()).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self):
        return "\n".join(_table.as_html(system) for system in self.systems.values())

    def best(self, by: str = "flops", system: str | None = None) -> Record:
        """Returns the record with the least value of a figure.

        Parameters
        ----------
        by : str
            A figure of Record: ``flops``, ``nnzL``, ``peak_bytes``, ``factor_s`` ...
        system : str, optional
            The system to search; required if several were compared.

        Raises
        ------
        UsageError
            The figure or the system is unknown, or no record has the figure.
        """
        if by not in _FIGURES:
            raise UsageError(f"best by {by!r}: expected one of {', '.join(_FIGURES)}")
        found = [r for s in self._systems_of(system, 1) for r in s.records if getattr(r, by) is not None]
        if not found:
            raise UsageError(f"best by {by}: no record has this figure" + ("; compare with factorize=True to measure times" if by.endswith("_s") else ""))
        return min(found, key=lambda record: getattr(record, by))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the records as a list of dicts, for example for JSON."""
        return [record.as_dict() for record in self.records]

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each record and a column for each figure.

        Figures are in base units: seconds, bytes, operations. The index is the ordering or, if
        several systems were compared, system and ordering. Systems without records have no row.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install pandas, or kauri[compare]") from error
        names = [field.name for field in dataclasses.fields(Record) if field.name != "factor"]
        frame = pandas.DataFrame(self.to_dicts(), columns=names)
        for name in _COUNTS:  # pandas makes floats of integers with missing ones
            frame[name] = frame[name].astype("Int64" if frame[name].isna().any() else "int64")
        return frame.set_index(["system", "ordering"] if len(self.systems) > 1 else "ordering")

    def _systems_of(self, system, most=None):
        """Returns the system of this name as a list, or all systems for None.

        Raises UsageError for an unknown name, and for more than `most` systems.
        """
        if system is not None and system not in self.systems:
            raise UsageError(f"system {system!r}: expected one of {', '.join(self.systems)}")
        found = [s for s in self.systems.values() if system in (None, s.name)]
        if most is not None and len(found) > most:
            raise UsageError(f"system: name one of {', '.join(self.systems)}")
        return found

    # Figures.

    def plot_spy(
            self, system: str | None = None, *, orderings: str | Sequence[str] | None = None,
            cells: int = 192, figsize: tuple[float, float] | None = None) -> Any:
        """Draws the entries of P A P' and of L for each ordering; titles give their number and the
        fill.

        Systems of at most ``cells`` rows are drawn entry by entry; in L, entries of A are black and
        fill is orange. For larger systems, the picture is a grid of cells, each the darker the more
        entries it has, on a logarithmic scale.

        Parameters
        ----------
        system : str, optional
            The system to draw. None: all, one below the other.
        orderings : list of str, optional
            Orderings to draw, in this order. None: all, except that ``auto`` is omitted if the
            ordering that it took was also compared by its name.
        cells : int
            Most cells to a side of the picture.
        figsize : (float, float), optional
            Size in inches.

        Returns
        -------
        matplotlib.figure.Figure
            A figure of pyplot. A notebook shows it once; elsewhere call ``plt.show()``.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        UsageError
            The system or an ordering is unknown, or there is nothing to draw.
        """
        return self._plot(["spy"], system, orderings, figsize, cells=cells)

    def plot_tree(
            self, system: str | None = None, *, orderings: str | Sequence[str] | None = None,
            kind: str = "auto", figsize: tuple[float, float] | None = None) -> Any:
        """Draws the tree of each ordering.

        Other parameters, result and errors are those of :meth:`plot_spy`.

        Parameters
        ----------
        kind : str
            ``elimination``: a dot for each column, for at most 2000 columns; up to 30 columns are
            numbered in the order of elimination. ``fronts``: the assembly tree as `kauri tree`
            draws it, with the roots on top. A front is a box, as wide as its subtree has columns
            and as high as it has pivots; its colour gives its share of all operations. A front that
            is too low to be visible is drawn together with the one below; subtrees that are too
            narrow are drawn as triangles. ``auto``: ``elimination`` up to 100 rows, else
            ``fronts``.
        """
        return self._plot(["tree"], system, orderings, figsize, kind=kind)

    def plot_fronts(
            self, system: str | None = None, *, orderings: str | Sequence[str] | None = None,
            figsize: tuple[float, float] | None = None) -> Any:
        """Draws histograms of fronts by rows and of supernodes by columns.

        The classes begin at powers of two. Each bar pair gives the share of their number and the
        share of the operations in a class. Parameters, result and errors are those of
        :meth:`plot_spy`.
        """
        return self._plot(["fronts"], system, orderings, figsize)

    def plot_bars(
            self, system: str | None = None, *, orderings: str | Sequence[str] | None = None,
            figsize: tuple[float, float] | None = None) -> Any:
        """Draws time and memory of each ordering.

        Times are the seconds of ordering, analysis, factorisation and solve; the last two are
        predicted if they were not measured. Memory is the bytes of L, and the bytes that a
        factorisation takes beyond it. ``auto`` has its own bar. Parameters, result and errors are
        those of :meth:`plot_spy`.
        """
        return self._plot(["bars"], system, orderings, figsize)

    def plot(
            self, system: str | None = None, *, orderings: str | Sequence[str] | None = None,
            cells: int = 192, kind: str = "auto",
            figsize: tuple[float, float] | None = None) -> Any:
        """Draws all of these in one figure.

        Parameters, result and errors are those of :meth:`plot_spy` and :meth:`plot_tree`.
        """
        return self._plot(["bars", "spy", "tree", "fronts"], system, orderings, figsize, cells=cells, kind=kind)

    def _plot(self, parts, system, orderings, figsize, **options):
        from . import _pictures

        return _pictures.figure(self._systems_of(system), parts, orderings, figsize, options)


_COUNTS = ("nnzL", "stored_entries", "tree_height", "supernodes", "largest_front", "largest_supernode", "factor_bytes", "peak_bytes", "column")
_FIGURES = [field.name for field in dataclasses.fields(Record)
            if field.name not in ("system", "ordering", "method", "n", "nnz_lower", "effort", "status", "note", "column", "chosen", "factor")]
