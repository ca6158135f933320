# Tests figures of comparisons: axes, labels, and that the drawn counts add up.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import poisson

import kauri
from kauri._compare import sizes, trees

plt = pytest.importorskip("matplotlib.pyplot", reason="figures need it")
NAMES = ["natural", "rcm", "amd", "nd"]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def compared():
    return kauri.compare(poisson(7), NAMES, factorize=True, name="grid")


def drawn(figure):
    """Draws the figure and returns its contents; matplotlib must give no warning."""
    figure.canvas.draw()
    return figure.axes


@pytest.mark.parametrize("cells", [10, 192])
def test_spy(compared, cells):
    axes = drawn(compared.plot_spy(cells=cells))
    assert len(axes) == 8
    for k, record in enumerate(compared):
        upper, lower = axes[k], axes[4 + k]
        assert upper.images[0].get_array().sum() == 217 and lower.images[0].get_array().sum() == record.nnzL
        assert record.ordering in upper.get_title() and "217" in upper.get_title()
        assert f"L: {record.nnzL}" in lower.get_title() and f"{record.fill_ratio:.3g}x" in lower.get_title()
        if cells > 49:  # entry by entry: the fill is the area that A does not cover
            assert lower.images[1].get_array().sum() == record.nnz_lower
        else:
            assert len(lower.images) == 1 and lower.images[0].get_array().shape == (10, 10)


def test_elimination_trees(compared):
    axes = drawn(compared.plot_tree())
    assert len(axes) == 4
    for ax, record in zip(axes, compared):
        assert len(ax.collections[0].get_segments()) == 48 and len(ax.collections[1].get_offsets()) == 49
        assert ax.get_title() == f"{record.ordering}: {record.tree_height} high"
        assert ax.collections[1].get_offsets()[:, 1].max() == record.tree_height - 1


def test_dots():
    x, depth = trees.dots_of(np.array([2, 2, 5, 4, 5, -1, -1]))
    assert depth.tolist() == [2, 2, 1, 2, 1, 0, 0] and x.tolist() == [0, 1, 0.5, 2, 2, 1.25, 3]
    x, depth = trees.dots_of(np.r_[np.arange(1, 5000), -1])  # a path: as deep as it is long
    assert depth[0] == 4999 and (x == 0).all()


def test_assembly_trees(compared):
    axes = drawn(compared.plot_tree(kind="fronts"))
    assert len(axes) == 5 and axes[4].get_ylabel() == "share of the operations"
    for ax, record in zip(axes, compared):
        shares = ax.collections[0].get_array()
        assert len(shares) == len(ax.collections[0].get_paths()) and shares.sum() == pytest.approx(1, abs=1e-2)
        assert "columns high" in ax.get_title() and f"{record.supernodes} fronts" in ax.get_title()
    high = axes[0].get_ylim()[0]
    corners = np.concatenate([path.vertices for path in axes[0].collections[0].get_paths()])
    assert high == 49 and corners[:, 1].max() == pytest.approx(49) and corners[:, 1].min() == 0


def test_large_trees_are_drawn_with_few_shapes():
    big = kauri.compare(poisson(150), ["nd"])
    axes = drawn(big.plot_tree())
    assert len(axes[0].collections[0].get_paths()) < 2500 < big["nd"].supernodes
    with pytest.raises(kauri.UsageError, match="a dot for each of 22500"):
        big.plot_tree(kind="elimination")
    with pytest.raises(kauri.UsageError, match="expected auto, elimination or fronts"):
        big.plot_tree(kind="tree")


def test_fronts(compared):
    axes = drawn(compared.plot_fronts())
    assert len(axes) == 8
    assert all(ax.get_xlabel() == "rows of fronts" for ax in axes[:4]) and axes[7].get_xlabel() == "columns of supernodes"
    for ax in axes:
        for bars in ax.containers:
            assert sum(bar.get_height() for bar in bars) == pytest.approx(100)


