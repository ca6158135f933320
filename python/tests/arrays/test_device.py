# Tests arrays of other libraries: on the host by DLPack, and on a device as far as that needs no
# device.
# SPDX-License-Identifier: BSD-3-Clause
import ctypes
import os
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import LIMIT_SECONDS, random_spd

import kauri
from kauri._arrays import cuda


class Lent:
    """An array of an unknown library that supports DLPack."""

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
    """An array that claims to be on a device; its numbers are on the host."""

    def __init__(self, array, device=0):
        self.array, self.device = array, device
        self.ndim, self.shape, self.dtype = array.ndim, array.shape, array.dtype

    def __dlpack_device__(self):
        return (2, self.device)


class Kind(cuda.Other):
    """Operations on OnDevice. With streams, solutions are made as in CuPy and PyTorch, beside b and
    on a stream; without, as in JAX, in a finished copy of b, with a function to call while the
    device solves."""

    def __init__(self, streams):
        self.streams, self.prepared = streams, 0

    def device(self, b):
        return b.device

    def view(self, b):
        there = cuda.dense_shape(b.shape, b.array.strides, b.array.itemsize)
        return None if there is None else (b.array.ctypes.data, *there)

    def stream(self, b):
        return STREAM if self.streams else None

    def meanwhile(self, b, factor):
        return None if self.streams else self._prepare

    def _prepare(self):
        self.prepared += 1

    def beside(self, b, factor):
        return OnDevice(np.full_like(b.array, np.nan), b.device) if self.streams else self.copy(b)

    def copy(self, b):
        return OnDevice(b.array.copy(order="K"), b.device)


STREAM = 4711


@pytest.fixture(autouse=True, params=[True, False], ids=["streams", "no streams"])
def kind(request, monkeypatch):
    made = Kind(request.param)
    monkeypatch.setitem(cuda._KINDS, OnDevice, made)
    return made


class Core:
    """Stands for a factor on a device: solves on the host, in the memory that the views give."""

    def __init__(self, factor):
        self.factor, self.streams, self.valid = factor, set(), True

    def solve_there(self, system, b, x, refine, stream, meanwhile, cancel):
        self.streams.add(stream)
        if meanwhile:
            meanwhile()
        numbers(x)[:] = self.factor.solve(np.array(numbers(b)), "LDLt" if system == "B" else system, refine=refine)

    def refactorize_there(self, values, address, stream, count, beta, cancel):
        self.streams.add(stream)
        flat = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (count,))
        self.factor.refactorize_values(np.array(flat), beta)


def numbers(there):
    """Returns an array over a view on the device."""
    address, rows, cols, ld, by_rows = there
    count = (rows - 1) * ld + cols if by_rows else (cols - 1) * ld + rows
    flat = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (count,))
    return np.lib.stride_tricks.as_strided(flat, (rows, cols), (8 * ld, 8) if by_rows else (8, 8 * ld))


def test_arrays_that_are_lent(a):
    f = kauri.cholesky(a)
    b = np.random.default_rng(1).standard_normal((f.n, 2))
    for right in (b, np.asfortranarray(b), b[:, 0].copy()):
        x = f(Lent(right))
        assert isinstance(x, Lent) and np.array_equal(x.array, f(right))


def on_device(f):
    """Returns f as if its analysis were for a device; the host still solves."""
    s = f._symbolic
    f._symbolic = types.SimpleNamespace(on_device=True, device_index=0, n=s.n, nnz=s.nnz, refine_steps=s.refine_steps, perm=s.perm)
    return f


@pytest.mark.parametrize("method", ["amd", "natural"])
@pytest.mark.parametrize("system", ["A", "LDLt", "L", "Lt", "P", "Pt"])
def test_what_is_on_a_device_stays_there(system, method, kind):
    plain = kauri.cholesky(random_spd(20, 4), ordering_method=method)
    inner = kauri.cholesky(random_spd(20, 4), permutation=plain._symbolic.perm())  # in the library's numbering
    f = on_device(kauri.cholesky(random_spd(20, 4), ordering_method=method))
    b = np.random.default_rng(2).standard_normal((f.n, 3))
    for right in (b, np.asfortranarray(b), b[:, 0].copy()):
        core, before = Core(inner), right.copy()
        x = f._foreign(core, system, False, OnDevice(right), -1, None)
        assert isinstance(x, OnDevice) and np.array_equal(right, before) and core.streams == {kind.stream(x)}
        assert np.allclose(x.array, plain.solve(right, system)) and x.array.strides == right.strides
        assert f._foreign(core, system, False, OnDevice(np.ones((f.n, 0))), -1, None).shape == (f.n, 0)


def test_what_is_called_while_a_device_solves(kind):
    f = on_device(kauri.cholesky(random_spd(20, 4)))
    for solves in (1, 2):
        f._foreign(Core(kauri.cholesky(random_spd(20, 4))), "A", False, OnDevice(np.ones(20)), -1, None)
        assert kind.prepared == (0 if kind.streams else solves)


def test_copies_of_jax_that_are_begun():
    jax = pytest.importorskip("jax", reason="JAX is not installed", exc_type=ImportError)
    kind, factor = cuda.Jax(), types.SimpleNamespace()
    b = jax.numpy.arange(5.0)
    kind.meanwhile(b, factor)()
    begun = factor._begun[b.shape]
    assert kind.beside(b, factor) is begun and begun.unsafe_buffer_pointer() != b.unsafe_buffer_pointer()
    assert kind.beside(b, factor) is not begun  # each solution takes the prepared array once
    kind.meanwhile(b, factor)()
    x = kind.beside(b.astype(int), factor)
    assert x.dtype == b.astype(int).dtype and np.array_equal(x, b)
    for n in range(1, 9):
        kind.meanwhile(jax.numpy.zeros(n), factor)()
        assert (n,) in factor._begun and len(factor._begun) <= 4
    assert kind.meanwhile(jax.numpy.zeros(300_000), factor) is None


