#!/usr/bin/env python3
# pictures.py FOLDER: draws the pictures of the pages on mathematics from results of the installed
# package kauri for small examples.
# SPDX-License-Identifier: BSD-3-Clause
"""Each drawing first asserts what it shows: fill by the elimination game equals the fill that kauri
counts, and so on. Colours are classes of docs/site/_static/site.css."""
import pathlib
import sys

import numpy as np
import scipy.sparse as sp

import kauri
from kauri import cholmod05

CELL, SIDE = 20, 13


# The functions below make the examples.

def grid(k):
    """Returns the five-point matrix of k x k vertices, numbered by rows, with a slightly larger
    diagonal, so that no entry of L is zero by chance."""
    d = sp.diags_array([-1.0, 2.05, -1.0], offsets=[-1, 0, 1], shape=(k, k), format="csc")
    one = sp.eye_array(k, format="csc")
    return sp.csc_array(sp.kron(one, d, format="csc") + sp.kron(d, one, format="csc"))


def star():
    a = sp.lil_array((5, 5))
    a.setdiag(5.0)
    a[0, 1:] = a[1:, 0] = -1.0
    return sp.csc_array(a)


def places(a):
    a = sp.coo_array(a)
    return {(int(i), int(j)) for i, j in zip(*a.coords)}


def lower(a):
    return {(i, j) for i, j in places(a) if i >= j}


def factor(a):
    return kauri.cholesky(a, ordering_method="natural", analyze_amalgamate=False)


def parents(a):
    return [int(p) for p in cholmod05.etree(a)]


# The functions below draw.

def svg(width, height, body, title):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
            f'aria-label="{title}">{body}</svg>\n')


def text(x, y, what, size=12, anchor="middle", kind="ink"):
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">{what}</text>'


def line(x1, y1, x2, y2, width=1.5, kind="line"):
    return f'<path class="{kind}" stroke-width="{width}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def box(x, y, width, height, kind, more=""):
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{more}/>'


def matrix(x, y, n, cells, title, labels=None, cell=CELL, drafts=()):
    """Draws a matrix. cells: {(row, column): class}; drafts: (first column, last column, last row +
    1) of heavy boxes."""
    out = text(x + n * cell / 2, y - 8 - (14 if labels else 0), title)
    out += box(x, y, n * cell, n * cell, "paper")
    gap = 1 if cell > 8 else 0
    for (i, j), kind in sorted(cells.items()):
        out += box(x + j * cell + gap, y + i * cell + gap, cell - 2 * gap, cell - 2 * gap, kind)
    for k, label in enumerate(labels or []):
        out += text(x + (k + 0.5) * cell, y - 5, label, 10) + text(x - 8, y + (k + 0.7) * cell, label, 10)
    for first, last, end in drafts:
        out += f'<rect x="{x + first * cell:g}" y="{y + first * cell:g}" width="{(last - first + 1) * cell:g}" ' \
               f'height="{(end - first) * cell:g}" fill="none" stroke="currentColor" stroke-width="2"/>'
    return out


def of_l(a):
    """Returns the entries of L as "a" (entry of A) or "fill"."""
    f = factor(a)
    there, l = lower(a), places(f.L())
    assert there <= l and len(l) == f.nnz
    return {place: "a" if place in there else "fill" for place in l}


def side_by_side(parts, title, height):
    """Draws parts side by side. parts: (width, function of x that draws)."""
    x, body = 24, ""
    for width, draw in parts:
        body += draw(x)
        x += width + 40
    return svg(x - 16, height, body, title)


