"""How far the words of a question speak of the relations of a ledger."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from mabench.agents.floor.facts.kinds import kinds_of_steps
from mabench.agents.floor.facts.ledger import Ledger, Step
from mabench.agents.floor.facts.likeness import content_stems, likeness

_KIND = 0.8  # What a word counts for that names the kind of name to which a step leads.


class Heard(NamedTuple):
    """What of a question speaks of a step.

    Attributes:
        words: for each word of the question, how much of its weight the step explains.
        coverage: the share, by weight, of the step's own words that the question has.
    """

    words: tuple[float, ...]
    coverage: float


class Evidence:
    """Compares questions with the relations of a ledger, word by word; words are stems."""

    def __init__(self, ledger: Ledger) -> None:
        self._frames = [
            [content_stems(member.frame.words) for member in group] for group in ledger.relations
        ]
        self._stems = [frozenset().union(*frames) for frames in self._frames]
        counts = Counter(word for stems in self._stems for word in stems)
        self._weights = {
            word: math.log(1 + len(self._stems) / count) for word, count in counts.items()
        }
        self._kinds = kinds_of_steps(ledger)
        self._named_kinds = frozenset(kind for kinds in self._kinds.values() for kind in kinds)
        self._near = cache(self._words_like)

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

    def heard(self, words: Sequence[str], step: Step, use: int = 1) -> Heard:
        """Return what of the words of a question speaks of ``step``.

        A word speaks of one use of a relation; ``use`` counts how often the relation is used,
        with this one.
        """
        explained = [
            self.weight(word) * max(self._says(word, step), _KIND * self.kind(word, step))
            if words[:place].count(word) < use
            else 0.0
            for place, word in enumerate(words)
        ]
        frames = self._frames[step.relation]
        return Heard(tuple(explained), max(self._coverage(words, stems, use) for stems in frames))

    def _says(self, word: str, step: Step) -> float:
        stems = self._stems[step.relation]
        near = self._near(word).items()
        return max((alike for other, alike in near if other in stems), default=0.0)

    def _coverage(self, words: Sequence[str], stems: Sequence[str], use: int) -> float:
        total = sum(self._weights[stem] for stem in stems)
        said = 0.0
        for stem in stems:
            alike = sorted((self._near(word).get(stem, 0.0) for word in words), reverse=True)
            said += self._weights[stem] * alike[use - 1] if use <= len(alike) else 0.0
        return said / total if total else 0.0

    def _words_like(self, word: str) -> dict[str, float]:
        return {other: alike for other in self._weights if (alike := likeness(word, other))}
