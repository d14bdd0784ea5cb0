"""Features of short texts: words, letters, what is asked for, form, and pairs of words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

from mabench.text.stems import is_function_word, stem
from mabench_floor.likeness import meanings

# Marks that tell one kind of sentence from another stand beside the words.
_TOKEN = re.compile(r"[^\W_]+|[?!$%'`]")
_INTERROGATIVES = frozenset(
    ("what", "which", "who", "whom", "whose", "how", "where", "when", "why")
)
# Nouns that only lead to the one that says what is asked for.
_LEADING = frozenset(("name", "kind", "type", "sort"))
_FOLLOWING = 3  # Words behind the interrogative that are looked at together.
_LETTERS = (2, 5)
_NEAR = 4  # Words of content behind one that it makes a pair with.
_RUNS = (2, 3, 4, 5)  # Lengths of the pieces of a sentence's form.
_REPEATED = frozenset(("x", "Xx"))  # Of such words a run counts as one.


def vectorizers() -> list[Any]:
    """Return what makes each kind of features, weighed by tf-idf; words are the first."""
    kinds = (word_features, asked_features, form_features, pair_features)
    words, *others = (TfidfVectorizer(analyzer=kind, sublinear_tf=True) for kind in kinds)
    return [words, LetterVectorizer(), *others]


class LetterVectorizer:
    """What scikit-learn's ``TfidfVectorizer`` gives of runs of letters, at a third of the time.

    The runs in a word are counted once, not for each text that the word stands in.
    """

    def __init__(self) -> None:
        self._words = CountVectorizer(analyzer=_spaced)
        self._letters = CountVectorizer(analyzer="char_wb", ngram_range=_LETTERS)
        self._weights = TfidfTransformer(sublinear_tf=True)

    def fit_transform(self, texts: Sequence[str]) -> csr_matrix:
        """Learn the runs of letters of ``texts``; return the weights of each, texts by runs."""
        words = self._words.fit_transform(texts)
        runs = self._letters.fit_transform(self._words.get_feature_names_out())
        return self._weights.fit_transform(words @ runs)

    def transform(self, texts: Sequence[str]) -> csr_matrix:
        """Return the weights of the runs of letters that were learnt, texts by runs."""
        return self._weights.transform(self._letters.transform(texts))


def word_features(text: str) -> list[str]:
    """Return the words of ``text``, their stems, and pairs of neighbours with both ends marked."""
    words = _words(text)
    pairs = [f"{one} {two}" for one, two in pairwise(["^", *words, "$"])]
    return [*words, *(f"~{stem(word)}" for word in words), *pairs]


def asked_features(text: str) -> list[str]:
    """Return what tells the kind of thing that ``text`` asks for.

    That is its first interrogative with up to three words after it, and of the first words that
    carry content after it (``first man`` in ``Who was the first man on``) the outer two: their
    stems, and the meanings that the last can have.
    """
    words = _words(text)
    place = next((i for i, word in enumerate(words) if word in _INTERROGATIVES), -1)
    asking = words[place] if place >= 0 else "-"
    following = words[place + 1 :]
    found = [" ".join((asking, *following[:count])) for count in range(_FOLLOWING + 1)]
    content = _first_content(following)
    if content:
        first, last = stem(content[0]), stem(content[-1])
        found += [f"~{last}", f"{asking} ~{last}", f"~{first} ~"]
        found += [f"#{number}" for number in sorted(meanings(last))]
    return found


def form_features(text: str) -> list[str]:
    """Return pieces of how ``text`` is built, in which words of content are only shapes.

    ``Who was Ada Byron ?`` is built like ``who was Xx ?``, and ``What is a fugue ?`` like
    ``what is a x ?``.
    """
    first, *others = _TOKEN.findall(text) or [""]
    form = ["^"]
    # The capital that opens a sentence says nothing.
    for word in (first if first.isupper() else first.lower(), *others):
        shape = _shape(word)
        if shape != form[-1] or shape not in _REPEATED:
            form.append(shape)
    form.append("$")
    return [
        "/".join(form[start : start + length])
        for length in _RUNS
        for start in range(len(form) - length + 1)
    ]


def pair_features(text: str) -> list[str]:
    """Return pairs of words of content that stand near each other, in either order, as stems.

    ``The card was not sent`` and ``please send my card`` have one in common. Function words,
    which part or join words by chance, do not count.
    """
    stems = [stem(word) for word in _words(text) if word.isalnum() and not is_function_word(word)]
    near = (
        f"{one} {other}" if one < other else f"{other} {one}"
        for place, one in enumerate(stems)
        for other in stems[place + 1 : place + 1 + _NEAR]
    )
    return list(dict.fromkeys(near))


def _first_content(words: list[str]) -> list[str]:
    """Return the first run of words that carry content, without nouns that only lead to it."""
    run: list[str] = []
    for word in words:
        carries = word.isalnum() and not is_function_word(word)
        if carries and (run or word not in _LEADING):
            run.append(word)
        elif run:
            break
    return run


@lru_cache(maxsize=50_000)
def _shape(word: str) -> str:
    """Return a word without content as it is, another by its capitals or digits."""
    lower = word.lower()
    if not word.isalnum() or is_function_word(lower) or lower in _INTERROGATIVES:
        return lower
    if word[0].isdigit():
        return "9"
    if len(word) > 1 and word.isupper():
        return "XX"
    return "Xx" if word[0].isupper() else "x"


def _spaced(text: str) -> list[str]:
    return text.lower().split()


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())