def vertices(at, edges, marks=None, dots=None, radius=11, squares=()):
    """Draws a graph. edges: {(i, j): class}; marks: {vertex: text}; dots: {vertex: class}."""
    out = ""
    for (i, j), kind in sorted(edges.items()):
        heavy = kind == "fill"
        stroke = ' style="stroke:#d9662b"' if heavy else ""
        (x1, y1), (x2, y2) = at[i], at[j]
        bent = abs(x1 - x2) + abs(y1 - y2) > 61 and (x1 == x2 or y1 == y2)  # a straight edge would lie behind the vertex between
        middle = ((x1 + x2) / 2 + (16 if x1 == x2 else 0), (y1 + y2) / 2 + (16 if y1 == y2 else 0))
        way = f"Q{middle[0]:g} {middle[1]:g} {x2:g} {y2:g}" if bent else f"L{x2:g} {y2:g}"
        out += f'<path class="line"{stroke} stroke-width="{2.5 if heavy else 1.5}" d="M{x1:g} {y1:g}{way}"/>'
    for v, (x, y) in at.items():
        kind = (dots or {}).get(v, "paper")
        label = str((marks or {}).get(v, v))
        if len(label) > 2:
            out += box(x - 4 * len(label), y - radius, 8 * len(label), 2 * radius, kind, f' rx="{radius}"')
        elif v in squares:
            out += box(x - radius, y - radius, 2 * radius, 2 * radius, kind)
        else:
            out += f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius}"/>'
        out += text(x, y + 4, label, 11, kind="on" if kind not in ("paper",) else "ink")
    return out


def tree_places(parent, x, y, dx=34, dy=36):
    """Returns places of a tree: leaves side by side, a parent above the middle of its children;
    roots on top."""
    n = len(parent)
    children = {v: [c for c in range(n) if parent[c] == v] for v in range(-1, n)}
    at, leaves = {}, [0]

    def put(v, depth):
        for c in children[v]:
            put(c, depth + 1)
        if children[v]:
            across = sum(at[c][0] for c in children[v]) / len(children[v])
        else:
            across = x + leaves[0] * dx
            leaves[0] += 1
        at[v] = (across, y + depth * dy)

    for root in children[-1]:
        put(root, 0)
    return at


def tree(parent, x, y, labels=None, **more):
    at = tree_places(parent, x, y, **more)
    return vertices(at, {(v, p): "line" for v, p in enumerate(parent) if p >= 0}, marks=dict(enumerate(labels)) if labels else None)


def depth_of(parent):
    depth = [0] * len(parent)
    for v in range(len(parent) - 1, -1, -1):
        depth[v] = 1 if parent[v] < 0 else depth[parent[v]] + 1
    return max(depth)


def width_of_tree(parent, dx=34):
    return dx * max(1, sum(v not in parent for v in range(len(parent)))) - 10


# The elimination game (Parter 1961) serves as an oracle.

def game(a):
    """Returns the graphs before each step: {frozenset of two: "line" or "fill"}."""
    edges = {frozenset(p): "line" for p in places(a) if p[0] != p[1]}
    steps, all_edges = [dict(edges)], dict(edges)
    for v in range(a.shape[0]):
        near = sorted(w for e in edges if v in e for w in e if w != v)
        for i in near:
            for j in near:
                if i < j and frozenset((i, j)) not in edges:
                    edges[frozenset((i, j))] = all_edges[frozenset((i, j))] = "fill"
        edges = {e: kind for e, kind in edges.items() if v not in e}
        steps.append(dict(edges))
    return steps, all_edges


def drawn(edges):
    return {tuple(sorted(e)): kind for e, kind in edges.items()}


def on_grid(k, x, y, step=40):
    return {i * k + j: (x + j * step, y + i * step) for i in range(k) for j in range(k)}


# The functions below draw the pictures.

def picture_star():
    a = star()
    back = a[::-1, ::-1]
    first, last = of_l(a), of_l(back)
    assert sum(k == "fill" for k in first.values()) == 6 and "fill" not in last.values()
    n = 5 * CELL
    return side_by_side([
        (n, lambda x: matrix(x, 30, 5, dict.fromkeys(places(a), "a"), "A")),
        (n, lambda x: matrix(x, 30, 5, first, "L, the hub first")),
        (n, lambda x: matrix(x, 30, 5, last, "L, the hub last"))], "A star's matrix and its factors in two orders", 150)


