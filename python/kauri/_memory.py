# What this process may still take of memory, by the rules of the program (src/cli/job/limits.cpp).
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import resource
import sys


def _number(file):
    """The number in a file that holds one; None for "max" and for files that are not there."""
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _value(file, key):
    """Of "key   123 kB" lines in bytes, of "key 123" lines as it is; None if there is no such line."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if words and words[0] == key:
            return int(words[1]) * (1024 if words[2:] == ["kB"] else 1)
    return None


def _room_in_group(folder, second):
    limit = _number(folder / ("memory.max" if second else "memory.limit_in_bytes"))
    used = _number(folder / ("memory.current" if second else "memory.usage_in_bytes"))
    if limit is None or used is None:
        return sys.maxsize
    droppable = _value(folder / "memory.stat", "inactive_file" if second else "total_inactive_file") or 0
    return max(0, limit - max(0, used - droppable))


def _room_in_groups():
    """The least room of this process's control groups and their parents: what a container allows."""
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


def _room_under(limit, key):
    """What a limit of this process (ulimit -v, -d) leaves beside what it takes."""
    allowed = resource.getrlimit(limit)[0]
    if not 0 <= allowed < sys.maxsize:  # RLIM_INFINITY is negative
        return sys.maxsize
    return max(0, allowed - (_value(pathlib.Path("/proc/self/status"), key) or 0))


def available_bytes():
    """Bytes; sys.maxsize where nothing tells."""
    free = _value(pathlib.Path("/proc/meminfo"), "MemAvailable:")
    limits = _room_under(resource.RLIMIT_AS, "VmSize:"), _room_under(resource.RLIMIT_DATA, "VmData:")
    return min(sys.maxsize if free is None else free, _room_in_groups(), *limits)
