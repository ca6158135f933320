# What compare() returns: records, and the tables and figures of them.
# SPDX-License-Identifier: BSD-3-Clause
import dataclasses
from typing import Any

from . import _table
from ._errors import UsageError


@dataclasses.dataclass(frozen=True)
class Record:
    """One ordering of one system: names and figures are those of ``kauri compare --json`` (docs/json.md). Seconds are of wall time; what
    was not reached is None.

    Attributes
    ----------
    system, ordering : str
        As they were given, or named by :func:`kauri.compare`.
    method : str
        The ordering that was run: what ``auto`` took; ``given`` for a permutation.
    effort : str or None
        Where that is ``nd``.
    status : str
        ``ok``; ``failed``: there are no figures; of the factorisation ``not_positive_definite``, ``not_finite``, ``not_converged`` (the
        normwise backward error is above sqrt(eps)) or ``not_run``. ``note`` says why.
    nnzL, flops, fill_ratio : int, float, float
        Entries of L, operations of the factorisation (a multiply-add is two), entries of L over those of A's lower triangle.
    stored_entries, executed_flops : int, float
        The same with the zeros that amalgamation stores.
    tree_height, supernodes, largest_front, largest_supernode : int
        Columns on the longest path of the elimination tree; number of supernodes, each of which has a front; rows of the largest front;
        columns of the largest supernode.
    factor_bytes, peak_bytes : int
        Of L, and of a factorisation altogether.
    order_s, symbolic_s, factor_s, solve1_s : float
        Ordering, the rest of the analysis; with ``factorize=True`` the least of the refactorisations, and of three solves with one
        right-hand side.
    predicted_factor_s, predicted_solve_s : float
        By the plan, for double.
    backward_error, backward_error_componentwise : float or None
        Of that solution, not refined.
    column : int or None
        Of A, where it is not positive definite.
    chosen : bool
        True for what ``auto`` takes, where that was compared too.
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
    factor: Any = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def label(self):
        """The ordering, with what was run for ``auto``, as tables and pictures name it."""
        return self.ordering if self.ordering != "auto" or self.method == "auto" else f"auto ({self.method})"

    def as_dict(self):
        """All figures by name, without ``factor``."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "factor"}


@dataclasses.dataclass(frozen=True)
class System:
    """One matrix of a comparison.

    Attributes
    ----------
    name : str
    n, nnz_lower : int
        Rows; entries of the lower half, the diagonal among them.
    where : str
        Target, threads and type of the numbers, as the program says them.
    measured : bool
        Whether factorisations were asked for.
    reason : str
        Why ``auto`` took what it took, where that was compared.
    records : tuple of Record
    failure : str or None
        Why there are none.
    """

    name: str
    n: int = 0
    nnz_lower: int = 0
    where: str = ""
    measured: bool = False
    reason: str = ""
    records: tuple = ()
    failure: str | None = None


