# Tests types and digits: float32 with float64, float16, NumPy's scalars as options, determinants,
# and the memory of an inverse.
# SPDX-License-Identifier: BSD-3-Clause
import math
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import LIMIT_SECONDS, poisson, random_spd

import kauri
from kauri import _options, cholmod, cholmod05
from kauri._arrays import memory
from kauri._factor import fill_of_inverse

EPS = np.finfo(np.float64).eps


# The following tests mix float32 and float64.

def test_float64_is_not_answered_in_float32(a):
    f = kauri.cholesky(a.astype(np.float32))
    b = np.arange(f.n) + 0.5
    wide = sp.csc_array(np.eye(f.n, 3))
    calls = [lambda: f(b), lambda: f(b[:, None]), lambda: f(b.astype(">f8")), lambda: f.solve_L(b), lambda: f.solve(b, "P"), lambda: f(wide),
             lambda: f.multiply(b), lambda: f.solve(b, refine=2), lambda: kauri.factorized(a.astype(np.float32))(b),
             lambda: cholmod05.cho_factor(a.astype(np.float32)).solve(b), lambda: cholmod05.cho_solve(a.astype(np.float32), b)]
    for call in calls:
        with pytest.raises(TypeError, match="b is of float64, and the factor of float32.*dtype=np.float64.*cholesky_mixed"):
            call()
    assert issubclass(kauri.DtypeError, kauri.UsageError)
    with pytest.raises(TypeError):
        kauri.cholesky(a)(b.astype(np.longdouble))


def test_what_has_no_digits_to_lose_is_taken(a):
    f = kauri.cholesky(a.astype(np.float32))
    b = np.arange(f.n)
    expected = f(b.astype(np.float32))
    assert expected.dtype == np.float32
    for right in (b, b.astype(np.float16), b.tolist(), tuple(b.tolist()), b.astype(np.uint64), b.astype(np.int8)):
        assert np.array_equal(f(right), expected) and f(right).dtype == np.float32
    assert f(b > 3).dtype == np.float32 and f.multiply(b.tolist()).dtype == np.float32
    most = np.full(f.n, 2**24)
    for right in (most, -most, most.tolist(), sp.csc_array(most[:, None])):
        assert f(right).dtype == np.float32
    assert f(np.zeros((f.n, 0), np.int64)).shape == (f.n, 0)


def test_what_float32_rounds_is_not_answered_in_float32(a):
    """Without the error, two different b would give the same x."""
    f = kauri.cholesky(a.astype(np.float32))
    floats, large, least = np.ones(f.n), np.arange(f.n), np.full(f.n, -(2**24) - 1)
    large[-1] = 2**40 + 1
    calls = [f, f.multiply, lambda b: f.solve(b, "P"), lambda b: f.solve(b, "LD"), lambda b: f.as_linear_operator() @ np.asarray(b)]
    for call in calls:
        for b in (floats.tolist(), tuple(floats.tolist())):
            with pytest.raises(kauri.DtypeError, match="b is of float64, and the factor of float32"):
                call(b)
        for b in (large, large.tolist(), large.astype(np.uint64), least, least.astype(np.int32)):
            with pytest.raises(kauri.DtypeError, match="b is of u?int.. with values beyond 2.24, and the factor of float32: .*_mixed"):
                call(b)
    with pytest.raises(kauri.DtypeError, match="b is of int64 with values beyond"):
        f(sp.csc_array(large[:, None]))
    assert (f.as_linear_operator(rounds=True) @ large).dtype == np.float32
    assert kauri.cholesky(a)(floats.tolist()).dtype == kauri.cholesky(a)(large).dtype == np.float64


NEW_VALUES = {
    "array": lambda f, a: f.cholesky_inplace(a.toarray()),
    "csc": lambda f, a: f.cholesky_inplace(a),
    "csr": lambda f, a: f.refactorize(a.tocsr()),
    "coo": lambda f, a: f.cholesky(a.tocoo()),
    "list": lambda f, a: f.cholesky_inplace(a.toarray().tolist()),
    "values": lambda f, a: f.refactorize_values(sp.tril(a, format="csc").data),
    "list_of_values": lambda f, a: f.refactorize_values(sp.tril(a, format="csc").data.tolist()),
}