def picture_elimination():
    a = grid(3)
    steps, every = game(a)
    assert {tuple(sorted(e, reverse=True)) for e in every} | {(v, v) for v in range(9)} == set(of_l(a))

    def panel(title, edges, gone):
        def draw(x):
            at = {v: p for v, p in on_grid(3, x + 14, 50).items() if v not in gone}
            return text(x + 54, 20, title) + vertices(at, drawn(edges))
        return 108, draw

    panels = [panel("G", steps[0], ()), panel("without 0", steps[1], {0}), panel("without 0 and 1", steps[2], {0, 1}),
              panel("G with all fill", every, ())]
    return side_by_side(panels, "Elimination of a grid of 3 x 3", 170)


def picture_tree():
    a = grid(3)
    p = [0, 6, 3, 2, 8, 5, 1, 4, 7]
    b = sp.csc_array(a[p][:, p])
    n, natural, dissected = 9 * 16, parents(a), parents(b)
    assert natural == [1, 2, 3, 4, 5, 6, 7, 8, -1] and dissected == [2, 2, 6, 5, 5, 6, 7, 8, -1]
    return side_by_side([
        (n, lambda x: matrix(x, 40, 9, of_l(a), "L by rows of the grid", range(9), 16)),
        (24, lambda x: tree(natural, x + 12, 30, dy=36)),
        (n, lambda x: matrix(x, 40, 9, of_l(b), "L, middle column last", p, 16)),
        (width_of_tree(dissected), lambda x: tree(dissected, x + 12, 30, p))], "Factors and elimination trees of a grid of 3 x 3 in two orders", 340)


def fundamental(parent, count):
    """Returns the first columns of fundamental supernodes."""
    children = [sum(p == v for p in parent) for v in range(len(parent))]
    first = [0]
    for j in range(1, len(parent)):
        if not (parent[j - 1] == j and count[j] == count[j - 1] - 1 and children[j] == 1):
            first.append(j)
    return first


def picture_supernodes():
    a = grid(4)
    p = [int(v) for v in kauri.analyze(a, ordering_method="nesdis", analyze_amalgamate=False).P()]
    b = sp.csc_array(a[p][:, p])
    count, _, parent, _ = cholmod05.symbfact(b)
    l, first = of_l(b), fundamental(list(parent), list(count))
    ends = [*first[1:], 16]
    of = {j: s for s, (begin, end) in enumerate(zip(first, ends)) for j in range(begin, end)}
    above = [of[int(parent[end - 1])] if parent[end - 1] >= 0 else -1 for end in ends]
    names = [f"{begin}" if end == begin + 1 else f"{begin}–{end - 1}" for begin, end in zip(first, ends)]
    for s, (begin, end) in enumerate(zip(first, ends)):  # all columns have the same rows, except for the triangle
        assert all({i for i, j in l if j == c} == {i for i, j in l if j == begin and i >= c} for c in range(begin, end))
    drafts = [(begin, end - 1, end) for begin, end in zip(first, ends) if end > begin + 1]
    n = 16 * 16
    return side_by_side([
        (n, lambda x: matrix(x, 40, 16, l, "L of a grid of 4 x 4", range(16), 16, drafts)),
        (width_of_tree(above, 44), lambda x: tree(above, x + 12, 40, names, dx=44, dy=46))], "Fundamental supernodes and their tree", 60 + 46 * depth_of(above))


