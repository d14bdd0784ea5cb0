"""Saying how long a server of models has not answered, while a run waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.progress import Progress

# Seconds between two looks at servers.
_BEAT = 1.0
# Each message about an outage comes after this many times as many looks as the one before.
_SLOWER = 2.0


async def tell_outages(
    servers: Sequence[ReadingModel | Meter], progress: Progress, work: str
) -> None:
    """Say of the first server that does not answer how long that has been, until cancelled."""
    looks_failed, next_message = 0, 1.0  # The second is the number of looks at which it is due.
    while True:
        await asyncio.sleep(_BEAT)
        outage = _find_outage(servers)
        if outage is None:
            if looks_failed:
                progress.note(work, "the model server answers again")
            looks_failed, next_message = 0, 1.0
            continue
        looks_failed += 1
        if looks_failed >= next_message:
            progress.note(work, outage)
            next_message = looks_failed * _SLOWER


def _find_outage(servers: Sequence[ReadingModel | Meter]) -> str | None:
    """Return in words the outage of the first server that does not answer; None if all answer."""
    for server in servers:
        outage = server.gate.outage
        if outage:
            return outage
    return None