@pytest.mark.parametrize("way", NEW_VALUES)
def test_new_values_are_rounded_only_where_that_was_asked_for(way):
    call, a = NEW_VALUES[way], poisson(4)
    narrow = a.astype(np.float32)
    filled, analysed = kauri.cholesky(narrow), kauri.analyze(narrow)
    pickled = [pickle.loads(pickle.dumps(f)) for f in (filled, analysed)]
    for f in (filled, filled.copy(), filled.cholesky(narrow), analysed, *pickled):
        with pytest.raises(kauri.DtypeError, match="is of float64, and the factor of float32: make the factor with .*np.float32 if every"):
            call(f, a)
        if "list" not in way:
            call(f, narrow)
        call(f, a.astype(np.int64))
        with pytest.raises(kauri.DtypeError, match="is of int64 with values beyond 2.24"):
            call(f, a.astype(np.int64) * (2**24 + 1))
    asked = kauri.cholesky(a, dtype=np.float32)
    for f in (asked, asked.copy(), asked.cholesky(a), kauri.analyze(narrow, dtype=np.float32), pickle.loads(pickle.dumps(asked))):
        call(f, a)
        assert f.dtype == np.float32
    call(kauri.cholesky(narrow, dtype=np.float64), a)


def test_float16_has_no_digits_to_lose():
    dense = np.array([[4, 1], [1, 4]], np.float16)
    f = kauri.cholesky(dense.astype(np.float32))
    for a in (dense, sp.csc_array((dense.ravel(), [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))):
        f.cholesky_inplace(a)
    f.refactorize_values(np.array([4, 1, 4], np.float16))
    assert np.allclose(f(np.array([5, 5], np.float16)), 1)


def test_products_are_rounded_only_where_that_was_asked_for():
    a = sp.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]))
    f = kauri.cholesky_AAt(a.astype(np.float32))
    for call in (f.cholesky_AAt_inplace, f.cholesky_AAt, kauri.analyze_AAt(a.astype(np.float32)).cholesky_AAt_inplace):
        with pytest.raises(kauri.DtypeError, match="A is of float64, and the factor of float32"):
            call(a)
        call(a.astype(np.float32))
        call(a.astype(int))
    kauri.cholesky_AAt(a, dtype=np.float32).cholesky_AAt_inplace(a)


def test_ways_to_answer_in_float64(a):
    narrow, b = a.astype(np.float32), np.arange(a.shape[0]) + 0.5
    wide = narrow.astype(np.float64)
    for f in (kauri.cholesky(narrow, dtype=np.float64), kauri.cholesky_mixed(narrow), cholmod.cholesky(narrow)):
        x = f(b)
        assert x.dtype == np.float64 and abs(wide @ x - b).max() <= 100 * EPS * abs(b).max()


def test_operators_in_float32_round_float64_where_they_are_told_to(a):
    narrow, ones = a.astype(np.float32), np.ones(a.shape[0])
    for make in (kauri.aslinearoperator, lambda a, **o: kauri.cholesky(a).as_linear_operator(**o)):
        m = make(narrow)
        assert m.dtype == np.float32 and (m @ ones.astype(np.float32)).dtype == np.float32
        for call in (lambda: m @ ones, lambda: m @ np.ones((len(ones), 2)), lambda: m.rmatvec(ones), lambda: m.T @ ones,
                     lambda: sp.linalg.cg(a, ones, M=m), lambda: sp.linalg.eigsh(a, 1, sigma=0, OPinv=m)):
            with pytest.raises(kauri.DtypeError, match="b is of float64, and the factor of float32"):
                call()
        least = sp.linalg.eigsh(narrow, 1, sigma=0, OPinv=m, return_eigenvectors=False)  # all in float32
        assert least[0] == pytest.approx(np.linalg.eigvalsh(a.toarray())[0], rel=1e-4)
        rounding = make(narrow, rounds=True)
        assert np.array_equal(rounding @ ones, m @ ones.astype(np.float32))
        x, info = sp.linalg.cg(a, ones, M=rounding, rtol=1e-12)
        assert info == 0 and abs(a @ x - 1).max() < 1e-10
    exact = kauri.aslinearoperator(narrow, dtype=np.float64)
    least = sp.linalg.eigsh(a, 1, sigma=0, OPinv=exact, return_eigenvectors=False)
    assert least[0] == pytest.approx(np.linalg.eigvalsh(a.toarray())[0], rel=1e-5)



