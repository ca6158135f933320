# Files: read, load.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp
from numpy.typing import DTypeLike

from .. import _core, _options
from .._arrays import dtypes
from .._errors import UsageError
from .factor import Factor

if TYPE_CHECKING:
    from scipy.sparse import csc_array

TRIANGLES = ("auto", "lower", "upper", "both")


def read(
        path: str | PathLike[str], *, max_bytes: int | None = None, half: str = "both",
        symmetry: float = 0, threads: int = 0) -> csc_array:
    """Reads a symmetric matrix from a file, in the formats of the program.

    Parameters
    ----------
    path : str or path
        A file in Matrix Market, Rutherford-Boeing or Harwell-Boeing format, plain, gzipped or in a
        tar archive, or a .npz file of SciPy: see docs/files.md.
    max_bytes : int, optional
        Most bytes that reading may take: the file, its unpacked content, and all arrays of its
        numbers. They are counted before they are allocated; a file that needs more raises
        OutOfMemoryError. The arrays of the result are not counted. None sets no bound.
    half : str
        Half to take from files that hold both: ``both``, which must agree; ``lower`` or ``upper``,
        whatever the other half contains.
    symmetry : float
        Largest difference between both halves, as in :func:`kauri.cholesky`.
    threads : int
        Threads that parse large Matrix Market files; 0: all.

    Returns
    -------
    scipy.sparse.csc_array
        Both halves, shape (n, n), in float64.

    Raises
    ------
    InputError
        The file is damaged or of another format; the text names the place in the file.
    OutOfMemoryError, UsageError

    Examples
    --------
    >>> import os, tempfile, scipy.io, scipy.sparse as sp, kauri
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.mtx")
    ...     scipy.io.mmwrite(path, sp.csc_array([[4.0, 1.0], [1.0, 3.0]]))
    ...     kauri.read(path, max_bytes=10**6).toarray()
    array([[4., 1.],
           [1., 3.]])
    """
    if half not in ("both", "lower", "upper"):
        raise UsageError(f"half {half!r}: expected both, lower or upper")
    if not 0 <= (threads := _options.plain(threads)) < 2**31:
        raise UsageError(f"threads={threads}: expected 0 to 2^31 - 1")
    a = _core.read(_options.path(path), threads, _most(max_bytes), half, _options.fraction("symmetry", symmetry))
    low = sp.csc_array((a.values(), a.indices(), a.indptr()), shape=(a.n, a.n))
    return sp.csc_array(low + sp.tril(low, -1).T)


def _most(max_bytes: int | None) -> int:
    """Returns ``max_bytes`` as the library takes it, with 0 for None: no bound."""
    if max_bytes is None:
        return 0
    bytes_ = _options.plain(max_bytes)
    if not isinstance(bytes_, int) or isinstance(bytes_, bool) or not 0 < bytes_ < 2**63:
        raise UsageError(f"max_bytes={max_bytes!r}: expected a number of bytes above 0, or None")
    return bytes_


def load(
        path: str | PathLike[str], *, triangle: str = "auto", symmetry: float = 0,
        dtype: DTypeLike | None = None, max_bytes: int | None = None, **options: Any) -> Factor:
    """Loads a factor or an analysis from a file.

    :meth:`kauri.Factor.save` writes these files, and so does the library in any other language.
    Returns a Factor, with numbers if the file holds a factor, else with the analysis alone. The
    file has no values of A: refactorise before you refine or call condition(), or use
    :func:`kauri.backward_error` to check a solution.

    Parameters
    ----------
    path : str or path
    triangle, symmetry
        Half of new A to take, and largest difference between halves, as in :func:`cholesky`. The
        file does not hold them.
    dtype : numpy.float32 or numpy.float64, optional
        For an analysis, the type of its factors, which the file does not hold; None: float64. A
        factor in a file has its own type, which ``dtype`` must equal; a factor of float32 that is
        loaded with dtype=np.float32 rounds new A of float64.
    max_bytes : int, optional
        Most bytes that the plan, and L, may take. They are counted before they are allocated, since
        a small file may describe a very large plan; a file that needs more raises OutOfMemoryError.
    **options
        All options except those of orderings and analyses, which the file determines.
    """
    if triangle not in TRIANGLES:
        raise UsageError(f"triangle: {triangle!r} was given, expected {', '.join(TRIANGLES[:-1])} or {TRIANGLES[-1]}")
    symmetry = _options.fraction("symmetry", symmetry)
    path, texts, most = _options.path(path), _options.texts(options), _most(max_bytes)
    for name, _ in texts:
        if name.startswith(("ordering.", "analyze.")):
            raise UsageError(f"load: the option {name.replace('.', '_')} is for orderings and analyses, but the file contains a finished analysis; omit it")
    dtype = None if dtype is None else dtypes.factor_dtype(dtype)
    kind = _core.saved_kind(path)
    if kind == 0:
        symbolic = _core.load_symbolic(texts, 8 if dtype is None else dtype.itemsize, path, most)
        return Factor(symbolic, natural=symbolic.natural, triangle=triangle, symmetry=symmetry, rounds=dtype is not None)
    if dtype is not None and dtype.itemsize != kind:
        raise UsageError(f"load: dtype is {dtype}, but {path} has a factor of float{8 * kind}; omit dtype")
    numbers = (_core.load_f32 if kind == 4 else _core.load_f64)(texts, path, most)
    f = Factor(numbers.symbolic, natural=numbers.symbolic.natural, triangle=triangle, symmetry=symmetry, rounds=dtype is not None)
    f._numbers = numbers
    return f
