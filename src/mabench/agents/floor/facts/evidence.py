"""How far the words of a question speak of the relations of a ledger."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import NamedTuple

from mabench.agents.floor.facts.kinds import kinds_of_steps
from mabench.agents.floor.facts.book import Ledger, Step
from mabench.agents.floor.facts.likeness import content_stems, likeness

_HIGHEST = 3.7  # The weight of a word that one relation alone has, however many there are.
_KIND = 0.8  # What a word counts for that names the kind of name to which a step leads.


class Word(NamedTuple):
    """A content word of a question: its stem, and how many stand between it and the name."""

    stem: str
    distance: int


Words = tuple[Word, ...]
Stems = tuple[str, ...]


class Heard(NamedTuple):
    """What the words of a question say of a step.

    Attributes:
        left: the words that say nothing of it; of a word said twice, the farther one.
        explained: the weight of the words that do.
        coverage: the share, by weight, of the step's own words that the question has.
        distance: the mean distance of the words that speak of it, by weight.
    """

    left: Words
    explained: float
    coverage: float
    distance: float


class _Share(NamedTuple):
    """What one word says of a step in the words of a frame.

    ``covered`` holds, for each stem of the frame, how much of its weight the word covers.
    """

    explained: float
    covered: tuple[float, ...]


class Evidence:
    """Compares questions with the relations of a ledger, word by word; words are stems."""

    def __init__(self, ledger: Ledger) -> None:
        self._frames = [
            [content_stems(member.frame.words) for member in group] for group in ledger.relations
        ]
        counts = Counter(word for frames in self._frames for word in frozenset().union(*frames))
        size = len(self._frames)
        self._weights = {
            word: _HIGHEST * math.log1p(size / count) / math.log1p(size)
            for word, count in counts.items()
        }
        self._kinds = kinds_of_steps(ledger)
        self._named_kinds = frozenset(kind for kinds in self._kinds.values() for kind in kinds)
        self._near = cache(self._words_like)
        self._share = cache(self._shares)

    def weight(self, word: str) -> float:
        """Return how telling a word of a question is; 0 when no relation has one like it."""
        near = self._near(word)
        return max((self._weights[other] * alike for other, alike in near.items()), default=0.0)

    def is_kind(self, word: str) -> bool:
        """Say whether a word names a kind of names."""
        return any(likeness(word, kind) for kind in self._named_kinds)

    def kind(self, word: str, step: Step) -> float:
        """Return how far ``word`` names the kind of name to which ``step`` leads, up to 1."""
        kinds = self._kinds[step]
        return max((share * likeness(word, kind) for kind, share in kinds.items()), default=0.0)

    def heard(self, words: Words, step: Step) -> Heard:
        """Return what the words of a question say of ``step``.

        They say it in one way, that of the frame which explains and covers the most.
        """
        ways = (self._heard(words, step, stems) for stems in self._frames[step.relation])
        return max(ways, key=lambda way: way.explained + way.coverage)

    def _heard(self, words: Words, step: Step, stems: Stems) -> Heard:
        first = {word.stem: word for word in reversed(words)}
        heard = {word: self._share(word.stem, step, stems) for word in first.values()}
        speaking = {word: share.explained for word, share in heard.items() if share.explained}
        explained = sum(speaking.values())
        distance = sum(word.distance * weight for word, weight in speaking.items())
        covered = sum(map(max, zip(*(share.covered for share in heard.values()), strict=True)))
        return Heard(
            left=tuple(word for word in words if word not in speaking),
            explained=explained,
            coverage=covered / (sum(map(self._weights.__getitem__, stems)) or 1.0),
            distance=distance / explained if explained else 0.0,
        )

    def _shares(self, word: str, step: Step, stems: Stems) -> _Share:
        near = self._near(word)
        alike = [near.get(stem, 0.0) for stem in stems]
        return _Share(
            max(*alike, _KIND * self.kind(word, step), 0.0) * self.weight(word),
            tuple(like * self._weights[stem] for like, stem in zip(alike, stems, strict=True)),
        )

    def _words_like(self, word: str) -> dict[str, float]:
        return {other: alike for other in self._weights if (alike := likeness(word, other))}