# The following tests use float16.

def half_precision():
    dense = np.array([[4, 1, 0], [1, 4, 0], [0, 0, 2]], np.float16)
    csc = sp.csc_array(dense.astype(float))
    yield dense
    yield np.asfortranarray(dense)
    for kind, form in ((sp.csc_array, "csc"), (sp.csr_matrix, "csr"), (sp.dia_array, "dia")):  # SciPy makes only these of float16
        made = csc.asformat(form)
        yield kind((made.data.astype(np.float16), *((made.offsets,) if form == "dia" else (made.indices, made.indptr))), shape=(3, 3))


@pytest.mark.parametrize("which", range(5))
def test_float16(which):
    a = list(half_precision())[which]
    b = np.array([5, 5, 2], np.float16)
    assert a.dtype == np.float16
    narrow_b = sp.csc_array((b, np.arange(3), np.array([0, 3])), shape=(3, 1))
    for f in (kauri.cholesky(a), cholmod05.cho_factor(a).factor_, kauri.cholesky_mixed(a)):
        assert f.dtype == np.float64
        assert np.allclose(f(b), 1, rtol=1e-14) and f(b).dtype == np.float64
    f = kauri.cholesky(a)
    assert np.allclose(f(narrow_b).toarray(), 1, rtol=1e-14)
    f.refactorize(a, beta=np.float16(1))
    f.refactorize_values(np.array([4, 1, 4, 2], np.float16))
    assert np.allclose(f(b), 1, rtol=1e-14)
    square = np.array([[17.0, 8, 0], [8, 17, 0], [0, 0, 4]])
    assert np.allclose(square @ kauri.cholesky_AAt(a)(b), [5, 5, 2], rtol=1e-13)
    assert len(kauri.compare(a, ["amd"])) == 1
    assert kauri.cholesky(a, dtype=np.float32)(b).dtype == np.float32


# The following tests concern options.

def in_numpy(kind, text):
    """Returns an option's value in each scalar type of NumPy that can hold it, with the equal value
    of Python."""
    if kind == "boolean":
        return [(np.bool_(text == "true"), text == "true"), (np.array(text == "true"), text == "true")]
    if kind == "integer":
        types = (np.int64, np.int32, np.int16, np.array) if int(text) < 0 else (np.int64, np.int32, np.uint64, np.int16, np.uint8, np.array)
        return [(make(int(text)), int(text)) for make in types]
    if kind == "number":
        return [(make(0.1), float(make(0.1))) for make in (np.float64, np.float32, np.float16, np.longdouble, np.array)] + [(np.int64(3), 3)]
    assert kind in ("word", "text")
    return [(np.str_(text), text), (np.array(text), text), (np.bytes_(text.encode()), text)]


@pytest.mark.parametrize("name", kauri.option_names())
def test_scalars_of_numpy_as_options(name):
    option = kauri.option_names()[name]
    for given, expected in in_numpy(option["kind"], option["initial"]):
        assert _options.texts({name: given}) == _options.texts({name: expected}), repr(given)
        if name != "backend":
            kauri.analyze(sp.eye_array(3, format="csc"), **{name: np.float64(20.5) if option["kind"] == "number" else given})


