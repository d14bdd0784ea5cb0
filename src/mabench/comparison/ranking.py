"""The scores of runs, the best first, and letters that say which are not shown to differ.

An entry is a run, or several builds of it: runs of the same settings. Its headline is the overall
score where it is complete, else the mean of the compared sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import comb
from statistics import fmean, stdev
from string import ascii_letters

from mabench.comparison.adjusting import adjust_holm
from mabench.comparison.entries import Entry
from mabench.comparison.paired_scores import add_spreads, spread_of_builds
from mabench.comparison.pairs import PairedRuns
from mabench.comparison.results import ComparedRun, RunScore
from mabench.comparison.tables import BuildScores
from mabench.comparison.weights import CATEGORIES, COLUMNS, headline_weights
from mabench.uncertainty import ALPHA, Estimate, WeightedPart
from mabench.uncertainty.score_intervals import Intervals


def sort_best_first(entries: Sequence[Entry], sources: Sequence[str]) -> list[Entry]:
    """Return entries by their headline scores, the best first."""
    weights = headline_weights(entries[0], sources)

    def headline(entry: Entry) -> float:
        return sum(
            weight * float(entry.table(name).scores.mean()) for name, weight in weights.items()
        )

    return sorted(entries, key=headline, reverse=True)


def rank_runs(
    entries: Sequence[Entry], sources: Sequence[str], pairs: Sequence[PairedRuns]
) -> Iterator[ComparedRun]:
    """Yield each run with its scores on sources, complete columns and categories, and overall."""
    complete = entries[0].complete(sources)
    source_scores = {name: _score_runs(entries, pairs, {name: 1.0}) for name in sources}
    column_scores = {
        name: _score_runs(entries, pairs, weights)
        for name, weights in {**COLUMNS, **CATEGORIES}.items()
        if complete.issuperset(weights)
    }
    headlines = _score_runs(entries, pairs, headline_weights(entries[0], sources))
    best = max(headlines, key=lambda headline: headline.score)
    for place, entry in enumerate(entries):
        # The score of each build by source, and then the mean over sources by build.
        build_scores = [100 * entry.table(name).scores.mean(axis=1) for name in sources]
        build_means = [fmean(scores) for scores in zip(*build_scores, strict=True)]
        reasons = dict.fromkeys(entry.sources, "another run has no score for it")
        reasons |= entry.without
        yield ComparedRun(
            run=entry.name,
            agent=entry.agent,
            builds=entry.builds_count,
            mean=fmean(build_means),
            headline=headlines[place],
            sources={name: scores[place] for name, scores in source_scores.items()},
            columns={name: scores[place] for name, scores in column_scores.items()},
            build_deviation=stdev(build_means) if len(build_means) > 1 else None,
            not_compared={name: why for name, why in reasons.items() if name not in sources},
            among_best=headlines[place].is_like(best),
            calls=entry.calls(),
            memory=entry.memory(sources),
            summaries=entry.summaries,
        )


def _score_runs(
    entries: Sequence[Entry], pairs: Sequence[PairedRuns], weights: Mapping[str, float]
) -> list[RunScore]:
    """Return the score of each run on a mean of sources, with letters if every pair was compared.

    ``weights`` are those of the sources in the mean.
    """
    scores = {entry.name: _score_run(entry, weights) for entry in entries}
    if len(pairs) < comb(len(entries), 2):
        return [*scores.values()]
    adjusted = adjust_holm([pair.mean(weights).p for pair in pairs])
    different = [
        (pair.first.name, pair.second.name)
        for pair, p in zip(pairs, adjusted, strict=True)
        if p < ALPHA
    ]
    letters = assign_letters({name: run.score for name, run in scores.items()}, different)
    return [replace(run, letters=letters[name]) for name, run in scores.items()]


def _score_run(entry: Entry, weights: Mapping[str, float]) -> RunScore:
    """Return the score of a run on a mean of sources, with its intervals and without letters."""
    tables = [(weight, entry.table(name)) for name, weight in weights.items()]
    groups = [(weight, table.group(table.scores.mean(axis=0))) for weight, table in tables]
    interval = Intervals.of(groups)
    if interval and entry.builds_count > 1:  # Another build might score otherwise.
        parts = [_part_with_builds(weight, table) for weight, table in tables]
        these = Estimate(*WeightedPart.combine(parts))
        interval = replace(interval, these_histories=these.interval(0.0, 1.0).percent)
    mean = 100 * sum(weight * group.mean for weight, group in groups)
    return RunScore(n=sum(group.n for _, group in groups), score=mean, interval=interval)


def _part_with_builds(weight: float, table: BuildScores) -> WeightedPart:
    """Return a source's part in a mean, uncertain by its questions and by its builds."""
    group = table.group(table.scores.mean(axis=0))
    spread = add_spreads([group.spread_of_these, spread_of_builds(table.scores)])
    return WeightedPart(weight, group.mean, spread)


def assign_letters(
    scores: Mapping[str, float], different: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """Return letters for runs: two that share one are not shown to differ; the best has a.

    A letter is for a largest set without two that differ (Piepho 2004). There are 52 letters, and
    sets after that have none.

    Args:
        scores: by the name of the run.
        different: the pairs that are shown to differ.
    """
    groups = [frozenset(scores)]
    for pair in different:
        # A group that has both becomes two groups, each without one of them.
        split: list[frozenset[str]] = []
        for group in groups:
            if group.issuperset(pair):
                split += [group - {name} for name in pair]
        split += [group for group in groups if not group.issuperset(pair)]
        # Groups within others say nothing new.
        distinct = dict.fromkeys(split)
        groups = [group for group in distinct if not any(group < other for other in split)]
    # The group with the best run comes first, and has the letter a; then the second best counts.
    groups.sort(key=lambda group: sorted(-scores[name] for name in group))
    letters = dict.fromkeys(scores, "")
    for letter, group in zip(ascii_letters, groups, strict=False):
        for name in group:
            letters[name] += letter
    return letters
