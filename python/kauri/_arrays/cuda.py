# Arrays on CUDA devices: one class for each library, with what solves and factors need of it.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from .._errors import UsageError
from . import protocols

if TYPE_CHECKING:
    import numpy as np

_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
# Most shapes of JAX solutions for which a factor holds prepared memory.
_SHAPES = 4
# Most bytes of a solution for which meanwhile() prepares the next one: larger solves take far
# longer than the preparation saves.
_PREPARED = 1 << 20


Dense: TypeAlias = tuple[int, int, int, bool]  # what dense_shape() returns
View: TypeAlias = tuple[int, int, int, int, bool]  # an address, and what dense_shape() returns


class Library:
    """Base class of the operations on CUDA arrays that solve_there() and values_there() use.

    There is one subclass for each library of arrays.
    """

    def fits(self, b: Any, dtype: np.dtype[Any]) -> bool:
        return b.dtype == dtype

    def plain(self, b: Any) -> Any:
        """Returns b with its numbers in memory."""
        return b

    def stream(self, b: Any) -> int | None:
        """Returns the number of the stream on which the library works with b.

        Returns None for a library without public streams: its work on b, and on arrays made here,
        has then finished.
        """
        return None

    def meanwhile(self, b: Any, factor: Any) -> Callable[[], None] | None:
        """Returns a function to call while the device solves for b, or None."""
        return None

    def on_cuda(self, b: Any) -> bool:
        """Returns True if b is in the memory of a CUDA device."""
        raise NotImplementedError

    def device(self, b: Any) -> int:
        """Returns the number of b's device, as CUDA counts."""
        raise NotImplementedError

    def view(self, b: Any) -> View | None:
        """Returns (address, rows, columns, leading dimension, True if row-major) of a dense array.

        Returns None if the strides are not those of a dense matrix.
        """
        raise NotImplementedError

    def beside(self, b: Any, factor: Any) -> Any:
        """Returns a writable array like b with uninitialised content."""
        raise NotImplementedError

    def copy(self, b: Any) -> Any:
        """Returns a writable copy."""
        raise NotImplementedError


class Torch(Library):
    """Tensors of PyTorch."""

    def __init__(self) -> None:
        self.module = sys.modules["torch"]
        self.types = {4: self.module.float32, 8: self.module.float64}
        # PyTorch's own compiled code calls it; it takes 1/20 of the time of current_stream().
        self.raw_stream = getattr(self.module._C, "_cuda_getCurrentRawStream", None)

    def on_cuda(self, b: Any) -> bool:
        return b.is_cuda

    def device(self, b: Any) -> int:
        return b.get_device()

    def fits(self, b: Any, dtype: np.dtype[Any]) -> bool:
        return b.dtype is self.types[dtype.itemsize]

    def plain(self, b: Any) -> Any:
        return protocols.plain(b)

    def view(self, b: Any) -> View | None:
        there = dense_shape(b.shape, b.stride(), 1)
        return None if there is None else (b.data_ptr(), *there)

    def stream(self, b: Any) -> int | None:
        device = b.get_device()
        return self.raw_stream(device) if self.raw_stream else self.module.cuda.current_stream(device).cuda_stream

    def beside(self, b: Any, factor: Any) -> Any:
        return self.module.empty_like(b)

    def copy(self, b: Any) -> Any:
        return b.clone(memory_format=self.module.preserve_format)


class Cupy(Library):
    """Arrays of CuPy."""

    def __init__(self) -> None:
        self.module = sys.modules["cupy"]

    def on_cuda(self, b: Any) -> bool:
        return True

    def device(self, b: Any) -> int:
        return b.data.device_id

    def view(self, b: Any) -> View | None:
        there = dense_shape(b.shape, b.strides, b.itemsize)
        return None if there is None else (b.data.ptr, *there)

    def stream(self, b: Any) -> int | None:
        return self.module.cuda.get_current_stream(b.data.device_id).ptr

    def _made(self, b: Any, make: Callable[[], Any]) -> Any:
        """Returns make(), called with b's device as the current one."""
        if self.module.cuda.runtime.getDevice() == b.data.device_id:  # 1/3 of the time of `with`
            return make()
        with b.device:
            return make()

    def beside(self, b: Any, factor: Any) -> Any:
        return self._made(b, lambda: self.module.empty_like(b))

    def copy(self, b: Any) -> Any:
        return self._made(b, lambda: b.copy(order="K"))


