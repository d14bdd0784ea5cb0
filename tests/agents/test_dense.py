"""Memories that find by meaning, on a made-up transformer; and what all that are built in share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from mabench.agents import RetrievalAgent, memories
from mabench.agents.memories import BM25Memory, DenseMemory
from mabench.contract import Query
from mabench.contract.methods import Takes
from mabench.errors import UsageError
from mabench.models import make_embedder
from mabench.text import estimate_tokens

# The state of each token of the made-up transformer; the first one's depends on all the others.
_STATES = {"sea": (1.0, 0.0, 0.0), "sand": (0.0, 2.0, 0.0), "salt": (0.0, 0.0, 4.0)}
_WINDOW = 4


def _states(words: Sequence[str]) -> Any:
    """Return the states of a text's tokens, in shape (tokens, 3)."""
    rows = np.array([_STATES[word] for word in words], np.float32).reshape(-1, 3)
    return np.vstack([(rows**2).sum(axis=0) + np.float32(0.5), rows])


def _tokenize(text: str, *, truncation: bool, return_tensors: str) -> Any:
    assert (truncation, return_tensors) == (True, "pt")
    words = text.split()[: _WINDOW - 1]  # Beside the first token.
    return SimpleNamespace(to=lambda device: {"words": words} if device == "cpu" else None)


def _run(words: list[str]) -> Any:
    tensor = SimpleNamespace(cpu=lambda: SimpleNamespace(numpy=lambda: _states(words)))
    return SimpleNamespace(last_hidden_state=[tensor])


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for transformers and torch, which these tests do without."""
    cuda = SimpleNamespace(is_available=lambda: False)
    torch = SimpleNamespace(cuda=cuda, no_grad=nullcontext)
    tokenizer = Mock(side_effect=_tokenize, model_max_length=_WINDOW)
    model = Mock()
    model.float().to("cpu").eval.return_value = _run
    transformers = SimpleNamespace(
        AutoTokenizer=SimpleNamespace(from_pretrained=lambda name: tokenizer),
        AutoModel=SimpleNamespace(from_pretrained=lambda name: model),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)


def _cosine(one: Any, other: Any) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


TEXTS = ["sea", "sea sea sand", "salt sand", "sand sand salt"]


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("pooling", "pooled"), [("cls", lambda states: states[0]), ("mean", lambda s: s.mean(axis=0))]
)
def test_scores_are_cosines_of_the_pooled_states(
    pooling: str, pooled: Callable[[Any], Any]
) -> None:
    memory = DenseMemory("a/model", pooling=pooling, long_texts="cut")
    for text in TEXTS:
        memory.add(text)
    found = {passage.text: passage.score for passage in memory.search("salt sea", 4)}
    asked = pooled(_states(["salt", "sea"]))
    expected = {text: _cosine(pooled(_states(text.split())), asked) for text in TEXTS}
    assert found == pytest.approx(expected, abs=1e-6)
    assert list(found) == sorted(TEXTS, key=lambda text: -expected[text])


@pytest.mark.usefixtures("packages")
def test_a_text_is_cut_where_the_window_of_the_tokenizer_ends() -> None:
    memory = DenseMemory("a/model", pooling="mean", long_texts="cut")
    memory.add("sea sand sea salt salt salt salt")
    memory.add("sea sand sea")  # With the first token, just what the window holds.
    same = memory.search("sea sand sea salt", 2)
    assert same[0].score == same[1].score == pytest.approx(1, abs=1e-6)
    assert memory.stats() == {"memories": 2, "bytes": 2 * 3 * 4}
    memory = DenseMemory("a/model", pooling="cls", long_texts="cut")
    memory.add("")
    assert memory.search("", 1)[0].score == pytest.approx(1)


class _Letters:
    """Embeds a text by its letters; knows no text over its window."""

    window, truncates = 10, False

    def embed(self, texts: Sequence[str]) -> Any:
        assert all(estimate_tokens(text) <= self.window for text in texts)
        rows = [[text.lower().count(letter) + 0.01 for letter in ascii_lowercase] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _score(monkeypatch: pytest.MonkeyPatch, long_texts: str, text: str, query: str) -> float:
    monkeypatch.setattr(memories, "make_embedder", lambda name, url, pooling: _Letters())
    memory = DenseMemory(long_texts=long_texts)
    memory.add(text)
    return memory.search(query, 1)[0].score or 0.0


def test_the_mean_of_windows_weighs_them_by_their_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "sea sea sea sea sea sea sea sea salt salt salt"  # Eight tokens fill a window.
    first, second = _Letters().embed(["sea " * 8, "salt " * 3])
    expected = _cosine((8 * first + 3 * second) / 11, _Letters().embed(["sea salt"])[0])
    assert _score(monkeypatch, "mean", text, "sea salt") == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("long_texts", "text", "query"),
    [
        # A model that refuses long texts is handed their beginning.
        ("cut", "sea " * 8 + "salt " * 30, "sea " * 30),
        # A long text scores as its best window.
        ("best", "sea " * 8 + "salt " * 8, "salt " * 8),
    ],
)
def test_a_long_text_scores_as_its_beginning_or_its_best_window(
    monkeypatch: pytest.MonkeyPatch, long_texts: str, text: str, query: str
) -> None:
    assert _score(monkeypatch, long_texts, text, query) == pytest.approx(1, abs=1e-6)


@pytest.mark.usefixtures("packages")
def test_wrong_settings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="pooling=max: there are cls, mean"):
        DenseMemory("a/model", pooling="max")
    with pytest.raises(UsageError, match="long_texts=split: there are best, mean, cut"):
        DenseMemory("a/model", long_texts="split")
    with pytest.raises(UsageError, match="servers do their own pooling"):
        make_embedder("openai/text-embedding-3-small", None, "cls")

    def missing(name: str) -> None:
        raise OSError(name)

    broken = SimpleNamespace(from_pretrained=missing)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(AutoTokenizer=broken))
    with pytest.raises(UsageError, match="embeddings=no/such: no transformer could be loaded"):
        DenseMemory("no/such", pooling="mean")


MARCH, MAY, JULY = (datetime(2024, month, 1, tzinfo=UTC) for month in (3, 5, 7))


@pytest.fixture(params=[BM25Memory, DenseMemory])
def memory(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(memories, "make_embedder", lambda *settings: _Letters())
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