def test_copies_of_jax_are_where_it_is():
    """The copy is on b's device, also if b is not committed to a device and JAX's default is
    another one. JAX makes two devices of the host for this test."""
    pytest.importorskip("jax", reason="JAX is not installed", exc_type=ImportError)
    code = ("import jax, types; from kauri._arrays import cuda; there = jax.devices()[1]; kind, factor = cuda.Jax(), types.SimpleNamespace()\n"
            "with jax.default_device(there): b = jax.numpy.arange(3.0)\n"
            "assert b.devices() == {there}; kind.meanwhile(b, factor)()\n"
            "for x in (kind.copy(b), kind.beside(b, factor), kind.beside(b, factor)): assert x.devices() == {there}, x.devices()\n"
            "print('good')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=LIMIT_SECONDS,
                          env={**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=2"})
    assert done.stdout == b"good\n", done.stderr.decode()[-1500:]


def test_refinement_on_a_device_keeps_b():
    a = random_spd(20, 4)
    for f, steps in ((kauri.cholesky(a), 2), (kauri.cholesky(a, refine_max_steps=2), -1)):
        seen = []
        core = Core(kauri.cholesky(a))
        core.solve_there = lambda system, b, x, refine, stream, meanwhile, cancel, seen=seen: seen.append((b[0] != x[0], refine))
        on_device(f)._foreign(core, "A", False, OnDevice(np.ones((20, 2))), steps, None)
        assert seen == [(True, 2)]


def test_values_on_a_device(kind):
    a = random_spd(20, 4)
    f, values = kauri.cholesky(a), kauri.cholesky(2 * a)._numbers.values()
    core = f._numbers = Core(kauri.cholesky(a))
    on_device(f).refactorize_values(OnDevice(values))
    assert np.array_equal(core.factor(np.ones(20)), kauri.cholesky(2 * a)(np.ones(20))) and core.streams == {kind.stream(None)}
    on_device(f).refactorize_values(OnDevice(np.repeat(values, 2)[::2]))  # their copy is contiguous
    assert np.array_equal(core.factor(np.ones(20)), kauri.cholesky(2 * a)(np.ones(20)))
    for wrong, text in ((values[:-1], "shape"), (values.astype(np.float32), "float32"), (values[None], "shape")):
        with pytest.raises(kauri.UsageError, match=text):
            f.refactorize_values(OnDevice(wrong))
    with pytest.raises(kauri.UsageError, match="the factor is not"):
        kauri.cholesky(a).refactorize_values(OnDevice(values))


def test_what_does_not_fit_is_refused(a, kind, monkeypatch):
    f = kauri.cholesky(a)
    b = np.ones(f.n)
    with pytest.raises(kauri.UsageError, match="the factor is not"):
        f(OnDevice(b))
    on_device(f)
    for right, text in ((np.ones(f.n + 1), "shape"), (b.astype(np.float32), "float32"), (np.ones(2 * f.n)[::-2], "contiguous")):
        with pytest.raises(kauri.UsageError, match=text):
            monkeypatch.setattr(kind, "copy", lambda b: b)
            f._foreign(Core(f), "A", False, OnDevice(right), -1, None)
    with pytest.raises(kauri.UsageError, match="device 1"):
        f._foreign(Core(f), "A", False, OnDevice(b, 1), -1, None)
    with pytest.raises(kauri.UsageError, match="on a device"):
        f._foreign(Core(f), "D", False, OnDevice(b), -1, None)


def test_libraries_that_are_not_known_are_refused(a, monkeypatch):
    monkeypatch.undo()
    with pytest.raises(kauri.UsageError, match="CuPy, PyTorch or JAX"):
        on_device(kauri.cholesky(a))._foreign(Core(kauri.cholesky(a)), "A", False, OnDevice(np.ones(a.shape[0])), -1, None)


def test_masked_arrays(a):
    f, b = kauri.cholesky(a), np.ones(a.shape[0])
    assert np.array_equal(f(np.ma.masked_array(b)), f(b))
    masked = np.ma.masked_array(b, np.arange(f.n) == f.n - 1)
    for call in (f, kauri.cholesky_mixed(a), f.solve_L, f.multiply):
        with pytest.raises(kauri.UsageError, match="masked"):
            call(masked)
    with pytest.raises(kauri.UsageError, match="masked"):
        f.refactorize_values(np.ma.masked_array(np.ones(f._symbolic.nnz), True))
    with pytest.raises(kauri.UsageError, match="masked"):
        kauri.cholesky(np.ma.masked_array(np.eye(2), np.eye(2) == 0))
    assert kauri.cholesky(np.ma.masked_array(np.eye(2)))(np.ones(2)).tolist() == [1, 1]


def test_shapes():
    assert cuda.dense_shape((5, 3), (36, 8), 8) is None  # CuPy's views count bytes
    assert cuda.dense_shape((5, 3), None, 8) == (5, 3, 3, True)
    assert cuda.dense_shape((5, 3), (8, 48), 8) == (5, 3, 6, False)
    assert cuda.dense_shape((5, 3), (32, 8), 8) == (5, 3, 4, True)
    assert cuda.dense_shape((5,), (16,), 8) == (5, 1, 2, True)
    assert cuda.dense_shape((5, 3), (16, 16), 8) is None
