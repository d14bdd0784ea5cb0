"""The tables of a run's report: sources, outcomes, categories, types, retrieval and memory.

The row of most of them is a source, as a pair of its name and what is known of it. The part of a
question says what became of it, such as *missed* or *misread*; ``PARTS`` has each in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

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

# How many of the first passages are looked at, by the names of these figures in a summary.
_DEPTHS = ("1", "5", "10")
# The order in which columns are left out of a table that is too wide; see ``Column.drop_rank``.
_METRIC_RANK, _COLUMN_RANK, _CORRECTED_RANK, _ERRORS_RANK = 1, 2, 3, 4
_STAYS = 0
_T = TypeVar("_T")


class _SourceRow(NamedTuple):
    """A source in the first table."""

    name: str
    scores: SourceScores
    column: str | None  # The column of the paper's table that it feeds; None for no column.
    verified: SourceScores | None  # On the questions that an audit does not flag.


class _EvidenceRow(NamedTuple):
    """A source in the table of found evidence."""

    name: str
    evidence: EvidenceSummary
    recall: Measure | None


_Retrieval = tuple[str, RetrievalSummary]
_Scores = tuple[str, SourceScores]


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
        """Return when the column of errors is left out: late if there are none, else never."""
        has_errors = any(scores(row).errors for row in rows)
        return _STAYS if has_errors else _ERRORS_RANK

    def rank_corrected(rows: Sequence[_T]) -> int:
        """Return when the corrected scores are left out: if all equal the official ones."""
        both_scores = [scores(row).measures for row in rows]
        differs = any(both["official"] != both["corrected"] for both in both_scores)
        return _STAYS if differs else _CORRECTED_RANK

    return [
        Column("Errors", lambda row: scores(row).errors, spec="", drop_rank=rank_errors),
        Column("Official", lambda row: scores(row).measures["official"], spec=""),
        Column(
            "Corrected",
            lambda row: scores(row).measures["corrected"],
            spec="",
            drop_rank=rank_corrected,
        ),
    ]


def _rank_metric(rows: Sequence[_SourceRow]) -> int:
    """Return when the column of metrics is left out: first, if all sources are the benchmark's."""
    is_known = all(row.name in BY_NAME for row in rows)
    return _METRIC_RANK if is_known else _STAYS


_SCORES: list[Column[_SourceRow]] = score_columns(lambda row: row.scores)
# The columns of the first table.
_SOURCES: list[Column[_SourceRow]] = [
    Column("Source", lambda row: row.name),
    # May be left out: the table of categories has it, too.
    Column("Column", lambda row: row.column, when="known", drop_rank=lambda _: _COLUMN_RANK),
    Column("Metric", lambda row: row.scores.metric, drop_rank=_rank_metric),
    Column("n", _count_asked, spec=""),
    *_SCORES,
    Column(
        "n verified", lambda row: row.verified.n if row.verified else None, spec="", when="known"
    ),
    Column(
        "Verified",
        lambda row: row.verified.measures["official"] if row.verified else None,
        spec="",
        when=lambda rows: any(row.verified for row in rows),
    ),
]


def run_tables(
    summary: ScoreSummary, verified: Mapping[str, SourceScores] | None = None
) -> dict[str, Sequence[Table]]:
    """Return the tables of a run by their subjects, in the order of the report.

    A subject of which nothing is known has an empty list. ``verified`` are the scores on the
    questions that an audit does not flag, by source.
    """
    by_subject = {
        "sources": [_sources_table(summary, verified)],
        "parts": _part_tables(summary),
        "categories": _category_tables(summary),
        "types": _type_tables(summary),
        "retrieval": _retrieval_tables(summary),
        "evidence": _evidence_tables(summary),
        "stores": _store_tables(summary),
        "memory": MemoryRow.tables(MemoryRow.of_sources(summary)),
    }
    titles = titles_of([summary])
    return {subject: retitle(tables, titles) for subject, tables in by_subject.items()}


def _sources_table(summary: ScoreSummary, verified: Mapping[str, SourceScores] | None) -> Table:
    """Return the first table, with the scores of each source."""
    rows = []
    for name, scores in summary.sources.items():
        # Rows that are not the benchmark's own feed no column.
        feeds_column = summary.columns and name in BY_NAME
        column = BY_NAME[name].column if feeds_column else None
        rows.append(_SourceRow(name, scores, column, verified[name] if verified else None))
    return tabulate(_SOURCES, rows)


_Store = tuple[str, StoreSummary]
_STORES: tuple[Column[_Store], ...] = (
    Column("Store", lambda row: row[0]),
    Column("Records", lambda row: row[1].records, spec=","),
    Column(
        "Per 1,000 tokens", lambda row: row[1].records_per_1000_tokens, spec=".1f", when="known"
    ),
    Column("Reworded", lambda row: row[1].reworded, spec=","),
    Column("Said by nobody", lambda row: row[1].unsaid, spec=","),
    Column("Copies", lambda row: row[1].copies, spec=","),
    Column("Older, undated", lambda row: row[1].undated, spec=",", when="known"),
)


