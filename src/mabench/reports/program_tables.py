"""The one table that CSV has of a run or a comparison, for programs: a line for each figure.

Every line names its run, agent, source and metric, so that it can be read alone. The part of a
question says what became of it, such as *missed* or *misread*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mabench.comparison import ComparedRun, Comparison, MeanDifference, Pair
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.tables import Table, plain_table
from mabench.results import Measure, ScoreSummary, SourceScores

# The titles of the columns that have the interval of a figure, and for which histories it is.
LIMITS = ("low", "high", "interval")
# What figures of a comparison are of that are taken over all of its sources.
_ALL = "All"


class ScoreLine(NamedTuple):
    """A line of the table of a run: a figure, and what it is of. The fields are the columns."""

    run: str
    agent: str
    source: str  # Or ``source: type``, a column or category of the paper, or the mean of all.
    metric: str
    n: int | None  # How many questions, or calls, it is taken from; None if unknown.
    score: float | None
    low: float | None = None
    high: float | None = None
    interval: str | None = None  # For which histories the interval is.


class _ScoreOf(NamedTuple):
    """A figure of a run, and what it is of; the fields are those of ``ScoreLine``."""

    source: str
    metric: str
    n: int | None
    measure: Measure | None


def score_table(lines: Iterable[ScoreLine]) -> Table:
    """Return a table of lines; those without a score are left out."""
    scored = (line for line in lines if line.score is not None)
    return plain_table(ScoreLine._fields, scored)


def score_rows(
    summary: ScoreSummary, run: str = "", verified: Mapping[str, SourceScores] | None = None
) -> Iterator[ScoreLine]:
    """Yield a line for each figure of a summary; the score of some may be None.

    Args:
        summary: the summary of the run.
        run: the folder of the run.
        verified: the scores on the questions that an audit does not flag, by source.
    """
    for source, metric, n, measure in _list_figures(summary, verified):
        if measure is None:
            yield ScoreLine(run, summary.agent, source, metric, n, score=None)
        else:
            yield ScoreLine(run, summary.agent, source, metric, n, *measure.spread_out())


def _list_figures(
    summary: ScoreSummary, verified: Mapping[str, SourceScores] | None
) -> Iterator[_ScoreOf]:
    """Yield the figures of sources and their types, of the memory, and of the paper's means."""
    for name, source in summary.sources.items():
        yield from _list_scores(name, source)
        if verified is not None:
            unflagged = verified[name]
            score = unflagged.measures["official"]
            yield _ScoreOf(name, f"{source.metric}, verified", unflagged.n, score)
        yield from _list_type_scores(name, source)
        yield from _list_hits(name, source)
        for part, count in source.parts.items():
            share = Measure.of(100 * count / source.n, source.parts_intervals.get(part))
            yield _ScoreOf(name, part, source.n, share)
    for memory in MemoryRow.of_sources(summary):
        for figure, (calls, value) in memory.figures.items():
            yield _ScoreOf(memory.name, figure, calls, Measure(value))
    for name, mean in summary.means.items():
        for kind, score in mean.measures.items():
            yield _ScoreOf(name, kind, None, score)


def _list_scores(name: str, source: SourceScores) -> Iterator[_ScoreOf]:
    """Yield the official score of a source, under the name of its metric, and the corrected one."""
    for kind, score in source.measures.items():
        metric = source.metric if kind == "official" else kind
        yield _ScoreOf(name, metric, source.n, score)


def _list_type_scores(name: str, source: SourceScores) -> Iterator[_ScoreOf]:
    """Yield the two scores of each type of a source's questions."""
    for question_type, scores in (source.types or {}).items():
        for kind, score in scores.measures.items():
            metric = source.metric if kind == "official" else kind
            yield _ScoreOf(f"{name}: {question_type}", metric, scores.n, score)


