# Solutions and log-determinants that PyTorch differentiates.
# SPDX-License-Identifier: BSD-3-Clause
"""``Cholesky(rows, cols, n)``: x = A^-1 b and ln det A of values in tensors, with their gradients.

>>> import pytest; torch = pytest.importorskip("torch")
>>> from kauri.torch import Cholesky
>>> A = Cholesky([0, 1, 1], [0, 0, 1], 2)
>>> values = torch.tensor([2.0, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
>>> x = A.solve(values, torch.tensor([3.0, 3.0], dtype=torch.float64))
>>> bool(torch.allclose(x, torch.ones(2, dtype=torch.float64)))
True
>>> A.logdet(values).backward()
>>> bool(torch.allclose(values.grad, torch.tensor([2.0, -2.0, 2.0], dtype=torch.float64) / 3))
True
"""
import torch
from torch.autograd.function import once_differentiable

from ._entries import Entries
from ._errors import UsageError


def _host(tensor):
    return tensor.detach().cpu().numpy()


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, b, owner):
        x = torch.from_numpy(owner.entries.solve(_host(values), _host(b))).to(b.device)
        ctx.owner = owner
        ctx.save_for_backward(values, x)
        return x

    @staticmethod
    def backward(ctx, g):
        values, x = ctx.saved_tensors
        owner = ctx.owner
        y = _Solve.apply(values, g.contiguous(), owner)  # A is symmetric
        rows, cols = owner.rows.to(x.device), owner.cols.to(x.device)
        both = x[rows] * y[cols] + x[cols] * y[rows]
        both = both if both.dim() == 1 else both.sum(dim=1)
        return -both * owner.half.to(both), y, None


class _LogDet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, owner):
        ctx.owner = owner
        ctx.save_for_backward(values)
        return values.new_tensor(owner.entries.logdet(_host(values)))

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (values,) = ctx.saved_tensors
        return g * torch.from_numpy(ctx.owner.entries.logdet_gradient(_host(values))).to(values), None


class Cholesky:
    """A of shape (n, n) by the entries of its lower half: ``values[k]`` at ``(rows[k], cols[k])``, each standing for the one above, too.

    rows, cols: integers, shape (k,), rows[k] >= cols[k]. options: of kauri.analyze(). Numbers are computed on the host, in float32 or
    float64 as the tensors are; those on a device are copied.
    """

    def __init__(self, rows, cols, n, **options):
        rows, cols = torch.as_tensor(rows, dtype=torch.int64), torch.as_tensor(cols, dtype=torch.int64)
        self.entries = Entries(_host(rows), _host(cols), n, **options)
        self.rows, self.cols = rows.cpu(), cols.cpu()
        self.half = torch.from_numpy(self.entries.twice / 2)

    def solve(self, values, b):
        """x = A^-1 b. values: (k,); b and x: (n,) or (n, m). Differentiable any number of times, in both."""
        if values.dtype != b.dtype or values.dtype not in (torch.float32, torch.float64):
            raise UsageError(f"values of {values.dtype} and b of {b.dtype}: expected float32 or float64 for both")
        return _Solve.apply(values, b, self)

    def logdet(self, values):
        """ln det A, a scalar. Differentiable once."""
        return _LogDet.apply(values, self)
