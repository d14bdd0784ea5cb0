"""The scores of runs, the best first, and letters that say which are not shown to differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from string import ascii_letters

from mabench.comparison.adjusting import adjust_holm
from mabench.comparison.entries import Entry
from mabench.comparison.results import ComparedRun, MeanDifference, Pair, RunScore
from mabench.comparison.weights import CATEGORIES, COLUMNS, headline_weights
from mabench.uncertainty import ALPHA, Grouped
from mabench.uncertainty.score_intervals import Intervals


def sort_best_first(entries: Sequence[Entry], sources: Sequence[str]) -> list[Entry]:
    """Return entries by their headline scores, the best first."""
    weights = headline_weights(entries[0], sources)

    def score(entry: Entry) -> float:
        means = {name: float(entry.table(name).scores.mean()) for name in weights}
        return sum(weight * means[name] for name, weight in weights.items())

    return sorted(entries, key=score, reverse=True)


def rank_runs(
    entries: Sequence[Entry], sources: Sequence[str], pairs: Sequence[Pair]
) -> Iterator[ComparedRun]:
    """Yield each run with its scores on sources, complete columns and categories, and overall."""
    differences = [{**pair.sources, **pair.columns, **pair.categories} for pair in pairs]
    every = {**COLUMNS, **CATEGORIES}
    columns = {name: weights for name, weights in every.items() if name in differences[0]}
    ranked = {
        name: _score_runs(entries, pairs, of, [each[name] for each in differences])
        for name, of in {**{name: {name: 1.0} for name in sources}, **columns}.items()
    }
    weights = headline_weights(entries[0], sources)
    headlines = _score_runs(entries, pairs, weights, [pair.headline for pair in pairs])
    best = max(headlines, key=lambda score: score.score)
    for place, entry in enumerate(entries):
        builds = [100 * entry.table(name).scores.mean(axis=1) for name in sources]
        means = [fmean(scores) for scores in zip(*builds, strict=True)]
        reasons = dict.fromkeys(entry.builds[0], "another run has no score for it")
        reasons |= entry.without
        yield ComparedRun(
            run=entry.name,
            agent=entry.record.agent,
            builds=len(entry.builds),
            mean=fmean(means),
            headline=headlines[place],
            sources={name: ranked[name][place] for name in sources},
            columns={name: ranked[name][place] for name in columns},
            build_deviation=stdev(means) if len(means) > 1 else None,
            not_compared={name: why for name, why in reasons.items() if name not in sources},
            among_best=headlines[place].is_like(best),
            calls=entry.calls(),
            memory=entry.memory(sources),
            summaries=tuple(run.summary for run in entry.runs),
        )


def _score_runs(
    entries: Sequence[Entry],
    pairs: Sequence[Pair],
    weights: Mapping[str, float],
    differences: Iterable[MeanDifference],
) -> list[RunScore]:
    """Return the score of each run, with letters if every pair was compared."""
    scores = {}
    for entry in entries:
        tables = ((weight, entry.table(name)) for name, weight in weights.items())
        groups = [(weight, Grouped(of.scores.mean(axis=0), of.histories)) for weight, of in tables]
        interval = Intervals.of(groups)
        if interval and len(entry.builds) > 1:  # It would take another build for the same.
            interval = replace(interval, these_histories=None)
        mean = 100 * sum(weight * group.mean for weight, group in groups)
        n = sum(group.n for _, group in groups)
        scores[entry.name] = RunScore(n=n, score=mean, interval=interval)
    if len(pairs) < len(entries) * (len(entries) - 1) / 2:
        return [*scores.values()]
    adjusted = adjust_holm([difference.p for difference in differences])
    different = [(pair.a, pair.b) for pair, p in zip(pairs, adjusted, strict=True) if p < ALPHA]
    letters = assign_letters({name: one.score for name, one in scores.items()}, different)
    return [replace(one, letters=letters[name]) for name, one in scores.items()]


def assign_letters(
    scores: Mapping[str, float], different: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """Return letters for runs: two that share one are not shown to differ; the best has a.

    A letter stands for a largest set without two that differ (Piepho 2004).
    """
    groups = [frozenset(scores)]
    for pair in different:
        split = [group - {one} for group in groups if group.issuperset(pair) for one in pair]
        split += [group for group in groups if not group.issuperset(pair)]
        groups = [one for one in dict.fromkeys(split) if not any(one < other for other in split)]
    groups.sort(key=lambda group: sorted(-scores[name] for name in group))
    named = [*zip(ascii_letters, groups, strict=False)]
    return {name: "".join(letter for letter, of in named if name in of) for name in scores}
