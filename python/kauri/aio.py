# Runs long calls in a thread for asyncio, and cancels them with their task.
# SPDX-License-Identifier: BSD-3-Clause
"""Coroutines for asyncio: ``f = await kauri.aio.cholesky(A)``.

The event loop runs meanwhile. If a task is cancelled, its work ends within some 50 ms.
"""
from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ._arrays.protocols import Matrix
from ._core import CancelToken
from ._factor import Factor
from ._factor import analyze as _analyze
from ._factor import cholesky as _cholesky

_Result = TypeVar("_Result")


async def run(function: Callable[..., _Result], *args: Any, **kwargs: Any) -> _Result:
    """Runs ``function(*args, cancel=..., **kwargs)`` in a thread of the event loop's executor.

    function: any function of kauri that takes ``cancel``. If you pass ``cancel=token``, a cancelled
    task cancels that token.

    >>> import asyncio, numpy as np, scipy.sparse as sp, kauri, kauri.aio
    >>> async def main():
    ...     f = await kauri.aio.cholesky(2.0 * sp.eye_array(2, format="csc"))
    ...     return await kauri.aio.run(f.solve, np.ones(2))
    >>> asyncio.run(main())
    array([0.5, 0.5])
    """
    token = kwargs.pop("cancel", None) or CancelToken()
    work = asyncio.get_running_loop().run_in_executor(None, functools.partial(function, *args, cancel=token, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        token.cancel()
        # No caller awaits `work` now: retrieve its exception, which asyncio would log otherwise.
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait([work])
        raise


async def analyze(A: Matrix, **options: Any) -> Factor:
    """Runs ``kauri.analyze(A, **options)`` in a thread."""
    return await run(_analyze.analyze, A, **options)


async def cholesky(A: Matrix, beta: float = 0, **options: Any) -> Factor:
    """Runs ``kauri.cholesky(A, beta, **options)`` in a thread."""
    return await run(_cholesky.cholesky, A, beta, **options)


async def cholesky_AAt(A: Matrix, beta: float = 0, **options: Any) -> Factor:
    """Runs ``kauri.cholesky_AAt(A, beta, **options)`` in a thread."""
    return await run(_cholesky.cholesky_AAt, A, beta, **options)
