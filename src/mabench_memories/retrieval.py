"""Searches by words, by meaning, and by both."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import count, islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from mabench.contract import Passage
from mabench.errors import UsageError
from mabench.installation import import_lock
from mabench.models import make_embedder
from mabench.text import estimate_tokens, split_sentences, truncate_tokens
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench.models.embeddings import Vectors

    _Scorer = Callable[[str], NDArray[Any]]  # From a query to a score of each text, in their order.


class _HeldText(NamedTuple):
    """A text with when and by whom it was said, as far as that is known."""

    text: str
    time: datetime | None
    user: str | None
    bytes: int  # That it takes.
    made: Any  # What it is found by.


class TextMemory:
    """Texts that any number of threads may add, search, replace and forget at a time.

    What finds them says what it makes of a text, and how it scores all of them for a query.
    """

    _make: Callable[[str], tuple[int, Any]]  # Bytes, and what it is found by.
    _scorer: Callable[[Sequence[_HeldText]], _Scorer]

    def __init__(self) -> None:
        self._texts: dict[str, _HeldText] = {}
        self._ids = map(str, count(1))
        self._index: tuple[Sequence[_HeldText], _Scorer] | None = None  # Until one of them changes.
        self._lock = threading.Lock()

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text and return its id; the index is built again at the next search."""
        new = _HeldText(text, time, user, *self._make(text))
        with self._lock:
            id, self._index = next(self._ids), None
            self._texts[id] = new
        return id

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Put another text in the place of one, with its time unless another is given.

        Raises:
            LookupError: when there is no text of that id.
        """
        made = self._make(text)
        with self._lock:
            old = self._get(id)
            self._texts[id] = _HeldText(text, time or old.time, old.user, *made)
            self._index = None

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user; a ``LookupError`` where there is no text of that id."""
        with self._lock:
            if id is not None:
                self._get(id)
            own = (key for key, one in self._texts.items() if user is not None and one.user == user)
            for key in [*own] if id is None else [id]:
                del self._texts[key]
            self._index = None

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return all texts, or those of a user, in the order in which they were added."""
        own = (one for one in self._all() if user in (None, one.user))
        return [Passage(one.text, None, one.time) for one in own]

    def stats(self) -> dict[str, int]:
        """Return how many texts are stored, and their bytes."""
        texts = self._all()
        return {"memories": len(texts), "bytes": sum(one.bytes for one in texts)}

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Passage]:
        """Return the ``k`` best texts, or all of them when there are fewer, the best first.

        Only those that were said by then, by this user; of equal ones the order is ``_rank``'s.
        """
        with self._lock:
            if not self._texts:
                return []
            if self._index is None:
                held = [*self._texts.values()]
                self._index = held, self._scorer(held)
            texts, scorer = self._index
        scores = scorer(query)
        ranked = ((texts[place], float(scores[place])) for place in self._rank(scores))
        seen = (
            Passage(one.text, score, one.time)
            for one, score in ranked
            if user in (None, one.user) and not (time and one.time and one.time > time)
        )
        return [*islice(seen, max(k, 0))]

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the places of the texts, the best first; equal ones in the order of addition."""
        import numpy as np

        return np.argsort(-scores, kind="stable")

    def _get(self, id: str) -> _HeldText:
        if id not in self._texts:
            raise LookupError(f"no text has the id {id!r}")
        return self._texts[id]

    def _all(self) -> Sequence[_HeldText]:
        with self._lock:
            return [*self._texts.values()]


_K1, _B, _FLOOR = 1.5, 0.75, 0.25  # Of Okapi's weights.


def _lucene_scorer(texts: list[str]) -> _Scorer:
    import numpy as np

    with import_lock:
        import bm25s
        from bm25s.tokenization import Tokenizer

    quietly = {"allow_empty": False, "show_progress": False}
    tokenizer = Tokenizer(stopwords="english", stemmer=stem)
    ids = tokenizer.tokenize(texts, update_vocab=True, **quietly)
    vocabulary = tokenizer.get_vocab_dict()
    index = bm25s.BM25()
    if vocabulary:
        index.index((ids, vocabulary), create_empty_token=False, show_progress=False)

    def scores(query: str) -> NDArray[Any]:
        [words] = tokenizer.tokenize([query], update_vocab=False, **quietly)
        return index.get_scores(words) if words else np.zeros(len(texts))

    return scores


