"""Agents of the harness: what makes one of a memory and a reader, and the baselines."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.agents import NoMemory, Oracle, RetrievalAgent
from mabench.contract import AgentError, Answer, Passage, Query
from tests.agents.queries import ask
from tests.runs.agents import Shelf, async_like, like


class Joiner:
    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        return "+".join(passage.text for passage in passages)


class Finding(Shelf):
    """Finds everything, or what it is to find, and remembers what it was asked for."""

    found: object = None
    closed = False

    def search(self, query: str, k: int) -> Any:
        self.searched = (query, k)
        return self.texts if self.found is None else self.found

    def close(self) -> None:
        self.closed = True


class Counting(Finding):
    def stats(self) -> dict[str, int]:
        return {"memories": len(self.texts)}


def finding(found: object) -> Any:
    return like(Finding, found=found)()


def test_it_searches_at_its_depth_and_reports_what_was_read_or_what_the_reader_says() -> None:
    shelf = Finding()
    agent = RetrievalAgent(shelf, Joiner(), k=3)
    agent.answer(Query("the prompt", question="q", search_query="s", max_tokens=5))
    assert shelf.searched == ("s", 3)
    agent = RetrievalAgent(finding(["a", Passage("b", 0.5), "c"]), Joiner(), k=2)
    assert agent.answer(ask("?")) == Answer("a+b", retrieved=[Passage("a"), Passage("b", 0.5)])

    class Careful:
        def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
            return Answer("a", retrieved=[passages[1]], input_tokens=9)

    answer = RetrievalAgent(finding(["a", "b"]), Careful()).answer(ask("?"))
    assert answer == Answer("a", retrieved=[Passage("b")], input_tokens=9)


@pytest.mark.parametrize("memory", [Finding, async_like(Finding)])
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
    agent = RetrievalAgent(Finding(), Joiner())
    assert agent.memorize("a") is None
    assert isinstance(agent.answer(ask("?")), Answer)
    assert agent.close() is None
    counting: Any = RetrievalAgent(Counting(), Joiner())
    counting.memorize("a")
    assert counting.stats() == {"memories": 1}
    later: Any = RetrievalAgent(async_like(Counting)(), Joiner())
    assert asyncio.run(_awaited(later.stats())) == {"memories": 0}
    assert not hasattr(agent, "stats")
    for found in ("text", 3, [None], [b"a"]):
        with pytest.raises(AgentError, match="expected"):
            RetrievalAgent(finding(found), Joiner()).answer(ask("?"))


LETTERED = "Who took the clock?\nA. Ann Lee\nB.Ben Moor\nC) Cy Pell\nD. Dee Ray\n Output:"


def guess(query: Query) -> str:
    agent = NoMemory()
    agent.memorize("The clock was taken by Cy Pell.")
    return agent.answer(query)


def test_a_guess_names_an_option_by_the_question_alone() -> None:
    written = {"A. Ann Lee", "B.Ben Moor", "C) Cy Pell", "D. Dee Ray"}
    assert {guess(ask(f"{number}. {LETTERED}")) for number in range(40)} == written
    assert guess(ask("What is next?\n['Ann left.', 'Ben left.']\n")) in {"Ann left.", "Ben left."}
    prompts = [f"At {hour}:00\n{LETTERED}" for hour in range(20)]
    assert len({guess(ask(LETTERED, prompt=prompt)) for prompt in prompts}) == 1
    assert guess(ask("Who took the clock?")) == "I could only guess."
    assert guess(ask("Who took the clock?", max_tokens=2)) == "I could"


def test_guesses_are_right_as_often_as_chance_has_it() -> None:
    texts = [f"Question {number}: which?\n['a1', 'b2', 'c3', 'd4']" for number in range(2000)]
    counts = Counter(guess(ask(text)) for text in texts)
    # 500 each; five standard deviations of the binomial are 97.
    assert all(403 <= counts[option] <= 597 for option in ("a1", "b2", "c3", "d4"))


@given(st.text(), st.integers(1, 40))
def test_any_question_has_a_guess_and_an_oracle_answers_what_it_was_told_once(
    text: str, max_tokens: int
) -> None:
    assert isinstance(guess(ask(text, max_tokens)), str)
    oracle = Oracle()
    oracle.receive_gold(text)
    assert oracle.answer(ask("?")) == text
    with pytest.raises(AgentError, match="no gold answer"):
        oracle.answer(ask("another"))
