# The doors: analyze, cholesky, their forms for A A', factorized, read, load.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import scipy.sparse as sp

from . import _core, _matrix, _options
from ._errors import UsageError
from ._factor import Factor
from ._mixed import MixedFactor

TRIANGLES = ("auto", "lower", "upper", "both")
MODES = ("auto", "simplicial", "supernodal")


def _permutation(permutation, n):
    """Row numbers as the library takes them; which there are twice it tells itself."""
    if permutation is None:
        return None
    rows = np.asarray(permutation)
    if rows.shape != (n,) or rows.dtype.kind not in "iu" and n > 0:
        raise UsageError(f"permutation of shape {rows.shape} and type {rows.dtype}: expected ({n},) integers")
    if n > 0 and not (rows.min() >= 0 and rows.max() < n):
        raise UsageError(f"permutation with rows {rows.min()} to {rows.max()}: expected 0 to {n - 1}")
    return np.ascontiguousarray(rows, dtype=np.int32)


def _analysis(a, mode, ordering_method, array, halves, permutation, cancel, options, mixed=False, rounds=False):
    """A Factor without numbers for a matrix of the library's own; for mixed precision the analysis alone."""
    if mode not in MODES:
        raise UsageError(f"mode {mode!r}: there are {', '.join(MODES)}, which make no difference here")
    ordering_method = _options.plain(ordering_method)
    if ordering_method is None:
        ordering_method = "natural"
    texts = _options.texts({"ordering_method": ordering_method, **options})
    symbolic = (_core.analyze_mixed if mixed else _core.analyze)(a, texts, _permutation(permutation, a.n), cancel)
    if mixed:
        return symbolic
    natural = permutation is None and ordering_method == "natural"
    return Factor(symbolic, natural=natural, triangle=halves[0], symmetry=halves[1], array=array, rounds=rounds)


def analyze(A, mode="auto", ordering_method="default", use_long=None, *, triangle="auto", symmetry=0, dtype=None, permutation=None, cancel=None, **options):
    """Orders A and analyses it, without a factorisation: see :func:`cholesky`, which takes the same arguments.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = 2.0 * sp.eye_array(3, format="csc")
    >>> f = kauri.analyze(A)
    >>> f.valid
    False
    >>> f.cholesky_inplace(A)
    >>> f(np.ones(3))
    array([0.5, 0.5, 0.5])
    """
    given, A = _matrix.given_dtype(A), _matrix.to_scipy(A)
    a = _matrix.to_core(A, dtype, triangle, symmetry, given)
    return _analysis(a, mode, ordering_method, isinstance(A, sp.sparray), (triangle, symmetry), permutation, cancel, options,
                     rounds=dtype is not None)


def analyze_AAt(A, mode="auto", ordering_method="default", use_long=None, *, dtype=None, permutation=None, cancel=None, **options):
    """The same for A A', A of shape (n, k)."""
    A = _matrix.to_scipy(A)
    own = _matrix.real_dtype(A.dtype)
    a = _matrix.to_core(_matrix.product_pattern(A), own if dtype is None else dtype, "lower")
    return _analysis(a, mode, ordering_method, isinstance(A, sp.sparray), ("lower", 0), permutation, cancel, options,
                     rounds=dtype is not None)


