# Converts matrices of SciPy, NumPy, CuPy, PyTorch and JAX to matrices of the extension module.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from .. import _core, _options
from .._arrays.protocols import Matrix
from .._errors import InputError, UsageError
from . import dtypes, protocols


def _require_digits_of(a: Any, given: np.dtype[Any] | None, values: Any, to: np.dtype[Any]) -> None:
    dtypes.require_digits("A", a.dtype if given is None else given, values, to, dtypes.MADE + "A.astype(np.float32)")


def _foreign(a: Any) -> Any:
    """Converts a sparse matrix of CuPy, PyTorch or JAX to one of SciPy; None for other objects."""
    module = type(a).__module__.split(".")[0]
    if module in ("cupy", "cupyx") and hasattr(a, "get"):
        return a.get()
    if module == "torch":
        return _from_torch(protocols.plain(a))
    if module == "jax" and type(a).__module__.startswith("jax.experimental.sparse"):
        return _from_jax(a)
    return None


def _from_jax(a: Any) -> sp.sparray:
    kind = type(a).__name__
    if kind not in ("BCOO", "BCSR", "COO", "CSR", "CSC"):
        raise UsageError(f"a {kind} of JAX: expected BCOO, BCSR, COO, CSR or CSC")
    if a.ndim != 2 or getattr(a, "n_batch", 0) or getattr(a, "n_dense", 0):
        raise UsageError(f"a {kind} of JAX of shape {a.shape}: expected two dimensions, both of them sparse")
    values, shape = dtypes.widened(np.asarray(a.data)), tuple(a.shape)
    if kind in ("BCOO", "COO"):
        rows, cols = np.asarray(a.indices).T if kind == "BCOO" else (np.asarray(a.row), np.asarray(a.col))
        there = (rows < shape[0]) & (cols < shape[1])  # indices out of range are padding
        return sp.coo_array((values[there], (rows[there], cols[there])), shape=shape)
    indptr = np.asarray(a.indptr)
    count = int(indptr[-1])  # entries after these are padding
    make = sp.csc_array if kind == "CSC" else sp.csr_array
    return make((values[:count], np.asarray(a.indices)[:count], indptr), shape=shape)


def _from_torch(a: Any) -> sp.sparray | NDArray[Any]:
    import torch

    def parts(*tensors: Any) -> tuple[NDArray[Any], ...]:
        return tuple(dtypes.widened(part.cpu().numpy()) for part in tensors)

    if a.layout == torch.sparse_csr:
        return sp.csr_array(parts(a.values(), a.col_indices(), a.crow_indices()), shape=tuple(a.shape))
    if a.layout == torch.sparse_csc:
        return sp.csc_array(parts(a.values(), a.row_indices(), a.ccol_indices()), shape=tuple(a.shape))
    if a.layout == torch.sparse_bsr:
        return sp.bsr_array(parts(a.values(), a.col_indices(), a.crow_indices()), shape=tuple(a.shape))
    if a.layout == torch.sparse_coo:
        a = a.coalesce()
        index = a.indices().cpu().numpy()
        return sp.coo_array((dtypes.widened(a.values().cpu().numpy()), (index[0], index[1])), shape=tuple(a.shape))
    return protocols.to_host(a.cpu())


def to_scipy(a: Matrix) -> Any:
    """Converts a matrix to a sparse one of SciPy; returns one of SciPy unchanged."""
    if sp.issparse(a):
        return a
    foreign = _foreign(a)
    dense = dtypes.unmasked(a) if foreign is None else foreign
    if sp.issparse(dense):
        return dense
    dense = protocols.to_host(dense) if protocols.is_foreign(dense) else np.asarray(dense)
    if dense.ndim != 2:
        raise UsageError(f"a matrix has two dimensions, not {dense.ndim}")
    own = dtypes.real_dtype(dense.dtype)
    return sp.csc_array(dense if dense.dtype.kind in "biu" else dense.astype(own, copy=False))


def _indices(array: Any, dtype: DTypeLike) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=dtype)


def _threshold(symmetry: float, given: np.dtype[Any] | None, dtype: np.dtype[Any]) -> float:
    """Returns the largest difference between halves, as a fraction; 0: the library's default.

    The default is that of the type in which halves are compared. If A was given in a narrower type,
    its rounding is larger, so 1000 eps of that type is returned instead of 0.
    """
    symmetry = _options.fraction("symmetry", symmetry)
    if symmetry == 0 and given is not None and given.kind == "f" and given.itemsize < dtype.itemsize:
        return min(1.0, 1000 * float(np.finfo(given).eps))
    return symmetry


_MAKERS: dict[int, Any] = {4: _core.matrix_f32, 8: _core.matrix_f64}


def to_core(
        a: Matrix, dtype: DTypeLike | None = None, triangle: str = "auto", symmetry: float = 0.0,
        given: np.dtype[Any] | None = None, rounds: bool = True) -> Any:
    """Converts a square matrix of any kind to a symmetric one of the extension module.

    It is in float32 or float64. given: given_dtype() of the original, if ``a`` was converted from
    it. rounds: True rounds numbers with more digits than dtype; False raises DtypeError for them.
    """
    given = dtypes.given_dtype(a) if given is None else given
    a = to_scipy(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise UsageError(f"a matrix of shape {a.shape}: it must be square")
    own = dtypes.real_dtype(a.dtype)
    if a.format not in ("csc", "csr"):
        a = dtypes.widened(a).tocsc()
    dtype = own if dtype is None else dtypes.factor_dtype(dtype)
    if not rounds:
        _require_digits_of(a, given, a.data, dtype)
    index = np.int32 if a.indptr.dtype == a.indices.dtype == np.int32 else np.int64
    if a.shape[0] > np.iinfo(np.int32).max:
        raise InputError(f"a matrix of {a.shape[0]} rows: at most 2^31 - 1")
    # Halves are compared before they are rounded to a narrower type.
    compared = max(own, dtype, key=lambda kind: kind.itemsize)
    made = _MAKERS[compared.itemsize](_indices(a.indptr, index), _indices(a.indices, index), np.ascontiguousarray(a.data, dtype=compared),
                                      a.format == "csr", triangle, _threshold(symmetry, given, compared))
    if compared == dtype:
        return made
    return _MAKERS[dtype.itemsize](made.indptr(), made.indices().astype(np.int64), made.values().astype(dtype), False, "lower", 0.0)


def product(a: Matrix, dtype: np.dtype[Any], rounds: bool) -> Any:
    """Returns A A^T in this dtype, both halves. rounds: as in to_core()."""
    given = dtypes.given_dtype(a)
    a = dtypes.widened(to_scipy(a)).tocsr()
    dtypes.real_dtype(a.dtype)
    if not rounds:
        _require_digits_of(a, given, a.data, dtype)
    a = a.astype(dtype, copy=False)
    return (a @ a.T).tocsc()


def product_pattern(a: Matrix) -> Any:
    """Returns the pattern of A A^T, including entries that cancel, with positive values."""
    a = dtypes.widened(to_scipy(a)).tocsr()
    ones = sp.csr_matrix((np.ones(a.nnz), a.indices[: a.nnz], a.indptr), shape=a.shape)
    return (ones @ ones.T).tocsc()
