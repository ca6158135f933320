# Makes and reads arrays of CuPy, PyTorch and JAX on a CUDA device in one way.
# SPDX-License-Identifier: BSD-3-Clause
import contextlib

import numpy as np
import pytest
import scipy.sparse as sp


class OfCupy:
    def __init__(self):
        self.module = pytest.importorskip("cupy", reason="CuPy is not installed", exc_type=ImportError)

    def there(self, x):
        return self.module.asarray(x, order="K")

    def here(self, x):
        return self.module.asnumpy(x)

    def is_there(self, x):
        return isinstance(x, self.module.ndarray)

    def sparse(self, a):
        import cupyx.scipy.sparse as sparse

        return sparse.csr_matrix(sp.csr_matrix(a))

    @contextlib.contextmanager
    def side_stream(self):
        with self.module.cuda.Stream(non_blocking=True) as stream:
            yield lambda: stream.done

    def zeros_then(self, b):
        """Returns an array that holds zeros until long work on the current stream has ended, then
        b."""
        x, late = self.module.zeros_like(b), self.module.ones((4000, 4000))
        out = self.module.matmul(late, late)
        self.module.cuda.get_current_stream().synchronize()

        def start():
            for _ in range(150):
                self.module.matmul(late, late, out=out)
            x[...] = b

        return x, start


class OfTorch:
    def __init__(self):
        self.module = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
        if not self.module.cuda.is_available():
            pytest.skip("PyTorch sees no device")

    def there(self, x):
        if x.ndim == 2 and x.flags.f_contiguous:  # columns one after the other
            return self.module.from_numpy(np.ascontiguousarray(x.T)).cuda().T
        return self.module.from_numpy(np.ascontiguousarray(x)).cuda()

    def here(self, x):
        return x.detach().cpu().numpy()

    def is_there(self, x):
        return isinstance(x, self.module.Tensor) and x.is_cuda

    def sparse(self, a):
        a = sp.csr_matrix(a)
        parts = [self.module.from_numpy(part).cuda() for part in (a.indptr, a.indices, a.data)]
        return self.module.sparse_csr_tensor(*parts, size=a.shape)

    @contextlib.contextmanager
    def side_stream(self):
        stream = self.module.cuda.Stream()
        with self.module.cuda.stream(stream):
            yield stream.query

    def zeros_then(self, b):
        x = self.module.zeros_like(b)
        self.module.cuda.synchronize()
        return x, lambda: self.module.cuda._sleep(400_000_000) or x.copy_(b)


class OfJax:
    def __init__(self):
        self.module = pytest.importorskip("jax", reason="JAX is not installed", exc_type=ImportError)
        self.module.config.update("jax_enable_x64", True)
        if self.module.default_backend() != "gpu":
            pytest.skip(f"JAX computes on {self.module.default_backend()}")

    def there(self, x):
        return self.module.numpy.asarray(np.array(x)).block_until_ready()

    def here(self, x):
        return np.asarray(x)

    def is_there(self, x):
        return isinstance(x, self.module.Array) and {d.platform for d in x.devices()} == {"gpu"}

    def sparse(self, a):
        from jax.experimental import sparse

        return sparse.BCOO.fromdense(self.there(a.toarray()))
