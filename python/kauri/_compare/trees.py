# Pictures of trees: the elimination tree by dots, or the assembly tree by boxes.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import UsageError
from . import style, table

_LEAST_SHARE = 1e-4  # share of the operations; smaller ones have the lightest colour
_MOST_DOTS = 2000  # most columns of an elimination tree that is drawn dot by dot
_FEW = 100  # most rows for which kind="auto" draws an elimination tree


def grid(records: list[Any]) -> tuple[int, int]:
    """Returns (rows, columns) of axes for trees, which are wide."""
    columns = 2 if len(records) == 4 else min(3, len(records))
    return -(-len(records) // columns), columns


def draw(piece: Any, records: list[Any], options: dict[str, Any]) -> None:
    """Draws the tree of each record."""
    kind = options["kind"]
    if kind not in ("auto", "elimination", "fronts"):
        raise UsageError(f"kind {kind!r}: expected auto, elimination or fronts")
    n = records[0].n
    if kind == "elimination" and n > _MOST_DOTS:
        raise UsageError(f"kind 'elimination' draws a dot for each of {n} columns, expected at most {_MOST_DOTS}; use kind 'fronts'")
    dots = kind == "elimination" or (kind == "auto" and n <= _FEW)
    axes = piece.subplots(*grid(records), squeeze=False).ravel()
    for ax in axes[len(records) :]:
        ax.remove()
    axes = axes[: len(records)]
    for ax, record in zip(axes, records):
        for side in ("top", "right", "bottom"):
            ax.spines[side].set_visible(False)
        ax.set_xticks([])
        ax.tick_params(labelsize=style.TEXT - 1)
        last = (_dots if dots else _fronts_tree)(ax, record)
    if dots:
        piece.supylabel("steps from the root", fontsize=style.TEXT)
    else:
        piece.supylabel("columns from the root", fontsize=style.TEXT)
        if last is not None:
            bar = piece.colorbar(last, ax=list(axes), shrink=0.9, pad=0.01, extend="min")
            bar.set_label("share of the operations", fontsize=style.TEXT)
            bar.ax.tick_params(labelsize=style.TEXT - 1)


def dots_of(parent: Any) -> tuple[Any, Any]:
    """Returns (x, depth) of each column of an elimination tree.

    Leaves lie side by side; each other column lies above the middle of its children.
    """
    n = len(parent)
    depth, x = np.zeros(n), np.zeros(n)
    for j in range(n - 1, -1, -1):  # parents come after their children
        depth[j] = depth[parent[j]] + 1 if parent[j] >= 0 else 0
    children: list[list[int]] = [[] for _ in range(n)]
    for j in range(n):
        if parent[j] >= 0:
            children[parent[j]].append(j)
    leaves = 0
    waiting = [j for j in range(n - 1, -1, -1) if parent[j] < 0]
    order = []
    while waiting:
        j = waiting.pop()
        order.append(j)
        if not children[j]:
            x[j] = leaves
            leaves += 1
        waiting.extend(reversed(children[j]))
    for j in reversed(order):
        if children[j]:
            x[j] = (x[children[j][0]] + x[children[j][-1]]) / 2
    return x, depth


def _dots(ax: Any, record: Any) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.ticker import MaxNLocator

    parent = record.factor.parent()
    n = len(parent)
    x, depth = dots_of(parent)
    up = np.flatnonzero(parent >= 0)
    above = parent[up]
    lines = np.stack([np.column_stack([x[up], depth[up]]), np.column_stack([x[above], depth[above]])], axis=1)
    ax.add_collection(LineCollection(list(lines), colors=style.DARK, linewidths=0.8, zorder=1))
    numbered = n <= 30
    ax.scatter(x, depth, s=90 if numbered else max(4, 1500 / max(n, 1)), c=style.SKY, edgecolors=style.BLUE, linewidths=0.6, zorder=2)
    if numbered:
        for j in range(n):
            ax.text(x[j], depth[j], str(j), ha="center", va="center", fontsize=6, zorder=3)
    deepest = depth.max(initial=0)
    ax.set(xlim=(x.min(initial=0) - 0.8, x.max(initial=0) + 0.8), ylim=(deepest + 0.7, -0.7))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5, min_n_ticks=1))
    ax.set_title(f"{record.label}: {table.integer(record.tree_height)} high", fontsize=style.TEXT)


def _fronts_tree(ax: Any, record: Any) -> Any:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    # Sizes in pixels; they determine which fronts are too small to be visible.
    layout = record.factor._symbolic.tree_layout(960.0, 480.0, 4.0, 1.5)
    high = layout["height_columns"]
    per_column = high / 480
    x, y, w, h = layout["x"], layout["y"] * per_column, layout["width"], layout["height"] * per_column
    middle, triangle = x + w / 2, layout["subtrees"] != 0
    left, right = np.where(triangle, middle, x), np.where(triangle, middle, x + w)
    corners = np.stack([np.column_stack(p) for p in ((left, y), (right, y), (x + w, y + h), (x, y + h))], axis=1)
    drawn = PolyCollection(list(corners), cmap="YlOrBr", norm=LogNorm(_LEAST_SHARE, 1), edgecolors=(0, 0, 0, 0.35), linewidths=0.2)
    drawn.set_array(np.clip(layout["shape_work"] / (layout["work"] or 1), _LEAST_SHARE, 1))
    ax.add_collection(drawn)
    ax.set(xlim=(0, 960), ylim=(max(high, 1), 0))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5, min_n_ticks=1))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: table.integer(round(value))))
    ax.set_title(f"{record.label}: {table.integer(high)} columns high, {table.fronts(record.supernodes)}", fontsize=style.TEXT)
    return drawn
