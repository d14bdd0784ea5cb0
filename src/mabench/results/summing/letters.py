"""Counts which letters of options answers choose, to compare them with those of the golds.

This shows whether an agent prefers a letter, whatever the question.
"""

from __future__ import annotations

from collections import Counter
from string import ascii_uppercase

from mabench.results.records.lines import Sample
from mabench.results.summaries import LettersSummary
from mabench.text import chosen_option, parse_options, right_option
from mabench.uncertainty import LetteredAnswer, compare_letters


class LetterTally:
    """Counts the letters that answers choose; nothing but numbers is kept of an answer."""

    def __init__(self) -> None:
        self._counts: Counter[LetteredAnswer] = Counter()

    def add(self, sample: Sample) -> None:
        """Add a question, if it has lettered options, one of which is right and one was chosen."""
        options = parse_options(sample.question)
        has_letters = bool(options) and options[0].letter is not None
        if not has_letters or sample.prediction is None:
            return
        gold = right_option(sample.answers, options)
        chosen = chosen_option(sample.prediction, options)
        if gold is not None and chosen is not None:
            self._counts[LetteredAnswer(len(options), gold, chosen)] += 1

    def summary(self) -> LettersSummary | None:
        """Return how often each letter was chosen and was the gold; None if none was counted."""
        if not self._counts:
            return None
        most_options = max(answer.options for answer in self._counts)
        letters = ascii_uppercase[:most_options]
        chosen, golds = Counter[int](), Counter[int]()  # By the place of the letter.
        for answer, count in self._counts.items():
            chosen[answer.chosen] += count
            golds[answer.gold] += count
        return LettersSummary(
            answers=self._counts.total(),
            chosen={letter: chosen[place] for place, letter in enumerate(letters)},
            golds={letter: golds[place] for place, letter in enumerate(letters)},
            p=compare_letters(self._counts),
        )
