"""Every method is a coroutine, and others have their turn within each."""

import asyncio

from tests.stress.faulty._base import Found, Held, Time, User


class Memory:
    def __init__(self) -> None:
        self.held = Held()

    async def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        await asyncio.sleep(0)
        return self.held.add(text, time=time, user=user)

    async def update(self, id: str, text: str, *, time: Time = None) -> None:
        await asyncio.sleep(0)
        self.held.update(id, text, time=time)

    async def delete(self, id: str | None = None, *, user: User = None) -> None:
        await asyncio.sleep(0)
        self.held.delete(id, user=user)

    async def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        await asyncio.sleep(0)
        return self.held.search(query, k, time=time, user=user)

    async def list(self, *, user: User = None) -> Found:
        await asyncio.sleep(0)
        return self.held.list(user=user)

    async def ready(self) -> None:
        await asyncio.sleep(0)

    async def close(self) -> None:
        await asyncio.sleep(0)
