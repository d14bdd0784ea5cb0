"""Runs and comparisons as one table for programs: a line for each score.

The key is in every line. CSV has these tables in place of those for readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.comparison import Comparison, MeanDifference
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.tables import Table, Value, plain_table
from mabench.results import Measure, ScoreSummary, SourceScores

LIMITS = ("low", "high", "interval")
# The values of a line.
Line = Sequence[Value]


def score_table(rows: Iterable[Line]) -> Table:
    """Return a table of scores: their run, agent, source, metric and n, and their intervals."""
    titles = ("run", "agent", "source", "metric", "n", "score", *LIMITS)
    scored = (row for row in rows if row[5] is not None)
    return plain_table(titles, scored)


def score_rows(
    summary: ScoreSummary, run: str = "", verified: Mapping[str, SourceScores] | None = None
) -> Iterator[Line]:
    """Yield a line for every score of a summary.

    A type of questions is named after its source, as ``source: type``; columns, categories and the
    overall score take the place of a source.

    Args:
        summary: of the run.
        run: the folder of the run.
        verified: the scores on the questions that an audit does not flag, by source.
    """

    def row(source: str, metric: str, n: int | None, score: Measure | float | None) -> Line:
        figure = Measure(score) if isinstance(score, int | float) else score
        limits = figure.spread_out() if figure else [None] * 4
        return (run, summary.agent, source, metric, n, *limits)

    for name, one in summary.sources.items():
        for kind, score in one.measures.items():
            yield row(name, one.metric if kind == "official" else kind, one.n, score)
        if verified is not None:
            of = verified[name]
            yield row(name, f"{one.metric}, verified", of.n, of.measures["official"])
        for kind, scores in (one.types or {}).items():
            for which, measure in scores.measures.items():
                metric = one.metric if which == "official" else which
                yield row(f"{name}: {kind}", metric, scores.n, measure)
        if found := one.retrieval:
            for depth in found.hit_at or {}:
                at = found.measure_at(depth)
                yield row(name, f"{found.by} at {depth}", found.sought, at)
        for part, count in one.parts.items():
            share = 100 * count / one.n
            yield row(name, part, one.n, Measure.of(share, one.parts_intervals.get(part)))
    for memory in MemoryRow.of_sources(summary):
        for figure, (n, value) in memory.figures.items():
            yield row(memory.name, figure, n, value)
    for name, mean in summary.means.items():
        for kind, score in mean.measures.items():
            yield row(name, kind, None, score)


def compared_table(comparison: Comparison, *, pairs: bool) -> Table:
    """Return a line for each difference of each pair, or for each score of the runs.

    The scores are those on the questions that all runs were asked.
    """
    rows: list[Line] = []
    for run in () if pairs else comparison.runs:
        means = {**run.columns, comparison.headline: run.headline}
        for name, score in {**run.sources, **means}.items():
            about = run.run, run.agent, name, _metric(comparison, name), score.n
            rows.append((*about, *score.measure.spread_out()))
        for figure, (n, value) in MemoryRow.of_run("All", run).figures.items():
            rows.append((run.run, run.agent, "All", figure, n, value, None, None, None))
    return _pair_table(comparison) if pairs else score_table(rows)


def _metric(comparison: Comparison, name: str) -> str:
    (first, *_) = comparison.runs
    is_official = comparison.score == "official" and name in first.sources
    return first.summaries[0].sources[name].metric if is_official else comparison.score


def _pair_table(comparison: Comparison) -> Table:
    (first, *_) = comparison.runs
    headline = {comparison.headline: first.headline}
    scores = {**first.sources, **first.columns, **headline}
    memories = {run.run: MemoryRow.of_run("All", run).figures for run in comparison.runs}

    def rows() -> Iterator[Line]:
        for pair in comparison.pairs:
            means = {**pair.columns, **pair.categories, comparison.headline: pair.headline}
            listed: list[tuple[str, str, int, MeanDifference]] = [
                (name, name, scores[name].n, of) for name, of in {**pair.sources, **means}.items()
            ]
            for name, types in pair.types.items():
                for kind, one in types.items():
                    questions = one.wins + one.losses + one.ties
                    listed.append((name, f"{name}: {kind}", questions, one))
            for name, place, count, of in listed:
                key = (pair.a, pair.b, place, _metric(comparison, name), count)
                yield *key, of.a, of.b, *of.measure.spread_out(), of.adjusted_p
            a, b = memories[pair.a], memories[pair.b]
            for figure in [name for name in a if name in b]:
                of_a, of_b = a[figure][1], b[figure][1]
                both = (of_a, of_b, of_a - of_b, None, None, None, None)
                yield pair.a, pair.b, "All", figure, None, *both

    titles = ("run_a", "run_b", "source", "metric", "n", "a", "b", "difference", *LIMITS, "p")
    return plain_table(titles, rows())
