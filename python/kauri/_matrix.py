# Matrices from whatever holds them: SciPy's of any format, dense arrays, CuPy's, PyTorch's and JAX's sparse ones.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import scipy.sparse as sp

from . import _core, _device, _options
from ._errors import DtypeError, InputError, UsageError


_WHOLE = 2**24  # float32 has every integer up to here
MADE = "make the factor with dtype=np.float64, or with dtype=np.float32 if every A is to be rounded, or pass "  # for require_digits()


def real_dtype(dtype):
    """float32 or float64: what numbers of that type are computed in. Refuses what does not fit."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "c":
        raise NotImplementedError("complex matrices: kauri factorises real ones")
    if dtype == np.float32:
        return np.dtype(np.float32)
    if dtype.kind in "biu" or dtype in (np.dtype(np.float16), np.dtype(np.float64)):
        return np.dtype(np.float64)
    raise DtypeError(f"numbers of type {dtype}: kauri takes float32, float64, and what fits into these")


def unmasked(b):
    """b as it is; one of numpy.ma must have no entry that is masked."""
    if isinstance(b, np.ma.MaskedArray):
        if np.ma.getmaskarray(b).any():
            raise UsageError("a masked array with entries that are masked: fill them first")
        return b.data
    return b


def factor_dtype(dtype):
    """float32 or float64, asked for as ``dtype=``."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise DtypeError(f"dtype {dtype}: factors are of float32 or float64")
    return dtype


def loses(dtype, values, to):
    """True where numbers of that type, in an array, have digits that float32 or float64 has not. Integers in float64 are SciPy's custom."""
    if dtype.kind == "f":
        return dtype.itemsize > to.itemsize
    if dtype.kind not in "iu" or dtype.itemsize <= 2 or to == np.float64 or values.size == 0:
        return False
    return int(values.max()) > _WHOLE or int(values.min()) < -_WHOLE


def require_digits(name, dtype, values, to, ways):
    """Refuses what loses() finds; ``ways`` says what to do about it."""
    if loses(dtype, values, to):
        beyond = "" if dtype.kind == "f" else " with values beyond 2^24"
        raise DtypeError(f"{name} is of {dtype.newbyteorder('=')}{beyond}, and the factor of {to}: {ways} for the 6 digits of float32")


def _require_digits_of(a, given, values, to):
    require_digits("A", a.dtype if given is None else given, values, to, MADE + "A.astype(np.float32)")


def widened(values):
    """An array or a sparse matrix as it is, but in float64 where it is of float16, which SciPy converts to other formats only in part."""
    return values.astype(np.float64) if values.dtype == np.float16 else values


def _foreign(a):
    """A sparse matrix of SciPy from one of another library's; None if it is none of those known."""
    module = type(a).__module__.split(".")[0]
    if module in ("cupy", "cupyx") and hasattr(a, "get"):
        return a.get()
    if module == "torch":
        return _from_torch(_device.plain(a))
    if module == "jax" and type(a).__module__.startswith("jax.experimental.sparse"):
        return _from_jax(a)
    return None


def _from_jax(a):
    kind = type(a).__name__
    if kind not in ("BCOO", "BCSR", "COO", "CSR", "CSC"):
        raise UsageError(f"a {kind} of JAX: BCOO, BCSR, COO, CSR and CSC are taken")
    if a.ndim != 2 or getattr(a, "n_batch", 0) or getattr(a, "n_dense", 0):
        raise UsageError(f"a {kind} of JAX of shape {a.shape}: expected two dimensions, both of them sparse")
    values, shape = widened(np.asarray(a.data)), tuple(a.shape)
    if kind in ("BCOO", "COO"):
        rows, cols = np.asarray(a.indices).T if kind == "BCOO" else (np.asarray(a.row), np.asarray(a.col))
        there = (rows < shape[0]) & (cols < shape[1])  # what is beyond is padding
        return sp.coo_array((values[there], (rows[there], cols[there])), shape=shape)
    indptr = np.asarray(a.indptr)
    count = int(indptr[-1])  # and what comes after
    make = sp.csc_array if kind == "CSC" else sp.csr_array
    return make((values[:count], np.asarray(a.indices)[:count], indptr), shape=shape)


