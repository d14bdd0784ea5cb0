"""Comparing runs: their differences, and which are not shown to differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev
from string import ascii_letters
from typing import NamedTuple

from mabench.comparison.entries import Entry, open_comparable, open_entry
from mabench.comparison.pairs import compare_pair
from mabench.comparison.results import ComparedRun, Comparison, Flip, MeanDifference, Pair, RunScore
from mabench.data.inventory import CATEGORIES
from mabench.errors import UsageError
from mabench.results import Intervals, Run, paper_weights
from mabench.suggestions import unknown
from mabench.uncertainty import Grouped
from mabench.uncertainty.paired import ALPHA, holm

_SCORES = ("official", "corrected")


def compare(
    runs: Sequence[Run | Path | str],
    *,
    baseline: Run | Path | str | None = None,
    score: str = "official",
    common: bool = False,
) -> Comparison:
    """Compare runs on the same questions.

    Each run is a ``Run`` or its folder; the folder of a repeated run means all its builds.

    Args:
        runs: at least two runs, or one with a baseline.
        baseline: a run with which each of the others is compared, and which may be among them;
            else every pair is.
        score: ``official`` or ``corrected``.
        common: compare the questions that all were asked, also of unfinished runs.

    Returns:
        The differences of each pair in points: the first run minus the second.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there are too few runs, or runs that are unfinished or differ in data,
            protocol or questions, or have no scored source in common.
    """
    if score not in _SCORES:
        raise UsageError(unknown("unknown score", score, _SCORES), parameter="score")
    if baseline:
        runs = [*(run for run in runs if _folder(run) != _folder(baseline)), baseline]
    entries, sources = open_comparable(runs, score, common=common)
    last = entries[-1]
    couples = [(entry, last) for entry in entries[:-1]] if baseline else combinations(entries, 2)
    pairs = [compare_pair(a, b, sources) for a, b in couples]
    adjusted = holm([pair.headline.p for pair in pairs])
    pairs = [pair.with_adjusted(p) for pair, p in zip(pairs, adjusted, strict=True)]
    standings = _rank_runs(entries, sources, pairs)
    best = max((one.headline for one in standings), key=lambda score: score.score)
    return Comparison(
        score=score,
        runs=tuple(
            _describe(entry, sources, standing, standing.headline.is_like(best))
            for entry, standing in zip(entries, standings, strict=True)
        ),
        pairs=tuple(pairs),
    )


def _folder(run: Run | Path | str) -> Path:
    return (run.folder if isinstance(run, Run) else Path(run)).resolve()


def flipped(pair: Pair, score: str) -> Iterator[Flip]:
    """Yield the questions on which the runs of a pair differ, in the order of the data."""
    first, second = (open_entry(name, score, unfinished=True) for name in (pair.a, pair.b))
    texts = {sample.key: sample.question for sample in first.runs[0].samples()}
    for name in pair.sources:
        questions = sorted(first.questions(name) & second.questions(name))
        scores = [entry.scores(name, questions).mean(axis=0) for entry in (first, second)]
        for key, a, b in zip(questions, *scores, strict=True):
            if a != b:
                split, row, index = key
                yield Flip(
                    source=name,
                    split=split,
                    row=row,
                    question_index=index,
                    question=texts[key],
                    a=float(a),
                    b=float(b),
                )


class _RankedRun(NamedTuple):
    sources: Mapping[str, RunScore]
    columns: Mapping[str, RunScore]  # Of the paper, and its categories, that are complete.
    headline: RunScore  # On what ``Pair.headline`` compares.


def _rank_runs(
    entries: Sequence[Entry], sources: Sequence[str], pairs: Sequence[Pair]
) -> list[_RankedRun]:
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
        _RankedRun(
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
    interval = Intervals.of(groups)
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


def _describe(
    entry: Entry, sources: Sequence[str], standing: _RankedRun, among_best: bool
) -> ComparedRun:
    means = [100 * mean for mean in entry.mean(sources)]
    reasons = {**dict.fromkeys(entry.builds[0], "another run has no score for it"), **entry.without}
    return ComparedRun(
        run=entry.name,
        agent=entry.record.agent,
        builds=len(entry.builds),
        mean=fmean(means),
        **standing._asdict(),
        build_deviation=stdev(means) if len(means) > 1 else None,
        not_compared={name: why for name, why in reasons.items() if name not in sources},
        among_best=among_best,
        calls=entry.calls(),
        memory=entry.memory(sources),
        summaries=tuple(run.summary for run in entry.runs),
    )
