# Entry points: analyze, cholesky, their forms for A A', factorized, read, load.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import scipy.sparse as sp

from . import _core, _options
from ._arrays import dtypes, matrix
from ._errors import UsageError
from ._factor import Factor
from ._mixed import MixedFactor

TRIANGLES = ("auto", "lower", "upper", "both")
MODES = ("auto", "simplicial", "supernodal")


def _permutation(permutation, n):
    """Returns the permutation as int32 for the library, or None.

    Checks shape, type and range; the library itself refuses rows that occur twice.
    """
    if permutation is None:
        return None
    rows = np.asarray(permutation)
    if rows.shape != (n,) or rows.dtype.kind not in "iu" and n > 0:
        raise UsageError(f"permutation of shape {rows.shape} and type {rows.dtype}: expected ({n},) integers")
    if n > 0 and not (rows.min() >= 0 and rows.max() < n):
        raise UsageError(f"permutation with rows {rows.min()} to {rows.max()}: expected 0 to {n - 1}")
    return np.ascontiguousarray(rows, dtype=np.int32)


def _analysis(a, mode, ordering_method, array, halves, permutation, cancel, options, mixed=False, rounds=False):
    """Analyses a matrix of the extension module and returns a Factor without numbers.

    With ``mixed`` it returns the analysis (``_core.Symbolic``) instead, for a MixedFactor.
    """
    if mode not in MODES:
        raise UsageError(f"mode {mode!r}: expected one of {', '.join(MODES)}, which all give the same factor")
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
    """Orders A and analyses it, without a factorisation.

    Takes the arguments of :func:`cholesky`, except ``beta``.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = 2.0 * sp.eye_array(3, format="csc")
    >>> f = kauri.analyze(A)
    >>> f.valid
    False
    >>> f.cholesky_inplace(A)
    >>> f(np.ones(3))
    array([0.5, 0.5, 0.5])
    """
    given, A = dtypes.given_dtype(A), matrix.to_scipy(A)
    a = matrix.to_core(A, dtype, triangle, symmetry, given)
    return _analysis(a, mode, ordering_method, isinstance(A, sp.sparray), (triangle, symmetry), permutation, cancel, options,
                     rounds=dtype is not None)


def analyze_AAt(A, mode="auto", ordering_method="default", use_long=None, *, dtype=None, permutation=None, cancel=None, **options):
    """Orders A A' and analyses it, without a factorisation. A has the shape (n, k).

    Takes the arguments of :func:`analyze`, except ``triangle`` and ``symmetry``.
    """
    A = matrix.to_scipy(A)
    own = dtypes.real_dtype(A.dtype)
    a = matrix.to_core(matrix.product_pattern(A), own if dtype is None else dtype, "lower")
    return _analysis(a, mode, ordering_method, isinstance(A, sp.sparray), ("lower", 0), permutation, cancel, options,
                     rounds=dtype is not None)


