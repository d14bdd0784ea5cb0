"""The built-in memories know when and for whom a text is, and can be edited."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from mabench.agents import RetrievalAgent, memories
from mabench.agents.memories import BM25Memory, DenseMemory
from mabench.contract import Query
from mabench.contract.methods import Takes

MARCH, MAY, JULY = (datetime(2024, month, 1, tzinfo=UTC) for month in (3, 5, 7))


class Letters:
    """Embeds a text by its letters."""

    window, truncates = 1000, False

    def embed(self, texts: list[str]) -> Any:
        vectors = np.array(
            [[text.lower().count(c) + 0.01 for c in ascii_lowercase] for text in texts]
        )
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(params=[BM25Memory, DenseMemory])
def memory(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(memories, "make_embedder", lambda *settings: Letters())
    return request.param()


def texts(passages: Any) -> list[str]:
    return [passage.text for passage in passages]


def test_a_search_sees_what_was_said_by_then_and_by_its_user(memory: Any) -> None:
    memory.add("Ada lives in Bern.", time=MARCH, user="ada")
    memory.add("Ada lives in Oslo.", time=JULY, user="ada")
    memory.add("Bo lives in Rome.", time=MARCH, user="bo")
    memory.add("Nobody lives here.")
    assert texts(memory.search("Ada lives", 9, user="ada", time=MAY)) == ["Ada lives in Bern."]
    assert texts(memory.search("lives", 1, user="bo")) == ["Bo lives in Rome."]
    assert "Ada lives in Oslo." not in texts(memory.search("Ada", 9, time=MAY))
    assert len(memory.search("Ada", 9, time=MARCH)) == 3
    assert len(memory.search("Ada", 9)) == 4
    assert memory.search("Ada", 9, user="nobody") == []


def test_a_reader_sees_the_time_that_a_passage_says_apart(memory: Any) -> None:
    class Joiner:
        def read(self, query: Query, passages: Any) -> str:
            return "+".join(texts(passages))

    agent = RetrievalAgent(memory, Joiner())
    agent.memorize("Ada sings.", time=MAY, session="one")
    agent.memorize("Bo sings.")
    query = Query("?", question="?", search_query="Ada sings", max_tokens=5)
    answer: Any = agent.answer(query)
    assert answer.text == "[1 May 2024, 00:00] Ada sings.+Bo sings."
    assert texts(answer.retrieved) == ["Ada sings.", "Bo sings."]
    assert Takes.of(agent).told == {"time", "user"}


def test_a_text_is_replaced_forgotten_and_listed(memory: Any) -> None:
    first = memory.add("Ada lives in Bern.", time=MARCH, user="ada")
    second = memory.add("Ada sings.", user="ada")
    memory.add("Bo lives in Rome.", user="bo")
    memory.search("Ada", 9)  # What it finds by is built, and must be built again.
    memory.update(first, "Ada lives in Oslo.")
    held = memory.list(user="ada")
    assert [(one.text, one.time) for one in held] == [
        ("Ada lives in Oslo.", MARCH),
        ("Ada sings.", None),
    ]
    memory.update(first, "Ada lives in Nice.", time=JULY)
    assert texts(memory.search("Ada", 9, user="ada", time=MAY)) == ["Ada sings."]
    memory.delete(id=second)
    assert {*texts(memory.search("Ada", 9))} == {"Ada lives in Nice.", "Bo lives in Rome."}
    for call in (memory.update, memory.delete):
        with pytest.raises(LookupError, match=f"no text has the id '{second}'"):
            call(id=second, **({"text": "Ada is back."} if call == memory.update else {}))
    memory.delete(user="ada")
    assert texts(memory.list()) == ["Bo lives in Rome."]
    assert memory.stats()["memories"] == 1
    memory.delete(user="bo")
    assert (memory.search("Bo", 9), memory.stats()["bytes"]) == ([], 0)


def test_texts_of_many_threads_are_kept_apart(memory: Any) -> None:
    def use(user: str) -> list[str]:
        own = [memory.add(f"{user} has {number}.", user=user) for number in range(20)]
        memory.update(own[0], f"{user} lost 0.")
        memory.delete(id=own[1])
        found = texts(memory.search(f"{user} has", 99, user=user))
        memory.delete(id=own[2])
        return found

    users = [f"user{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        shown = [*threads.map(use, users)]
    for user, found in zip(users, shown, strict=True):
        assert {*found} == {f"{user} lost 0.", *(f"{user} has {n}." for n in range(2, 20))}
    assert memory.stats()["memories"] == 8 * 18