def cholesky(A, beta=0, mode="auto", ordering_method="default", use_long=None, *, triangle="auto", symmetry=0, dtype=None, permutation=None, cancel=None,
             **options):
    """Factorises A + beta I.

    Parameters
    ----------
    A : sparse or dense matrix, shape (n, n)
        Symmetric positive definite: of SciPy, of any format, or of CuPy, PyTorch or JAX (copied to the host once). float32 is factorised
        in float32, all else in float64. Complex ones raise NotImplementedError.
    beta : float
        Added to the diagonal.
    mode, use_long
        Taken and not needed, as scikit-sparse has them.
    ordering_method : str
        ``auto`` (or ``default``), ``amd``, ``pamd``, ``nd`` (or ``nesdis``), ``metis``, ``md``, ``rcm``, ``best``, ``natural``: no
        permutation.
    triangle : str
        ``lower`` or ``upper``: that half alone is looked at; ``both``: both are there and agree; ``auto``: what is there.
    symmetry : float
        How far both halves may differ, as a fraction of sqrt(abs(A[i, i] A[j, j])), at most 1: rounding leaves differences where A was
        assembled. 0: 1000 eps of the type that A has, whatever it is factorised in: 2.2e-13 of float64 and of integers, 1.2e-4 of
        float32, 0.98 of float16. The lower half is taken.
    dtype : numpy.float32 or numpy.float64, optional
        To factorise in, whatever A has; later A are rounded to it, too, where float64 for a factor of float32 raises DtypeError otherwise.
    permutation : shape (n,), optional
        Rows of A in the order of elimination, in place of an ordering.
    cancel : CancelToken, optional
    **options
        Of kauri.option_names(): ``threads=4``, ``backend="cuda"``, ``refine_max_steps=2`` ...

    Returns
    -------
    Factor

    Raises
    ------
    NotPositiveDefiniteError
        With the failing ``column`` of A.
    InputError, UsageError, OutOfMemoryError, DeviceError, Cancelled

    Examples
    --------
    >>> import scipy.sparse as sp, kauri
    >>> try:
    ...     kauri.cholesky(sp.diags_array([1.0, -2.0, 3.0], format="csc"))
    ... except kauri.NotPositiveDefiniteError as error:
    ...     print(error.column, error.pivot)
    1 -2.0
    """
    given, A = _matrix.given_dtype(A), _matrix.to_scipy(A)
    a = _matrix.to_core(A, dtype, triangle, symmetry, given)
    f = _analysis(a, mode, ordering_method, isinstance(A, sp.sparray), (triangle, symmetry), permutation, cancel, options,
                  rounds=dtype is not None)
    f._fill(f._make().refactorize, a, float(beta), cancel)
    return f


def cholesky_AAt(A, beta=0, mode="auto", ordering_method="default", use_long=None, *, cancel=None, **options):
    """Factorises A A' + beta I, A of shape (n, k). The product is made first.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.csc_matrix([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    >>> f = kauri.cholesky_AAt(A, beta=1)
    >>> np.allclose((A @ A.T + sp.eye(2)) @ f(np.ones(2)), 1)
    True
    """
    f = analyze_AAt(A, mode, ordering_method, use_long, cancel=cancel, **options)
    f.cholesky_AAt_inplace(A, beta, cancel=cancel)
    return f


def cholesky_mixed(A, beta=0, ordering_method="default", *, triangle="auto", symmetry=0, permutation=None, cancel=None, **options):
    """Factorises A + beta I in float32, for solutions in float64: half the memory, and for large A about twice the speed.

    Arguments are those of :func:`cholesky`; ``mixed_...`` and ``mixed_solve_...`` of the options tell how solutions are improved.

    Returns
    -------
    MixedFactor

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
    >>> x = kauri.cholesky_mixed(A)(np.ones(4))
    >>> np.allclose(A @ x, 1, rtol=1e-13)
    True
    """
    a = _matrix.to_core(A, np.float64, triangle, symmetry)
    f = MixedFactor(_analysis(a, "auto", ordering_method, False, (triangle, symmetry), permutation, cancel, options, mixed=True),
                    triangle, symmetry)
    f._fill(f._mixed.refactorize, a, float(beta), cancel)
    return f


def factorized(A, **options):
    """A function that solves A x = b, as scipy.sparse.linalg.factorized, for symmetric positive definite A of shape (n, n).

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> solve = kauri.factorized(sp.csc_matrix([[2.0, 1.0], [1.0, 2.0]]))
    >>> np.allclose(solve(np.array([3.0, 3.0])), 1)
    True
    """
    return cholesky(A, **options).solve_A


def aslinearoperator(A, *, rounds=False, **options):
    """A^-1, shape (n, n), as a scipy.sparse.linalg.LinearOperator: Factor.as_linear_operator() of cholesky(A, **options)."""
    return cholesky(A, **options).as_linear_operator(rounds=rounds)


