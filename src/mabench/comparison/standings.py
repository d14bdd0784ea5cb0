"""What each run has on what is compared, and which runs are not shown to differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_letters
from typing import NamedTuple

from mabench.comparison.entries import Entry
from mabench.comparison.results import MeanDifference, Pair, RunScore
from mabench.data.inventory import CATEGORIES
from mabench.results import Intervals, paper_weights
from mabench.uncertainty import (
    MIN_HISTORIES,
    Grouped,
    Part,
    Spread,
    combine,
    new_histories,
    spread,
    student,
    these_histories,
)
from mabench.uncertainty.paired import ALPHA, holm


class _Scores:
    """What a run has on a source, in the mean of its builds."""

    def __init__(self, entry: Entry, source: str) -> None:
        questions = sorted(entry.questions(source))
        builds = entry.scores(source, questions)
        histories = [(split, row) for split, row, _ in questions]
        self.scores = Grouped.of(builds.mean(axis=0), histories)
        self.between = []  # The builds, where there are several.
        if len(builds) > 1:
            variance = float(builds.mean(axis=1).var(ddof=1)) / len(builds)
            self.between = [Part(1.0, 0.0, Spread(variance, len(builds) - 1))]

    def spread(self, *, new: bool) -> Spread:
        """Return how uncertain the mean is; over new histories, builds vary in any case."""
        own = spread(self.scores, new=new)
        if new and self.scores.groups >= MIN_HISTORIES:
            return own
        return combine([Part(1.0, 0.0, own), *self.between])[1]

    def intervals(self) -> Intervals:
        """Return the intervals of the mean, in percent."""
        these, new = these_histories(self.scores), new_histories(self.scores)
        if these and self.between:
            these = student(self.scores.mean, self.spread(new=False), 0.0, 1.0)
        return Intervals(these_histories=these and these.percent, new_histories=new and new.percent)


class Standing(NamedTuple):
    """The scores of a run on all that is compared."""

    sources: Mapping[str, RunScore]
    columns: Mapping[str, RunScore]  # Of the paper, and its categories, that are complete.
    headline: RunScore  # On what ``Pair.headline`` compares.


def rank_runs(
    entries: Sequence[Entry], sources: Sequence[str], pairs: Sequence[Pair]
) -> list[Standing]:
    """Return how each run stands; letters take every pair, and there are none with a baseline."""
    (first, *_) = pairs
    columns = {name: paper_weights(name) for name in first.columns}
    columns |= {each.name: paper_weights(*each.columns) for each in CATEGORIES}
    columns = {name: of for name, of in columns.items() if name in _columns(first)}
    overall = paper_weights() if first.overall else dict.fromkeys(sources, 1 / len(sources))
    parts = [{name: _Scores(entry, name) for name in sources} for entry in entries]

    def rank(weights: Mapping[str, float], differences: Iterable[MeanDifference]) -> list[RunScore]:
        scores = [_score(weights, of_run) for of_run in parts]
        adjusted = holm([difference.p for difference in differences])
        names = [entry.name for entry in entries]
        different = {
            frozenset(map(names.index, (pair.a, pair.b)))
            for pair, p in zip(pairs, adjusted, strict=True)
            if p < ALPHA
        }
        if len(pairs) < len(entries) * (len(entries) - 1) / 2:
            return scores
        letters = _letters([score.score for score in scores], different)
        return [replace(one, letters=of) for one, of in zip(scores, letters, strict=True)]

    by_source = {name: rank({name: 1.0}, [p.sources[name] for p in pairs]) for name in sources}
    by_column = {
        name: rank(weights, [_columns(pair)[name] for pair in pairs])
        for name, weights in columns.items()
    }
    headlines = rank(overall, [pair.headline for pair in pairs])
    return [
        Standing(
            {name: scores[place] for name, scores in by_source.items()},
            {name: scores[place] for name, scores in by_column.items()},
            headlines[place],
        )
        for place in range(len(entries))
    ]


def _columns(pair: Pair) -> Mapping[str, MeanDifference]:
    return {**pair.columns, **pair.categories}


def _score(weights: Mapping[str, float], parts: Mapping[str, _Scores]) -> RunScore:
    n = sum(parts[name].scores.n for name in weights)
    if len(weights) == 1:
        (only,) = (parts[name] for name in weights)
        return RunScore(n=n, score=100 * only.scores.mean, interval=only.intervals())
    (mean, these), (_, new) = (
        combine(
            Part(weight, parts[name].scores.mean, parts[name].spread(new=over_new))
            for name, weight in weights.items()
        )
        for over_new in (False, True)
    )
    several = any(parts[name].scores.groups >= MIN_HISTORIES for name in weights)
    limits = student(mean, new, 0.0, 1.0).percent if several else None
    interval = Intervals(
        these_histories=student(mean, these, 0.0, 1.0).percent, new_histories=limits
    )
    return RunScore(n=n, score=100 * mean, interval=interval)


def _letters(scores: Sequence[float], different: Collection[frozenset[int]]) -> list[str]:
    """Return letters so that two share one where they are not shown to differ; the best has a.

    These are the largest sets without two that differ (Piepho 2004).
    """
    groups = [frozenset(range(len(scores)))]
    for pair in different:
        split = [group - {one} for group in groups if pair <= group for one in pair]
        split += [group for group in groups if not pair <= group]
        groups = [one for one in dict.fromkeys(split) if not any(one < other for other in split)]
    groups.sort(key=lambda group: sorted(-scores[place] for place in group))
    named = [*zip(ascii_letters, groups, strict=False)]
    return [
        "".join(letter for letter, group in named if place in group) for place in range(len(scores))
    ]
