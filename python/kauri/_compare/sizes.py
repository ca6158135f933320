# Pictures of sizes: histograms of fronts and supernodes, bars of time and memory.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import style, table

if TYPE_CHECKING:
    from collections.abc import Callable


def classes(sizes: Any, weights: Any) -> tuple[Any, Any]:
    """Returns the shares of number and weight of sizes in the classes 1, 2 to 3, 4 to 7 ...

    The last class is that of the largest size.
    """
    if not len(sizes):
        return np.zeros(1), np.zeros(1)
    which = np.frexp(np.asarray(sizes, dtype=np.float64))[1] - 1
    count, weight = np.bincount(which), np.bincount(which, weights)
    return count / count.sum(), weight / (weight.sum() or 1)


def draw_fronts(piece: Any, records: list[Any], options: dict[str, Any]) -> None:
    """Draws histograms of fronts by rows, and of supernodes by columns."""
    axes = piece.subplots(2, len(records), squeeze=False, sharex="row", sharey=True)
    for k, record in enumerate(records):
        nodes = record.factor.supernodes()
        for ax, sizes in zip(axes[:, k], (nodes.front_size, nodes.pivots)):
            share, work = classes(sizes, nodes.flops)
            at = np.arange(len(share))
            ax.bar(at - 0.2, 100 * share, 0.4, color=style.SKY, label="of their number")
            ax.bar(at + 0.2, 100 * work, 0.4, color=style.ORANGE, edgecolor=style.DARK, linewidth=0.4, label="of the operations")
            ax.tick_params(labelsize=style.TEXT - 1)
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
        axes[0, k].set_title(f"{record.label}\n{table.fronts(record.supernodes)}", fontsize=style.TEXT)
    for row, what, most in zip(axes, ("rows of fronts", "columns of supernodes"), ("largest_front", "largest_supernode")):
        last = max(1, max(getattr(record, most) for record in records)).bit_length()
        step = -(-last // 5)
        for ax in row:
            ax.set_xticks(range(0, last, step), [_power(k) for k in range(0, last, step)])
            ax.set_xlabel(what, fontsize=style.TEXT)
        row[0].set_ylabel("%", fontsize=style.TEXT)
        row[0].set_ylim(0, 100)
    handles, names = axes[0, 0].get_legend_handles_labels()
    piece.legend(handles, names, loc="outside lower center", ncols=2, fontsize=style.TEXT, frameon=False)


def _power(k: int) -> str:
    return str(2**k) if k < 10 else f"{2 ** (k - 10)}Ki" if k < 20 else f"{2 ** (k - 20)}Mi"


def draw_bars(piece: Any, records: list[Any], options: dict[str, Any]) -> None:
    """Draws time and memory of each record."""
    time, memory = piece.subplots(1, 2)
    labels = [record.label for record in records]
    measured = [record.factor_s is not None for record in records]
    how = "" if all(measured) else ", predicted" if not any(measured) else ", * predicted"
    parts = [("order", style.BLUE, [r.order_s for r in records]), ("analyse", style.SKY, [r.symbolic_s for r in records]),
             (f"factorise{how}", style.ORANGE, [r.factor_s if m else r.predicted_factor_s for r, m in zip(records, measured)]),
             (f"solve{how}", style.DARK, [r.solve1_s if m else r.predicted_solve_s for r, m in zip(records, measured)])]
    mixed = [label if m or not any(measured) else f"{label} *" for label, m in zip(labels, measured)]
    _stacked(time, mixed, parts, table.seconds, "time")
    _stacked(memory, labels, [("L", style.BLUE, [r.factor_bytes for r in records]),
                              ("beyond it, at the peak", style.SKY, [r.peak_bytes - r.factor_bytes for r in records])], table.size, "memory")


def _stacked(
        ax: Any, labels: list[str], parts: list[tuple[str, str, list[Any]]],
        words: Callable[[float], str], title: str) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    at, left = np.arange(len(labels)), np.zeros(len(labels))
    for name, colour, values in parts:
        ax.barh(at, values, left=left, height=0.7, color=colour, edgecolor="white", linewidth=0.3, label=name)
        left = left + np.asarray(values, dtype=np.float64)
    for y, total in zip(at, left):
        ax.text(total, y, f" {words(total)}", va="center", ha="left", fontsize=style.TEXT - 1)
    ax.set_yticks(at, labels, fontsize=style.TEXT)
    ax.set_xlim(0, 1.3 * (left.max(initial=0) or 1))
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: "0" if value == 0 else words(value)))
    ax.tick_params(axis="x", labelsize=style.TEXT - 1)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_title(title, fontsize=style.TEXT)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=style.TEXT - 1, frameon=False)
