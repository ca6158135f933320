# Comparison: the result of compare(), which prints as a table and draws pictures.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._errors import UsageError
from . import table
from .records import COUNTS, FIGURES, Record, System


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

    def __str__(self) -> str:
        return "\n".join(table.text(system) for system in self.systems.values()).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "\n".join(table.as_html(system) for system in self.systems.values())

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
        if by not in FIGURES:
            raise UsageError(f"best by {by!r}: expected one of {', '.join(FIGURES)}")
        found = [r for s in self._systems_of(system, 1) for r in s.records if getattr(r, by) is not None]
        if not found:
            do = "compare with factorize=True to measure times" if by.endswith("_s") else "expected an ordering that was analysed"
            raise UsageError(f"best by {by}: no record has this figure; {do}")
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
        for name in COUNTS:  # pandas makes floats of integers with missing ones
            frame[name] = frame[name].astype("Int64" if frame[name].isna().any() else "int64")
        return frame.set_index(["system", "ordering"] if len(self.systems) > 1 else "ordering")

    def _systems_of(self, system: str | None, most: int | None = None) -> list[System]:
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

    def _plot(
            self, parts: list[str], system: str | None, orderings: str | Sequence[str] | None,
            figsize: tuple[float, float] | None, **options: Any) -> Any:
        from . import pictures

        return pictures.figure(self._systems_of(system), parts, orderings, figsize, options)
