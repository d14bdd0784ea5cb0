"""Agents and memories without a fault."""

import asyncio
import json
import multiprocessing
from pathlib import Path

from mabench.contract import Answer, Query
from tests.runs.agents import Shelf


def overlap(one: str, other: str) -> int:
    return len(set(one.lower().strip("?.").split()) & set(other.lower().strip("?.").split()))


class Memory(Shelf):
    """Returns the texts that share most words with the query."""

    def search(self, query: str, k: int) -> list[str]:
        return sorted(self.texts, key=lambda text: -overlap(query, text))[:k]


class Notes:
    """An agent that reports no passages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def memorize(self, chunk: str) -> None:
        self.lines += chunk.splitlines()

    def answer(self, query: Query) -> str:
        return max(self.lines, key=lambda line: overlap(query.search_query, line), default="")


class StartsProcess(Notes):
    """Has a process of its own start with it, as stores that run beside a library do."""

    def __init__(self) -> None:
        super().__init__()
        helper = multiprocessing.get_context("fork").Process(target=str)
        helper.start()
        helper.join()


class AsyncAgent:
    """An agent with async methods, a count of what it holds, and a memory that can be saved."""

    def __init__(self) -> None:
        self.memory = Memory()

    async def memorize(self, chunk: str) -> None:
        await asyncio.sleep(0)
        self.memory.add(chunk)

    async def answer(self, query: Query) -> Answer:
        await asyncio.sleep(0)
        found = self.memory.search(query.search_query, 5)
        return Answer(found[0] if found else "", retrieved=found)

    async def stats(self) -> dict[str, int]:
        return {"memories": len(self.memory.texts)}

    async def save(self, folder: Path) -> None:
        (folder / "texts.json").write_text(json.dumps(self.memory.texts))

    async def load(self, folder: Path) -> None:
        self.memory.texts = json.loads((folder / "texts.json").read_text())


class Raw(Memory):
    """Prints what it does, as many systems do."""

    def add(self, text: str) -> None:
        print("adding")
        super().add(text)


class BadHousekeeping(Memory):
    """Remembers well; what it says of itself and how it ends is no matter of scores."""

    def stats(self) -> dict[str, int]:
        raise RuntimeError("no statistics")

    def close(self) -> None:
        raise RuntimeError("already closed")
