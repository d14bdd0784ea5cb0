"""Reports of a data set: its contents, its chunks, and the questions that an audit flags."""

from __future__ import annotations

from collections.abc import Iterable

from mabench.audit import Audit
from mabench.data import Dataset
from mabench.data.contents import Contents, add_up, missing_sources
from mabench.families import family_of
from mabench.injection import RowChunks
from mabench.reports.report import Report
from mabench.reports.tables import NONE, Column, Table, Value, plain_table, tabulate
from mabench.results import Measure


def contents_report(dataset: Dataset) -> Report:
    """Return what a data set has of each split and source, and what it lacks."""
    contents, entities = dataset.contents, dataset.entities
    of_splits = tabulate(_OF_SPLITS, add_up(contents, by_split=True))
    names = [str(part.source) for part in contents]
    unknown = [name for name in names if name not in dataset.sources]
    lines = [f"unknown source, declared nowhere: {', '.join(unknown)}"] if unknown else []
    if missing := missing_sources(contents):
        lines.append(f"no rows of: {', '.join(missing)}")
    alike: dict[tuple[str, ...], list[str]] = {}  # Fields, by the sources that have them.
    for field in dict.fromkeys(field for part in contents for field in part.fields):
        sources = tuple(str(part.source) for part in contents if field in part.fields)
        alike.setdefault(sources, []).append(field)
    filled = (
        f"{', '.join(fields)} in {'all' if len(sources) == len(contents) else ', '.join(sources)}"
        for sources, fields in alike.items()
    )
    lines.append(f"fields: {'; '.join(filled)}")
    if entities is not None:
        lines.append(f"entities: {len(entities):,}")
    elif any(family_of(n, dataset.sources).needs_entities for n in names if n not in unknown):
        lines.append("no entity file")
    lines.append(f"fingerprint: {dataset.fingerprint}")
    return Report(tables=[of_splits, tabulate(_OF_SOURCES, contents)], remarks=lines)


def chunks_table(listed: Iterable[RowChunks]) -> Table:
    """Return one row for each chunk of each row."""
    rows = (
        (row.source, row.row, number, length, digest)
        for row in listed
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True))
    )
    return plain_table(("Source", "Row", "Chunk", "Characters", "SHA-256"), rows)


def audit_tables(audit: Audit) -> list[Table]:
    """Return the flagged questions, how many each reason flags, and the best possible scores."""
    titles = ("Source", "Row", "Question", "Reason", "Detail")
    rows = [(f.source, f.row, f.question_index, f.reason, f.detail) for f in audit.flags]
    flagged = len({flag[:3] for flag in audit.flags})
    counts = [*audit.counts().items(), (f"flagged, of {audit.questions} questions", flagged)]
    tables = [plain_table(titles, rows), plain_table(("Reason", "Questions"), counts)]
    if ceilings := audit.ceilings():
        best = [(source, Measure(score)) for source, score in ceilings.items()]
        tables.append(plain_table(("Source", "Best score under the rule"), best))
    return tables


def _compare_with_official(part: Contents, place: int) -> Value:
    """Return a number of rows or of questions, with that of the public data set."""
    number = (part.rows, part.questions)[place]
    return f"{number:,} of {part.official[place]:,}" if part.official else f"{number:,}"


_FIGURES: tuple[Column[Contents], ...] = (
    Column("Rows", lambda part: _compare_with_official(part, 0), ""),
    Column("Questions", lambda part: _compare_with_official(part, 1), ""),
    Column("Answers", lambda part: part.answers, ","),
)
_OF_SPLITS: tuple[Column[Contents], ...] = (
    Column("Split", lambda part: part.split),
    *_FIGURES,
    Column("Tokens, about", lambda part: part.tokens, ","),
)
_OF_SOURCES: tuple[Column[Contents], ...] = (
    Column("Source", lambda part: part.source or NONE),
    *_FIGURES,
    Column("Tokens a row", lambda part: part.tokens_a_row, ","),
    Column("Golds a question", lambda p: p.answers / max(p.questions, 1), ".1f", formats=["page"]),
)