def test_classes():
    share, work = sizes.classes(np.array([1, 2, 3, 4, 1023, 1024]), np.array([1, 1, 1, 1, 4, 8.0]))
    assert np.allclose(6 * share, [1, 2, 1, 0, 0, 0, 0, 0, 0, 1, 1]) and np.allclose(16 * work, [1, 2, 1, 0, 0, 0, 0, 0, 0, 4, 8])


def test_bars(compared):
    time, memory = drawn(compared.plot_bars())
    assert [label.get_text() for label in time.get_yticklabels()] == NAMES
    for k, record in enumerate(compared):
        seconds = record.order_s + record.symbolic_s + record.factor_s + record.solve1_s
        assert sum(bars[k].get_width() for bars in time.containers) == pytest.approx(seconds)
        assert sum(bars[k].get_width() for bars in memory.containers) == pytest.approx(record.peak_bytes)
    assert [text.get_text() for text in time.get_legend().get_texts()] == ["order", "analyse", "factorise", "solve"]
    predicted, _ = drawn(kauri.compare(poisson(7), NAMES).plot_bars())
    assert "factorise, predicted" in [text.get_text() for text in predicted.get_legend().get_texts()]


def test_all_in_one(compared):
    figure = compared.plot()
    assert len(drawn(figure)) == 2 + 8 + 4 + 8
    assert [piece.get_suptitle() for piece in figure.subfigs] == [
        "grid: time and memory", "grid: entries", "grid: trees", "grid: fronts and supernodes"
    ]
    assert len(drawn(compared.plot(orderings=["nd", "rcm"]))) == 2 + 4 + 2 + 4
    assert compared.plot_spy(orderings=["nd", "rcm"]).axes[0].get_title().startswith("nd\n")


def test_what_auto_took_is_drawn_once():
    compared = kauri.compare(poisson(30))
    assert compared["auto"].method in [r.ordering for r in compared]
    assert len(compared.plot_spy().axes) == 2 * (len(compared) - 1)
    assert len(compared.plot_bars().axes[0].get_yticklabels()) == len(compared)
    assert len(kauri.compare(poisson(30), ["rcm", "auto"]).plot_spy().axes) == 4


@pytest.mark.parametrize("a", [sp.csc_matrix((0, 0)), [[2.0]], sp.eye(5), np.ones((6, 6)) + 6 * np.eye(6)], ids=["none", "one", "diagonal", "dense"])
@pytest.mark.parametrize("kind", ["elimination", "fronts"])
def test_hard_cases(a, kind):
    compared = kauri.compare(a)
    drawn(compared.plot(kind=kind))
    low = compared.plot_spy().axes[-1]
    assert (low.images[0].get_array().sum() if low.images else 0) == compared.records[0].nnzL


def test_several_systems():
    several = kauri.compare({"grid": poisson(5), "bad": np.ones((1, 2)), "path": sp.eye(4)}, {"amd": "amd", "short": [0]})
    figure = several.plot_spy()
    assert [piece.get_suptitle() for piece in figure.subfigs] == ["grid: entries", "path: entries"] and len(drawn(figure)) == 4
    assert len(several.plot_spy("path").axes) == 2
    with pytest.raises(kauri.UsageError, match="expected one of grid, bad, path"):
        several.plot_spy("tree")
    with pytest.raises(kauri.UsageError, match="nothing to draw"):
        several.plot_spy("bad")
    with pytest.raises(kauri.UsageError, match="nothing to draw"):
        several.plot_bars(orderings="short")
    with pytest.raises(kauri.UsageError, match="ordering 'nd': grid has amd, short"):
        several.plot_tree(orderings=["nd"])


def test_a_notebook_shows_a_figure_once(compared, monkeypatch):
    display = pytest.importorskip("IPython.display", reason="of notebooks")
    shown = []
    monkeypatch.setattr(display, "display", shown.append)
    figure = compared.plot_bars()
    figure._ipython_display_()
    assert len(shown) == 1 and shown[0].data.startswith(b"\x89PNG") and plt.fignum_exists(figure.number)
    monkeypatch.setattr(plt, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    figure._ipython_display_()
    assert len(shown) == 2 and not plt.fignum_exists(figure.number)  # the end of the cell does not show it again
