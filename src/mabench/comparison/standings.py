"""What each run has on what is compared, and which runs are not shown to differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_letters
from typing import NamedTuple

from mabench.comparison.entries import Entry
from mabench.comparison.results import MeanDifference, Pair, RunScore
from mabench.data.inventory import CATEGORIES
from mabench.results import mean_intervals, paper_weights
from mabench.uncertainty import Grouped
from mabench.uncertainty.paired import ALPHA, holm


class RankedAgent(NamedTuple):
    """The scores of a run on all that is compared."""

    sources: Mapping[str, RunScore]
    columns: Mapping[str, RunScore]  # Of the paper, and its categories, that are complete.
    headline: RunScore  # On what ``Pair.headline`` compares.


def rank_runs(
    entries: Sequence[Entry], sources: Sequence[str], pairs: Sequence[Pair]
) -> list[RankedAgent]:
    """Return how each run stands; letters take every pair, and there are none with a baseline."""
    (first, *_) = pairs
    columns = {name: paper_weights(name) for name in first.columns}
    columns |= {each.name: paper_weights(*each.columns) for each in CATEGORIES}
    columns = {name: of for name, of in columns.items() if name in _columns(first)}
    overall = paper_weights() if first.overall else dict.fromkeys(sources, 1 / len(sources))

    def rank(weights: Mapping[str, float], differences: Iterable[MeanDifference]) -> list[RunScore]:
        scores = [_score(entry, weights) for entry in entries]
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
        RankedAgent(
            {name: scores[place] for name, scores in by_source.items()},
            {name: scores[place] for name, scores in by_column.items()},
            headlines[place],
        )
        for place in range(len(entries))
    ]


def _columns(pair: Pair) -> Mapping[str, MeanDifference]:
    return {**pair.columns, **pair.categories}


def _score(entry: Entry, weights: Mapping[str, float]) -> RunScore:
    builds, groups = 0, []
    for name, weight in weights.items():
        questions = sorted(entry.questions(name))
        scores = entry.scores(name, questions)
        histories = [(split, row) for split, row, _ in questions]
        groups.append((weight, Grouped.of(scores.mean(axis=0), histories)))
        builds = len(scores)
    interval = mean_intervals(groups)
    if interval and builds > 1:  # It would be as if another build were the same.
        interval = replace(interval, these_histories=None)
    mean = sum(weight * group.mean for weight, group in groups)
    return RunScore(n=sum(group.n for _, group in groups), score=100 * mean, interval=interval)


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
