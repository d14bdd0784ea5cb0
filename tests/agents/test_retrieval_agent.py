import asyncio
import inspect
from collections.abc import Sequence
from typing import Any

import pytest

from mabench.agents import RetrievalAgent
from mabench.contract import AgentError, Answer, Passage, Query
from tests.agents.queries import ask
from tests.runs.agents import async_like


class Shelf:
    """Finds everything, and remembers what it was asked for."""

    def __init__(self, found: object = None) -> None:
        self.texts: list[str] = []
        self.found = found
        self.searched: list[tuple[str, int]] = []
        self.closed = False

    def add(self, text: str) -> None:
        self.texts.append(text)

    def search(self, query: str, k: int) -> Sequence[str | Passage]:
        self.searched.append((query, k))
        return self.texts if self.found is None else self.found  # type: ignore[return-value]

    def close(self) -> None:
        self.closed = True


class Counting(Shelf):
    def stats(self) -> dict[str, int]:
        return {"memories": len(self.texts)}


class Joiner:
    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        return "+".join(passage.text for passage in passages)


def test_it_searches_at_its_depth_and_reports_what_was_read_or_what_the_reader_says() -> None:
    shelf = Shelf()
    agent = RetrievalAgent(shelf, Joiner(), k=3)
    agent.answer(Query("the prompt", question="q", search_query="s", max_tokens=5))
    assert shelf.searched == [("s", 3)]
    agent = RetrievalAgent(Shelf(["a", Passage("b", 0.5), "c"]), Joiner(), k=2)
    assert agent.answer(ask("?")) == Answer("a+b", retrieved=[Passage("a"), Passage("b", 0.5)])

    class Careful:
        def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
            return Answer("a", retrieved=[passages[1]], input_tokens=9)

    answer = RetrievalAgent(Shelf(["a", "b"]), Careful()).answer(ask("?"))
    assert answer == Answer("a", retrieved=[Passage("b")], input_tokens=9)


@pytest.mark.parametrize("memory", [Shelf, async_like(Shelf)])
@pytest.mark.parametrize("reader", [Joiner, async_like(Joiner)])
def test_sync_and_async_parts_go_together(memory: Any, reader: Any) -> None:
    shelf = memory()
    agent = RetrievalAgent(shelf, reader())

    async def use() -> object:
        for chunk in ("a", "b"):
            await _awaited(agent.memorize(chunk))
        answer = await _awaited(agent.answer(ask("?")))
        await _awaited(agent.close())
        return answer

    assert asyncio.run(use()) == Answer("a+b", retrieved=[Passage("a"), Passage("b")])
    assert shelf.closed


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def test_sync_parts_await_nothing_and_tell_what_the_memory_tells() -> None:
    agent = RetrievalAgent(Shelf(), Joiner())
    assert agent.memorize("a") is None
    assert isinstance(agent.answer(ask("?")), Answer)
    assert agent.close() is None
    counting: Any = RetrievalAgent(Counting(), Joiner())
    counting.memorize("a")
    assert counting.stats() == {"memories": 1}
    later: Any = RetrievalAgent(async_like(Counting)(), Joiner())
    assert asyncio.run(_awaited(later.stats())) == {"memories": 0}
    assert not hasattr(RetrievalAgent(Shelf(), Joiner()), "stats")
    for found in ("text", 3, [None], [b"a"]):
        with pytest.raises(AgentError, match="expected"):
            RetrievalAgent(Shelf(found), Joiner()).answer(ask("?"))
