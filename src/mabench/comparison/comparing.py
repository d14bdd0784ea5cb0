"""Comparing runs: their differences, how sure these are, and which are not shown to differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from string import ascii_letters
from typing import TypeVar

import numpy as np

from mabench.comparison.entries import Entry
from mabench.comparison.results import (
    ComparedRun,
    Comparison,
    DifferenceInterval,
    Flip,
    MeanDifference,
    Pair,
    RunScore,
    SourceDifference,
)
from mabench.data.inventory import BY_NAME, CATEGORIES
from mabench.errors import UsageError, unknown
from mabench.results import PARTS, Intervals, Run, is_same_place, paper_weights
from mabench.uncertainty import (
    ALPHA,
    MIN_HISTORIES,
    Grouped,
    Interval,
    Part,
    Spread,
    compare_paired,
)

_D = TypeVar("_D", bound=MeanDifference)
_SCORES = ("official", "corrected")
# What weight each source has in a mean.
_COLUMNS = {name: paper_weights(name) for category in CATEGORIES for name in category.columns}
_CATEGORIES = {category.name: paper_weights(*category.columns) for category in CATEGORIES}


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
        The runs, the best first, and the differences of each pair in points: the better run minus
        the other, or each run minus the baseline.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there are too few runs, or runs that are unfinished or differ in data,
            protocol or questions, or have no scored source in common.
    """
    if score not in _SCORES:
        raise UsageError(unknown("unknown score", score, _SCORES), parameter="score")
    if baseline:
        held_to = _folder(baseline)
        runs = [*(run for run in runs if not is_same_place(_folder(run), held_to)), baseline]
    entries, sources = Entry.open_comparable(runs, score, common=common)
    last = entries[-1]
    entries = _best_first(entries, sources)
    if baseline:
        couples = [(entry, last) for entry in entries if entry is not last]
    else:
        couples = [*combinations(entries, 2)]
    pairs = [_compare_pair(a, b, sources) for a, b in couples]
    adjusted = _holm([pair.headline.p for pair in pairs])
    pairs = [pair.with_adjusted(p) for pair, p in zip(pairs, adjusted, strict=True)]
    ranked = tuple(_rank_runs(entries, sources, pairs))
    return Comparison(score=score, runs=ranked, pairs=tuple(pairs))


def _folder(run: Run | Path | str) -> Path:
    return run.folder if isinstance(run, Run) else Path(run)


def _best_first(entries: Sequence[Entry], sources: Sequence[str]) -> list[Entry]:
    weights = _headline_weights(entries[0], sources)

    def score(entry: Entry) -> float:
        means = {name: float(entry.table(name).scores.mean()) for name in weights}
        return sum(weight * means[name] for name, weight in weights.items())

    return sorted(entries, key=score, reverse=True)


def _headline_weights(entry: Entry, sources: Sequence[str]) -> Mapping[str, float]:
    """Return the weights of the overall score if it is complete, else of the mean of sources."""
    overall = paper_weights()
    if _complete_sources(entry, sources).issuperset(overall):
        return overall
    return dict.fromkeys(sources, 1 / len(sources))


def _complete_sources(entry: Entry, sources: Iterable[str]) -> set[str]:
    """Return the sources of the inventory of which every question was asked."""
    return {
        name
        for name in sources
        if entry.record.data.benchmark
        and name in BY_NAME
        and len(entry.questions(name)) == BY_NAME[name].questions
    }


def flipped(pair: Pair, score: str) -> Iterator[Flip]:
    """Yield the questions on which the runs of a pair differ, in the order of the data."""
    couple, _ = Entry.open_comparable([pair.a, pair.b], score, common=True)
    texts = {sample.key: sample.question for sample in couple[0].runs[0].samples()}
    for name in pair.sources:
        scores = (entry.table(name).scores.mean(axis=0) for entry in couple)
        for key, a, b in zip(sorted(couple[0].questions(name)), *scores, strict=True):
            if a != b:
                place = dict(zip(("split", "row", "question_index"), key, strict=True))
                question = texts[key]
                yield Flip(source=name, **place, question=question, a=float(a), b=float(b))


