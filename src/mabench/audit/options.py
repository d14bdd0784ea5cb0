"""How often guesses are right where questions have lettered options.

If the longest option, or one letter, is right more often than chance explains, an agent scores by
guessing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from string import ascii_uppercase

from mabench.json_text import JsonRecord
from mabench.text import parse_options, right_option

_PERCENT = 100
# Standard errors above chance. Of guesses that get no more than chance, 1 in 1,000 is beyond.
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
        """Begin with no question."""
        self._questions = 0
        self._right_by_place: Counter[int] = Counter()  # How often the option at a place is right.
        self._right_if_longest = 0  # How often the longest option is right.
        self._most_options = 0  # Of one question.
        self._expected = 0.0  # How often a random guess is right: the mean and the variance.
        self._variance = 0.0

    def add(self, question: str, golds: Sequence[str]) -> None:
        """Add a question, if one of its lettered options is right."""
        options = parse_options(question)
        right_place = right_option(golds, options)
        if right_place is None or options[right_place].letter is None:
            return
        self._questions += 1
        self._right_by_place[right_place] += 1
        lengths = [len(option.text) for option in options]
        longest_place = lengths.index(max(lengths))  # The first of several.
        if longest_place == right_place:
            self._right_if_longest += 1
        self._most_options = max(self._most_options, len(options))
        chance = 1 / len(options)
        self._expected += chance
        self._variance += (1 - chance) / len(options)

    def summary(self) -> GuessScores | None:
        """Return what guesses get, in percent; None if no question has options."""
        if self._questions == 0:
            return None
        best_guess = max(self._right_if_longest, *self._right_by_place.values())
        return GuessScores(
            questions=self._questions,
            chance=_PERCENT * self._expected / self._questions,
            longest=_PERCENT * self._right_if_longest / self._questions,
            letters={
                letter: _PERCENT * self._right_by_place[place] / self._questions
                for place, letter in enumerate(ascii_uppercase[: self._most_options])
            },
            uneven=best_guess - self._expected > _FAR * sqrt(self._variance),
        )
