"""ROUGE-L and ROUGE-Lsum with stemming, equal to the ``rouge-score`` package to the last bit.

The measures are those of Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries".
The longest common subsequence is found with the bit-parallel recurrence of Hyyro (2004): one
integer per token of the prediction holds a whole column of the usual table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from mabench.installation import import_lock

_TOKEN = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3

Tokens = tuple[str, ...]


class Rouge(NamedTuple):
    """F-measure and recall, each from 0 to 1."""

    f1: float
    recall: float


@cache
def _stemmer() -> Callable[[str], str]:
    # Slow to import: only when a score is asked for.
    with import_lock:
        from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@lru_cache(maxsize=1 << 16)
def _stem(token: str) -> str:
    return _stemmer()(token) if len(token) > _LONGEST_UNSTEMMED else token


@lru_cache(maxsize=2048)
def _sentences(text: str) -> tuple[Tokens, ...]:
    """Return the stemmed tokens of each line of ``text`` that is not empty."""
    return tuple(
        tuple(filter(None, map(_stem, _TOKEN.findall(line))))
        for line in text.lower().split("\n")
        if line
    )


@lru_cache(maxsize=2048)
def _tokens(text: str) -> Tokens:
    return tuple(token for sentence in _sentences(text) for token in sentence)


def rouge_l(prediction: str, answer: str) -> Rouge:
    """Score the longest common subsequence of the two texts' tokens."""
    found, wanted = _tokens(prediction), _tokens(answer)
    if found == wanted:
        return _rouge(len(wanted), len(found), len(wanted))
    if set(found).isdisjoint(wanted):
        return Rouge(0.0, 0.0)
    columns = _columns(wanted, found)
    return _rouge(columns[-1].bit_count(), len(found), len(wanted))


def rouge_lsum(prediction: str, answer: str) -> Rouge:
    """Score the union of subsequences that each line of the answer shares with the prediction.

    Lines take the place of sentences; a token counts at most as often as both texts have it.
    """
    found, wanted = _sentences(prediction), _sentences(answer)
    if len(found) <= 1 and len(wanted) <= 1:
        return rouge_l(prediction, answer)  # One line on each side: nothing to unite.
    shared = Counter(_tokens(prediction)) & Counter(_tokens(answer))
    hits = 0
    for sentence in wanted if shared else ():
        for position in sorted(_union(sentence, found)):
            if shared[sentence[position]]:
                shared[sentence[position]] -= 1
                hits += 1
    return _rouge(hits, sum(map(len, found)), sum(map(len, wanted)))


def _rouge(hits: int, found: int, wanted: int) -> Rouge:
    if not hits:
        return Rouge(0.0, 0.0)
    precision, recall = hits / found, hits / wanted
    return Rouge(2 * precision * recall / (precision + recall), recall)


def _union(sentence: Tokens, others: Sequence[Tokens]) -> set[int]:
    """Return the positions in ``sentence`` of its subsequences common with any of ``others``."""
    own = set(sentence)
    return {
        position
        for other in others
        if not own.isdisjoint(other)
        for position in _common_positions(sentence, other)
    }


def _columns(wanted: Tokens, found: Tokens) -> list[int]:
    """Return, for each prefix of ``found``, where the subsequence's length grows in ``wanted``.

    Bit i of item j tells that the longest common subsequence with ``found[:j]`` is longer for
    ``wanted[: i + 1]`` than for ``wanted[:i]``.
    """
    places: dict[str, int] = {}
    for position, token in enumerate(wanted):
        places[token] = places.get(token, 0) | 1 << position
    every = (1 << len(wanted)) - 1
    level, columns = every, [0]
    for token in found:
        matches = level & places.get(token, 0)
        if matches:
            level = (level + matches | level - matches) & every
        columns.append(every ^ level)
    return columns


def _common_positions(wanted: Tokens, found: Tokens) -> list[int]:
    """Return the positions in ``wanted`` of one longest common subsequence.

    Several may be longest; this walks back as ``rouge-score`` does (a match first, then the
    shorter ``wanted``), because the union over lines depends on which one is taken.
    """
    columns = _columns(wanted, found)
    positions = []
    i, j = len(wanted), len(found)
    while i and j:
        if wanted[i - 1] == found[j - 1]:
            i, j = i - 1, j - 1
            positions.append(i)
        elif columns[j] >> (i - 1) & 1:
            j -= 1
        else:
            i -= 1
    return positions
