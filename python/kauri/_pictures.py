# Figures of a comparison; matplotlib is imported when the first one is drawn.
# SPDX-License-Identifier: BSD-3-Clause
import functools
import io

import numpy as np

from . import _table
from ._errors import UsageError

# Colours of Okabe & Ito, Color Universal Design: distinct for all kinds of colour vision, and by
# their lightness.
_BLUE, _SKY, _ORANGE, _DARK = "#0072B2", "#56B4E9", "#E69F00", "#444444"
_TEXT = 8.5  # points
_LEAST_SHARE = 1e-4  # share of the operations; smaller ones have the lightest colour
_MOST_DOTS = 2000  # most columns of an elimination tree that is drawn dot by dot
_FEW = 100  # most rows for which kind="auto" draws an elimination tree


def _matplotlib():
    try:
        import matplotlib
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install matplotlib, or kauri[compare]") from error
    return matplotlib


@functools.cache
def _figure_class():
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    class ComparisonFigure(Figure):
        """A figure that a notebook shows once.

        A notebook shows the open figures of pyplot at the end of a cell, and also the value that
        the cell returns.
        """

        def _ipython_display_(self):
            from IPython.display import Image, display

            data = io.BytesIO()
            self.savefig(data, format="png")
            display(Image(data.getvalue()))
            if "inline" in plt.get_backend():
                plt.close(self)  # else it is shown again when the cell ends

    return ComparisonFigure


def figure(systems, parts, orderings, figsize, options):
    """Draws the systems below one another, and the parts of each system below one another."""
    _matplotlib()
    import matplotlib.pyplot as plt

    jobs = [(system, _records(system, orderings, part), part) for system in systems if system.failure is None for part in parts]
    jobs = [job for job in jobs if job[1]]
    if not jobs:
        raise UsageError("nothing to draw: no ordering of a system has been analysed")
    heights = [_PARTS[part][1](records, options) for _, records, part in jobs]
    width = max(_PARTS[part][2](records) for _, records, part in jobs)
    whole = plt.figure(FigureClass=_figure_class(), figsize=figsize or (width, sum(heights)), layout="constrained")
    pieces = whole.subfigures(len(jobs), 1, height_ratios=heights, squeeze=False)[:, 0]
    for piece, (system, records, part) in zip(pieces, jobs):
        piece.suptitle(f"{system.name}: {_PARTS[part][3]}", fontsize=_TEXT + 2)
        _PARTS[part][0](piece, records, options)
    return whole


def _records(system, orderings, part):
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


# Entries.


def _spy(piece, records, options):
    from matplotlib.patches import Patch

    cells = options["cells"]
    axes = piece.subplots(2, len(records), squeeze=False)
    exact = 0 < records[0].n <= cells
    for (upper, lower), record in zip(axes.T, records):
        whole, low = record.factor.density("PAPt", cells), record.factor.density("L", cells)
        _entries(upper, whole, whole if exact else None)
        _entries(lower, low, np.tril(whole) if exact else None)
        upper.set_title(f"{record.label}\nP A Pᵀ: {_table.count(int(whole.sum()))}", fontsize=_TEXT)
        lower.set_title(f"L: {_table.count(record.nnzL)}\nfill {_table.fill(record.fill_ratio)}", fontsize=_TEXT)
    if exact:
        handles = [Patch(color="black", label="entries of A"), Patch(color=_ORANGE, label="fill")]
        piece.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=_TEXT, frameon=False)


def _entries(ax, count, of_a):
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
    ax.imshow(shown, cmap=ListedColormap([_ORANGE]), vmin=0, vmax=1, interpolation="nearest")
    ax.imshow(np.ma.masked_equal(of_a, 0), cmap=ListedColormap(["black"]), vmin=0, vmax=1, interpolation="nearest")


# Trees.


