"""The tables about data: the inventory, what a data set holds, and the audit of its answers."""

from __future__ import annotations

from collections import defaultdict

from mabench.audit import Audit
from mabench.data import Dataset
from mabench.data.inventory import BY_NAME, SOURCES
from mabench.families import family_of
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


def contents_table(dataset: Dataset) -> Table:
    """Return one row for each source of a data set, with the hub's counts beside its own.

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
    headers = ("Source", "Split", "Rows", "Questions", "Answers", "Tokens a row, about")
    rows = []
    for name, (number, questions, answers, tokens) in totals.items():
        on_hub = BY_NAME.get(name)
        rows.append(
            (
                name,
                dataset.sources[name].split if name in dataset.sources else "unknown source",
                f"{number} of {on_hub.rows}" if on_hub else str(number),
                f"{questions} of {on_hub.questions}" if on_hub else str(questions),
                f"{answers:,}",
                f"{tokens // number:,}",
            )
        )
    return Table(headers, rows, (False,) * 2 + (True,) * 4)


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
