"""The tables of a run: its sources, its categories, and what was retrieved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from mabench.data.inventory import BY_NAME
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.tables import Column, Table, Value, retitle, tabulate, titles_of
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

_DEPTHS = ("1", "5", "10")
# When columns that say nothing new are left out of a table that is too wide: 1 goes first.
_CORRECTED_RANK, _ERRORS_RANK = 3, 4
_T = TypeVar("_T")


class _SourceRow(NamedTuple):
    name: str
    scores: SourceScores
    column: str | None  # The column of the paper that it feeds.
    verified: SourceScores | None  # On the questions that an audit does not flag.


_Evidence = tuple[str, EvidenceSummary, Measure | None]
_Retrieval = tuple[str, RetrievalSummary]


def _count_asked(row: _SourceRow) -> Value:
    n, expected = row.scores.n, row.scores.expected
    return n if n == expected else f"{n} of {expected}"


def score_columns(scores: Callable[[_T], SourceScores]) -> list[Column[_T]]:
    """Return columns of errors and both scores.

    If the table is too wide, Corrected is left out first if it equals Official everywhere, then
    Errors if there are none.
    """

    def rank_errors(rows: Sequence[_T]) -> int:
        return 0 if any(scores(row).errors for row in rows) else _ERRORS_RANK

    def rank_corrected(rows: Sequence[_T]) -> int:
        equal = all(len({*scores(row).measures.values()}) == 1 for row in rows)
        return _CORRECTED_RANK if equal else 0

    return [
        Column("Errors", lambda row: scores(row).errors, "", drop_rank=rank_errors),
        Column("Official", lambda row: scores(row).measures["official"], ""),
        Column(
            "Corrected", lambda row: scores(row).measures["corrected"], "", drop_rank=rank_corrected
        ),
    ]


_SCORES: list[Column[_SourceRow]] = score_columns(lambda row: row.scores)
# What each report of a run says of a source, in all formats.
_SOURCES: list[Column[_SourceRow]] = [
    Column("Source", lambda source: source.name),
    # The next table has it, too.
    Column("Column", lambda row: row.column, when="known", drop_rank=lambda _: 2),
    Column(
        "Metric",
        lambda source: source.scores.metric,
        drop_rank=lambda rows: all(row.name in BY_NAME for row in rows),
    ),
    Column("n", _count_asked, ""),
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

    ``verified`` are the scores on the questions that an audit does not flag, by source.
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
        Column("Official", lambda row: row[1].measures["official"], ""),
        Column("Corrected", lambda row: row[1].measures["corrected"], ""),
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
    turns: list[Column[_Evidence]] = _at_depths("Turns", lambda row, at: row[1].measure_turns(at))
    sessions: list[Column[_Evidence]] = _at_depths(
        "Sessions", lambda row, at: row[1].measure_sessions(at)
    )
    columns: list[Column[_Evidence]] = [
        Column("Evidence", lambda row: row[0]),
        Column("n", lambda row: row[1].n, ""),
        Column("Found", lambda row: row[2], ""),
    ]
    return [tabulate([*columns, *turns, *sessions], rows)] if rows else []


def _parts_table(summary: ScoreSummary) -> list[Table]:
    """Return what became of 100 questions, for sources of which more is known than a score."""
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

    A hit at k is a question for which the first k passages have all its evidence, or, if the data
    mark no evidence, a mention of a gold. The two kinds have tables of their own. The last column
    is the official score of the questions with a hit.
    """
    rows = [(name, one.retrieval) for name, one in summary.sources.items() if one.retrieval]
    tables = []
    for by, hit in (("evidence", "Hit"), ("mention", "Mentioned"), (None, None)):
        columns: list[Column[_Retrieval]] = [
            Column("Retrieval", lambda row: row[0]),
            Column("Passages", lambda row: row[1].depth, ",.1f"),
        ]
        if hit:
            columns += _at_depths(hit, lambda row, at: row[1].measure_at(at))
            title = f"Right when {hit.lower()}"
            columns.append(Column(title, lambda row: row[1].measure_when_hit, ""))
        if own := [row for row in rows if row[1].by == by]:
            tables.append(tabulate(columns, own))
    return tables


def _at_depths(title: str, share: Callable[[_T, str], Measure | None]) -> list[Column[_T]]:
    def column(depth: str) -> Column[_T]:
        return Column(f"{title} at {depth}", lambda row: share(row, depth), "")

    return [column(depth) for depth in _DEPTHS]