def _grid(records):
    """Returns (rows, columns) of axes for trees, which are wide."""
    columns = 2 if len(records) == 4 else min(3, len(records))
    return -(-len(records) // columns), columns


def _tree(piece, records, options):
    kind = options["kind"]
    if kind not in ("auto", "elimination", "fronts"):
        raise UsageError(f"kind {kind!r}: expected auto, elimination or fronts")
    n = records[0].n
    if kind == "elimination" and n > _MOST_DOTS:
        raise UsageError(f"kind 'elimination' draws a dot for each of {n} columns, expected at most {_MOST_DOTS}; use kind 'fronts'")
    dots = kind == "elimination" or (kind == "auto" and n <= _FEW)
    axes = piece.subplots(*_grid(records), squeeze=False).ravel()
    for ax in axes[len(records) :]:
        ax.remove()
    axes = axes[: len(records)]
    for ax, record in zip(axes, records):
        for side in ("top", "right", "bottom"):
            ax.spines[side].set_visible(False)
        ax.set_xticks([])
        ax.tick_params(labelsize=_TEXT - 1)
        last = (_dots if dots else _fronts_tree)(ax, record)
    if dots:
        piece.supylabel("steps from the root", fontsize=_TEXT)
    else:
        piece.supylabel("columns from the root", fontsize=_TEXT)
        if last is not None:
            bar = piece.colorbar(last, ax=list(axes), shrink=0.9, pad=0.01, extend="min")
            bar.set_label("share of the operations", fontsize=_TEXT)
            bar.ax.tick_params(labelsize=_TEXT - 1)


def dots_of(parent):
    """Returns (x, depth) of each column of an elimination tree.

    Leaves lie side by side; each other column lies above the middle of its children.
    """
    n = len(parent)
    depth, x = np.zeros(n), np.zeros(n)
    for j in range(n - 1, -1, -1):  # parents come after their children
        depth[j] = depth[parent[j]] + 1 if parent[j] >= 0 else 0
    children = [[] for _ in range(n)]
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


def _dots(ax, record):
    from matplotlib.collections import LineCollection
    from matplotlib.ticker import MaxNLocator

    parent = record.factor.parent()
    n = len(parent)
    x, depth = dots_of(parent)
    up = np.flatnonzero(parent >= 0)
    above = parent[up]
    lines = np.stack([np.column_stack([x[up], depth[up]]), np.column_stack([x[above], depth[above]])], axis=1)
    ax.add_collection(LineCollection(lines, colors=_DARK, linewidths=0.8, zorder=1))
    numbered = n <= 30
    ax.scatter(x, depth, s=90 if numbered else max(4, 1500 / max(n, 1)), c=_SKY, edgecolors=_BLUE, linewidths=0.6, zorder=2)
    if numbered:
        for j in range(n):
            ax.text(x[j], depth[j], str(j), ha="center", va="center", fontsize=6, zorder=3)
    deepest = depth.max(initial=0)
    ax.set(xlim=(x.min(initial=0) - 0.8, x.max(initial=0) + 0.8), ylim=(deepest + 0.7, -0.7))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5, min_n_ticks=1))
    ax.set_title(f"{record.label}: {_table.integer(record.tree_height)} high", fontsize=_TEXT)


def _fronts_tree(ax, record):
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
    drawn = PolyCollection(corners, cmap="YlOrBr", norm=LogNorm(_LEAST_SHARE, 1), edgecolors=(0, 0, 0, 0.35), linewidths=0.2)
    drawn.set_array(np.clip(layout["shape_work"] / (layout["work"] or 1), _LEAST_SHARE, 1))
    ax.add_collection(drawn)
    ax.set(xlim=(0, 960), ylim=(max(high, 1), 0))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5, min_n_ticks=1))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _table.integer(round(value))))
    ax.set_title(f"{record.label}: {_table.integer(high)} columns high, {_how_many(record)}", fontsize=_TEXT)
    return drawn


def _how_many(record):
    return f"{_table.integer(record.supernodes)} front{'' if record.supernodes == 1 else 's'}"


# Sizes.


def classes(sizes, weights):
    """Returns the shares of number and weight of sizes in the classes 1, 2 to 3, 4 to 7 ...

    The last class is that of the largest size.
    """
    if not len(sizes):
        return np.zeros(1), np.zeros(1)
    which = np.frexp(np.asarray(sizes, dtype=np.float64))[1] - 1
    count, weight = np.bincount(which), np.bincount(which, weights)
    return count / count.sum(), weight / (weight.sum() or 1)


