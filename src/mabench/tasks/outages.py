"""Telling that a model's server does not answer, while nothing else happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.progress import Progress

_BEAT = 1.0  # Seconds between two looks.
_SLOWER = 2.0  # Each word of it comes after so many times as long as the one before.


@asynccontextmanager
async def telling_outages(
    model: ReadingModel | None, progress: Progress, work: str, meter: Meter | None = None
) -> AsyncIterator[None]:
    """Say within this block, beside ``work``, how long a server of models has not answered.

    It is said ever more seldom while an outage lasts, and when it ends. At the end of the block,
    say whether replies could not be cached.
    """
    servers = [server for server in (model, meter) if server is not None]

    async def watch() -> None:
        looks, wait = 0, 1.0
        while True:
            await asyncio.sleep(_BEAT)
            outage = next((text for server in servers if (text := server.road.outage)), None)
            if outage is None:
                if looks:
                    progress.note(work, "the model server answers again")
                looks, wait = 0, 1.0
                continue
            looks += 1
            if looks >= wait:
                progress.note(work, outage)
                wait = looks * _SLOWER

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.wait([watching])
        problem = next((server.not_kept for server in servers if server.not_kept), None)
        if problem:
            progress.say(f"not every reply was kept for later runs: {problem}")