class Jax(Library):
    """Arrays of JAX, which has no public streams."""

    def __init__(self) -> None:
        jax = importlib.import_module("jax")
        # Faster than jax.numpy.array(b, copy=True).
        self.compiled = jax.jit(importlib.import_module("jax.numpy").copy)
        self.device_put = jax.device_put
        self.places: dict[Any, tuple[bool, int]] = {}

    def _place(self, b: Any) -> tuple[bool, int]:
        """Returns (True if on CUDA, number of the device).

        The result is cached by sharding, since JAX is slow to answer.
        """
        place = self.places.get(b.sharding)
        if place is None:
            try:
                kind, number = b.__dlpack_device__()
            except BufferError as error:  # sharded over several devices
                raise UsageError(f"an array of JAX: {error}; expected one on a single device") from error
            place = self.places[b.sharding] = int(kind) in _CUDA, int(number)
        return place

    def on_cuda(self, b: Any) -> bool:
        return self._place(b)[0]

    def device(self, b: Any) -> int:
        return self._place(b)[1]

    def view(self, b: Any) -> View | None:
        there = dense_shape(b.shape, None, None)
        return None if there is None else (b.unsafe_buffer_pointer(), *there)

    def meanwhile(self, b: Any, factor: Any) -> Callable[[], None] | None:
        """Returns a function that begins a copy of b, whose memory the next solution takes.

        A copy by JAX takes longer than all other steps here, so it overlaps with the solve.
        """
        if b.nbytes > _PREPARED:
            return None

        def begin() -> None:
            try:
                x = self.compiled(b)
            except Exception:  # out of memory, for example; the next solve reports it
                return
            begun = factor.__dict__.setdefault("_begun", {})  # one array for each shape
            if len(begun) >= _SHAPES and b.shape not in begun:
                begun.clear()
            if x.sharding == b.sharding:
                begun[b.shape] = x

        return begin

    def beside(self, b: Any, factor: Any) -> Any:
        # pop() is atomic: another thread may solve with this factor.
        x = factor.__dict__.get("_begun", {}).pop(b.shape, None)
        if x is None or x.dtype != b.dtype or x.sharding != b.sharding:
            return self.copy(b)  # also waits for b
        b.block_until_ready()
        try:
            return x.block_until_ready()
        except Exception:  # that array failed on the device; a new one may succeed
            return self.copy(b)

    def copy(self, b: Any) -> Any:
        x = self.compiled(b)
        if x.sharding != b.sharding:  # b is not committed to a device, and JAX's default differs
            x = self.device_put(x, b.sharding)
        if x.dtype != b.dtype:  # JAX converts doubles to floats without jax_enable_x64
            raise UsageError(f"JAX makes {x.dtype} of {b.dtype} in this thread: see jax_enable_x64")
        return x.block_until_ready()


class Other(Library):
    """Arrays of libraries for which device arrays are not supported."""

    def on_cuda(self, b: Any) -> bool:
        if hasattr(b, "__dlpack_device__"):
            return int(b.__dlpack_device__()[0]) in _CUDA
        return hasattr(b, "__cuda_array_interface__")

    def device(self, b: Any) -> int:
        raise UsageError(f"an array of {type(b).__module__} on a CUDA device: expected one of CuPy, PyTorch or JAX")


_MAKERS: dict[str, type[Library]] = {"torch": Torch, "cupy": Cupy, "jax": Jax, "jaxlib": Jax}
_KINDS: dict[type, Library] = {}  # by class of the arrays


def kind_of(b: Any) -> Library:
    """Returns the Library object for b: a Torch, Cupy, Jax or Other."""
    kind = _KINDS.get(type(b))
    if kind is None:
        kind = _KINDS[type(b)] = _MAKERS.get(protocols.library_of(b), Other)()
    return kind


def on_cuda(b: Any) -> bool:
    """Returns True if b is in the memory of a CUDA device."""
    return kind_of(b).on_cuda(b)


def dense_shape(shape: Any, strides: Any, size: Any) -> Dense | None:
    """Returns (rows, columns, leading dimension, True if row-major) of an array.

    Returns None if the strides are not those of a dense matrix. size: stride between two
    adjacent numbers (1, or the bytes of one).
    """
    rows, cols = shape[0], shape[1] if len(shape) == 2 else 1
    if strides is None:
        return rows, cols, max(cols, 1), True
    if any(step % size for step in strides):
        return None
    down = strides[0] // size if rows > 1 else 1
    right = strides[1] // size if len(shape) == 2 and cols > 1 else rows
    if down == 1 and (cols <= 1 or right >= rows):
        return rows, cols, right if cols > 1 else max(rows, 1), False
    if (cols <= 1 or right == 1) and down >= cols:
        return rows, cols, down, True
    return None
