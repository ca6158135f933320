# Counts the bytes copied between host and device while a function runs, as CUPTI records them: by
# PyTorch's profiler, or by CUPTI itself.
# SPDX-License-Identifier: BSD-3-Clause
"""``counter()`` returns a function ``host_copies(work)`` that has proved to count a copy each
way."""
import ctypes
import glob
import json
import os
import pathlib
import sys
import tempfile

import numpy as np


def _by_torch(work):
    import torch

    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as seen:
        result = work()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        seen.export_chrome_trace(path)
        events = json.loads(pathlib.Path(path).read_text(errors="replace"), strict=False)["traceEvents"]
    copies = [(e["name"].split()[1], int(e["args"]["bytes"])) for e in events if e.get("cat") == "gpu_memcpy"]
    return result, [(kind, size) for kind, size in copies if kind in ("HtoD", "DtoH")]


class _Cupti:
    """The activity interface: CUPTI requests buffers, fills them with records, and returns them."""

    MEMCPY, FORCED, KINDS, BUFFER = 1, 1, {1: "HtoD", 2: "DtoH"}, 1 << 20

    def __init__(self):
        places = ["libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"]
        places += [path for folder in sys.path for path in glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcupti.so*"))]
        failures = []
        for place in places:
            try:
                self.library = ctypes.CDLL(place)
                break
            except OSError as error:
                failures.append(str(error))
        else:
            raise OSError("no libcupti: " + "; ".join(failures))
        byte_pointer, size_pointer = ctypes.POINTER(ctypes.c_uint8), ctypes.POINTER(ctypes.c_size_t)
        self.buffers, self.records = {}, []
        self.requested = ctypes.CFUNCTYPE(None, ctypes.POINTER(byte_pointer), size_pointer, size_pointer)(self._give)
        self.completed = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, byte_pointer, ctypes.c_size_t, ctypes.c_size_t)(self._take)
        self._call("cuptiActivityRegisterCallbacks", self.requested, self.completed)

    def _call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUPTI error {status}")

    def _give(self, buffer, size, most):
        room = (ctypes.c_uint8 * self.BUFFER)()
        self.buffers[ctypes.addressof(room)] = room
        buffer[0] = ctypes.cast(room, ctypes.POINTER(ctypes.c_uint8))
        size[0], most[0] = self.BUFFER, 0

    def _take(self, context, stream, buffer, size, used):
        record = ctypes.c_void_p()
        while self.library.cuptiActivityGetNextRecord(buffer, ctypes.c_size_t(used), ctypes.byref(record)) == 0:
            head = ctypes.string_at(record.value, 16)  # kind, then kinds of the copy, its source, its target, flags, and bytes
            if int.from_bytes(head[:4], "little") == self.MEMCPY:
                self.records.append((self.KINDS.get(head[4]), int.from_bytes(head[8:], "little")))
        self.buffers.pop(ctypes.addressof(buffer.contents), None)

    def __call__(self, work):
        import torch

        torch.cuda.synchronize()
        self._call("cuptiActivityEnable", self.MEMCPY)
        self._call("cuptiActivityFlushAll", self.FORCED)
        self.records.clear()
        try:
            result = work()
            torch.cuda.synchronize()
            self._call("cuptiActivityFlushAll", self.FORCED)
        finally:
            self._call("cuptiActivityDisable", self.MEMCPY)
        return result, [record for record in self.records if record[0]]


def counter():
    """Returns (name, host_copies): host_copies(work) returns (result of work(), [("HtoD" or "DtoH",
    bytes), ...])."""
    import torch

    size = 3_000_008
    here = torch.ones(size // 8, dtype=torch.float64)

    def deliberate():
        return here.cuda().cpu()

    deliberate()
    failures = []
    for name, make in (("torch.profiler", lambda: _by_torch), ("CUPTI", _Cupti)):
        try:
            host_copies = make()
            _, seen = host_copies(deliberate)
        except Exception as error:  # the next one is tried; all errors are reported
            failures.append(f"{name}: {type(error).__name__}: {error}")
            continue
        if ("HtoD", size) in seen and ("DtoH", size) in seen:
            return name, host_copies
        failures.append(f"{name}: of a copy of {size} bytes each way it saw {seen}")
    raise AssertionError("no counter sees a deliberate copy: " + "; ".join(failures))


def total(copies, small=256):
    """Returns the bytes of copies larger than ``small``: verdicts, reports of refinement and launch
    arguments are smaller."""
    return int(np.sum([size for _, size in copies if size > small], dtype=np.int64))
