"""The tables of a run's report: sources, outcomes, categories, types, retrieval and memory."""

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
    StoreSummary,
    TypeScores,
)

_DEPTHS = ("1", "5", "10")
# See ``Column.drop_rank``.
_CORRECTED_RANK, _ERRORS_RANK = 3, 4
_T = TypeVar("_T")


class _SourceRow(NamedTuple):
    """A source in the first table."""

    name: str
    scores: SourceScores
    column: str | None  # The column of the paper's table to which it belongs.
    verified: SourceScores | None  # On the questions that an audit does not flag.


_Evidence = tuple[str, EvidenceSummary, Measure | None]
_Retrieval = tuple[str, RetrievalSummary]


def _count_asked(row: _SourceRow) -> Value:
    """Return the number of answered questions, and of all if some are still open."""
    n, expected = row.scores.n, row.scores.expected
    return n if n == expected else f"{n} of {expected}"


def score_columns(scores: Callable[[_T], SourceScores]) -> list[Column[_T]]:
    """Return the columns of errors and of both scores; ``scores`` returns those of a row.

    If the table is too wide, Corrected is left out first if it equals Official everywhere, then
    Errors if there are none.
    """

    def rank_errors(rows: Sequence[_T]) -> int:
        return 0 if any(scores(row).errors for row in rows) else _ERRORS_RANK

    def rank_corrected(rows: Sequence[_T]) -> int:
        equals_official = all(len({*scores(row).measures.values()}) == 1 for row in rows)
        return _CORRECTED_RANK if equals_official else 0

    return [
        Column("Errors", lambda row: scores(row).errors, "", drop_rank=rank_errors),
        Column("Official", lambda row: scores(row).measures["official"], ""),
        Column(
            "Corrected", lambda row: scores(row).measures["corrected"], "", drop_rank=rank_corrected
        ),
    ]


_SCORES: list[Column[_SourceRow]] = score_columns(lambda row: row.scores)
# The columns of the first table.
_SOURCES: list[Column[_SourceRow]] = [
    Column("Source", lambda source: source.name),
    # May be left out: the table of categories has it, too.
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
        "stores": _store_table(summary),
        "memory": MemoryRow.tables(MemoryRow.of_sources(summary)),
    }
    titles = titles_of([summary])
    return {subject: retitle([*listed], titles) for subject, listed in tables.items()}


_Store = tuple[str, StoreSummary]
_STORES: tuple[Column[_Store], ...] = (
    Column("Store", lambda row: row[0]),
    Column("Records", lambda row: row[1].records, ","),
    Column("Per 1,000 tokens", lambda row: row[1].records_per_1000_tokens, ".1f", when="known"),
    Column("Reworded", lambda row: row[1].reworded, ","),
    Column("Said by nobody", lambda row: row[1].unsaid, ","),
    Column("Copies", lambda row: row[1].copies, ","),
    Column("Older, undated", lambda row: row[1].undated, ",", when="known"),
)


def _store_table(summary: ScoreSummary) -> list[Table]:
    """Return the table of what stores tell beside the questions; none if none was read."""
    known = [
        (name, source.stages.store)
        for name, source in summary.sources.items()
        if source.stages and source.stages.store
    ]
    return [tabulate(_STORES, known)] if known else []


def _category_tables(summary: ScoreSummary) -> list[Table]:
    """Return the table of the paper's categories; none for rows that are not the benchmark's."""
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
    asked = [name for name in summary.categories if means[name].coverage]
    return [tabulate(columns, [(name, means[name]) for name in (*asked, "Overall")])]


def _type_tables(summary: ScoreSummary) -> list[Table]:
    """Return a table of the types of questions for each source that has types."""
    columns: tuple[Column[tuple[str, TypeScores]], ...] = (
        Column("n", lambda row: row[1].n, ""),
        Column("Official", lambda row: row[1].measures["official"], ""),
        Column("Corrected", lambda row: row[1].measures["corrected"], ""),
        Column("Evidence", lambda row: row[1].evidence_recall, ".1f"),
    )
    types = {f"{name} by type": source.types for name, source in summary.sources.items()}
    return [
        tabulate([Column(title, lambda row: row[0]), *columns], scores.items())
        for title, scores in types.items()
        if scores
    ]


def _evidence_table(summary: ScoreSummary) -> list[Table]:
    """Return the table of found evidence; none if the data mark no evidence."""
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
    """Return a table of what happened to 100 questions of each source.

    It has only sources about which more is known than right and wrong.
    """
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
    """Return tables about retrieval, for sources whose agent reported passages.

    A question has a hit at k if its first k passages contain all its evidence; if the data mark no
    evidence, if they mention a gold answer. Each kind has its own table. The last column is the
    official score of the questions with a hit.
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
        of_kind = [row for row in rows if row[1].by == by]
        if of_kind:
            tables.append(tabulate(columns, of_kind))
    return tables


def _at_depths(title: str, share: Callable[[_T, str], Measure | None]) -> list[Column[_T]]:
    """Return a column for each depth; ``share`` returns the share of a row at a depth."""

    def column(depth: str) -> Column[_T]:
        return Column(f"{title} at {depth}", lambda row: share(row, depth), "")

    return [column(depth) for depth in _DEPTHS]
