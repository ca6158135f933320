# Tables of a comparison in text and HTML, with the words of src/cli/terminal/text.cpp.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import html
import math

from .records import Record, System


def scaled(x: float, separator: str, unit: str) -> str:
    """Returns x with three digits and a prefix of the unit, in steps of 1000."""
    prefixes = ("", "k", "M", "G", "T", "P", "E")
    power = 0
    while abs(x) >= 999.5 and power + 1 < len(prefixes):
        x, power = x / 1000, power + 1
    decimals = 0 if power == 0 else 2 if abs(x) < 9.995 else 1 if abs(x) < 99.95 else 0
    word = prefixes[power] + unit
    return f"{x:.{decimals}f}{separator if word else ''}{word}"


def seconds(s: float | None) -> str:
    """Formats a time: "86 us", "1.20 ms", "12.3 s"; "-" for None."""
    if s is None or not s >= 0:
        return "-"
    if s < 999.5e-6:
        return f"{s * 1e6:.0f} us"
    x, unit = (s * 1e3, "ms") if s < 0.9995 else (s, "s")
    return f"{x:.{2 if x < 9.995 else 1 if x < 99.95 else 0}f} {unit}"


def size(b: float | None) -> str:
    """Formats a number of bytes: "487 MB"; "-" for None."""
    return "-" if b is None else scaled(b, " ", "B")


def count(x: float | None) -> str:
    """Formats a large count: "9999", "12.3 M"; "-" for None."""
    return "-" if x is None else f"{x:.0f}" if abs(x) < 1e4 else scaled(x, " ", "")


def integer(k: int | None) -> str:
    """Formats an integer with all digits: "1,234,567"; "-" for None."""
    return "-" if k is None else f"{k:,}"


def fronts(k: int | None) -> str:
    """Formats a number of fronts: "1 front", "1,234 fronts"."""
    return f"{integer(k)} front{'' if k == 1 else 's'}"


def fill(ratio: float | None) -> str:
    """Formats a fill ratio: "12.7x"; "-" for None."""
    return "-" if ratio is None else f"{ratio:.3g}x"


def error(e: float | None) -> str:
    """Formats a backward error: "1.2e-16"; "-" for None."""
    return "-" if e is None else f"{e:.1e}" if math.isfinite(e) else "not finite"


HEAD = ["ordering", "order", "analyse", "entries of L", "fill", "operations", "height", "fronts", "front", "L", "peak", "predicted"]
MEASURED = ["measured", "solve", "error"]


def cells(record: Record, measured: bool) -> list[str]:
    """Returns the cells of one row: the columns of HEAD and, if measured, of MEASURED."""
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


def text_table(rows: list[list[str]]) -> str:
    """Returns rows as aligned columns; the first column is aligned left."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = ("".join(f"  {cell:<{w}}" if c == 0 else f"  {cell:>{w}}" for c, (cell, w) in enumerate(zip(row, widths))) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)


def title(system: System) -> str:
    """Returns one line with the name and size of the system."""
    if system.failure is not None:
        return f"{system.name}: not compared: {system.failure}"
    return f"{system.name}: {integer(system.n)} rows, {integer(system.nnz_lower)} entries in the lower triangle"


def remark(system: System) -> str:
    """Returns one line with the target and the meaning of the columns."""
    measured = " and measured" if system.measured else ""
    return f"on {system.where}; height and front in columns, predicted{measured} for the factorisation"


def notes(system: System) -> list[str]:
    """Returns the lines below the table: failures, then the choice of auto."""
    lines = [f"{record.label}: {record.note}" for record in system.records if record.note]
    return lines + ([f"{'* ' if any(r.chosen for r in system.records) else 'auto: '}{system.reason}"] if system.reason else [])


def text(system: System) -> str:
    """Returns the table of one system as `kauri compare` prints it."""
    if system.failure is not None:
        return title(system) + "\n"
    head = HEAD + MEASURED if system.measured else HEAD
    table = text_table([head] + [cells(record, system.measured) for record in system.records])
    behind = "".join(f"  {line}\n" for line in notes(system))
    return f"{title(system)}\n{remark(system)}\n\n{table}" + (f"\n{behind}" if behind else "")


def as_html(system: System) -> str:
    """Returns the table of one system as HTML for a notebook.

    Its CSS class is that of pandas' tables, for which notebooks have a style.
    """
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
