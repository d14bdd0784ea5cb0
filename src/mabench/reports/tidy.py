"""What runs come to as one table for programs: a line for each score, its key in every line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mabench.comparison import Comparison, MeanDifference, RunScore
from mabench.reports.run_tables import overall_score
from mabench.reports.tables import Column, Measure, Table, interval_columns, tabulate
from mabench.results import ScoreSummary, SourceScores


class ScoreLine(NamedTuple):
    """A score of a run by a metric, from 0 to 100."""

    run: str  # The folder.
    agent: str
    source: str  # Or a column, a category or ``Overall``; a type stands behind its source.
    metric: str
    n: int | None
    score: Measure | None


class _PairLine(NamedTuple):
    a: str
    b: str
    source: str
    metric: str
    n: int
    difference: MeanDifference


_SCORES: tuple[Column[ScoreLine], ...] = (
    Column("run", lambda line: line.run),
    Column("agent", lambda line: line.agent),
    Column("source", lambda line: line.source),
    Column("metric", lambda line: line.metric),
    Column("n", lambda line: line.n, ""),
    Column("score", lambda line: line.score, ".1f"),
    *interval_columns(lambda line: line.score),
)
_PAIRS: tuple[Column[_PairLine], ...] = (
    Column("run_a", lambda line: line.a),
    Column("run_b", lambda line: line.b),
    Column("source", lambda line: line.source),
    Column("metric", lambda line: line.metric),
    Column("n", lambda line: line.n, ""),
    Column("a", lambda line: line.difference.a, ".1f"),
    Column("b", lambda line: line.difference.b, ".1f"),
    Column("difference", lambda line: line.difference.difference, "+.1f"),
    *interval_columns(lambda line: measure_difference(line.difference)),
    Column("p", lambda line: line.difference.adjusted_p, ".4f"),
)


def measure_difference(mean: MeanDifference) -> Measure:
    """Return a difference with its intervals."""
    these, new = (
        (limits.low, limits.high) if limits else None
        for limits in (mean.these_histories, mean.new_histories)
    )
    return Measure(mean.difference, these, new)


def score_table(lines: Iterable[ScoreLine]) -> Table:
    """Return one row for each score that there is."""
    return tabulate(_SCORES, [line for line in lines if line.score])


def score_lines(
    summary: ScoreSummary, run: str = "", verified: Mapping[str, SourceScores] | None = None
) -> Iterator[ScoreLine]:
    """Yield every score of a summary; of the questions that an audit passed, ``verified``."""

    def line(source: str, metric: str, n: int | None, score: Measure | None) -> ScoreLine:
        return ScoreLine(run, summary.agent, source, metric, n, score)

    for name, one in summary.sources.items():
        yield line(name, one.metric, one.n, Measure.of(one.official, one.interval))
        yield line(name, "corrected", one.n, Measure.of(one.corrected, one.interval_corrected))
        if verified:
            of = verified[name]
            yield line(name, f"{one.metric}, verified", of.n, Measure.of(of.official, of.interval))
        for kind, scores in (one.types or {}).items():
            where = f"{name}: {kind}"
            yield line(where, one.metric, scores.n, Measure.of(scores.official, None))
            yield line(where, "corrected", scores.n, Measure.of(scores.corrected, None))
        if one.retrieval and one.retrieval.hit_at:
            for depth, share in one.retrieval.hit_at.items():
                yield line(name, f"hit at {depth}", one.retrieval.sought, Measure(share))
        if one.evidence_recall is not None:
            interval = one.evidence.interval if one.evidence else None
            n = one.evidence.n if one.evidence else None
            yield line(name, "evidence", n, Measure.of(one.evidence_recall, interval))
    means = {**summary.columns, **summary.categories, "Overall": overall_score(summary)}
    for name, mean in means.items():
        yield line(name, "official", None, Measure.of(mean.official, mean.interval))
        yield line(name, "corrected", None, Measure.of(mean.corrected, mean.interval_corrected))


def compared_lines(comparison: Comparison) -> Iterator[ScoreLine]:
    """Yield the scores of the runs that were compared, on the questions that all were asked."""
    for run in comparison.runs:
        means = {**run.columns, comparison.headline: run.headline}
        for name, score in {**run.sources, **means}.items():
            metric = _metric(comparison, name)
            yield ScoreLine(run.run, run.agent, name, metric, score.n, measure_score(score))


def _metric(comparison: Comparison, name: str) -> str:
    (first, *_) = comparison.runs
    is_official = comparison.score == "official" and name in first.sources
    return first.summaries[0].sources[name].metric if is_official else comparison.score


def measure_score(score: RunScore) -> Measure:
    """Return a score with its intervals and letters."""
    interval = score.interval
    return Measure(score.score, interval.these_histories, interval.new_histories, score.letters)


def pair_table(comparison: Comparison) -> Table:
    """Return one row for each difference of each pair."""

    def lines() -> Iterator[_PairLine]:
        (first, *_) = comparison.runs
        scores = {**first.sources, **first.columns, comparison.headline: first.headline}
        for pair in comparison.pairs:
            means = {**pair.columns, **pair.categories, comparison.headline: pair.headline}
            for name, of in {**pair.sources, **means}.items():
                metric = _metric(comparison, name)
                yield _PairLine(pair.a, pair.b, name, metric, scores[name].n, of)
            for source, types in pair.types.items():
                for kind, one in types.items():
                    place, n = f"{source}: {kind}", one.wins + one.losses + one.ties
                    yield _PairLine(pair.a, pair.b, place, _metric(comparison, source), n, one)

    return tabulate(_PAIRS, lines())
