# Tests arrays of CuPy, PyTorch and JAX on a CUDA device, where they stay (copies are counted);
# streams, gradients, pickles, overhead.
# SPDX-License-Identifier: BSD-3-Clause
import doctest
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import LIMIT_SECONDS, finish, poisson
from copies import counter, total
from libraries import OfCupy, OfJax, OfTorch
from scipy.sparse.linalg import spsolve

import kauri

pytestmark = pytest.mark.skipif(not kauri.cuda_available(), reason="there is no CUDA device, or kauri was built without CUDA")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
LIBRARIES = [pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("cupy", "torch", "jax")]


@pytest.fixture
def library(request):
    return {"cupy": OfCupy, "torch": OfTorch, "jax": OfJax}[request.param]()


def each_library(function):
    return pytest.mark.parametrize("library", LIBRARIES, indirect=True)(function)


@pytest.fixture(scope="module")
def problem():
    """Returns A of 14400 rows, its factor on the device, b of three columns, and x by SciPy."""
    a = poisson(120)
    b = np.random.default_rng(1).standard_normal((a.shape[0], 3))
    return a, kauri.cholesky(a, backend="cuda"), b, spsolve(a, b)


@pytest.fixture(scope="module")
def host_copies():
    pytest.importorskip("torch", reason="PyTorch, which counts copies, is not installed", exc_type=ImportError)
    return counter()


def near(x, y, factor=1e5, dtype=np.float64):
    return np.abs(x - y).max() <= factor * np.finfo(dtype).eps * np.abs(y).max()


def layouts(b):
    yield "rows", b
    yield "columns", np.asfortranarray(b)
    yield "one", b[:, 0].copy()
    yield "one column", b[:, :1].copy()


@each_library
def test_solutions_stay_on_the_device(library, problem):
    a, f, b, expected = problem
    for name, right in layouts(b):
        given = library.there(right)
        x = f(given)
        assert library.is_there(x) and tuple(x.shape) == right.shape, name
        got = library.here(x).reshape(f.n, -1)
        assert near(got, expected[:, : got.shape[1]]), name
        assert np.array_equal(library.here(given), right), f"{name}: b was written to"


@each_library
@pytest.mark.parametrize("system", ["LDLt", "L", "Lt", "P", "Pt"])
def test_parts_of_solutions_are_those_of_the_host(library, problem, system):
    _, f, b, _ = problem
    x = f.solve(library.there(b), system)
    assert library.is_there(x) and near(library.here(x), f.solve(b, system)), system


@each_library
def test_nothing_is_copied_to_the_host(library, problem, host_copies, measured):
    name, copied = host_copies
    _, f, b, expected = problem
    for layout, right in layouts(b):
        given = library.there(right)
        f(given)
        x, copies = copied(lambda: f(given))
        assert total(copies) == 0, f"{layout}: a solve of {right.nbytes} bytes copied {copies}"
        measured(f"{type(library).__name__}, {layout}, {right.nbytes} bytes, by {name}: copies between host and device {copies}")
    # With b on the host this factor copies, so the check can fail.
    x, copies = copied(lambda: f(b))
    there, back = (sum(size for kind, size in copies if kind == wanted) for wanted in ("HtoD", "DtoH"))
    assert near(x, expected) and there >= b.nbytes and back >= b.nbytes, copies


@each_library
def test_matrices_of_values_on_the_device(library):
    a = poisson(30)
    f = kauri.cholesky(library.sparse(a), backend="cuda")
    b = np.random.default_rng(2).standard_normal(f.n)
    x = f(library.there(b))
    assert library.is_there(x) and near(library.here(x), spsolve(a, b))


def lower_values(a):
    """Returns the values of the lower half by columns, rows ascending, in the order of
    Factor.pattern()."""
    low = sp.csc_matrix(sp.tril(a))
    low.sort_indices()
    return low.data.copy()