def cholesky(A, beta=0, mode="auto", ordering_method="default", use_long=None, *, triangle="auto", symmetry=0, dtype=None, permutation=None, cancel=None,
             **options):
    """Factorises A + beta I.

    Parameters
    ----------
    A : sparse or dense matrix, shape (n, n)
        A symmetric positive definite matrix: of SciPy, in any format, or of CuPy, PyTorch or JAX,
        which is copied to the host once. float32 is factorised in float32, all other types in
        float64. Complex matrices raise NotImplementedError.
    beta : float
        Number that is added to the diagonal.
    mode, use_long
        Accepted for compatibility with scikit-sparse, without effect. An unknown ``mode`` raises
        UsageError.
    ordering_method : str or None
        ``auto`` (or ``default``), ``amd``, ``pamd``, ``nd`` (or ``nesdis``), ``metis``, ``md``,
        ``rcm``, ``best``, or ``natural`` (or None): P is the identity.
    triangle : str
        ``lower`` or ``upper``: kauri reads this half alone. ``both``: both halves are stored and
        must agree. ``auto``: kauri takes the half that is stored; if both are, they must agree.
    symmetry : float
        Largest difference between both halves, as a fraction of sqrt(abs(A[i, i] A[j, j])), at most
        1. It allows for rounding in the assembly of A; the lower half is taken. 0 means 1000 eps of
        the type of A, whatever the type of the factor: 2.2e-13 for float64 and integers, 1.2e-4 for
        float32, 0.98 for float16.
    dtype : numpy.float32 or numpy.float64, optional
        Type of the factor, in place of the type that follows from A. Later A are rounded to it too;
        without ``dtype``, an A of float64 for a factor of float32 raises DtypeError.
    permutation : shape (n,), optional
        Rows of A in the order of elimination. It replaces the ordering.
    cancel : CancelToken, optional
        Token that ends the call from another thread.
    **options
        Options of kauri.option_names(): ``threads=4``, ``backend="cuda"``,
        ``refine_max_steps=2`` ...

    Returns
    -------
    Factor

    Raises
    ------
    NotPositiveDefiniteError
        A + beta I is not positive definite; ``column`` is the failing column of A.
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
    given, A = dtypes.given_dtype(A), matrix.to_scipy(A)
    a = matrix.to_core(A, dtype, triangle, symmetry, given)
    f = _analysis(a, mode, ordering_method, isinstance(A, sp.sparray), (triangle, symmetry), permutation, cancel, options,
                  rounds=dtype is not None)
    f._fill(f._make().refactorize, a, float(beta), cancel)
    return f


def cholesky_AAt(A, beta=0, mode="auto", ordering_method="default", use_long=None, *, cancel=None, **options):
    """Factorises A A' + beta I, for A of shape (n, k). Forms the product A A' first.

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
    """Factorises A + beta I in float32, for solutions in float64.

    The factor takes half the memory of one in float64 and, for large A, is about twice as fast. The
    arguments are those of :func:`cholesky`; the options ``mixed_...`` and ``mixed_solve_...`` set
    how solutions are improved.

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
    a = matrix.to_core(A, np.float64, triangle, symmetry)
    f = MixedFactor(_analysis(a, "auto", ordering_method, False, (triangle, symmetry), permutation, cancel, options, mixed=True),
                    triangle, symmetry)
    f._fill(f._mixed.refactorize, a, float(beta), cancel)
    return f


def factorized(A, **options):
    """Returns a function that solves A x = b, for symmetric positive definite A of shape (n, n).

    It replaces scipy.sparse.linalg.factorized.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> solve = kauri.factorized(sp.csc_matrix([[2.0, 1.0], [1.0, 2.0]]))
    >>> np.allclose(solve(np.array([3.0, 3.0])), 1)
    True
    """
    return cholesky(A, **options).solve_A


def aslinearoperator(A, *, rounds=False, **options):
    """Returns A^-1, shape (n, n), as a scipy.sparse.linalg.LinearOperator.

    It is :meth:`kauri.Factor.as_linear_operator` of ``cholesky(A, **options)``.
    """
    return cholesky(A, **options).as_linear_operator(rounds=rounds)


def read(path, *, max_bytes=None, half="both", symmetry=0, threads=0):
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


def _most(max_bytes):
    """Returns ``max_bytes`` as the library takes it, with 0 for None: no bound."""
    if max_bytes is None:
        return 0
    bytes_ = _options.plain(max_bytes)
    if not isinstance(bytes_, int) or isinstance(bytes_, bool) or not 0 < bytes_ < 2**63:
        raise UsageError(f"max_bytes={max_bytes!r}: expected a number of bytes above 0, or None")
    return bytes_


def load(path, *, triangle="auto", symmetry=0, dtype=None, max_bytes=None, **options):
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
        raise UsageError(f"load: dtype is {dtype}, but {path} has a factor of float{8 * kind}")
    numbers = (_core.load_f32 if kind == 4 else _core.load_f64)(texts, path, most)
    f = Factor(numbers.symbolic, natural=numbers.symbolic.natural, triangle=triangle, symmetry=symmetry, rounds=dtype is not None)
    f._numbers = numbers
    return f
