# Cholesky: solutions and log-determinants that PyTorch differentiates.
# SPDX-License-Identifier: BSD-3-Clause
"""Differentiable sparse systems on tensors of PyTorch, with the class ``Cholesky``.

``Cholesky(rows, cols, n)`` computes x = A^-1 b and ln det A from the values of A, with gradients.

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
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._errors import UsageError
from ._factor.entries import Entries

if TYPE_CHECKING:
    from ._factor import Factor


def _host(tensor: Tensor) -> NDArray[Any]:
    return tensor.detach().cpu().numpy()


def _require_float(values: Tensor) -> None:
    if values.dtype not in (torch.float32, torch.float64):
        raise UsageError(f"values of {values.dtype}: expected float32 or float64")


def _numpy_type(tensor: Tensor) -> np.dtype[Any]:
    return np.dtype(str(tensor.dtype).removeprefix("torch."))


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, b: Tensor, owner: Cholesky) -> Tensor:
        there = owner._factor_there(values) if b.is_cuda else None
        x = torch.from_numpy(owner.entries.solve(_host(values), _host(b))).to(b.device) if there is None else there.solve(b.detach())
        ctx.owner = owner
        ctx.save_for_backward(values, x)
        return x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, None]:
        values, x = ctx.saved_tensors
        owner = ctx.owner
        y = _Solve.apply(values, g.contiguous(), owner)  # A is symmetric
        rows, cols, half, _ = owner._parts(x)
        both = x[rows] * y[cols] + x[cols] * y[rows]
        both = both if both.dim() == 1 else both.sum(dim=1)
        return -both * half, y, None


class _LogDet(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, owner: Cholesky) -> Tensor:
        ctx.owner = owner
        ctx.save_for_backward(values)
        there = owner._factor_there(values)
        return values.new_tensor(owner.entries.logdet(_host(values)) if there is None else there.logdet())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        (values,) = ctx.saved_tensors
        owner = ctx.owner
        there = owner._factor_there(values)
        if there is None:
            return g * torch.from_numpy(owner.entries.logdet_gradient(_host(values))).to(values), None
        entries = values.new_empty(there._symbolic.nnz)
        # Wait for earlier work on this memory, which PyTorch's allocator reuses.
        torch.cuda.current_stream(values.device).synchronize()
        there._core().inverse_there(False, entries.data_ptr(), len(entries), None)
        _, _, half, place = owner._parts(values)
        return g * 2 * half * entries[place], None


class Cholesky:
    """The symmetric A, shape (n, n), by the entries of its lower half.

    ``values[k]`` is the entry at ``(rows[k], cols[k])`` and at ``(cols[k], rows[k])``. rows, cols:
    integers, shape (k,), rows[k] >= cols[k]. options: those of kauri.analyze(). Numbers are
    computed in float32 or float64, the type of the tensors. With ``backend="cuda"``, tensors on the
    device stay there; otherwise numbers are computed on the host, and tensors on a device are
    copied.
    """

    def __init__(self, rows: ArrayLike, cols: ArrayLike, n: int, **options: Any) -> None:
        row, col = torch.as_tensor(rows, dtype=torch.int64), torch.as_tensor(cols, dtype=torch.int64)
        self.entries = Entries(_host(row), _host(col), n, **options)
        self.rows, self.cols = row.cpu(), col.cpu()
        self.half = torch.from_numpy(self.entries.twice / 2)
        self._known: dict[Any, Any] = {}
        self._last: tuple[Any, Any] | None = None

    def _parts(self, like: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Returns (rows, cols, half, positions in the pattern) on the device of ``like``.

        half has its type.
        """
        key = like.device, like.dtype
        if key not in self._known:
            place = torch.from_numpy(self.entries.analysis(_numpy_type(like))[1])
            self._known[key] = *(part.to(like.device) for part in (self.rows, self.cols)), self.half.to(like), place.to(like.device)
        return self._known[key]

    def _factor_there(self, values: Tensor) -> Factor | None:
        """Returns a Factor of these values on their device; None if factors are on the host."""
        if not values.is_cuda:
            return None
        base, _ = self.entries.analysis(_numpy_type(values))
        if not base._symbolic.on_device:
            return None
        values = values.detach()
        # Compare the numbers: no version counter records a write through .data.
        last = self._last
        if last is not None and last[0].dtype == values.dtype and last[0].device == values.device and torch.equal(last[0], values):
            return last[1]
        if values.shape != self.rows.shape:
            raise UsageError(f"values of shape {tuple(values.shape)}: expected {tuple(self.rows.shape)}")
        f = base._twin()
        f.refactorize_values(values.new_zeros(base._symbolic.nnz).index_add_(0, self._parts(values)[3], values))
        self._last = values.clone(), f
        return f

    def solve(self, values: Tensor, b: Tensor) -> Tensor:
        """Returns x = A^-1 b. values: shape (k,); b and x: (n,) or (n, m).

        It is differentiable any number of times, in both values and b.
        """
        _require_float(values)
        if values.dtype != b.dtype or values.device != b.device:
            raise UsageError(f"values of {values.dtype} on {values.device} and b of {b.dtype} on {b.device}: expected the same for both")
        return _Solve.apply(values, b, self)

    def logdet(self, values: Tensor) -> Tensor:
        """Returns ln det A, a scalar, which is differentiable once."""
        _require_float(values)
        return _LogDet.apply(values, self)
