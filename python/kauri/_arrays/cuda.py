# Arrays on CUDA devices: one class for each library, with what solves and factors need of it.
# SPDX-License-Identifier: BSD-3-Clause
import importlib
import sys

from .._errors import UsageError
from . import protocols

_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
# Most shapes of JAX solutions for which a factor holds prepared memory.
_SHAPES = 4
# Most bytes of a solution for which meanwhile() prepares the next one: larger solves take far
# longer than the preparation saves.
_PREPARED = 1 << 20


class Library:
    """Base class of the operations on CUDA arrays that solve_there() and values_there() use.

    There is one subclass for each library of arrays.
    """

    def fits(self, b, dtype):
        return b.dtype == dtype

    def plain(self, b):
        """Returns b with its numbers in memory."""
        return b

    def stream(self, b):
        """Returns the number of the stream on which the library works with b.

        Returns None for a library without public streams: its work on b, and on arrays made here,
        has then finished.
        """

    def meanwhile(self, b, factor):
        """Returns a function to call while the device solves for b, or None."""


class Torch(Library):
    """Tensors of PyTorch."""

    def __init__(self):
        self.module = sys.modules["torch"]
        self.types = {4: self.module.float32, 8: self.module.float64}
        # PyTorch's own compiled code calls it; it takes 1/20 of the time of current_stream().
        self.raw_stream = getattr(self.module._C, "_cuda_getCurrentRawStream", None)

    def on_cuda(self, b):
        return b.is_cuda

    def device(self, b):
        """Returns the number of b's device, as CUDA counts."""
        return b.get_device()

    def fits(self, b, dtype):
        return b.dtype is self.types[dtype.itemsize]

    def plain(self, b):
        return protocols.plain(b)

    def view(self, b):
        """Returns (address, rows, columns, leading dimension, True if row-major) of a dense array.

        Returns None if the strides are not those of a dense matrix.
        """
        there = dense_shape(b.shape, b.stride(), 1)
        return None if there is None else (b.data_ptr(), *there)

    def stream(self, b):
        device = b.get_device()
        return self.raw_stream(device) if self.raw_stream else self.module.cuda.current_stream(device).cuda_stream

    def beside(self, b, factor):
        """Returns a writable array like b with uninitialised content."""
        return self.module.empty_like(b)

    def copy(self, b):
        """Returns a writable copy."""
        return b.clone(memory_format=self.module.preserve_format)


class Cupy(Library):
    """Arrays of CuPy."""

    def __init__(self):
        self.module = sys.modules["cupy"]

    def on_cuda(self, b):
        return True

    def device(self, b):
        return b.data.device_id

    def view(self, b):
        there = dense_shape(b.shape, b.strides, b.itemsize)
        return None if there is None else (b.data.ptr, *there)

    def stream(self, b):
        return self.module.cuda.get_current_stream(b.data.device_id).ptr

    def _made(self, b, make):
        """Returns make(), called with b's device as the current one."""
        if self.module.cuda.runtime.getDevice() == b.data.device_id:  # 1/3 of the time of `with`
            return make()
        with b.device:
            return make()

    def beside(self, b, factor):
        return self._made(b, lambda: self.module.empty_like(b))

    def copy(self, b):
        return self._made(b, lambda: b.copy(order="K"))


class Jax(Library):
    """Arrays of JAX, which has no public streams."""

    def __init__(self):
        jax = importlib.import_module("jax")
        # Faster than jax.numpy.array(b, copy=True).
        self.compiled = jax.jit(importlib.import_module("jax.numpy").copy)
        self.device_put = jax.device_put
        self.places = {}

    def _place(self, b):
        """Returns (True if on CUDA, number of the device).

        The result is cached by sharding, since JAX is slow to answer.
        """
        place = self.places.get(b.sharding)
        if place is None:
            try:
                kind, number = b.__dlpack_device__()
            except BufferError as error:  # sharded over several devices
                raise UsageError(f"an array of JAX: {error}") from error
            place = self.places[b.sharding] = int(kind) in _CUDA, int(number)
        return place

    def on_cuda(self, b):
        return self._place(b)[0]

    def device(self, b):
        return self._place(b)[1]

    def view(self, b):
        return b.unsafe_buffer_pointer(), *dense_shape(b.shape, None, None)

    def meanwhile(self, b, factor):
        """Returns a function that begins a copy of b, whose memory the next solution takes.

        A copy by JAX takes longer than all other steps here, so it overlaps with the solve.
        """
        if b.nbytes > _PREPARED:
            return None

        def begin():
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

    def beside(self, b, factor):
        # pop() is atomic: another thread may solve with this factor.
        x = factor.__dict__.get("_begun", {}).pop(b.shape, None)
        if x is None or x.dtype != b.dtype or x.sharding != b.sharding:
            return self.copy(b)  # also waits for b
        b.block_until_ready()
        try:
            return x.block_until_ready()
        except Exception:  # that array failed on the device; a new one may succeed
            return self.copy(b)

    def copy(self, b):
        x = self.compiled(b)
        if x.sharding != b.sharding:  # b is not committed to a device, and JAX's default differs
            x = self.device_put(x, b.sharding)
        if x.dtype != b.dtype:  # JAX converts doubles to floats without jax_enable_x64
            raise UsageError(f"JAX makes {x.dtype} of {b.dtype} in this thread: see jax_enable_x64")
        return x.block_until_ready()


class Other(Library):
    """Arrays of libraries for which device arrays are not supported."""

    def on_cuda(self, b):
        if hasattr(b, "__dlpack_device__"):
            return int(b.__dlpack_device__()[0]) in _CUDA
        return hasattr(b, "__cuda_array_interface__")

    def device(self, b):
        raise UsageError(f"an array of {type(b).__module__} on a CUDA device: expected one of CuPy, PyTorch or JAX")


_MAKERS = {"torch": Torch, "cupy": Cupy, "jax": Jax, "jaxlib": Jax}
_KINDS: dict = {}  # by class of the arrays


def kind_of(b):
    """Returns the Library object for b: a Torch, Cupy, Jax or Other."""
    kind = _KINDS.get(type(b))
    if kind is None:
        kind = _KINDS[type(b)] = _MAKERS.get(protocols.library_of(b), Other)()
    return kind


def on_cuda(b):
    """Returns True if b is in the memory of a CUDA device."""
    return kind_of(b).on_cuda(b)


def dense_shape(shape, strides, size):
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
