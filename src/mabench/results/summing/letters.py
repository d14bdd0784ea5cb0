"""Which letters of options answers choose, beside those of the golds."""

from __future__ import annotations

from collections import Counter
from string import ascii_uppercase

from mabench.results.records.lines import Sample
from mabench.results.summaries import LettersSummary
from mabench.text import chosen_option, parse_options, right_option
from mabench.uncertainty import LetteredAnswer, compare_letters


class LetterTally:
    """Counts the letters that answers choose; no more than numbers is kept of one."""

    def __init__(self) -> None:
        self._counts: Counter[LetteredAnswer] = Counter()

    def add(self, sample: Sample) -> None:
        """Add a question, if it has lettered options, one of which is right and one was chosen."""
        options = parse_options(sample.question)
        if not options or options[0].letter is None or sample.prediction is None:
            return
        gold = right_option(sample.answers, options)
        chosen = chosen_option(sample.prediction, options)
        if gold is not None and chosen is not None:
            self._counts[LetteredAnswer(len(options), gold, chosen)] += 1

    def summary(self) -> LettersSummary | None:
        """Return what was counted; None if nothing was."""
        if not self._counts:
            return None
        letters = ascii_uppercase[: max(answer.options for answer in self._counts)]
        chosen, golds = Counter[int](), Counter[int]()
        for answer, count in self._counts.items():
            chosen[answer.chosen] += count
            golds[answer.gold] += count
        return LettersSummary(
            answers=self._counts.total(),
            chosen={letter: chosen[place] for place, letter in enumerate(letters)},
            golds={letter: golds[place] for place, letter in enumerate(letters)},
            p=compare_letters(self._counts),
        )
