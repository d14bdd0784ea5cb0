from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mabench.agents import memories
from mabench.agents.memories import DenseMemory
from mabench.errors import UsageError
from mabench.models import make_embedder
from mabench.text import estimate_tokens

# The state of each token of the made-up transformer; the first one's depends on all the others.
_STATES = {"sea": (1.0, 0.0, 0.0), "sand": (0.0, 2.0, 0.0), "salt": (0.0, 0.0, 4.0)}
_WINDOW = 4


class _Tensor(np.ndarray[Any, Any]):
    """What the made-up model returns, with the methods that a real tensor has."""

    def cpu(self) -> _Tensor:
        return self

    def numpy(self) -> np.ndarray[Any, Any]:
        return np.asarray(self)


class _Tokens(dict[str, list[str]]):
    def to(self, device: str) -> _Tokens:
        assert device == "cpu"
        return self


class _Tokenizer:
    model_max_length = _WINDOW

    def __call__(self, text: str, *, truncation: bool, return_tensors: str) -> _Tokens:
        assert (truncation, return_tensors) == (True, "pt")
        return _Tokens(words=["[CLS]", *text.split()][:_WINDOW])


class _Model:
    def _same(self, *_: object) -> _Model:
        return self

    float = to = eval = _same

    def __call__(self, words: list[str]) -> SimpleNamespace:
        rows = [_STATES[word] for word in words[1:]]
        first = [sum(row[place] ** 2 for row in rows) + 0.5 for place in range(3)]
        states = np.array([[first, *rows]], dtype=np.float32).view(_Tensor)
        return SimpleNamespace(last_hidden_state=states)


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for transformers and torch, which these tests do without."""
    cuda = SimpleNamespace(is_available=lambda: False)
    torch = SimpleNamespace(cuda=cuda, no_grad=nullcontext)
    transformers = SimpleNamespace(
        AutoTokenizer=SimpleNamespace(from_pretrained=lambda name: _Tokenizer()),
        AutoModel=SimpleNamespace(from_pretrained=lambda name: _Model()),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)


def _cls(words: Sequence[str]) -> list[float]:
    return [sum(_STATES[word][place] ** 2 for word in words) + 0.5 for place in range(3)]


def _mean(words: Sequence[str]) -> list[float]:
    rows = [_cls(words), *(_STATES[word] for word in words)]
    return [sum(row[place] for row in rows) / len(rows) for place in range(3)]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))


TEXTS = ["sea", "sea sea sand", "salt sand", "sand sand salt"]


@pytest.mark.parametrize(("pooling", "vector"), [("cls", _cls), ("mean", _mean)])
def test_scores_are_cosines_of_the_pooled_states(
    pooling: str, vector: Callable[[Sequence[str]], list[float]]
) -> None:
    memory = DenseMemory("a/model", pooling=pooling, long_texts="cut")
    for text in TEXTS:
        memory.add(text)
    found = {passage.text: passage.score for passage in memory.search("salt sea", 4)}
    asked = vector(["salt", "sea"])
    expected = {text: _cosine(vector(text.split()), asked) for text in TEXTS}
    assert found == pytest.approx(expected, abs=1e-6)
    assert list(found) == sorted(TEXTS, key=lambda text: -expected[text])


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


class _Counts:
    """Embeds a text as how often it has each of three words; knows no text over its window."""

    window = 10
    truncates = False

    def embed(self, texts: Sequence[str]) -> Any:
        assert all(estimate_tokens(text) <= self.window for text in texts)
        rows = [[text.count(word) + 0.1 for word in _STATES] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _score(monkeypatch: pytest.MonkeyPatch, long_texts: str, text: str, query: str) -> float:
    monkeypatch.setattr(memories, "make_embedder", lambda name, url, pooling: _Counts())
    memory = DenseMemory(long_texts=long_texts)
    memory.add(text)
    return memory.search(query, 1)[0].score or 0.0


def test_the_mean_of_windows_weighs_them_by_their_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "sea sea sea sea sea sea sea sea salt salt salt"  # Eight tokens fill a window.
    first, second = _Counts().embed(["sea " * 8, "salt " * 3])
    expected = _cosine((8 * first + 3 * second) / 11, _Counts().embed(["sea salt"])[0])
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