def _rank_runs(
    entries: Sequence[Entry], sources: Sequence[str], pairs: Sequence[Pair]
) -> Iterator[ComparedRun]:
    """Yield how each run stands on the sources, the complete columns and categories, and all."""
    differences = [{**pair.sources, **pair.columns, **pair.categories} for pair in pairs]
    every = {**_COLUMNS, **_CATEGORIES}
    columns = {name: weights for name, weights in every.items() if name in differences[0]}
    ranked = {
        name: _rank(entries, pairs, of, [each[name] for each in differences])
        for name, of in {**{name: {name: 1.0} for name in sources}, **columns}.items()
    }
    weights = _headline_weights(entries[0], sources)
    headlines = _rank(entries, pairs, weights, [pair.headline for pair in pairs])
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


def _rank(
    entries: Sequence[Entry],
    pairs: Sequence[Pair],
    weights: Mapping[str, float],
    differences: Iterable[MeanDifference],
) -> list[RunScore]:
    """Return the score of each run; letters take every pair, and there are none with a baseline."""
    scores = {}
    for entry in entries:
        tables = ((weight, entry.table(name)) for name, weight in weights.items())
        groups = [(weight, Grouped(of.scores.mean(axis=0), of.histories)) for weight, of in tables]
        interval = Intervals.of(groups)
        if interval and len(entry.builds) > 1:  # It would be as if another build were the same.
            interval = replace(interval, these_histories=None)
        mean = 100 * sum(weight * group.mean for weight, group in groups)
        n = sum(group.n for _, group in groups)
        scores[entry.name] = RunScore(n=n, score=mean, interval=interval)
    if len(pairs) < len(entries) * (len(entries) - 1) / 2:
        return [*scores.values()]
    adjusted = _holm([difference.p for difference in differences])
    different = [(pair.a, pair.b) for pair, p in zip(pairs, adjusted, strict=True) if p < ALPHA]
    letters = _letters({name: one.score for name, one in scores.items()}, different)
    return [replace(one, letters=letters[name]) for name, one in scores.items()]