def _okapi_scorer(texts: list[str]) -> _Scorer:
    """Do so as the retriever behind the published figures does (arXiv 2507.05257).

    Words are what is between white space, case and punctuation kept. The weights are Okapi's
    with k1 = 1.5 and b = 0.75 (Robertson and Zaragoza, 2009), by the recipe of the package
    rank_bm25: a word in more than half of the texts, whose weight would be negative, gets a
    quarter of the mean weight of all words. A word that the query has twice counts twice.
    """
    import numpy as np

    with import_lock:
        from sklearn.feature_extraction.text import CountVectorizer

    if not any(map(str.split, texts)):
        return lambda query: np.zeros(len(texts))
    words = CountVectorizer(analyzer=str.split)
    weights = words.fit_transform(texts).astype(float)  # Texts by words: how often it occurs.
    lengths = np.asarray(weights.sum(axis=1)).ravel()
    holding = np.bincount(weights.indices, minlength=weights.shape[1])  # Texts, by word.
    rarity = np.log(len(texts) - holding + 0.5) - np.log(holding + 0.5)
    rarity = np.where(rarity < 0, _FLOOR * rarity.mean(), rarity)
    of_text = np.repeat(np.arange(len(texts)), np.diff(weights.indptr))
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    occurs = weights.data
    weights.data = rarity[weights.indices] * occurs * (_K1 + 1) / (occurs + damping[of_text])

    def scores(query: str) -> NDArray[Any]:
        return np.asarray((weights @ words.transform([query]).T).todense()).ravel()

    return scores


_RECIPES = {"mabench": _lucene_scorer, "published": _okapi_scorer}


class BM25Memory(TextMemory):
    """Finds texts by BM25; as an agent, answers from them without a language model.

    The scores are those of Robertson and Zaragoza (2009) in Lucene's variant, by bm25s. English
    stop words are dropped and words stemmed. Texts of equal score come in the order in which they
    were added; those that share no word with the query come last, with score 0. The ``recipe``
    ``published`` is the retriever of the published figures instead, in which texts of equal score
    come in the reverse of that order. Texts that a search may not see count for weights of words.
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {
        "packages": lambda settings: (
            ("scikit-learn",) if settings.get("recipe") == "published" else ("bm25s",)
        ),
    }

    def __init__(self, recipe: str = "mabench") -> None:
        super().__init__()
        if recipe not in _RECIPES:
            there = f"recipe={recipe}: there are {', '.join(_RECIPES)}"
            raise UsageError(there, parameter="settings")
        self._recipe = recipe
        _RECIPES[recipe](["text"])("text")  # What is imported is no part of the first search.

    def _make(self, text: str) -> tuple[int, None]:
        return len(text.encode("utf-8", "surrogatepass")), None  # The index is not counted.

    def _scorer(self, texts: Sequence[_HeldText]) -> _Scorer:
        return _RECIPES[self._recipe]([one.text for one in texts])

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        published = self._recipe == "published"
        return scores.argsort(kind="stable")[::-1] if published else super()._rank(scores)


_EMBEDDINGS = "sentence-transformers/all-MiniLM-L6-v2"
_FILLED = 0.8  # The share of a model's window that is filled: tokens are estimated.
_SMOOTHING, _DEPTH = 60, 100  # Of joined rankings.
_LONG_TEXTS = ("best", "mean", "cut")


class DenseMemory(TextMemory):
    """Finds texts by the cosine of their embeddings with the query's.

    The model is that of ``make_embedder``. A text that is longer than its window is embedded window
    by window, cut between sentences, and scores as its best one (MaxP of Dai and Callan, 2019);
    nothing is dropped. Of ``long_texts``, ``mean`` takes the mean of its windows by their lengths
    instead of the ``best``, and ``cut`` its beginning.
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {"embeds": True}

    def __init__(
        self,
        embeddings: str = _EMBEDDINGS,
        base_url: str | None = None,
        pooling: str | None = None,
        long_texts: str = "best",
    ) -> None:
        super().__init__()
        if long_texts not in _LONG_TEXTS:
            there = f"long_texts={long_texts}: there are {', '.join(_LONG_TEXTS)}"
            raise UsageError(there, parameter="settings")
        self._embedder = make_embedder(embeddings, base_url, pooling)
        self._window = int(_FILLED * self._embedder.window)
        self._long_texts = long_texts

    def _make(self, text: str) -> tuple[int, Vectors]:
        if self._long_texts == "cut":
            vectors = self._embedder.embed([self._beginning(text)])
        else:
            windows = _windows_of(text, self._window)
            vectors = self._embedder.embed(windows)
            vectors = _mean(vectors, windows) if self._long_texts == "mean" else vectors
        return vectors.nbytes, vectors

    def _scorer(self, texts: Sequence[_HeldText]) -> _Scorer:
        import numpy as np

        owners = np.repeat(np.arange(len(texts)), [len(one.made) for one in texts])
        vectors = np.concatenate([one.made for one in texts])

        def scores(query: str) -> NDArray[Any]:
            [wanted] = self._embedder.embed([self._beginning(query)])
            best = np.full(len(texts), -np.inf)
            np.maximum.at(best, owners, vectors @ wanted)
            return best

        return scores

    def _beginning(self, text: str) -> str:
        # Where the model cuts by itself, it knows best where.
        if self._long_texts == "cut" and self._embedder.truncates:
            return text
        return truncate_tokens(text, self._window)


