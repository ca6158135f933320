# Memory that is available to this process, as in src/cli/job/limits.cpp, but without its reserves.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pathlib
import resource
import sys


def _number(file: pathlib.Path) -> int | None:
    """Returns the number that a file holds; None for "max" and for a missing file."""
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _value(file: pathlib.Path, key: str) -> int | None:
    """Returns the value of a line "key   123 kB", in bytes, or of a line "key 123".

    Returns None if there is no such line.
    """
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if words and words[0] == key:
            return int(words[1]) * (1024 if words[2:] == ["kB"] else 1)
    return None


def _room_in_group(folder: pathlib.Path, second: bool) -> int:
    limit = _number(folder / ("memory.max" if second else "memory.limit_in_bytes"))
    used = _number(folder / ("memory.current" if second else "memory.usage_in_bytes"))
    if limit is None or used is None:
        return sys.maxsize
    droppable = _value(folder / "memory.stat", "inactive_file" if second else "total_inactive_file") or 0
    return max(0, limit - max(0, used - droppable))


def _room_in_groups() -> int:
    """Returns the least room in the control groups of this process and in their parents.

    These are the limits that a container sets.
    """
    try:
        lines = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return sys.maxsize
    room = sys.maxsize
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = pathlib.Path("/sys/fs/cgroup" if not controllers else "/sys/fs/cgroup/memory")
        group = root / path.lstrip("/")
        while True:
            room = min(room, _room_in_group(group, not controllers))
            if group == root:
                break
            group = group.parent
    return room


def _room_under(limit: int, key: str) -> int:
    """Returns the bytes that a limit of this process (ulimit -v, -d) leaves.

    key: the line of /proc/self/status that has the bytes in use.
    """
    allowed = resource.getrlimit(limit)[0]
    if not 0 <= allowed < sys.maxsize:  # RLIM_INFINITY is -1
        return sys.maxsize
    return max(0, allowed - (_value(pathlib.Path("/proc/self/status"), key) or 0))


def available_bytes() -> int:
    """Returns the available bytes; sys.maxsize if nothing limits them."""
    free = _value(pathlib.Path("/proc/meminfo"), "MemAvailable:")
    limits = _room_under(resource.RLIMIT_AS, "VmSize:"), _room_under(resource.RLIMIT_DATA, "VmData:")
    return min(sys.maxsize if free is None else free, _room_in_groups(), *limits)
