"""The limit of requests in flight, shared by event loops in several threads."""

import asyncio
import random
import threading
from concurrent.futures import ThreadPoolExecutor

from mabench.models.road import AdaptiveLimit


def test_event_loops_in_several_threads_share_a_limit() -> None:
    limit = AdaptiveLimit(3)
    lock = threading.Lock()
    held = most = done = 0

    async def hold() -> None:
        nonlocal held, most, done
        async with limit.slot():
            with lock:
                held += 1
                most = max(most, held)
            try:
                await asyncio.sleep(0.001)
            finally:  # Also when it is given up.
                with lock:
                    held -= 1
            with lock:
                done += 1

    async def work(seed: int) -> None:
        chance = random.Random(seed)
        tasks = [asyncio.create_task(hold()) for _ in range(60)]
        await asyncio.sleep(0.003)
        given_up = chance.sample(tasks, 10)
        for task in given_up:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with ThreadPoolExecutor(3) as pool:
        [*pool.map(asyncio.run, map(work, range(3)), timeout=20)]
    assert most == 3
    assert done >= 3 * 50

    async def three_at_once() -> None:
        async with asyncio.timeout(5), limit.slot(), limit.slot(), limit.slot():
            pass

    asyncio.run(three_at_once())  # No slot was lost.