class Comparison:
    """What :func:`kauri.compare` found. It prints as a table, and shows itself as one in a notebook; ``comparison["nd"]`` is the
    :class:`Record` of an ordering, ``comparison["grid", "nd"]`` where several systems were compared; iteration goes over all records.

    Attributes
    ----------
    systems : dict of str to System
    """

    def __init__(self, systems):
        self.systems = {system.name: system for system in systems}

    @property
    def records(self):
        """All records, a tuple: system by system, in the order that was asked for."""
        return tuple(record for system in self.systems.values() for record in system.records)

    @property
    def failures(self):
        """Systems that could not be compared: a dict of their names, and of why."""
        return {name: system.failure for name, system in self.systems.items() if system.failure is not None}

    def __len__(self):
        return len(self.records)

    def __iter__(self):
        return iter(self.records)

    def __getitem__(self, key):
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

    def best(self, by="flops", system=None):
        """The record with the least of a figure.

        Parameters
        ----------
        by : str
            A figure of Record: ``flops``, ``nnzL``, ``peak_bytes``, ``factor_s`` ...
        system : str, optional
            Of this one alone; needed where there are several.

        Raises
        ------
        UsageError
            If no record has it.
        """
        if by not in _FIGURES:
            raise UsageError(f"best by {by!r}: there are {', '.join(_FIGURES)}")
        found = [r for s in self._systems_of(system, 1) for r in s.records if getattr(r, by) is not None]
        if not found:
            raise UsageError(f"best by {by}: no record has it" + ("; with factorize=True there are times" if by.endswith("_s") else ""))
        return min(found, key=lambda record: getattr(record, by))

    def to_dicts(self):
        """Records as dicts, for JSON and the like."""
        return [record.as_dict() for record in self.records]

    def to_pandas(self):
        """A pandas.DataFrame with a row for each record and a column for each figure, in units of one: seconds, bytes, operations. Its index
        is the ordering or, where there are several systems, system and ordering. Systems without records have no row.

        Raises
        ------
        ImportError
            Without pandas.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install pandas, or kauri[compare]") from error
        names = [field.name for field in dataclasses.fields(Record) if field.name != "factor"]
        frame = pandas.DataFrame(self.to_dicts(), columns=names)
        for name in _COUNTS:  # with missing ones they would be floats
            frame[name] = frame[name].astype("Int64" if frame[name].isna().any() else "int64")
        return frame.set_index(["system", "ordering"] if len(self.systems) > 1 else "ordering")

    def _systems_of(self, system, most=None):
        """Systems of that name or, for None, all of them; UsageError for one that there is not, and for more than `most`."""
        if system is not None and system not in self.systems:
            raise UsageError(f"system {system!r}: there are {', '.join(self.systems)}")
        found = [s for s in self.systems.values() if system in (None, s.name)]
        if most is not None and len(found) > most:
            raise UsageError(f"system: name one of {', '.join(self.systems)}")
        return found

    # Figures.

    def plot_spy(self, system=None, *, orderings=None, cells=192, figsize=None):
        """Where the entries of P A P' and of L are, for each ordering, with their number and the fill in the titles.

        Systems of at most ``cells`` rows are drawn entry by entry, L with what A has in black and fill in orange; of larger ones a cell of
        the picture is the darker the more entries are in it, by the logarithm.

        Parameters
        ----------
        system : str, optional
            One of several; None: all, one below the other.
        orderings : list of str, optional
            Those to draw, and their order. None: all, but that what ``auto`` took is drawn once where it was compared by its name too.
        cells : int
            To a side of the picture.
        figsize : (float, float), optional
            Inches.

        Returns
        -------
        matplotlib.figure.Figure
            One of pyplot: a notebook shows it once, ``plt.show()`` elsewhere.

        Raises
        ------
        ImportError
            Without matplotlib.
        UsageError
            For a system or an ordering that there is not, and where nothing is to be drawn.
        """
        return self._plot(["spy"], system, orderings, figsize, cells=cells)

    def plot_tree(self, system=None, *, orderings=None, kind="auto", figsize=None):
        """The tree of each ordering; parameters, result and errors as of :meth:`plot_spy`.

        Parameters
        ----------
        kind : str
            ``elimination``: a dot for each column, up to 2000, numbered in the order of elimination where there is room. ``fronts``: the
            assembly tree as `kauri tree` draws it: roots on top, a box for a front, as wide as its subtree has columns and as high as it
            has pivots, in the colour of its share of all operations; fronts too low to be seen are drawn with the one below, subtrees
            too narrow as triangles. ``auto``: the former up to 100 rows.
        """
        return self._plot(["tree"], system, orderings, figsize, kind=kind)

    def plot_fronts(self, system=None, *, orderings=None, figsize=None):
        """Fronts by their rows, and supernodes by their columns, in classes from a power of two up to the next: what part of them is in a
        class, and what part of the operations. Parameters, result and errors as of :meth:`plot_spy`."""
        return self._plot(["fronts"], system, orderings, figsize)

    def plot_bars(self, system=None, *, orderings=None, figsize=None):
        """Time and memory of each ordering: seconds of ordering, analysis, factorisation and solve, the last two predicted where they were
        not measured; bytes of L, and what a factorisation takes beyond. ``auto`` has a bar of its own. Parameters, result and errors as of :meth:`plot_spy`."""
        return self._plot(["bars"], system, orderings, figsize)

    def plot(self, system=None, *, orderings=None, cells=192, kind="auto", figsize=None):
        """All of it in one figure; parameters, result and errors as of :meth:`plot_spy` and :meth:`plot_tree`."""
        return self._plot(["bars", "spy", "tree", "fronts"], system, orderings, figsize, cells=cells, kind=kind)

    def _plot(self, parts, system, orderings, figsize, **options):
        from . import _pictures

        return _pictures.figure(self._systems_of(system), parts, orderings, figsize, options)


_COUNTS = ("nnzL", "stored_entries", "tree_height", "supernodes", "largest_front", "largest_supernode", "factor_bytes", "peak_bytes", "column")
_FIGURES = [field.name for field in dataclasses.fields(Record)
            if field.name not in ("system", "ordering", "method", "n", "nnz_lower", "effort", "status", "note", "column", "chosen", "factor")]
