"""Telling that a model's server does not answer, while nothing else happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.progress import Progress

_BEAT = 1.0  # Seconds between two looks.
_SLOWER = 2.0  # Each word of it comes after so many times as long as the one before.


@asynccontextmanager
async def outages_told(
    model: ReadingModel | None, progress: Progress, work: str, meter: Meter | None = None
) -> AsyncIterator[None]:
    """Say within this block, beside ``work``, how long a server of models has not answered.

    At the end, say whether replies could not be cached.
    """
    servers = [server for server in (model, meter) if server is not None]
    if not servers:
        yield
        return
    watch = asyncio.create_task(_watch(servers, progress, work))
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
        not_kept = next((server.not_kept for server in servers if server.not_kept), None)
        if not_kept:
            progress.say(f"not every reply was kept for later runs: {not_kept}")


async def _watch(servers: Sequence[ReadingModel | Meter], progress: Progress, work: str) -> None:
    """Look once a second; say so ever more seldom while an outage lasts, and when it ends."""
    looks, wait = 0, 1.0
    while True:
        await asyncio.sleep(_BEAT)
        outage = next((said for server in servers if (said := server.outage)), None)
        if outage is None:
            if looks:
                progress.note(work, "the model server answers again")
            looks, wait = 0, 1.0
            continue
        looks += 1
        if looks >= wait:
            progress.note(work, outage)
            wait = looks * _SLOWER