def _list_hits(name: str, source: SourceScores) -> Iterator[_ScoreOf]:
    """Yield in how many of 100 questions the first 1, 5 and 10 passages were a hit."""
    retrieval = source.retrieval
    if retrieval is None:
        return
    for depth in retrieval.hit_at or {}:
        hits = retrieval.measure_at(depth)
        yield _ScoreOf(name, f"{retrieval.by} at {depth}", retrieval.sought, hits)


def compared_table(comparison: Comparison, *, pairs: bool) -> Table:
    """Return a table of the runs' scores; with ``pairs``, of the differences between runs.

    Scores are over the questions that all runs were asked.
    """
    if pairs:
        lines = (line for pair in comparison.pairs for line in _list_differences(comparison, pair))
        return plain_table(_PairLine._fields, lines)
    return score_table(line for run in comparison.runs for line in _list_run(comparison, run))


def _list_run(comparison: Comparison, run: ComparedRun) -> Iterator[ScoreLine]:
    """Yield the scores of a compared run on sources and means, and the figures of its memory."""
    scores = {**run.sources, **run.columns, comparison.headline: run.headline}
    for name, score in scores.items():
        metric = _metric(comparison, name)
        yield ScoreLine(run.run, run.agent, name, metric, score.n, *score.measure.spread_out())
    for figure, (calls, value) in MemoryRow.of_run(_ALL, run).figures.items():
        yield ScoreLine(run.run, run.agent, _ALL, figure, calls, value)


def _metric(comparison: Comparison, name: str) -> str:
    """Return the metric of a source's official score; else the kind of score that is compared."""
    first_run = comparison.runs[0]  # All runs have the same sources.
    if comparison.score == "official" and name in first_run.sources:
        return first_run.summaries[0].sources[name].metric
    return comparison.score


class _PairLine(NamedTuple):
    """A line of the table of pairs: what two runs have of a figure, and how they differ."""

    run_a: str
    run_b: str
    source: str  # As in ``ScoreLine``.
    metric: str
    n: int | None
    a: float
    b: float
    difference: float
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    p: float | None = None


def _list_differences(comparison: Comparison, pair: Pair) -> Iterator[_PairLine]:
    """Yield how two runs differ on sources, on means, on types of questions and in memory."""
    questions = _count_questions(comparison)
    on_means = {**pair.columns, **pair.categories, comparison.headline: pair.headline}
    for name, difference in {**pair.sources, **on_means}.items():
        metric = _metric(comparison, name)
        yield _difference_line(pair, name, metric, questions[name], difference)
    for name, types in pair.types.items():
        for question_type, of_type in types.items():
            asked = of_type.wins + of_type.losses + of_type.ties
            metric = _metric(comparison, name)
            yield _difference_line(pair, f"{name}: {question_type}", metric, asked, of_type)
    yield from _list_memory_differences(comparison, pair)


def _count_questions(comparison: Comparison) -> dict[str, int]:
    """Return on how many questions each source and mean is compared; these are the same of all."""
    run = comparison.runs[0]
    scores = {**run.sources, **run.columns, comparison.headline: run.headline}
    return {name: score.n for name, score in scores.items()}


def _difference_line(
    pair: Pair, name: str, metric: str, questions: int, difference: MeanDifference
) -> _PairLine:
    """Return the line of a difference in scores."""
    return _PairLine(
        pair.a,
        pair.b,
        name,
        metric,
        questions,
        difference.a,
        difference.b,
        *difference.measure.spread_out(),
        difference.adjusted_p,
    )


def _list_memory_differences(comparison: Comparison, pair: Pair) -> Iterator[_PairLine]:
    """Yield how two runs differ in the figures that are known of both memories."""
    runs = {run.run: run for run in comparison.runs}
    figures_a = MemoryRow.of_run(_ALL, runs[pair.a]).figures
    figures_b = MemoryRow.of_run(_ALL, runs[pair.b]).figures
    for name, (_, value_a) in figures_a.items():
        if name in figures_b:
            _, value_b = figures_b[name]
            difference = value_a - value_b
            yield _PairLine(pair.a, pair.b, _ALL, name, None, value_a, value_b, difference)
