# Arrays of other libraries: on the host by DLPack, on a device as far as it can be seen without one.
# SPDX-License-Identifier: BSD-3-Clause
import types

import numpy as np
import pytest
from conftest import random_spd

import kauri
from kauri import _device


class Lent:
    """An array of a library that speaks DLPack and is known to nobody."""

    def __init__(self, array):
        self.array = array
        self.dtype, self.shape, self.ndim = array.dtype, array.shape, array.ndim

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda x: Lent(np.from_dlpack(x)))


class OnDevice:
    """What CuPy's arrays tell of themselves; the numbers are the host's."""

    def __init__(self, array, device=0):
        self.array, self.device = array, device
        self.ndim, self.shape = array.ndim, array.shape

    def __dlpack_device__(self):
        return (2, self.device)

    @property
    def __cuda_array_interface__(self):
        a = self.array
        return {"data": (a.ctypes.data, False), "shape": a.shape, "strides": a.strides, "typestr": a.dtype.str, "version": 3}

    def copy(self):
        return OnDevice(self.array.copy(order="K"), self.device)


class Core:
    """Stands for a factor on a device: solves on the host, in the memory that it is told of."""

    def __init__(self, factor):
        self.factor, self.calls = factor, []
        self.symbolic = types.SimpleNamespace(on_device=True, device_index=0)

    def solve_there(self, system, address, rows, cols, ld, by_rows):
        import ctypes

        self.calls.append(system)
        count = rows * ld if by_rows else cols * ld
        flat = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (count,))
        view = flat.reshape(rows, ld)[:, :cols] if by_rows else flat.reshape(cols, ld)[:, :rows].T
        view[:] = self.factor.solve(np.array(view), "LDLt" if system == "B" else system)


def test_arrays_that_are_lent(a):
    f = kauri.cholesky(a)
    b = np.random.default_rng(1).standard_normal((f.n, 2))
    for right in (b, np.asfortranarray(b), b[:, 0].copy()):
        x = f(Lent(right))
        assert isinstance(x, Lent) and np.array_equal(x.array, f(right))


@pytest.mark.parametrize("system", ["A", "LDLt", "L", "Lt", "P", "Pt"])
def test_what_is_on_a_device_stays_there(system):
    f = kauri.cholesky(random_spd(20, 4))
    b = np.random.default_rng(2).standard_normal((f.n, 3))
    for right in (b, np.asfortranarray(b), b[:, 0].copy()):
        core = Core(f)
        x = f._foreign(core, system, False, OnDevice(right), -1, None)
        assert isinstance(x, OnDevice) and core.calls == ["B" if system == "LDLt" else system]
        assert np.allclose(x.array, f.solve(right, system)) and x.array.strides == right.strides


def test_what_does_not_fit_is_refused(a):
    f = kauri.cholesky(a)
    b = np.ones(f.n)
    with pytest.raises(kauri.UsageError, match="the factor is not"):
        f(OnDevice(b))
    for right, text in ((np.ones(f.n + 1), "shape"), (b.astype(np.float32), "float32"), (np.ones(2 * f.n)[::-2], "strides")):
        with pytest.raises(kauri.UsageError, match=text):
            array = OnDevice(right)
            array.copy = lambda array=array: array
            _device.solve_there(f, Core(f), array, "A")
    with pytest.raises(kauri.UsageError, match="device 1"):
        _device.solve_there(f, Core(f), OnDevice(b, 1), "A")
    with pytest.raises(kauri.UsageError, match="on a device"):
        f._foreign(Core(f), "D", False, OnDevice(b), -1, None)
    with pytest.raises(kauri.UsageError, match="refinement"):
        f._foreign(Core(f), "A", False, OnDevice(b), 2, None)


def test_shapes():
    assert _device.dense_shape((5, 3), None, 8) == (5, 3, 3, True)
    assert _device.dense_shape((5, 3), (8, 48), 8) == (5, 3, 6, False)
    assert _device.dense_shape((5, 3), (32, 8), 8) == (5, 3, 4, True)
    assert _device.dense_shape((5,), (16,), 8) == (5, 1, 2, True)
    assert _device.dense_shape((5, 3), (16, 16), 8) is None


def on_a_device():
    if not kauri.cuda_available():
        pytest.skip("there is no CUDA device, or kauri was built without CUDA")


def test_cupy(a):
    on_a_device()
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    f = kauri.cholesky(a, backend="cuda")
    b = np.ones((f.n, 3))
    x = f(cupy.asarray(b))
    assert isinstance(x, cupy.ndarray) and np.allclose(a @ cupy.asnumpy(x), b)


def test_torch_on_a_device(a):
    on_a_device()
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    f = kauri.cholesky(a, backend="cuda")
    x = f(torch.ones(f.n, dtype=torch.float64, device="cuda"))
    assert x.is_cuda and np.allclose(a @ x.cpu().numpy(), 1)
