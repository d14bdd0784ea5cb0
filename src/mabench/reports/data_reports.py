"""Reports about a data set: its contents, its chunks, and the questions that an audit flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mabench.audit import Audit
from mabench.data import Dataset
from mabench.data.contents import Contents, add_up, missing_sources
from mabench.families import family_of
from mabench.injection import RowChunks
from mabench.reports.report import Report
from mabench.reports.tables import NONE, Column, Table, Value, plain_table, tabulate
from mabench.results import Measure


def contents_report(dataset: Dataset) -> Report:
    """Return what a data set contains by split and source, and what it lacks."""
    contents, entities = dataset.contents, dataset.entities
    of_splits = tabulate(_SPLIT_COLUMNS, add_up(contents, by_split=True))
    names = [str(part.source) for part in contents]
    unknown = [name for name in names if name not in dataset.sources]
    lines = [f"unknown source, declared nowhere: {', '.join(unknown)}"] if unknown else []
    missing = missing_sources(contents)
    if missing:
        lines.append(f"no rows of: {', '.join(missing)}")
    lines.append(f"fields: {'; '.join(_describe_fields(contents))}")
    if entities is not None:
        lines.append(f"entities: {len(entities):,}")
    elif any(family_of(n, dataset.sources).needs_entities for n in names if n not in unknown):
        lines.append("no entity file")
    lines.append(f"fingerprint: {dataset.fingerprint}")
    return Report(tables=[of_splits, tabulate(_SOURCE_COLUMNS, contents)], remarks=lines)


def _describe_fields(contents: Sequence[Contents]) -> Iterator[str]:
    """Yield fields with the sources that have them, such as ``dates, ids in all``."""
    fields_of: dict[tuple[str, ...], list[str]] = {}  # Fields, by the sources that have them.
    for field in dict.fromkeys(field for part in contents for field in part.fields):
        sources = tuple(str(part.source) for part in contents if field in part.fields)
        fields_of.setdefault(sources, []).append(field)
    for sources, fields in fields_of.items():
        where = "all" if len(sources) == len(contents) else ", ".join(sources)
        yield f"{', '.join(fields)} in {where}"


def chunks_table(listed: Iterable[RowChunks]) -> Table:
    """Return a table with a line for each chunk of each row."""
    rows = (
        (row.source, row.row, number, length, digest)
        for row in listed
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True))
    )
    return plain_table(("Source", "Row", "Chunk", "Characters", "SHA-256"), rows)


def audit_tables(audit: Audit) -> list[Table]:
    """Return tables of the flagged questions, their number by reason, and the best scores.

    The best score is what a perfect memory can get under the official rule.
    """
    titles = ("Source", "Row", "Question", "Reason", "Detail")
    rows = [(f.source, f.row, f.question_index, f.reason, f.detail) for f in audit.flags]
    flagged = len({flag[:3] for flag in audit.flags})
    counts = [*audit.counts().items(), (f"flagged, of {audit.questions} questions", flagged)]
    tables = [plain_table(titles, rows), plain_table(("Reason", "Questions"), counts)]
    ceilings = audit.ceilings()
    if ceilings:
        best = [(source, Measure(score)) for source, score in ceilings.items()]
        tables.append(plain_table(("Source", "Best score under the rule"), best))
    return tables


def _count_rows(part: Contents) -> Value:
    """Return the number of rows, with that of the public data set if it has the source."""
    return f"{part.rows:,} of {part.official[0]:,}" if part.official else f"{part.rows:,}"


def _count_questions(part: Contents) -> Value:
    """Return the number of questions, with that of the public data set if it has the source."""
    return f"{part.questions:,} of {part.official[1]:,}" if part.official else f"{part.questions:,}"


_COUNT_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Rows", _count_rows, ""),
    Column("Questions", _count_questions, ""),
    Column("Answers", lambda part: part.answers, ","),
)
_SPLIT_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Split", lambda part: part.split),
    *_COUNT_COLUMNS,
    Column("Tokens, about", lambda part: part.tokens, ","),
)
_SOURCE_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Source", lambda part: part.source or NONE),
    *_COUNT_COLUMNS,
    Column("Tokens a row", lambda part: part.tokens_a_row, ","),
    Column("Golds a question", lambda p: p.answers / max(p.questions, 1), ".1f", formats=["page"]),
)