def _store_tables(summary: ScoreSummary) -> list[Table]:
    """Return a table of what records the memory's stores hold; none if no store was read."""
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
    columns: tuple[Column[tuple[str, MeanScore]], ...] = (
        Column("Category", lambda row: row[0]),
        Column("Official", lambda row: _mean_or_partial(row[1], "official"), spec=""),
        Column("Corrected", lambda row: _mean_or_partial(row[1], "corrected"), spec=""),
        Column("Coverage", lambda row: row[1].coverage, spec=".0%"),
    )
    means = summary.means
    asked = [name for name in summary.categories if means[name].coverage]
    return [tabulate(columns, [(name, means[name]) for name in (*asked, "Overall")])]


def _mean_or_partial(mean: MeanScore, kind: Literal["official", "corrected"]) -> Value:
    """Return a score of a category, or ``partial`` while some of its questions are open."""
    return mean.measures[kind] if mean.complete else "partial"


def _type_tables(summary: ScoreSummary) -> list[Table]:
    """Return a table with the scores of each type of questions, for each source that has types."""
    columns: tuple[Column[tuple[str, TypeScores]], ...] = (
        Column("n", lambda row: row[1].n, spec=""),
        Column("Official", lambda row: row[1].measures["official"], spec=""),
        Column("Corrected", lambda row: row[1].measures["corrected"], spec=""),
        Column("Evidence", lambda row: row[1].evidence_recall, spec=".1f"),
    )
    tables = []
    for name, source in summary.sources.items():
        if source.types:
            first: Column[tuple[str, TypeScores]] = Column(f"{name} by type", lambda row: row[0])
            tables.append(tabulate([first, *columns], source.types.items()))
    return tables


def _evidence_tables(summary: ScoreSummary) -> list[Table]:
    """Return the table of found evidence; none if the data mark no evidence."""
    rows = []
    for name, source in summary.sources.items():
        if source.evidence:
            recall = Measure.of(source.evidence_recall, source.evidence.interval)
            rows.append(_EvidenceRow(name, source.evidence, recall))
    if not rows:
        return []
    columns: list[Column[_EvidenceRow]] = [
        Column("Evidence", lambda row: row.name),
        Column("n", lambda row: row.evidence.n, spec=""),
        Column("Found", lambda row: row.recall, spec=""),
    ]
    columns += _at_depths("Turns", lambda row, depth: row.evidence.measure_turns(depth))
    columns += _at_depths("Sessions", lambda row, depth: row.evidence.measure_sessions(depth))
    return [tabulate(columns, rows)]


def _part_tables(summary: ScoreSummary) -> list[Table]:
    """Return a table of what became of 100 questions of each source, one at most.

    It has only sources about which more is known than right and wrong.
    """
    rows = [(name, source) for name, source in summary.sources.items() if _tells_causes(source)]
    if not rows:
        return []
    first: Column[_Scores] = Column("Of 100 questions", lambda row: row[0])
    return [tabulate([first, *map(_part_column, PARTS)], rows)]


def _tells_causes(source: SourceScores) -> bool:
    """Return whether any question of a source became something that says why it was wrong."""
    return any(count > 0 and PARTS[part].tells for part, count in source.parts.items())


def _part_column(part: str) -> Column[_Scores]:
    """Return the column of how many of 100 questions became something, if any did."""
    return Column(
        PARTS[part].head,
        lambda row: row[1].parts_of_100[part],
        spec="",
        when=lambda rows: any(source.parts[part] for _, source in rows),
    )


def _retrieval_tables(summary: ScoreSummary) -> list[Table]:
    """Return tables about retrieval, for sources whose agent reported passages.

    A question has a hit at k if its first k passages contain all its evidence; if the data mark no
    evidence, if they mention a gold answer. Each kind has its own table, and so have sources of
    which no hit is known. The last column is the official score of the questions with a hit.
    """
    first_columns: list[Column[_Retrieval]] = [
        Column("Retrieval", lambda row: row[0]),
        Column("Passages", lambda row: row[1].depth, spec=",.1f"),
    ]
    columns_by_kind = {
        "evidence": [*first_columns, *_hit_columns("Hit")],
        "mention": [*first_columns, *_hit_columns("Mentioned")],
        None: first_columns,
    }
    tables = []
    for kind, columns in columns_by_kind.items():
        rows = [
            (name, source.retrieval)
            for name, source in summary.sources.items()
            if source.retrieval and source.retrieval.by == kind
        ]
        if rows:
            tables.append(tabulate(columns, rows))
    return tables


def _hit_columns(hit: str) -> list[Column[_Retrieval]]:
    """Return the columns of the share of hits, and of the score of the questions with a hit.

    ``hit`` is what a hit is called in their titles.
    """
    columns: list[Column[_Retrieval]] = _at_depths(hit, lambda row, depth: row[1].measure_at(depth))
    title = f"Right when {hit.lower()}"
    return [*columns, Column(title, lambda row: row[1].measure_when_hit, spec="")]


def _at_depths(title: str, share: Callable[[_T, str], Measure | None]) -> list[Column[_T]]:
    """Return a column for each depth, in passages; ``share`` returns that of a row at a depth."""

    def column(depth: str) -> Column[_T]:
        """Return the column of a depth."""
        return Column(f"{title} at {depth}", lambda row: share(row, depth), spec="")

    return [column(depth) for depth in _DEPTHS]