def picture_extend_add():
    a = grid(3)
    p = [0, 6, 3, 2, 8, 5, 1, 4, 7]
    l = places(factor(sp.csc_array(a[p][:, p])).L())
    rows = [[p[i] for i in range(9) if (i, j) in l] for j in range(3)]
    assert rows == [[0, 3, 1], [6, 3, 7], [3, 1, 4, 7]]

    def front(x, title, labels, cells):
        return matrix(x, 50, len(labels), {(i, j): cells(labels[i], labels[j]) for i in range(len(labels)) for j in range(i + 1)}, title, labels, 28)

    def child(kind, pivot):
        return lambda i, j: "a" if pivot in (i, j) else kind

    def parent(i, j):
        if {i, j} <= {3, 1}:
            return "part1" if {i, j} != {3} else "part0"
        if {i, j} <= {3, 7}:
            return "part2"
        return "a" if (i, j) == (4, 3) else "paper"

    return side_by_side([
        (84, lambda x: front(x, "front of 0", rows[0], child("part1", 0))),
        (84, lambda x: front(x, "front of 6", rows[1], child("part2", 6))),
        (112, lambda x: front(x, "front of 3", rows[2], parent))], "Two fronts and the front that takes in what they hand up", 175)


def quotient(a, order, steps):
    """Returns the variables' neighbours and the elements' variables after the first ``steps``
    pivots of the order."""
    near = {v: {w for i, w in places(a) if i == v and w != v} for v in range(a.shape[0])}
    elements, of = {}, {v: set() for v in near}
    for v in order[:steps]:
        front = set(near[v]).union(*(elements[e] for e in of[v])) - {v}
        for e in list(of[v]):
            del elements[e]
            for w in of:
                of[w].discard(e)
        elements[v] = front
        for w in front:
            near[w] = near[w] - front - {v}
            of[w].add(v)
        del near[v]
        del of[v]
        for e in elements:
            elements[e].discard(v)
    return near, elements


def picture_quotient():
    a = grid(4)
    order = [int(v) for v in kauri.analyze(a, ordering_method="md", analyze_amalgamate=False).P()]
    steps = 6
    p = np.array(order)
    graph, _ = game(sp.csc_array(a[p][:, p]))
    edges = {tuple(sorted(order[v] for v in e)): kind for e, kind in graph[steps].items()}
    near, elements = quotient(a, order, steps)
    spans = {frozenset((i, j)) for es in elements.values() for i in es for j in es if i < j} | {frozenset((v, w)) for v in near for w in near[v]}
    assert spans == {frozenset(e) for e in edges}, "the quotient graph stands for the elimination graph"
    links = {tuple(sorted((v, w))): "line" for v in near for w in near[v]} | {(e, v): "fill" for e in elements for v in elements[e]}

    def panel(title, at_all, links, squares=()):
        def draw(x):
            at = {v: place for v, place in on_grid(4, x + 14, 50).items() if v in at_all}
            return text(x + 74, 20, title) + vertices(at, links, squares=squares, dots=dict.fromkeys(squares, "part1"))
        return 148, draw

    return side_by_side([
        panel("A's graph", range(16), drawn({frozenset(q): "line" for q in places(a) if q[0] != q[1]})),
        panel(f"elimination graph after {steps}", set(near), edges),
        panel(f"quotient graph after {steps}", {*near, *elements}, links, set(elements))], "Elimination graph and quotient graph", 200)