def _from_torch(a):
    import torch

    def parts(*tensors):
        return tuple(widened(part.cpu().numpy()) for part in tensors)

    if a.layout == torch.sparse_csr:
        return sp.csr_array(parts(a.values(), a.col_indices(), a.crow_indices()), shape=tuple(a.shape))
    if a.layout == torch.sparse_csc:
        return sp.csc_array(parts(a.values(), a.row_indices(), a.ccol_indices()), shape=tuple(a.shape))
    if a.layout == torch.sparse_bsr:
        return sp.bsr_array(parts(a.values(), a.col_indices(), a.crow_indices()), shape=tuple(a.shape))
    if a.layout == torch.sparse_coo:
        a = a.coalesce()
        index = a.indices().cpu().numpy()
        return sp.coo_array((widened(a.values().cpu().numpy()), (index[0], index[1])), shape=tuple(a.shape))
    return _device.to_host(a.cpu())


def to_scipy(a):
    """The same matrix as one of SciPy's; what is one already comes back as it is."""
    if sp.issparse(a):
        return a
    foreign = _foreign(a)
    dense = unmasked(a) if foreign is None else foreign
    if sp.issparse(dense):
        return dense
    dense = _device.to_host(dense) if _device.is_foreign(dense) else np.asarray(dense)
    if dense.ndim != 2:
        raise UsageError(f"a matrix has two dimensions, not {dense.ndim}")
    own = real_dtype(dense.dtype)
    return sp.csc_array(dense if dense.dtype.kind in "biu" else dense.astype(own, copy=False))


def _indices(array, dtype):
    return np.ascontiguousarray(array, dtype=dtype)


def given_dtype(a):
    """The type of the numbers of a matrix of any library, before it is one of SciPy's; None where it has none or NumPy knows none such."""
    try:
        return np.dtype(str(a.dtype).rpartition(".")[2])  # PyTorch's are no types of NumPy's, but are named alike
    except (AttributeError, TypeError):
        return None


def _threshold(symmetry, given, dtype):
    """What halves may differ by: 0, the default of the type that they are compared in, is not for numbers that were rounded to a narrower
    one before."""
    symmetry = _options.fraction("symmetry", symmetry)
    if symmetry == 0 and given is not None and given.kind == "f" and given.itemsize < dtype.itemsize:
        return min(1.0, 1000 * float(np.finfo(given).eps))
    return symmetry


_MAKERS = {4: _core.matrix_f32, 8: _core.matrix_f64}


def to_core(a, dtype=None, triangle="auto", symmetry=0.0, given=None, rounds=True):
    """A symmetric matrix of the library's own from a square one of any kind, in float32 or float64. given: given_dtype() of what ``a`` was
    made of, if that was not ``a`` itself. rounds: numbers that have more digits than dtype are rounded; else that is a DtypeError."""
    given = given_dtype(a) if given is None else given
    a = to_scipy(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise UsageError(f"a matrix of shape {a.shape}: it must be square")
    own = real_dtype(a.dtype)
    if a.format not in ("csc", "csr"):
        a = widened(a).tocsc()
    dtype = own if dtype is None else factor_dtype(dtype)
    if not rounds:
        _require_digits_of(a, given, a.data, dtype)
    index = np.int32 if a.indptr.dtype == a.indices.dtype == np.int32 else np.int64
    if a.shape[0] > np.iinfo(np.int32).max:
        raise InputError(f"a matrix of {a.shape[0]} rows: at most 2^31 - 1")
    compared = max(own, dtype, key=lambda kind: kind.itemsize)  # halves are compared before they are rounded to a narrower type
    made = _MAKERS[compared.itemsize](_indices(a.indptr, index), _indices(a.indices, index), np.ascontiguousarray(a.data, dtype=compared),
                                      a.format == "csr", triangle, _threshold(symmetry, given, compared))
    if compared == dtype:
        return made
    return _MAKERS[dtype.itemsize](made.indptr(), made.indices().astype(np.int64), made.values().astype(dtype), False, "lower", 0.0)


def product(a, dtype, rounds):
    """A A^T in that type, of which the lower half is to be taken. rounds: as of to_core()."""
    given = given_dtype(a)
    a = widened(to_scipy(a)).tocsr()
    real_dtype(a.dtype)
    if not rounds:
        _require_digits_of(a, given, a.data, dtype)
    a = a.astype(dtype, copy=False)
    return (a @ a.T).tocsc()


def product_pattern(a):
    """The pattern of A A^T, whatever cancels, with ones."""
    a = widened(to_scipy(a)).tocsr()
    ones = sp.csr_matrix((np.ones(a.nnz), a.indices[: a.nnz], a.indptr), shape=a.shape)
    return (ones @ ones.T).tocsc()