def test_scalars_of_numpy_in_calls(a):
    b = np.ones(a.shape[0])
    f = kauri.cholesky(a, np.float64(0.5), ordering_method=np.str_("nesdis"), threads=np.int64(1), ordering_compress=np.bool_(False),
                       ordering_dense=np.float32(5), roofline=np.False_, refine_max_steps=np.uint8(1), triangle=np.str_("lower"), mode=np.str_("auto"))
    g = kauri.cholesky(a, 0.5, ordering_method="nesdis", threads=1, ordering_compress=False, ordering_dense=5.0, roofline=False,
                       refine_max_steps=1, triangle="lower")
    assert np.array_equal(f.solve(b, system=np.str_("A"), refine=np.int64(1)), g.solve(b, refine=1)) and f.report()["threads"] == 1
    assert np.array_equal(f.density("L", np.int64(8)), g.density("L", 8))
    assert kauri.analyze(a, ordering_method=np.array("natural")).P().tolist() == list(range(f.n))
    assert len(kauri.compare(a, [np.str_("amd")], threads=np.int64(1), repetitions=np.int64(1), factorize=np.bool_(True))) == 1
    h = cholmod05.CholeskyFactor(a, lower=np.bool_(True), order=np.str_("amd")).factorize(a, ldl=np.bool_(True), beta=np.float32(0.5))
    assert not h.is_ll and np.allclose(h.solve(b), f(b))
    assert len(cholmod05.nesdis(a, nd_small=np.int64(20))) == f.n


# The following tests concern determinants.

@pytest.mark.parametrize("method", ["natural", "auto"])
def test_determinants_to_full_digits(method):
    for scale, n in ((2.0, 10), (2.0, 1000), (0.5, 1000), (4.0, 500), (3.0, 30)):
        eye = scale * sp.eye_array(n, format="csc")
        for f in (kauri.cholesky(eye, ordering_method=method), cholmod.cholesky(sp.csc_matrix(eye)), cholmod05.cho_factor(eye), cholmod05.ldl_factor(eye)):
            assert f.det() == scale**n and isinstance(f.det(), float)
            sign, logdet = f.slogdet()
            assert sign == 1 and abs(logdet / (n * math.log(scale)) - 1) <= 4 * EPS
    f = cholmod05.cho_factor((2 * sp.eye_array(20, format="csc")).astype(np.float32))
    assert f.det() == 2**20 and f.det().dtype == np.float32
    large = 10.0 ** np.random.default_rng(6).uniform(0, 1, 590)
    exact = math.prod((Fraction(v) for v in large), start=Fraction(1))  # about 1e295: exp(logdet()) would keep 13 digits
    error = float(Fraction(kauri.cholesky(sp.diags_array(large), ordering_method=method).det()) / exact - 1)
    assert abs(error) <= 2 * math.sqrt(590) * EPS  # square roots give pivots back to within two units
    for values, expected in (([1e300] * 3, math.inf), ([1e-300] * 3, 0), ([1e300, 1e-300] * 500, 1)):  # only the end result is out of range
        assert kauri.cholesky(sp.diags_array(values), ordering_method=method).det() == pytest.approx(expected, rel=1e-12)


def test_determinants_are_products_of_the_pivots():
    """The exact pivots come from elimination in fractions."""
    for seed in range(5):
        a = random_spd(12, seed, 0.3)
        f = kauri.cholesky(a)
        rows = [[Fraction(v) for v in row] for row in a.toarray()]
        exact = Fraction(1)
        for k in range(12):
            exact *= rows[k][k]
            for i in range(k + 1, 12):
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
        assert abs(Fraction(float(f.det())) / exact - 1) <= 12 * 12 * EPS


# The following tests concern the memory of an inverse.

@pytest.mark.parametrize("method", ["natural", "amd", "nd"])
def test_entries_of_solutions_are_told_beforehand(method):
    blocks = sp.csc_array(sp.block_diag([poisson(5), random_spd(9, 4, 0.5), sp.eye_array(4), poisson(3)]))
    order = np.random.default_rng(3).permutation(blocks.shape[0])
    a = blocks[order][:, order]
    f = kauri.analyze(a, ordering_method=method)
    n, parent, perm = f.n, f._symbolic.parent(), f._symbolic.perm()
    f.cholesky_inplace(a)
    x = f.inv()
    entries = fill_of_inverse.entries_of_inverse(parent)
    assert entries == x.nnz == 25**2 + 9**2 + 4 + 9**2
    assert f.inverse_bytes() >= 2 * (x.data.nbytes + x.indices.nbytes + x.indptr.nbytes)
    assert f._entries_of_solution("A", sp.eye_array(n, format="csc")) == entries
    b = sp.csc_array(sp.random(n, 6, 0.05, random_state=np.random.default_rng(5)))
    assert fill_of_inverse.entries_of_solution(parent, perm, b) == f(b).nnz
    assert f._entries_of_solution("LDLt", b) == f.solve(b, "LDLt").nnz


