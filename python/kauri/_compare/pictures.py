# Figures of a comparison; matplotlib is imported when the first one is drawn.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from typing import Any

from .._errors import UsageError
from . import entries, sizes, style, trees
from .records import System


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install matplotlib, or kauri[compare]") from error
    return matplotlib


@functools.cache
def _figure_class() -> type[Any]:
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    class ComparisonFigure(Figure):
        """A figure that a notebook shows once.

        A notebook shows the open figures of pyplot at the end of a cell, and also the value that
        the cell returns.
        """

        def _ipython_display_(self) -> None:
            from IPython.display import Image, display

            data = io.BytesIO()
            self.savefig(data, format="png")
            display(Image(data.getvalue()))
            if "inline" in plt.get_backend():
                plt.close(self)  # else it is shown again when the cell ends

    return ComparisonFigure


def figure(
        systems: list[System], parts: list[str], orderings: str | Sequence[str] | None,
        figsize: tuple[float, float] | None, options: dict[str, Any]) -> Any:
    """Draws the systems below one another, and the parts of each system below one another."""
    _matplotlib()
    import matplotlib.pyplot as plt

    jobs = [(system, _records(system, orderings, part), part) for system in systems if system.failure is None for part in parts]
    jobs = [job for job in jobs if job[1]]
    if not jobs:
        raise UsageError("nothing to draw: no ordering of a system has been analysed; notes of records and comparison.failures say why")
    heights = [_PARTS[part][1](records, options) for _, records, part in jobs]
    width = max(_PARTS[part][2](records) for _, records, part in jobs)
    whole = plt.figure(FigureClass=_figure_class(), figsize=figsize or (width, sum(heights)), layout="constrained")
    pieces = whole.subfigures(len(jobs), 1, height_ratios=heights, squeeze=False)[:, 0]
    for piece, (system, records, part) in zip(pieces, jobs):
        piece.suptitle(f"{system.name}: {_PARTS[part][3]}", fontsize=style.TEXT + 2)
        _PARTS[part][0](piece, records, options)
    return whole


def _records(system: System, orderings: str | Sequence[str] | None, part: str) -> list[Any]:
    """Returns the records with an analysis, for the orderings requested."""
    there = [record for record in system.records if record.factor is not None]
    if orderings is None:
        # Two pictures of one permutation are redundant; but auto has its own ordering time.
        twice = part != "bars" and any(record.chosen for record in there)
        return [record for record in there if record.ordering != "auto"] if twice else there
    wanted = [orderings] if isinstance(orderings, str) else orderings
    known = {record.ordering: record for record in system.records}
    for name in wanted:
        if name not in known:
            raise UsageError(f"ordering {name!r}: {system.name} has {', '.join(known)}")
    return [known[name] for name in wanted if known[name] in there]


# For each part: the function that draws it, its height and width in inches, its title.
_PARTS = {
    "spy": (entries.draw, lambda records, options: 4.9, lambda records: max(4.5, 1.9 * len(records)), "entries"),
    "tree": (trees.draw, lambda records, options: 0.5 + 2.3 * trees.grid(records)[0], lambda records: max(5, 3.4 * trees.grid(records)[1]), "trees"),
    "fronts": (sizes.draw_fronts, lambda records, options: 4.4, lambda records: max(5, 1.9 * len(records)), "fronts and supernodes"),
    "bars": (sizes.draw_bars, lambda records, options: 1.7 + 0.3 * len(records), lambda records: 9, "time and memory"),
}