def picture_dissection():
    k = 21
    a = grid(k)
    p, found = cholmod05.nesdis(a, return_separator=True, nd_small=20)
    parent, member = found.cp, found.cmember
    depth = np.zeros(len(parent), int)
    for node in range(len(parent) - 1, -1, -1):
        depth[node] = 0 if parent[node] < 0 else depth[parent[node]] + 1
    leaf = ~np.isin(np.arange(len(parent)), parent)
    colour = lambda v: "paper" if leaf[member[v]] or depth[member[v]] > 4 else f"part{2 - depth[member[v]] % 3}"
    l = places(factor(sp.csc_array(a[p][:, p])).L())
    cells = {(i, j): ("a" if colour(p[j]) == "paper" else colour(p[j])) for i, j in l}

    def squares(x):
        out = text(x + k * SIDE / 2, 20, "separators of the grid")
        return out + "".join(box(x + v % k * SIDE, 30 + v // k * SIDE, SIDE, SIDE, colour(v), ' stroke-width="0.4"') for v in range(k * k))

    def pattern(x):
        out = text(x + k * SIDE / 2, 20, "L, separators last") + box(x, 30, k * SIDE, k * SIDE, "paper")
        for kind in sorted(set(cells.values())):  # one path for each kind: thousands of boxes make a page slow
            dots = "".join(f"M{j} {i}h2v2h-2z" for (i, j), of_place in sorted(cells.items()) if of_place == kind)
            out += f'<path class="{kind}" transform="translate({x:g} 30) scale({SIDE / k:.6f})" d="{dots}"/>'
        return out

    assert len(l) < 0.5 * len(places(factor(a).L()))
    return side_by_side([(k * SIDE, squares), (k * SIDE, pattern)], "Nested dissection of a grid of 21 x 21, and its factor", 40 + k * SIDE)


def picture_inverse():
    a = grid(3)
    p = [0, 6, 3, 2, 8, 5, 1, 4, 7]
    b = sp.csc_array(a[p][:, p])
    f = factor(b)
    known = sp.csc_array(f.inverse_entries())
    full = np.linalg.inv(b.toarray())
    assert all(abs(known[i, j] - full[i, j]) < 1e-12 for i, j in places(known))
    assert (abs(full) > 1e-3).all()
    l = places(f.L())
    cells = {(i, j): ("a" if (i, j) in places(known) else "part1") for i, j in l | {(j, i) for i, j in l}}
    n = 9 * CELL
    return side_by_side([(n, lambda x: matrix(x, 44, 9, cells, "entries of the inverse", p))], "The selected inverse", 240)


def convergence(n):
    """Returns the relative errors of x, with a factor in float32 and corrections in float64."""
    d = np.full(n, 2.0)
    a = sp.csc_array(sp.diags_array([-np.ones(n - 1), d, -np.ones(n - 1)], offsets=[-1, 0, 1]))
    x_true = np.random.default_rng(1).standard_normal(n)
    b = a @ x_true
    f = kauri.cholesky(a, dtype=np.float32, ordering_method="natural")
    x, errors = np.zeros(n), []
    for _ in range(7):
        x = x + f((b - a @ x).astype(np.float32))
        errors.append(max(float(np.linalg.norm(x - x_true) / np.linalg.norm(x_true)), 1e-17))
    return errors, float(kauri.cholesky(a).condition())


def picture_refinement():
    curves = [convergence(n) for n in (100, 1000)]
    width, height, left, top = 360, 200, 60, 20
    at = lambda step, error: (left + step * (width - 20) / 6, top - np.log10(error) * height / 17)
    body = box(left, top, width, height, "paper")
    for power in range(0, 17, 4):
        y = top + power * height / 17
        body += line(left - 4, y, left, y, 1) + text(left - 8, y + 4, f"1e-{power}" if power else "1", 11, "end")
    for step in range(7):
        body += text(at(step, 1)[0], top + height + 16, step, 11)
    body += text(left + width / 2, top + height + 34, "corrections", 12)
    for k, (errors, condition) in enumerate(curves):
        assert errors[-1] < 1e-11 and errors[0] > 1e-6
        points = [at(step, error) for step, error in enumerate(errors)]
        body += f'<path class="curve{k}" stroke-width="2" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>'
        body += "".join(f'<circle class="{("part0", "part2")[k]}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in points)
        body += text(points[6][0] - 4, points[6][1] + (18, -8)[k], f"condition {condition:.0e}", 11, "end")
    return svg(left + width + 20, top + height + 44, body, "Errors of x, by corrections")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in sorted(globals().items()):
        if name.startswith("picture_"):
            path, made = folder / f"{name.removeprefix('picture_')}.svg", make()
            if not path.exists() or path.read_text(encoding="utf-8") != made:
                path.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