@each_library
def test_values_on_the_device(library, problem, host_copies, measured):
    name, copied = host_copies
    a, f, b, expected = problem
    f = f.copy()
    values, right = library.there(3 * lower_values(a)), library.there(b)
    for _ in range(3):  # excludes first allocations and captures
        f.refactorize_values(values)
        f(right)
        f.solve(right, refine=2)  # copies the rows of A once
    _, copies = copied(lambda: f.refactorize_values(values))
    assert total(copies) == 0, f"{a.nnz} values: {copies}"
    measured(f"{type(library).__name__}, refactorize_values of {8 * values.shape[0]} bytes, by {name}: copies between host and device {copies}")
    x, copies = copied(lambda: f.solve(right, refine=2))
    assert total(copies) == 0, f"a refined solve of {b.nbytes} bytes: {copies}"
    assert library.is_there(x) and near(3 * library.here(x), expected)
    f.refactorize_values(values, beta=1.5)
    assert near(library.here(f(right)), spsolve(3 * a + 1.5 * sp.eye(f.n, format="csc"), b))
    assert near(f._numbers.values(), lower_values(3 * a + 1.5 * sp.eye(f.n)))  # copied to the host on request
    assert near(library.here(f.solve(right, refine=1)), spsolve(3 * a + 1.5 * sp.eye(f.n, format="csc"), b))
    with pytest.raises(kauri.UsageError, match="shape"):
        f.refactorize_values(values[:-1])
    assert np.array_equal(library.here(values), 3 * lower_values(a))
    _, copies = copied(lambda: f.refactorize_values(lower_values(a)))  # copies from the host are counted
    assert sum(size for kind, size in copies if kind == "HtoD") >= 8 * values.shape[0]


@each_library
def test_refinement_there(library):
    a = poisson(50)
    f = kauri.cholesky(a, backend="cuda", refine_max_steps=3)
    for layout, b in layouts(np.random.default_rng(7).standard_normal((f.n, 3))):
        x = library.here(f(library.there(b)))
        assert f.report()["refinement"]["final_error"]["componentwise"] <= 4 * np.finfo(float).eps, layout
        assert np.abs(b - a @ x).max() <= 1e-13 * (8 * np.abs(x).max() + np.abs(b).max()), layout


@each_library
def test_mixed_precision_there(library, problem):
    a, _, b, expected = problem
    f = kauri.cholesky_mixed(a, backend="cuda")
    x = f(library.there(b))
    assert library.is_there(x) and near(library.here(x), expected) and f.report()["mixed"]["unconverged"] == 0
    f.refactorize_values(library.there(2 * lower_values(a)))
    assert near(2 * library.here(f(library.there(b))), expected)


def on_a_busy_stream(library, given, call):
    """Returns call(array); work on a side stream writes the array and is still running at the
    call."""
    given = library.there(given)
    with library.side_stream() as done:
        array, start = library.zeros_then(given)
        start()
        under_way = not done()
        result = call(array)
        assert under_way, "the work before had ended when the call was made: the test shows nothing"
        assert done(), "the call returned before the stream had written its argument"
    return result


@pytest.mark.parametrize("library", LIBRARIES[:2], indirect=True)
@pytest.mark.parametrize("make", [kauri.cholesky, kauri.cholesky_mixed])
def test_streams_are_honoured(library, problem, make):
    a, _, b, expected = problem
    f = make(a, backend="cuda")
    f(library.there(b))  # makes workspaces, so that nothing else waits for the device
    x = on_a_busy_stream(library, b, f)
    assert near(library.here(x), expected), "b was read before the stream had written it"
    values = 3 * lower_values(a)
    f.refactorize_values(library.there(lower_values(a)))
    on_a_busy_stream(library, values, f.refactorize_values)
    assert near(3 * library.here(f(library.there(b))), expected), "values were read before the stream had written them"


@pytest.mark.jax
def test_solutions_of_jax_are_their_own(problem):
    """The array prepared for the next solution is written by nothing else, and is not read before
    it is complete."""
    library = OfJax()
    a, _, b, expected = problem
    f = kauri.cholesky(a, backend="cuda")
    many = [f(library.there(k * b)) for k in range(1, 6)]
    assert all(near(library.here(x), k * expected) for k, x in enumerate(many, 1))
    zeros = library.there(np.zeros((4000, 4000)))
    late = library.module.jit(lambda x, m: x + library.module.lax.fori_loop(0, 100, lambda _, p: p @ m, m)[0, 0])
    right, other = library.there(b), library.there(-2 * b)
    late(many[0], zeros).block_until_ready()  # compiles it
    x = f(right)
    y = late(x, zeros)
    del x
    for _ in range(3):
        x = f(other)
    assert near(library.here(y), expected) and near(library.here(x), -2 * expected)
    del f
    assert near(library.here(many[3]), 4 * expected) and near(library.here(x + many[0]), -expected)


