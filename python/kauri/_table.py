# Tables of a comparison, in text and in HTML, with the words of `kauri compare` (src/cli/terminal/text.cpp).
# SPDX-License-Identifier: BSD-3-Clause
import html
import math


def scaled(x, separator, unit):
    """x by three digits with a unit of thousands."""
    prefixes = ("", "k", "M", "G", "T", "P", "E")
    power = 0
    while abs(x) >= 999.5 and power + 1 < len(prefixes):
        x, power = x / 1000, power + 1
    decimals = 0 if power == 0 else 2 if abs(x) < 9.995 else 1 if abs(x) < 99.95 else 0
    word = prefixes[power] + unit
    return f"{x:.{decimals}f}{separator if word else ''}{word}"


def seconds(s):
    """"86 us", "1.20 ms", "12.3 s"; "-" for None."""
    if s is None or not s >= 0:
        return "-"
    if s < 999.5e-6:
        return f"{s * 1e6:.0f} us"
    x, unit = (s * 1e3, "ms") if s < 0.9995 else (s, "s")
    return f"{x:.{2 if x < 9.995 else 1 if x < 99.95 else 0}f} {unit}"


def size(b):
    """"487 MB"; "-" for None."""
    return "-" if b is None else scaled(b, " ", "B")


def count(x):
    """"9999", "12.3 M"; "-" for None."""
    return "-" if x is None else f"{x:.0f}" if abs(x) < 1e4 else scaled(x, " ", "")


def integer(k):
    """"1,234,567"; "-" for None."""
    return "-" if k is None else f"{k:,}"


def fill(ratio):
    """"12.7x"; "-" for None."""
    return "-" if ratio is None else f"{ratio:.3g}x"


def error(e):
    """"1.2e-16"; "-" for None."""
    return "-" if e is None else f"{e:.1e}" if math.isfinite(e) else "not finite"


HEAD = ["ordering", "order", "analyse", "entries of L", "fill", "operations", "height", "fronts", "front", "L", "peak", "predicted"]
MEASURED = ["measured", "solve", "error"]


def cells(record, measured):
    """Of one row, those of HEAD and, if measured, of MEASURED."""
    row = [
        record.label + (" *" if record.chosen else ""), seconds(record.order_s), seconds(record.symbolic_s), count(record.nnzL),
        fill(record.fill_ratio), count(record.flops), integer(record.tree_height), integer(record.supernodes), integer(record.largest_front),
        size(record.factor_bytes), size(record.peak_bytes), seconds(record.predicted_factor_s)
    ]
    if measured:
        failed = record.status == "not_positive_definite"
        row += [f"fails at {record.column}" if failed else seconds(record.factor_s), seconds(record.solve1_s),
                error(record.backward_error_componentwise)]
    return row


def text_table(rows):
    """Aligned columns, the first to the left."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = ("".join(f"  {cell:<{w}}" if c == 0 else f"  {cell:>{w}}" for c, (cell, w) in enumerate(zip(row, widths))) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)


def title(system):
    """What is compared, in a line."""
    if system.failure is not None:
        return f"{system.name}: not compared: {system.failure}"
    return f"{system.name}: {integer(system.n)} rows, {integer(system.nnz_lower)} entries in the lower triangle"


def remark(system):
    """Where, and what the figures are."""
    measured = " and measured" if system.measured else ""
    return f"on {system.where}; height and front in columns, predicted{measured} for the factorisation"


def notes(system):
    """Lines behind the table: what failed, then what auto took."""
    lines = [f"{record.label}: {record.note}" for record in system.records if record.note]
    return lines + ([f"{'* ' if any(r.chosen for r in system.records) else 'auto: '}{system.reason}"] if system.reason else [])


def text(system):
    """One system as `kauri compare` prints it."""
    if system.failure is not None:
        return title(system) + "\n"
    head = HEAD + MEASURED if system.measured else HEAD
    table = text_table([head] + [cells(record, system.measured) for record in system.records])
    behind = "".join(f"  {line}\n" for line in notes(system))
    return f"{title(system)}\n{remark(system)}\n\n{table}" + (f"\n{behind}" if behind else "")


def as_html(system):
    """The same for a notebook: the class is that of pandas' tables, which notebooks have a style for."""
    if system.failure is not None:
        return f"<p>{html.escape(title(system))}</p>\n"
    head = HEAD + MEASURED if system.measured else HEAD
    rows = []
    for record in system.records:
        first, *rest = (html.escape(cell).replace(" ", "&nbsp;") for cell in cells(record, system.measured))
        rows.append(f"<tr><th>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>")
    return (f"<p><b>{html.escape(title(system))}</b><br>{html.escape(remark(system))}</p>\n<table class=\"dataframe\">\n<thead><tr>" +
            "".join(f"<th>{cell}</th>" for cell in head) + "</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>\n" +
            "".join(f"<p>{html.escape(line)}</p>\n" for line in notes(system)))