class HybridMemory:
    """Combines the rankings of ``bm25`` and ``dense`` by reciprocal rank.

    A text scores the sum of 1 / (60 + rank) over both rankings, to a depth of 100 or ``k`` if that
    is more (Cormack, Clarke and Büttcher, 2009).
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {
        "embeds": True,
        "packages": lambda settings: ("bm25s",),
    }

    def __init__(self, embeddings: str = _EMBEDDINGS, base_url: str | None = None) -> None:
        self._rankings = (BM25Memory(), DenseMemory(embeddings, base_url))

    def add(self, text: str) -> None:
        """Store a text in both."""
        for ranking in self._rankings:
            ranking.add(text)

    def search(self, query: str, k: int) -> list[Passage]:
        """Return the ``k`` texts that score best, the best first."""
        scores: defaultdict[str, float] = defaultdict(float)
        for ranking in self._rankings:
            passages = ranking.search(query, max(k, _DEPTH))
            for rank, text in enumerate(dict.fromkeys(passage.text for passage in passages), 1):
                scores[text] += 1 / (_SMOOTHING + rank)
        best = sorted(scores, key=lambda text: -scores[text])[: max(k, 0)]
        return [Passage(text, scores[text]) for text in best]

    def stats(self) -> dict[str, int]:
        """Return how many texts are kept, and the bytes of their vectors."""
        return self._rankings[1].stats()


def _mean(vectors: Vectors, windows: Sequence[str]) -> Vectors:
    """Return the mean of the windows' vectors by their tokens, of unit length, as one row."""
    import numpy as np

    if len(windows) == 1:
        return vectors
    tokens = [max(1, estimate_tokens(window)) for window in windows]
    mean = np.average(vectors, axis=0, weights=tokens).astype(np.float32)
    unit: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-12))[np.newaxis]
    return unit


def _windows_of(text: str, limit: int) -> list[str]:
    """Cut ``text`` between sentences, and where it must be within them, into windows."""
    windows, window, taken = [], "", 0
    for sentence in split_sentences(text):
        while sentence:
            # What has no place to be cut is cut by letters, of which a token has at least one.
            fits = estimate_tokens(sentence) <= limit
            piece = sentence if fits else truncate_tokens(sentence, limit) or sentence[:limit]
            sentence = sentence[len(piece) :]
            tokens = estimate_tokens(piece)
            if window and taken + tokens > limit:
                windows.append(window)
                window, taken = "", 0
            window, taken = window + piece, taken + tokens
    return [*windows, window] if window or not windows else windows
