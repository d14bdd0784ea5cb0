"""What guesses get where questions have lettered options, and which letters are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from string import ascii_uppercase

from mabench.json_text import JsonRecord
from mabench.text import parse_options, right_option

_PERCENT = 100
# In standard errors: of a guess that gets no more than chance, 1 in 1,000 is beyond.
_FAR = 3.1


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessScores(JsonRecord):
    """How many of 100 questions with lettered options guesses get right."""

    questions: int  # How many have options, one of which is right.
    chance: float  # What any option at random gets.
    longest: float  # What the longest option gets, by characters; the first of several.
    letters: Mapping[str, float]  # What each letter gets, which is how often it is the gold.
    # Whether the longest option, or a letter, gets more than can be chance (p < 0.001 each).
    uneven: bool


class GuessTally:
    """Counts what guesses get in the questions of one source."""

    def __init__(self) -> None:
        self._golds: Counter[int] = Counter()
        self._longest = self._questions = self._most = 0
        self._chance = self._variance = 0.0

    def add(self, question: str, golds: Sequence[str]) -> None:
        """Add a question, if one of its lettered options is right."""
        options = parse_options(question)
        gold = right_option(golds, options)
        if gold is None or options[gold].letter is None:
            return
        lengths = [len(option.text) for option in options]
        self._questions += 1
        self._golds[gold] += 1
        self._longest += lengths.index(max(lengths)) == gold
        self._most = max(self._most, len(options))
        self._chance += 1 / len(options)
        self._variance += (1 - 1 / len(options)) / len(options)

    def summary(self) -> GuessScores | None:
        """Return what guesses get; None without questions with options."""
        if not self._questions:
            return None
        most = max(self._longest, *self._golds.values())
        return GuessScores(
            questions=self._questions,
            chance=_PERCENT * self._chance / self._questions,
            longest=_PERCENT * self._longest / self._questions,
            letters={
                letter: _PERCENT * self._golds[place] / self._questions
                for place, letter in enumerate(ascii_uppercase[: self._most])
            },
            uneven=most - self._chance > _FAR * sqrt(self._variance),
        )
