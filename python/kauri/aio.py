# Long calls for asyncio: in a thread, and cancelled with their task.
# SPDX-License-Identifier: BSD-3-Clause
"""``f = await kauri.aio.cholesky(A)``: the event loop goes on meanwhile; a task that is cancelled ends the work within some 50 ms."""
import asyncio
import functools

from . import _cholesky
from ._core import CancelToken


async def run(function, *args, **kwargs):
    """``function(*args, cancel=..., **kwargs)`` in a thread of the loop's, for any call of kauri's that takes ``cancel``.

    A token of your own is cancelled with the task.

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
        work.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody asks for it any more
        await asyncio.wait([work])
        raise


async def analyze(A, **options):
    """``kauri.analyze(A, **options)``."""
    return await run(_cholesky.analyze, A, **options)


async def cholesky(A, beta=0, **options):
    """``kauri.cholesky(A, beta, **options)``."""
    return await run(_cholesky.cholesky, A, beta, **options)


async def cholesky_AAt(A, beta=0, **options):
    """``kauri.cholesky_AAt(A, beta, **options)``."""
    return await run(_cholesky.cholesky_AAt, A, beta, **options)
