# Pictures of entries: P A P' and L of each ordering.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import style, table

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw(piece: Any, records: list[Any], options: dict[str, Any]) -> None:
    """Draws P A P' and, below it, L of each record."""
    from matplotlib.patches import Patch

    cells = options["cells"]
    axes = piece.subplots(2, len(records), squeeze=False)
    exact = 0 < records[0].n <= cells
    for (upper, lower), record in zip(axes.T, records):
        whole, low = record.factor.density("PAPt", cells), record.factor.density("L", cells)
        _entries(upper, whole, whole if exact else None)
        _entries(lower, low, np.tril(whole) if exact else None)
        upper.set_title(f"{record.label}\nP A Pᵀ: {table.count(int(whole.sum()))}", fontsize=style.TEXT)
        lower.set_title(f"L: {table.count(record.nnzL)}\nfill {table.fill(record.fill_ratio)}", fontsize=style.TEXT)
    if exact:
        handles = [Patch(color="black", label="entries of A"), Patch(color=style.ORANGE, label="fill")]
        piece.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=style.TEXT, frameon=False)


def _entries(ax: Any, count: NDArray[Any], of_a: NDArray[Any] | None) -> None:
    """Draws one picture of entries.

    count: number of entries of each cell. of_a: if cells are single entries, the entries of A; else
    None.
    """
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap, LogNorm

    ax.set_xticks([]), ax.set_yticks([])
    n = max(1, len(count))
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
    if not len(count):
        return
    shown = np.ma.masked_equal(count, 0)
    if of_a is None:
        greys = LinearSegmentedColormap.from_list("entries", ["#c7c7c7", "#000000"])
        ax.imshow(shown, cmap=greys, norm=LogNorm(1, max(2, int(count.max()))), interpolation="nearest")
        return
    ax.imshow(shown, cmap=ListedColormap([style.ORANGE]), vmin=0, vmax=1, interpolation="nearest")
    ax.imshow(np.ma.masked_equal(of_a, 0), cmap=ListedColormap(["black"]), vmin=0, vmax=1, interpolation="nearest")
