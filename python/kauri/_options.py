# Keyword arguments as options of the library; scikit-sparse's names of orderings.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from . import _core
from ._errors import UsageError

# Keywords: the names of the library's table, with an underscore for each point.
_TABLE = {option["name"].replace(".", "_"): option for option in _core.options() if option["name"] != "precision"}

# Options of kauri for each of scikit-sparse's names of orderings.
ORDERINGS = {
    "default": {"ordering_method": "auto"},
    "best": {"ordering_method": "auto", "ordering_effort": "best"},
    "nesdis": {"ordering_method": "nd"},
    "colamd": {"ordering_method": "amd"},
    "postordered": {"ordering_method": "natural"},
}

METHODS = re.split(", | or ", _TABLE["ordering_method"]["accepts"])  # the library's own names of orderings


def option_names() -> dict[str, dict[str, str]]:
    """Returns all options that ``cholesky`` and ``analyze`` take as keywords, by name.

    The value of each is a dict with its ``kind``, what it accepts (``accepts``), its default
    (``initial``) and its effect (``help``).

    >>> import kauri
    >>> kauri.option_names()["threads"]["initial"]
    '0'
    """
    table = {name: {key: option[key] for key in ("kind", "accepts", "initial", "help")} for name, option in _TABLE.items()}
    table["refine_max_steps"]["initial"] = "0"
    return table


def plain(value: Any) -> Any:
    """Returns the bool, int, float or str of Python for a scalar of NumPy, a 0-d array, or bytes.

    Returns any other value unchanged.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, np.floating):  # a long double, which item() does not convert
        return float(value)
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def fraction(name: str, value: Any) -> float:
    """Returns the value as a float; UsageError unless it is a number from 0 to 1."""
    try:
        number = float(plain(value))
    except (TypeError, ValueError):
        raise UsageError(f"{name}={value!r}: expected a number from 0 to 1") from None
    if not 0 <= number <= 1:
        raise UsageError(f"{name} is {number:g}, expected 0 to 1")
    return number


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)


def texts(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns keyword arguments as [(name, text)] with the library's names.

    An unknown name raises UsageError, which proposes the nearest one.
    """
    options = {name: plain(value) for name, value in options.items()}
    method = options.get("ordering_method")
    if method is None:
        options.pop("ordering_method", None)
    elif method in ORDERINGS:
        del options["ordering_method"]
        options = {**ORDERINGS[method], **options}
    if options.get("ordering_method") == "metis" and not _core.ordering_available("metis"):
        options["ordering_method"] = "nd"
    found = []
    for name, value in options.items():
        if name == "precision":
            raise UsageError("option 'precision': factors have the type of A; use cholesky_mixed(A) for mixed precision")
        if name not in _TABLE:
            near = _core.nearest(name, list(_TABLE))
            raise UsageError(f"option {name!r} is unknown" + (f"; did you mean {near}?" if near else "; kauri options lists the names"))
        found.append((_TABLE[name]["name"], _text(value)))
    return found


def path(given: str | bytes | os.PathLike[str]) -> str:
    """Returns a path as str.

    Raises UsageError for a path with a zero byte, at which the library would cut it off, and for a
    path that is not UTF-8.
    """
    name = os.fsdecode(given)
    if "\0" in name:
        raise UsageError(f"path {name!r} contains a null byte, expected none")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError(f"path {name!r} is not UTF-8; rename the file") from None
    return name


def loadable(given: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Returns pickled [(name, text)] without the options that this library does not have.

    A ``backend`` becomes the CPU's if no CUDA device is available; a ``card`` and a
    ``cpu.factor_file`` are left out if there is no such file or folder.
    """
    known = {option["name"] for option in _TABLE.values()}
    # A factor that was made on a device loads on the CPU if no device is available.
    here = _core.cuda_available()
    there = {"card": os.path.isfile, "cpu.factor_file": os.path.isdir}
    usable = [(name, text) for name, text in given if name in known and (name not in there or there[name](text))]
    return [(name, "cpu" if name == "backend" and not here else text) for name, text in usable]