def read(path, *, max_bytes=None, half="both", symmetry=0, threads=0):
    """A matrix from a file, as the program reads it: shape (n, n), both halves, in float64, as a csc_array.

    Parameters
    ----------
    path : str or path
        Matrix Market, Rutherford-Boeing or Harwell-Boeing, plain, gzipped or in a tar archive, or SciPy's .npz: see docs/files.md.
    max_bytes : int, optional
        That reading may take, of the file, unpacked, and of all arrays of its numbers, counted before memory is taken: a file that needs more
        is an OutOfMemoryError. Arrays of the result come on top. None: what there is.
    half : str
        Of files that hold both: ``both``, which must agree; ``lower`` or ``upper``: that one is taken, whatever the other says.
    symmetry : float
        How far both may differ, as that of :func:`kauri.cholesky`.
    threads : int
        That parse large Matrix Market files; 0: all.

    Raises
    ------
    InputError
        With the place in the file.
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
        raise UsageError(f"half {half!r}: there are both, lower and upper")
    if not 0 <= (threads := _options.plain(threads)) < 2**31:
        raise UsageError(f"threads={threads}: expected 0 to 2^31 - 1")
    a = _core.read(_options.path(path), threads, _most(max_bytes), half, _options.fraction("symmetry", symmetry))
    low = sp.csc_array((a.values(), a.indices(), a.indptr()), shape=(a.n, a.n))
    return sp.csc_array(low + sp.tril(low, -1).T)


def _most(max_bytes):
    """Bytes as the library takes them: 0 is no bound there."""
    if max_bytes is None:
        return 0
    bytes_ = _options.plain(max_bytes)
    if not isinstance(bytes_, int) or isinstance(bytes_, bool) or not 0 < bytes_ < 2**63:
        raise UsageError(f"max_bytes={max_bytes!r}: expected a number of bytes above 0, or None")
    return bytes_


def load(path, *, triangle="auto", symmetry=0, dtype=None, max_bytes=None, **options):
    """What Factor.save() wrote, or the library in any language: a Factor with its numbers, or with the analysis alone.

    Values of A are not in the file: refine and condition() need a refactorisation first, and :func:`kauri.backward_error` tells whether x
    solves a system. triangle, symmetry: which half of new A is taken and how far halves may differ, as of :func:`cholesky`; they are not in
    the file either. dtype: of an analysis, what it is filled in (float64), which a file does not tell; a factor has its own, and with
    dtype=np.float32 one of float32 rounds new A of float64. max_bytes: that the plan, and L, may take, counted before memory is
    taken: a small file may stand for very much, and one that needs more is an OutOfMemoryError. options: all but those of orderings and
    analyses, which are done.
    """
    if triangle not in TRIANGLES:
        raise UsageError(f"triangle: {triangle!r} was given, expected {', '.join(TRIANGLES[:-1])} or {TRIANGLES[-1]}")
    symmetry = _options.fraction("symmetry", symmetry)
    path, texts, most = _options.path(path), _options.texts(options), _most(max_bytes)
    for name, _ in texts:
        if name.startswith(("ordering.", "analyze.")):
            raise UsageError(f"load: the option {name.replace('.', '_')} is of orderings and analyses, and this one is done")
    dtype = None if dtype is None else _matrix.factor_dtype(dtype)
    kind = _core.saved_kind(path)
    if kind == 0:
        symbolic = _core.load_symbolic(texts, 8 if dtype is None else dtype.itemsize, path, most)
        return Factor(symbolic, natural=symbolic.natural, triangle=triangle, symmetry=symmetry, rounds=dtype is not None)
    if dtype is not None and dtype.itemsize != kind:
        raise UsageError(f"load: dtype {dtype}, and {path} has a factor of float{8 * kind}")
    numbers = (_core.load_f32 if kind == 4 else _core.load_f64)(texts, path, most)
    f = Factor(numbers.symbolic, natural=numbers.symbolic.natural, triangle=triangle, symmetry=symmetry, rounds=dtype is not None)
    f._numbers = numbers
    return f
