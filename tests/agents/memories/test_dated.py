"""The built-in memories know when and for whom a text is."""

from datetime import UTC, datetime
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from mabench.agents import RetrievalAgent
from mabench.agents.memories import dense
from mabench.agents.memories.bm25 import BM25Memory
from mabench.agents.memories.dense import DenseMemory
from mabench.contract import Query
from mabench.contract.takes import takes_of

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
    monkeypatch.setattr(dense, "make_embedder", lambda *settings: Letters())
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
    assert answer.text == "[2024-05-01 00:00] Ada sings.+Bo sings."
    assert texts(answer.retrieved) == ["Ada sings.", "Bo sings."]
    assert takes_of(agent).told == {"time", "user"}
