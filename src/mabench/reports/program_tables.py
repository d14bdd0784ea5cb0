"""The one table of a run or a comparison that CSV has: a line for each score.

It is for programs: every line names its run, agent, source and metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.comparison import Comparison, MeanDifference
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.tables import Table, Value, plain_table
from mabench.results import Measure, ScoreSummary, SourceScores

LIMITS = ("low", "high", "interval")
# The cells of one line.
Line = Sequence[Value]


def score_table(rows: Iterable[Line]) -> Table:
    """Return a table of lines with a score: run, agent, source, metric, n, score and interval."""
    titles = ("run", "agent", "source", "metric", "n", "score", *LIMITS)
    scored = (row for row in rows if row[5] is not None)
    return plain_table(titles, scored)


def score_rows(
    summary: ScoreSummary, run: str = "", verified: Mapping[str, SourceScores] | None = None
) -> Iterator[Line]:
    """Yield a line for each score of a summary.

    A type of questions is named after its source, as ``source: type``; columns, categories and the
    overall score take the place of a source.

    Args:
        summary: the summary of the run.
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
            unflagged = verified[name]
            score = unflagged.measures["official"]
            yield row(name, f"{one.metric}, verified", unflagged.n, score)
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
    """Return a table of the runs' scores; with ``pairs``, of the differences between runs.

    Scores are over the questions that all runs were asked.
    """
    if pairs:
        return _pair_table(comparison)
    rows: list[Line] = []
    for run in comparison.runs:
        means = {**run.columns, comparison.headline: run.headline}
        for name, score in {**run.sources, **means}.items():
            metric = _metric(comparison, name)
            limits = score.measure.spread_out()
            rows.append((run.run, run.agent, name, metric, score.n, *limits))
        for figure, (n, value) in MemoryRow.of_run("All", run).figures.items():
            rows.append((run.run, run.agent, "All", figure, n, value, None, None, None))
    return score_table(rows)


def _metric(comparison: Comparison, name: str) -> str:
    """Return the metric of a source's official score; else the kind of score that is compared."""
    (first, *_) = comparison.runs
    is_official = comparison.score == "official" and name in first.sources
    return first.summaries[0].sources[name].metric if is_official else comparison.score


def _pair_table(comparison: Comparison) -> Table:
    """Return a line for each difference between two runs: scores, types and memory."""
    (first, *_) = comparison.runs  # All runs have the same sources and questions.
    headline = {comparison.headline: first.headline}
    scores = {**first.sources, **first.columns, **headline}
    memories = {run.run: MemoryRow.of_run("All", run).figures for run in comparison.runs}

    def rows() -> Iterator[Line]:
        for pair in comparison.pairs:
            means = {**pair.columns, **pair.categories, comparison.headline: pair.headline}
            listed: list[tuple[str, str, int, MeanDifference]] = [
                (name, name, scores[name].n, difference)
                for name, difference in {**pair.sources, **means}.items()
            ]
            for name, types in pair.types.items():
                for kind, of_type in types.items():
                    questions = of_type.wins + of_type.losses + of_type.ties
                    listed.append((name, f"{name}: {kind}", questions, of_type))
            for name, label, questions, difference in listed:
                yield (
                    pair.a,
                    pair.b,
                    label,
                    _metric(comparison, name),
                    questions,
                    difference.a,
                    difference.b,
                    *difference.measure.spread_out(),
                    difference.adjusted_p,
                )
            figures_a, figures_b = memories[pair.a], memories[pair.b]
            for name, (_, value_a) in figures_a.items():
                if name not in figures_b:
                    continue
                _, value_b = figures_b[name]
                no_interval_or_p = [None] * (len(LIMITS) + 1)
                values = (value_a, value_b, value_a - value_b, *no_interval_or_p)
                yield pair.a, pair.b, "All", name, None, *values

    titles = ("run_a", "run_b", "source", "metric", "n", "a", "b", "difference", *LIMITS, "p")
    return plain_table(titles, rows())