def _fronts(piece, records, options):
    axes = piece.subplots(2, len(records), squeeze=False, sharex="row", sharey=True)
    for k, record in enumerate(records):
        nodes = record.factor.supernodes()
        for ax, sizes in zip(axes[:, k], (nodes.front_size, nodes.pivots)):
            share, work = classes(sizes, nodes.flops)
            at = np.arange(len(share))
            ax.bar(at - 0.2, 100 * share, 0.4, color=_SKY, label="of their number")
            ax.bar(at + 0.2, 100 * work, 0.4, color=_ORANGE, edgecolor=_DARK, linewidth=0.4, label="of the operations")
            ax.tick_params(labelsize=_TEXT - 1)
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
        axes[0, k].set_title(f"{record.label}\n{_how_many(record)}", fontsize=_TEXT)
    for row, what, most in zip(axes, ("rows of fronts", "columns of supernodes"), ("largest_front", "largest_supernode")):
        last = max(1, max(getattr(record, most) for record in records)).bit_length()
        step = -(-last // 5)
        for ax in row:
            ax.set_xticks(range(0, last, step), [_power(k) for k in range(0, last, step)])
            ax.set_xlabel(what, fontsize=_TEXT)
        row[0].set_ylabel("%", fontsize=_TEXT)
        row[0].set_ylim(0, 100)
    handles, names = axes[0, 0].get_legend_handles_labels()
    piece.legend(handles, names, loc="outside lower center", ncols=2, fontsize=_TEXT, frameon=False)


def _power(k):
    return str(2**k) if k < 10 else f"{2 ** (k - 10)}Ki" if k < 20 else f"{2 ** (k - 20)}Mi"


# Time and memory.


def _bars(piece, records, options):
    time, memory = piece.subplots(1, 2)
    labels = [record.label for record in records]
    measured = [record.factor_s is not None for record in records]
    how = "" if all(measured) else ", predicted" if not any(measured) else ", * predicted"
    parts = [("order", _BLUE, [r.order_s for r in records]), ("analyse", _SKY, [r.symbolic_s for r in records]),
             (f"factorise{how}", _ORANGE, [r.factor_s if m else r.predicted_factor_s for r, m in zip(records, measured)]),
             (f"solve{how}", _DARK, [r.solve1_s if m else r.predicted_solve_s for r, m in zip(records, measured)])]
    mixed = [label if m or not any(measured) else f"{label} *" for label, m in zip(labels, measured)]
    _stacked(time, mixed, parts, _table.seconds, "time")
    _stacked(memory, labels, [("L", _BLUE, [r.factor_bytes for r in records]),
                              ("beyond it, at the peak", _SKY, [r.peak_bytes - r.factor_bytes for r in records])], _table.size, "memory")


def _stacked(ax, labels, parts, words, title):
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    at, left = np.arange(len(labels)), np.zeros(len(labels))
    for name, colour, values in parts:
        ax.barh(at, values, left=left, height=0.7, color=colour, edgecolor="white", linewidth=0.3, label=name)
        left = left + np.asarray(values, dtype=np.float64)
    for y, total in zip(at, left):
        ax.text(total, y, f" {words(total)}", va="center", ha="left", fontsize=_TEXT - 1)
    ax.set_yticks(at, labels, fontsize=_TEXT)
    ax.set_xlim(0, 1.3 * (left.max(initial=0) or 1))
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: "0" if value == 0 else words(value)))
    ax.tick_params(axis="x", labelsize=_TEXT - 1)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_title(title, fontsize=_TEXT)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=_TEXT - 1, frameon=False)


# For each part: the function that draws it, its height and width in inches, its title.
_PARTS = {
    "spy": (_spy, lambda records, options: 4.9, lambda records: max(4.5, 1.9 * len(records)), "entries"),
    "tree": (_tree, lambda records, options: 0.5 + 2.3 * _grid(records)[0], lambda records: max(5, 3.4 * _grid(records)[1]), "trees"),
    "fronts": (_fronts, lambda records, options: 4.4, lambda records: max(5, 1.9 * len(records)), "fronts and supernodes"),
    "bars": (_bars, lambda records, options: 1.7 + 0.3 * len(records), lambda records: 9, "time and memory"),
}