@pytest.mark.jax
def test_shapes_and_threads_of_jax(problem):
    library = OfJax()
    a, f, b, expected = problem
    f = f.copy()
    for k in (1, 2, 3, 2, 1, 1, 2, 3):  # two and more columns, in turn
        assert near(library.here(f(library.there(b[:, :k].copy()))), expected[:, :k])
    seen = []

    def solve(k):
        for _ in range(20):
            seen.append((k, f(library.there(k * b))))

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    finish(threads)
    assert len(seen) == 80 and all(near(library.here(x), k * expected) for k, x in seen)
    right = library.there(b)
    double = library.module if hasattr(library.module, "enable_x64") else library.module.experimental
    with double.enable_x64(False):  # in this thread JAX makes doubles only from doubles
        x = f(right)
    assert x.dtype == np.float64 and near(library.here(x), expected)
    donated = library.module.jit(lambda x: 2 * x, donate_argnums=0)(f(right))
    assert near(library.here(donated), 2 * expected)


@each_library
def test_float32(library):
    a = poisson(40, np.float32)
    f = kauri.cholesky(a, backend="cuda")
    b = np.random.default_rng(3).standard_normal(f.n).astype(np.float32)
    x = f(library.there(b))
    assert library.here(x).dtype == np.float32 and near(library.here(x), spsolve(a.astype(float), b.astype(float)), 1e5, np.float32)
    with pytest.raises(kauri.UsageError, match="float64"):
        f(library.there(b.astype(np.float64)))


@each_library
def test_what_does_not_fit(library, problem):
    a, f, b, _ = problem
    on_the_host = kauri.cholesky(a, backend="cpu")
    with pytest.raises(kauri.UsageError, match="the factor is not"):
        on_the_host(library.there(b))
    with pytest.raises(kauri.UsageError, match="shape"):
        f(library.there(b[:-1]))


@pytest.mark.torch
def test_tensors_of_any_strides(problem):
    library = OfTorch()
    torch = library.module
    _, f, b, expected = problem
    wide = library.there(np.repeat(b, 2, axis=1))
    for given in (wide[:, ::2], wide.T.contiguous().T[:, ::2], library.there(b)[:, :1].expand(-1, 3), library.there(b).requires_grad_(),
                  library.there(b)[:, 0:0]):
        x = f(given)
        columns = expected[:, :1].repeat(3, axis=1) if given.stride()[-1] == 0 else expected
        assert library.is_there(x) and x.shape == given.shape
        assert near(library.here(x), columns) if x.numel() else True
    twice = torch.repeat_interleave(library.there(b[:, 0].copy()), 2)[::2]
    assert near(library.here(f(twice)), expected[:, 0])


@each_library
def test_a_natural_ordering_there(library):
    a = poisson(20)
    f = kauri.cholesky(a, backend="cuda", ordering_method="natural")
    b = np.random.default_rng(4).standard_normal((f.n, 2))
    for system in ("A", "LDLt", "L", "Lt", "P", "Pt"):
        assert near(library.here(f.solve(library.there(b), system)), f.solve(b, system)), system


@pytest.mark.plain
def test_a_natural_ordering():
    a = poisson(20)
    f, g = (kauri.cholesky(a, backend=backend, ordering_method="natural") for backend in ("cuda", "cpu"))
    b = np.random.default_rng(4).standard_normal((f.n, 2))
    for system in ("A", "LDLt", "LD", "DLt", "L", "Lt", "D", "P", "Pt"):
        assert near(f.solve(b, system), g.solve(b, system)), system
    assert near(f.L().toarray(), g.L().toarray())


