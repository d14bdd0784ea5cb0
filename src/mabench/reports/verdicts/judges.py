"""How far the judges of a run agree, and what a person's verdicts say that they are off by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mabench.errors import UsageError
from mabench.json_text import Json
from mabench.printable import write_count
from mabench.reports.listings import list_table
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import (
    Agreement,
    JudgedShare,
    JudgeName,
    Run,
    compare_judges,
    estimate_shares,
)


def compare_report(folder: Path) -> tuple[Report, Json]:
    """Return the report on the judges of a run, and its content for JSON.

    Raises:
        DataError: when the run cannot be read.
        UsageError: when no two judges have judged the same answers.
    """
    shares = estimate_shares(Run(folder))
    try:
        agreements = compare_judges(folder)
    except UsageError:
        if not shares:
            raise
        agreements = []
    tables: list[Table] = []
    if shares:
        tables.append(tabulate(_SHARES, shares))
    if agreements:
        tables.append(list_table(Agreement, agreements))
    content: Json = {
        "shares": [share.as_dict() for share in shares],
        "agreements": [agreement.as_dict() for agreement in agreements],
    }
    return Report("", tables, [*_remarks(shares)]), content


def share_sentence(share: JudgedShare) -> str:
    """Return what a judge's share becomes by a person's verdicts, in one sentence."""
    low, high = share.new or share.these
    kind = "new histories" if share.new else "these answers"
    return (
        f"{share.source}: {share.judge.model} passes {share.judged:.1f}; by "
        f"{write_count(share.verdicts, 'verdict')} of {share.person} the share of right answers is "
        f"{share.estimate:.1f} ({low:.1f} to {high:.1f}, {kind})."
    )


def _remarks(shares: Sequence[JudgedShare]) -> Iterator[str]:
    yield from map(share_sentence, shares)
    if any(share.new is None for share in shares):
        yield (
            "An interval for new histories needs verdicts of a person on at least 60 answers, of "
            "at least five histories."
        )


def _extent(share: JudgedShare) -> str:
    low, high = share.new or share.these
    return f"{low:.1f} to {high:.1f}" + ("" if share.new else "†")


def _passed(share: JudgedShare) -> str:
    return f"{share.passed_wrong} of {share.wrong}"


def _named(judge: JudgeName) -> str:
    return f"{judge.model} ({judge.prompts[:8]})"


_SHARES: Sequence[Column[JudgedShare]] = (
    Column("Source", lambda share: share.source),
    Column("Judge", lambda share: _named(share.judge), key=True),
    Column("Person", lambda share: share.person, key=True),
    Column("By judge", lambda share: share.judged, ".1f"),
    Column("Estimate", lambda share: share.estimate, ".1f"),
    Column("95 %", _extent),
    Column("Verdicts", lambda share: share.verdicts, "d"),
    Column("Wrong, passed", _passed),
)
