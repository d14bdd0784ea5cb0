"""Saying how long a server of models has not answered, while a run waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.progress import Progress

# Seconds between two looks at servers.
_BEAT = 1.0
# How many times as long as the one before each wait is until the next word of an outage.
_SLOWER = 2.0


async def tell_outages(
    servers: Sequence[ReadingModel | Meter], progress: Progress, work: str
) -> None:
    """Say of the first server that does not answer how long that has been, until cancelled."""
    looks, wait = 0, 1.0
    while True:
        await asyncio.sleep(_BEAT)
        outage = next((text for server in servers if (text := server.gate.outage)), None)
        if outage is None:
            if looks:
                progress.note(work, "the model server answers again")
            looks, wait = 0, 1.0
            continue
        looks += 1
        if looks >= wait:
            progress.note(work, outage)
            wait = looks * _SLOWER