@pytest.mark.plain
def test_parts_and_numbers_are_those_of_the_host():
    a = poisson(25)
    f, g = (kauri.cholesky(a, backend=backend, ordering_method="amd") for backend in ("cuda", "cpu"))
    assert f.report()["backend"] != g.report()["backend"]
    order = np.array_equal(f.P(), g.P())
    if order:
        assert near(f.L().toarray(), g.L().toarray()) and near(f.D(), g.D())
    p = f.P()
    assert near((f.L() @ f.L().T).toarray(), a.toarray()[p][:, p])
    assert abs(f.logdet() - g.logdet()) < 1e-9 * abs(g.logdet()) and 0.5 < f.condition() / g.condition() < 2
    assert near(f.inverse_diagonal(), g.inverse_diagonal()) and near(f.inverse_entries().toarray(), g.inverse_entries().toarray())
    assert near(f.inv().toarray(), g.inv().toarray())
    b = np.random.default_rng(5).standard_normal((f.n, 2))
    f.solve(b, refine=3)
    assert f.report()["refinement"]["final_error"]["componentwise"] <= 4 * np.finfo(float).eps


@pytest.mark.plain
def test_rooflines_of_a_device():
    for make, scalar in ((kauri.cholesky, 8), (kauri.cholesky_mixed, 4)):
        f = make(poisson(60), backend="cuda", roofline=True)
        f(np.ones(f.n))
        r = f.report()
        assert r["roofline"]["bytes_per_s"] > 1e11 and r["factor"]["moved"] == scalar * (r["nnz"] + r["nnz_l"])
        assert 0 < r["solve"]["share"] < 1 or r["roofline"]["flops_per_s"] == 0


@pytest.mark.plain
def test_indefinite_names_the_column():
    a = poisson(30).tolil()
    a[123, 123] = -5.0
    with pytest.raises(kauri.NotPositiveDefiniteError) as caught:
        kauri.cholesky(a, backend="cuda")
    assert caught.value.column == 123 and caught.value.pivot < 0
    caught.value.factor.refactorize(poisson(30))
    b = np.ones(900)
    assert near(caught.value.factor(b), spsolve(poisson(30), b))
    a[123, 123] = np.nan
    with pytest.raises(kauri.InputError, match="123"):
        kauri.cholesky(a, backend="cuda")


@pytest.mark.plain
def test_pickles(problem):
    a, f, b, expected = problem
    g = pickle.loads(pickle.dumps(f))
    assert g.report()["backend"] == f.report()["backend"]
    assert np.array_equal(f(b), g(b)) and near(g(b), expected)
    g.refactorize(2 * a)
    assert near(2 * g(b), expected)
    # Without a device the loaded factor is on the host.
    code = ("import sys, pickle, numpy as np, kauri; f, b, x = pickle.load(sys.stdin.buffer); assert not kauri.cuda_available();"
            "assert np.abs(f(b) - x).max() <= 1e-8 * np.abs(x).max(), 'another solution'; print('good')")
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps((f, b, expected)), capture_output=True,
                          env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, timeout=LIMIT_SECONDS)
    assert done.stdout == b"good\n", done.stderr.decode()[-1500:]


@pytest.mark.plain
def test_files(problem, tmp_path):
    _, f, b, _ = problem
    f.save(tmp_path / "factor")
    g = kauri.load(tmp_path / "factor", backend="cuda")
    assert np.array_equal(g(b), f(b))
    assert near(kauri.load(tmp_path / "factor", backend="cpu")(b), f(b))


@pytest.mark.plain
def test_the_page(monkeypatch):
    if not PAGE.exists():
        pytest.skip("docs/python.md is not beside these tests")
    made, cholesky = [], kauri.cholesky
    monkeypatch.setattr(kauri, "cholesky", lambda *args, **options: made.append(cholesky(*args, **{"backend": "cuda", **options})) or made[-1])
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.failed == 0 and found.attempted > 5
    assert made and all(f.report()["backend"] == made[0].report()["backend"] != "cpu" for f in made)


@pytest.mark.torch
def test_negated_tensors_are_what_they_stand_for(problem):
    torch = OfTorch().module
    a, f, b, expected = problem
    there = torch.from_numpy(b[:, 0].copy()).cuda()
    negated = torch.complex(there, there).conj().imag  # -b as a view with the negative bit set
    assert negated.is_neg()
    for g in (f, kauri.cholesky_mixed(a, backend="cuda")):
        assert near(g(negated).cpu().numpy(), -expected[:, 0])
    values = torch.from_numpy(f._numbers.values()).cuda()
    g = kauri.analyze(a, backend="cuda")
    g.refactorize_values(torch._neg_view(-values))
    assert near(g(there).cpu().numpy(), expected[:, 0])