def _letters(scores: Mapping[str, float], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return letters so that two share one where they are not shown to differ; the best has a.

    These are the largest sets without two that differ (Piepho 2004).
    """
    groups = [frozenset(scores)]
    for pair in different:
        split = [group - {one} for group in groups if group.issuperset(pair) for one in pair]
        split += [group for group in groups if not group.issuperset(pair)]
        groups = [one for one in dict.fromkeys(split) if not any(one < other for other in split)]
    groups.sort(key=lambda group: sorted(-scores[name] for name in group))
    named = [*zip(ascii_letters, groups, strict=False)]
    return {name: "".join(letter for letter, of in named if name in of) for name in scores}


def _holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number, so that no false one is to be expected.

    Holm (1979): the family-wise error rate stays below 5 %.
    """
    order, adjusted = np.argsort(values, kind="stable"), np.empty(len(values))
    times = np.arange(len(values), 0, -1) * np.asarray(values)[order]
    adjusted[order] = np.maximum.accumulate(np.minimum(times, 1.0))
    return [float(p) for p in adjusted]


class _PairedScores:
    """What two runs have on one source, or on its questions of one type.

    With ``part`` it is the shares of the questions that have it, in place of scores.
    """

    def __init__(
        self, couple: Sequence[Entry], name: str, kind: str | None = None, part: str | None = None
    ) -> None:
        tables = [entry.table(name) for entry in couple]
        scores = [table.parts[part] if part else table.scores for table in tables]
        histories = tables[0].histories
        if kind:
            of_kind = tables[0].kinds[kind]
            scores = [builds[:, of_kind] for builds in scores]
            _, histories = np.unique(histories[of_kind], return_inverse=True)
        means = [builds.mean(axis=0) for builds in scores]
        differences = Grouped(means[0] - means[1], histories)
        self.a, self.b = (float(mean.mean()) for mean in means)
        self.paired = compare_paired(differences)
        # How uncertain each run's mean is over its builds, where there are several.
        self.builds = [
            Spread(float(builds.mean(axis=1).var(ddof=1)) / len(builds), len(builds) - 1)
            for builds in scores
            if len(builds) > 1
        ]
        self.n, self.groups = differences.n, differences.groups

    def spread(self, *, new: bool) -> Spread:
        """Return how uncertain the difference is, for these histories with that of the builds.

        Questions of one history share one memory: that another build of it might score
        otherwise is seen over builds alone. Over new histories it is seen in any case.
        """
        if new and self.groups >= MIN_HISTORIES:
            return self.paired.new_spread
        builds = [Part(1.0, 0.0, spread) for spread in self.builds]
        return Part.combine([Part(1.0, 0.0, self.paired.these_spread), *builds])[1]


def _compare_pair(first: Entry, second: Entry, sources: Sequence[str]) -> Pair:
    """Return the differences of two entries on sources that both have a score of."""
    couple = (first, second)
    parts = {name: _PairedScores(couple, name) for name in sources}
    whole = _complete_sources(first, sources)

    def complete(means: Mapping[str, Mapping[str, float]]) -> dict[str, MeanDifference]:
        return _adjust({n: _mean(of, parts) for n, of in means.items() if whole.issuperset(of)})

    overall = paper_weights()
    types, shares, unknown = {}, {}, {}
    for name in sources:
        if kinds := first.table(name).kinds:
            of_kind = {kind: _PairedScores(couple, name, kind) for kind in kinds}
            types[name] = _adjust({kind: _source_difference(of) for kind, of in of_kind.items()})
        undecided = first.table(name).undecided | second.table(name).undecided
        seen = [p for p in PARTS if any(entry.table(name).parts[p].any() for entry in couple)]
        known = [part for part in seen if part != "unclear" and part not in undecided]
        paired = {part: _PairedScores(couple, name, part=part) for part in known}
        shares[name] = _adjust({part: _mean({part: 1.0}, paired) for part in known})
        if lost := tuple(part for part in seen if part in undecided and PARTS[part].tells):
            unknown[name] = lost
    return Pair(
        a=first.name,
        b=second.name,
        sources=_adjust({name: _source_difference(part) for name, part in parts.items()}),
        columns=complete(_COLUMNS),
        categories=complete(_CATEGORIES),
        overall=_mean(overall, parts) if whole.issuperset(overall) else None,
        mean=_mean(dict.fromkeys(sources, 1 / len(sources)), parts),
        types=types,
        parts=shares,
        unknown_parts=unknown,
    )


def _adjust(differences: Mapping[str, _D]) -> dict[str, _D]:
    """Adjust p values so that few of those below 0.05 are false (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    values = [difference.p for difference in differences.values()]
    adjusted = false_discovery_control(values) if values else ()
    return {
        name: replace(difference, adjusted_p=float(p))
        for (name, difference), p in zip(differences.items(), adjusted, strict=True)
    }


def _source_difference(part: _PairedScores) -> SourceDifference:
    paired = part.paired
    spread, p, these = part.spread(new=False), paired.these_p, paired.these
    if part.builds and these:
        p = _by_spread(paired.difference, spread)
        these = Interval.student(paired.difference, spread, -1.0, 1.0)
    return SourceDifference(
        a=100 * part.a,
        b=100 * part.b,
        difference=100 * paired.difference,
        these_histories=_interval(these, p),
        new_histories=_interval(paired.new, paired.new_p),
        adjusted_p=1.0,
        detectable=100 * (paired.new_spread if paired.new else spread).detectable,
        histories=part.groups,
        **paired.questions._asdict(),
        **{f"history_{name}": count for name, count in paired.histories._asdict().items()},
    )


def _mean(weights: Mapping[str, float], parts: Mapping[str, _PairedScores]) -> MeanDifference:
    if len(weights) == 1:  # Without what a source alone has.
        source = _source_difference(*(parts[name] for name in weights))
        fields = MeanDifference.__dataclass_fields__
        return MeanDifference(**{field: getattr(source, field) for field in fields})

    def mean_interval(mean: float, spread: Spread) -> DifferenceInterval | None:
        return _interval(Interval.student(mean, spread, -1.0, 1.0), _by_spread(mean, spread))

    weighed = [(weight, parts[name]) for name, weight in weights.items()]
    several = any(of.groups >= MIN_HISTORIES for _, of in weighed)
    these, new = (
        Part.combine(Part(part, of.paired.difference, of.spread(new=new)) for part, of in weighed)
        for new in (False, True)
    )
    return MeanDifference(
        a=100 * sum(weight * of.a for weight, of in weighed),
        b=100 * sum(weight * of.b for weight, of in weighed),
        difference=100 * these[0],
        these_histories=mean_interval(*these),
        new_histories=mean_interval(*new) if several else None,
        adjusted_p=1.0,
        detectable=100 * (new if several else these)[1].detectable,
    )


def _by_spread(mean: float, spread: Spread) -> float:
    """Return the two-sided p of a mean by Student's t."""
    if not spread.variance:
        return 0.0 if mean else 1.0
    from scipy.special import stdtr

    return 2 * float(stdtr(spread.freedom, -abs(mean) / sqrt(spread.variance)))


def _interval(interval: Interval | None, p: float | None) -> DifferenceInterval | None:
    return DifferenceInterval(*interval.percent, p) if interval else None
