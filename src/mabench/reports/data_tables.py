"""The tables about data: the inventory, what a data set holds, and the audit of its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mabench.audit import Audit
from mabench.data import Dataset, Problem
from mabench.data.inventory import BY_NAME, SOURCES, Source
from mabench.families import family_of
from mabench.injection import RowChunks
from mabench.lookup import AgentInfo
from mabench.reports.tables import Column, Measure, Table, Value, plain_columns, tabulate
from mabench.text import estimate_tokens


def inventory_table() -> Table:
    """Return one row for each of the 22 sources; lengths are in o200k_base tokens."""
    columns: tuple[Column[Source], ...] = (
        Column("Source", lambda source: source.name),
        Column("Split", lambda source: source.split),
        Column("Column", lambda source: source.column),
        Column("Metric", lambda source: family_of(source.name).metric),
        Column("Rows", lambda source: source.rows, ""),
        Column("Questions", lambda source: source.questions, ""),
        Column("Tokens", lambda source: source.context_tokens, ","),
        Column("Limit", lambda source: source.context_limit, ","),
    )
    return tabulate(columns, SOURCES)


def agents_table(agents: Iterable[AgentInfo]) -> Table:
    """Return one row for each agent that can be run by name."""
    rows = ((agent.name, agent.origin, agent.summary) for agent in agents)
    return tabulate(plain_columns(("Agent", "From", "What it is"), texts=range(3)), rows)


class SourceContents(NamedTuple):
    """What a data set holds of a source: ``tokens`` a row, about, and no split if undeclared."""

    source: str
    split: str | None
    rows: int
    questions: int
    answers: int
    tokens: int


def contents_of(dataset: Dataset) -> list[SourceContents]:
    """Return what a data set holds of each of its sources; raises ``DataError``."""
    totals: dict[str, SourceContents] = {}
    for row in dataset.rows():
        source = dataset.sources.get(row.source)
        empty = SourceContents(row.source, source.split if source else None, 0, 0, 0, 0)
        total = totals.get(row.source, empty)
        totals[row.source] = total._replace(
            rows=total.rows + 1,
            questions=total.questions + len(row.questions),
            answers=total.answers + sum(map(len, row.answers)),
            tokens=total.tokens + estimate_tokens(row.context),
        )
    return [total._replace(tokens=total.tokens // total.rows) for total in totals.values()]


def contents_table(contents: Iterable[SourceContents]) -> Table:
    """Return one row for each source, with how many rows and questions are on the hub."""

    def on_hub(source: SourceContents, field: str) -> Value:
        number: int = getattr(source, field)
        published = BY_NAME.get(source.source)
        return f"{number} of {getattr(published, field)}" if published else number

    columns: tuple[Column[SourceContents], ...] = (
        Column("Source", lambda source: source.source),
        Column("Split", lambda source: source.split or "unknown source"),
        Column("Rows", lambda source: on_hub(source, "rows"), ""),
        Column("Questions", lambda source: on_hub(source, "questions"), ""),
        Column("Answers", lambda source: source.answers, ","),
        Column("Tokens a row, about", lambda source: source.tokens, ","),
    )
    return tabulate(columns, contents)


def problems_table(problems: Iterable[Problem]) -> Table:
    """Return one row for each problem of a data set."""
    columns: tuple[Column[Problem], ...] = (
        Column("Severity", lambda problem: problem.severity),
        Column("File", lambda problem: problem.file),
        Column("Row", lambda problem: problem.row, ""),
        Column("Field", lambda problem: problem.field or None),
        Column("Found", lambda problem: problem.found),
        Column("Expected", lambda problem: problem.expected),
    )
    return tabulate(columns, problems)


def chunks_table(listed: Iterable[RowChunks]) -> Table:
    """Return one row for each chunk of each row."""
    rows = (
        (row.source, row.row, number, length, digest)
        for row in listed
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True))
    )
    columns = plain_columns(("Source", "Row", "Chunk", "Characters", "SHA-256"), texts=(0, 4))
    return tabulate(columns, rows)


def audit_tables(audit: Audit) -> list[Table]:
    """Return the flagged questions, how many each reason flags, and the best possible scores."""
    flags = plain_columns(("Source", "Row", "Question", "Reason", "Detail"), texts=(0, 3, 4))
    rows = [
        (flag.source, flag.row, flag.question_index, flag.reason, flag.detail)
        for flag in audit.flags
    ]
    flagged = len({flag[:3] for flag in audit.flags})
    counts = [*audit.counts().items(), (f"flagged, of {audit.questions} questions", flagged)]
    tables = [tabulate(flags, rows), tabulate(plain_columns(("Reason", "Questions")), counts)]
    if ceilings := audit.ceilings():
        best = [(source, Measure(score)) for source, score in ceilings.items()]
        tables.append(tabulate(plain_columns(("Source", "Best score by the rule")), best))
    return tables