@pytest.mark.torch
def test_threads(problem):
    library = OfTorch()
    torch = library.module
    _, f, b, expected = problem
    found = [None] * 6

    def work(k):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(20):
                found[k] = f(library.there(b[:, k % 3].copy()))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(found))]
    for t in threads:
        t.start()
    finish(threads)
    assert all(x is not None and near(library.here(x), expected[:, k % 3]) for k, x in enumerate(found))


def entries():
    a = sp.tril(poisson(4), format="coo")
    return a.row, a.col, a.data, a.shape[0]


@pytest.mark.torch
@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_gradients_of_torch(backend):
    torch = OfTorch().module
    from kauri.torch import Cholesky

    rows, cols, values, n = entries()
    owner = Cholesky(rows, cols, n, backend=backend)
    v = torch.tensor(values, device="cuda", requires_grad=True)
    b = torch.randn(n, dtype=torch.float64, device="cuda", requires_grad=True)
    x = owner.solve(v, b)
    assert x.is_cuda and torch.allclose(torch.from_numpy(poisson(4).toarray()).cuda() @ x, b)
    assert (owner._factor_there(v) is None) == (backend == "cpu")
    assert torch.autograd.gradcheck(owner.solve, (v, b)) and torch.autograd.gradcheck(owner.logdet, (v,))
    assert torch.autograd.gradgradcheck(owner.solve, (v, b))


@pytest.mark.torch
def test_gradients_of_torch_stay_on_the_device(problem, host_copies, measured):
    name, copied = host_copies
    torch = OfTorch().module
    from kauri.torch import Cholesky

    a, _, b, expected = problem
    low = sp.tril(a, format="coo")
    owner = Cholesky(low.row, low.col, a.shape[0], backend="cuda")
    right = torch.from_numpy(b).cuda()
    values = torch.from_numpy(low.data).cuda()

    def train(scale, solve=True, logdet=True):
        v = (scale * values).requires_grad_()
        x = owner.solve(v, right) if solve else right
        ((x.sum() if solve else 0) + (owner.logdet(v) if logdet else 0)).backward()
        return x.detach(), v.grad

    for scale in (2.0, 3.0):
        train(scale)
    _, copies = copied(lambda: train(4.0, logdet=False))
    assert total(copies) == 0, f"a solve and its gradient, {b.nbytes} bytes of b and {low.data.nbytes} of values, copied {copies}"
    measured(f"PyTorch, a solve and its gradient, by {name}: copies between host and device {copies}")
    _, copies = copied(lambda: train(5.0, solve=False))  # tables of the pattern go to the device; no numbers come back
    assert total([c for c in copies if c[0] == "DtoH"]) == 0, f"a log-determinant and its gradient copied {copies}"
    x, gradient = train(1.0)
    on_the_host = Cholesky(low.row, low.col, a.shape[0], backend="cpu")
    v = torch.from_numpy(low.data.copy()).requires_grad_()
    (on_the_host.solve(v, torch.from_numpy(b)).sum() + on_the_host.logdet(v)).backward()
    assert near(x.cpu().numpy(), expected) and near(gradient.cpu().numpy(), v.grad.numpy())


@pytest.mark.jax
@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_gradients_of_jax(backend):
    library = OfJax()
    jax = library.module
    from kauri.jax import Cholesky

    rows, cols, values, n = entries()
    owner = Cholesky(rows, cols, n, backend=backend)
    b = np.random.default_rng(6).standard_normal(n)
    loss = lambda v, right: (owner.solve(v, right) ** 2).sum() + owner.logdet(v)
    v, right = library.there(values), library.there(b)
    gradients = jax.jit(jax.grad(loss, (0, 1)))(v, right)
    assert all(library.is_there(g) for g in gradients)
    x = np.linalg.solve(poisson(4).toarray(), b)
    assert np.allclose(library.here(gradients[1]), 2 * np.linalg.solve(poisson(4).toarray(), x))
    for k in (0, 1, len(values) - 1):
        up, down = values.copy(), values.copy()
        up[k] += 1e-6
        down[k] -= 1e-6
        difference = (loss(library.there(up), right) - loss(library.there(down), right)) / 2e-6
        assert abs(float(difference) - float(gradients[0][k])) < 1e-5 * max(1, abs(float(difference)))