def test_an_inverse_that_does_not_fit_is_refused_beforehand(monkeypatch):
    a = poisson(20)
    f = kauri.cholesky(a)
    needed = kauri.analyze(a).inverse_bytes()
    assert needed == f.inverse_bytes() and 400**2 * 24 <= needed <= 400**2 * 40
    monkeypatch.setattr(memory, "available_bytes", lambda: needed)
    assert f.inv().nnz == 400**2
    monkeypatch.setattr(memory, "available_bytes", lambda: needed - 1)
    monkeypatch.setattr(f, "_part", lambda *args: pytest.fail("it was begun"))
    for call in (f.inv, lambda: f(sp.eye_array(400, format="csc"))):
        with pytest.raises(kauri.OutOfMemoryError, match=f"160000 entries, which take {needed} bytes, and {needed - 1} are available.*inverse_diagonal"):
            call()
    narrow = kauri.analyze(a.astype(np.float32))
    assert narrow.inverse_bytes() < needed
    loose = kauri.cholesky(sp.eye_array(400, format="csc"))  # the limit is below the bytes of a full inverse
    monkeypatch.setattr(memory, "available_bytes", lambda: loose.inverse_bytes())
    assert loose.inverse_bytes() < needed / 2 and loose.inv().nnz == 400


def test_inverses_of_large_matrices_are_refused_on_any_machine():
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(2_000_000, 2_000_000), format="csc")
    f = kauri.cholesky(line, ordering_method="natural")
    assert f.inverse_bytes() > 4e13  # more than any machine that runs this has
    with pytest.raises(kauri.OutOfMemoryError):
        f.inv()
    assert f.inverse_diagonal().shape == (f.n,)


UNDER_A_LIMIT = """
import resource, sys
import scipy.sparse as sp
import kauri
from kauri._arrays import memory

line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(3000, 3000), format="csc")
f = kauri.cholesky(line, threads=1)
f.inverse_diagonal()
limit, key = {"v": (resource.RLIMIT_AS, "VmSize:"), "d": (resource.RLIMIT_DATA, "VmData:")}[sys.argv[1]]
used = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))
room = int(float(sys.argv[2]) * f.inverse_bytes())
resource.setrlimit(limit, (used + room, resource.RLIM_INFINITY))  # as ulimit does
available = memory.available_bytes()
assert available <= room, (available, room)
try:
    f.inv()
except kauri.OutOfMemoryError as error:
    print("refused" if f"{f.inverse_bytes()} bytes" in str(error) else error)
else:
    print("done")
"""


@pytest.mark.parametrize("flag", ["v", "d"])
def test_inverses_keep_to_the_limits_of_the_process(flag):
    """The limits are ulimit -v and -d: the call refuses beforehand, and only if memory is short."""
    for share, said in ((0.5, "refused"), (2.0, "done")):
        done = subprocess.run([sys.executable, "-c", UNDER_A_LIMIT, flag, str(share)], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        assert (done.returncode, done.stdout) == (0, said + "\n"), done.stderr


def test_no_rows_and_no_columns():
    f = kauri.cholesky(sp.csc_array((0, 0)))
    assert f.det() == 1 and f.inverse_bytes() >= 0 and f.inv().shape == (0, 0) and f(sp.csc_array((0, 3))).shape == (0, 3)
    assert kauri.cholesky(sp.eye_array(3, format="csc"))(sp.csc_array((3, 0))).shape == (3, 0)
