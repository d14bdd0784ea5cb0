"""The tables about data: the inventory, what a data set holds, and the audit of its answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from mabench.audit import Audit
from mabench.data import Dataset, Problem
from mabench.data.inventory import BY_NAME, SOURCES
from mabench.families import family_of
from mabench.injection import RowChunks
from mabench.lookup import AgentInfo
from mabench.reports.layout import NONE, Table
from mabench.text import estimate_tokens


def inventory_table() -> Table:
    """Return one row for each of the 22 sources; lengths are in o200k_base tokens."""
    headers = ("Source", "Split", "Column", "Metric", "Rows", "Questions", "Tokens", "Limit")
    rows = [
        (
            source.name,
            source.split,
            source.column or NONE,
            family_of(source.name).metric,
            str(source.rows),
            str(source.questions),
            f"{source.context_tokens:,}",
            f"{source.context_limit:,}",
        )
        for source in SOURCES
    ]
    return Table(headers, rows, (False,) * 4 + (True,) * 4)


def agents_table(agents: Iterable[AgentInfo]) -> Table:
    """Return one row for each agent that can be run by name."""
    rows = [(agent.name, agent.origin, agent.summary) for agent in agents]
    return Table(("Agent", "From", "What it is"), rows, (False, False, False))


class SourceContents(NamedTuple):
    """What a data set holds of a source.

    Attributes:
        source: its name.
        split: its split; None for a source that nothing declares.
        rows, questions, answers: how many there are of it.
        tokens: about how many tokens its rows have, in the mean.
    """

    source: str
    split: str | None
    rows: int
    questions: int
    answers: int
    tokens: int


def contents_of(dataset: Dataset) -> list[SourceContents]:
    """Return what a data set holds of each of its sources.

    Raises:
        DataError: when a row cannot be read.
    """
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in dataset.rows():
        total = totals[row.source]
        total[0] += 1
        total[1] += len(row.questions)
        total[2] += sum(map(len, row.answers))
        total[3] += estimate_tokens(row.context)
    splits = {name: source.split for name, source in dataset.sources.items()}
    return [
        SourceContents(name, splits.get(name), rows, questions, answers, tokens // rows)
        for name, (rows, questions, answers, tokens) in totals.items()
    ]


def contents_table(contents: Iterable[SourceContents]) -> Table:
    """Return one row for each source, with how many rows and questions are on the hub."""
    headers = ("Source", "Split", "Rows", "Questions", "Answers", "Tokens a row, about")
    rows = []
    for one in contents:
        on_hub = BY_NAME.get(one.source)
        rows.append(
            (
                one.source,
                one.split or "unknown source",
                f"{one.rows} of {on_hub.rows}" if on_hub else str(one.rows),
                f"{one.questions} of {on_hub.questions}" if on_hub else str(one.questions),
                f"{one.answers:,}",
                f"{one.tokens:,}",
            )
        )
    return Table(headers, rows, (False,) * 2 + (True,) * 4)


def problems_table(problems: Iterable[Problem]) -> Table:
    """Return one row for each problem of a data set."""
    rows = [
        (
            one.severity,
            one.file,
            NONE if one.row is None else str(one.row),
            one.field or NONE,
            one.found,
            one.expected,
        )
        for one in problems
    ]
    headers = ("Severity", "File", "Row", "Field", "Found", "Expected")
    return Table(headers, rows, (False, False, True, False, False, False))


def chunks_table(listed: Iterable[RowChunks]) -> Table:
    """Return one row for each chunk of each row."""
    rows = [
        (row.source, str(row.row), str(number), str(length), digest)
        for row in listed
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True))
    ]
    headers = ("Source", "Row", "Chunk", "Characters", "SHA-256")
    return Table(headers, rows, (False, True, True, True, False))


def audit_tables(audit: Audit) -> list[Table]:
    """Return the tables of an audit.

    They hold the flagged questions, how many each reason flags and, where there are sources in
    which later facts supersede earlier ones, the best score of an agent that keeps to that.
    """
    flags = [
        (flag.source, str(flag.row), str(flag.question_index), flag.reason, flag.detail)
        for flag in audit.flags
    ]
    counts = [(reason, str(number)) for reason, number in audit.counts().items()]
    flagged = len({flag[:3] for flag in audit.flags})
    counts.append((f"flagged, of {audit.questions} questions", str(flagged)))
    ceilings = [(source, f"{score:.1f}") for source, score in audit.ceilings().items()]
    headers = ("Source", "Row", "Question", "Reason", "Detail")
    tables = [
        Table(headers, flags, (False, True, True, False, False)),
        Table(("Reason", "Questions"), counts, (False, True)),
    ]
    if ceilings:
        tables.append(Table(("Source", "Best score by the rule"), ceilings, (False, True)))
    return tables
