"""The tables of a run: its sources, its categories, and what was retrieved.

And what runs come to as one table for programs: a line for each score, its key in every line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from mabench.comparison import Comparison, MeanDifference
from mabench.data.inventory import BY_NAME
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.tables import Column, Table, Value, plain_table, retitle, tabulate, titles_of
from mabench.results import (
    PARTS,
    EvidenceSummary,
    MeanScore,
    Measure,
    RetrievalSummary,
    ScoreSummary,
    SourceScores,
    TypeScores,
)

LIMITS = ("low", "high", "interval")
_DEPTHS = ("1", "5", "10")
_Row = Sequence[Value]  # Of a table for programs.
_T = TypeVar("_T")


class _SourceRow(NamedTuple):
    name: str
    scores: SourceScores
    column: str | None  # Of the paper, that it feeds.
    verified: SourceScores | None  # By an audit.


_Evidence = tuple[str, EvidenceSummary, Measure | None]
_Retrieval = tuple[str, RetrievalSummary]


def _asked(row: _SourceRow) -> Value:
    n, expected = row.scores.n, row.scores.expected
    return n if n == expected else f"{n} of {expected}"


def score_columns(scores: Callable[[_T], SourceScores]) -> list[Column[_T]]:
    """Return columns of errors and both scores, which may go where they say nothing new."""

    def spare_errors(rows: Sequence[_T]) -> int:
        return 4 * (not any(scores(row).errors for row in rows))

    def spare_corrected(rows: Sequence[_T]) -> int:
        return 3 * all(len({*scores(row).measures.values()}) == 1 for row in rows)

    return [
        Column("Errors", lambda row: scores(row).errors, "", spare=spare_errors),
        Column("Official", lambda row: scores(row).measures["official"], ""),
        Column(
            "Corrected", lambda row: scores(row).measures["corrected"], "", spare=spare_corrected
        ),
    ]


_SCORES: list[Column[_SourceRow]] = score_columns(lambda row: row.scores)
# What each report of a run says of a source: on a terminal, in Markdown, in CSV and on its page.
_SOURCES: list[Column[_SourceRow]] = [
    Column("Source", lambda source: source.name),
    # The next table has it, too.
    Column("Column", lambda row: row.column, when="known", spare=lambda _: 2),
    Column(
        "Metric",
        lambda source: source.scores.metric,
        spare=lambda rows: all(row.name in BY_NAME for row in rows),
    ),
    Column("n", _asked, ""),
    *_SCORES,
    Column("n verified", lambda row: row.verified.n if row.verified else None, "", when="known"),
    Column(
        "Verified",
        lambda row: row.verified.measures["official"] if row.verified else None,
        "",
        when=lambda rows: any(row.verified for row in rows),
    ),
]


def run_tables(
    summary: ScoreSummary, verified: Mapping[str, SourceScores] | None = None
) -> dict[str, Sequence[Table]]:
    """Return the tables of a run by their subjects, in the order of the report.

    ``verified`` are the scores over what an audit passed.
    """
    columns = {name: source.column for name, source in BY_NAME.items() if summary.columns}
    rows = (
        _SourceRow(name, scores, columns.get(name), verified[name] if verified else None)
        for name, scores in summary.sources.items()
    )
    tables = {
        "sources": [tabulate(_SOURCES, rows)],
        "parts": _parts_table(summary),
        "categories": _category_tables(summary),
        "types": _type_tables(summary),
        "retrieval": _retrieval_tables(summary),
        "evidence": _evidence_table(summary),
        "memory": MemoryRow.tables(MemoryRow.of_sources(summary)),
    }
    titles = titles_of([summary])
    return {name: retitle([*of], titles) for name, of in tables.items()}


def _category_tables(summary: ScoreSummary) -> list[Table]:
    if not summary.columns:
        return []

    def score(mean: MeanScore, kind: str) -> Value:
        return mean.measures[kind] if mean.complete else "partial"

    columns: tuple[Column[tuple[str, MeanScore]], ...] = (
        Column("Category", lambda row: row[0]),
        Column("Official", lambda row: score(row[1], "official"), ""),
        Column("Corrected", lambda row: score(row[1], "corrected"), ""),
        Column("Coverage", lambda row: row[1].coverage, ".0%"),
    )
    means = summary.means
    touched = [name for name in summary.categories if means[name].coverage]
    return [tabulate(columns, [(name, means[name]) for name in (*touched, "Overall")])]


def _type_tables(summary: ScoreSummary) -> list[Table]:
    columns: tuple[Column[tuple[str, TypeScores]], ...] = (
        Column("n", lambda row: row[1].n, ""),
        Column("Official", lambda row: row[1].official, ".1f"),
        Column("Corrected", lambda row: row[1].corrected, ".1f"),
        Column("Evidence", lambda row: row[1].evidence_recall, ".1f"),
    )
    types = {f"{name} by type": source.types for name, source in summary.sources.items()}
    return [
        tabulate([Column(title, lambda row: row[0]), *columns], of.items())
        for title, of in types.items()
        if of
    ]


def _evidence_table(summary: ScoreSummary) -> list[Table]:
    rows = [
        (name, source.evidence, Measure.of(source.evidence_recall, source.evidence.interval))
        for name, source in summary.sources.items()
        if source.evidence
    ]
    turns: list[Column[_Evidence]] = _at_depths("Turns", lambda row: row[1].turns_at)
    sessions: list[Column[_Evidence]] = _at_depths("Sessions", lambda row: row[1].sessions_at)
    columns: list[Column[_Evidence]] = [
        Column("Evidence", lambda row: row[0]),
        Column("n", lambda row: row[1].n, ""),
        Column("Found", lambda row: row[2], ""),
    ]
    return [tabulate([*columns, *turns, *sessions], rows)] if rows else []


def _parts_table(summary: ScoreSummary) -> list[Table]:
    """Return what becomes of 100 questions of each source of which more is known than a score."""
    rows = [
        (name, source)
        for name, source in summary.sources.items()
        if any(count and PARTS[part].tells for part, count in source.parts.items())
    ]

    def column(part: str) -> Column[tuple[str, SourceScores]]:
        return Column(
            PARTS[part].head,
            lambda row: row[1].parts_of_100[part],
            "",
            when=lambda rows: any(source.parts[part] for _, source in rows),
        )

    first: Column[tuple[str, SourceScores]] = Column("Of 100 questions", lambda row: row[0])
    return [tabulate([first, *map(column, PARTS)], rows)] if rows else []


def _retrieval_tables(summary: ScoreSummary) -> list[Table]:
    """Return tables with a row for each source for which passages were reported.

    Hits are the share of questions for which all that they rest on, or where that is not known a
    mention of a gold, stands in the first 1, 5 or 10 passages. The two stand in tables of their
    own; the last column but one is the official score of the questions that were hit.
    """
    rows = [(name, one.retrieval) for name, one in summary.sources.items() if one.retrieval]
    tables = []
    for by, hit in (("evidence", "Hit"), ("mention", "Mentioned"), (None, None)):
        columns: list[Column[_Retrieval]] = [
            Column("Retrieval", lambda row: row[0]),
            Column("Passages", lambda row: row[1].depth, ",.1f"),
        ]
        if hit:
            columns += _at_depths(hit, lambda row: row[1].hit_at)
            title = f"Right when {hit.lower()}"
            columns.append(Column(title, lambda row: row[1].answered_when_hit, ".1f"))
        if own := [row for row in rows if row[1].by == by]:
            tables.append(tabulate(columns, own))
    return tables


def _at_depths(title: str, shares: Callable[[_T], Mapping[str, float] | None]) -> list[Column[_T]]:
    def column(depth: str) -> Column[_T]:
        return Column(f"{title} at {depth}", lambda row: (shares(row) or {}).get(depth), ".1f")

    return [column(depth) for depth in _DEPTHS]


def score_table(rows: Iterable[_Row]) -> Table:
    """Return one row for each score: its run, agent, source, metric and n, and its interval."""
    titles = ("run", "agent", "source", "metric", "n", "score", *LIMITS)
    scored = (row for row in rows if row[5] is not None)
    return plain_table(titles, scored)


def score_rows(
    summary: ScoreSummary, run: str = "", verified: Mapping[str, SourceScores] | None = None
) -> Iterator[_Row]:
    """Yield every score of a summary; of the questions that an audit passed, ``verified``.

    A type of questions stands behind its source; columns, categories and all stand for sources.
    """

    def row(source: str, metric: str, n: int | None, score: Measure | float | None) -> _Row:
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
            yield row(f"{name}: {kind}", one.metric, scores.n, scores.official)
            yield row(f"{name}: {kind}", "corrected", scores.n, scores.corrected)
        if found := one.retrieval:
            for depth, share in (found.hit_at or {}).items():
                yield row(name, f"{found.by} at {depth}", found.sought, share)
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
    """Return a row for each difference of each pair, or for each score of the runs.

    Scores are those on the questions that all were asked.
    """
    rows: list[_Row] = []
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

    def rows() -> Iterator[_Row]:
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
