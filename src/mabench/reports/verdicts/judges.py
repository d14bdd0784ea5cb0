"""How far the judges of a run agree, and what a person's verdicts say that they are off by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mabench.errors import UsageError
from mabench.json_text import Json
from mabench.printable import write_count, write_number
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import (
    Agreement,
    JudgedDifference,
    JudgedShare,
    JudgeName,
    Run,
    RunFolder,
    compare_judges,
    count_marked,
    estimate_differences,
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
        tables.append(tabulate(_AGREEMENTS, agreements))
    content: Json = {
        "shares": [share.as_dict() for share in shares],
        "agreements": [agreement.as_dict() for agreement in agreements],
    }
    remarks = [_TOO_FEW] if any(share.new is None for share in shares) else []
    remarks += _marked_remarks(folder)
    first = [*map(share_sentence, shares), *map(_agreement_sentence, agreements)]
    return Report("", tables, remarks, first=first[:_MOST_SENTENCES]), content


def _marked_remarks(folder: Path) -> Iterator[str]:
    """Yield how many of the answers that a person judged carry marks."""
    for one in count_marked(RunFolder(folder)):
        if one.golds or one.verdicts:
            yield (
                f"Of {write_count(one.judged, 'answer')} that {one.person} judged, people marked "
                f"the gold of {one.golds} and the verdict on {one.verdicts} as wrong."
            )


def _agreement_sentence(agreement: Agreement) -> str:
    """Return how far two judges agree, in one sentence."""
    interval = ""
    if agreement.agreed_interval:
        low, high = (write_number(100 * end, ".1f") for end in agreement.agreed_interval)
        interval = f" ({low} to {high})"
    agreed = write_number(100 * agreement.agreed, ".1f")
    apart = write_number(100 * agreement.difference, ".1f")
    answers = write_count(agreement.n, "answer")
    return (
        f"{agreement.source}: {agreement.one.model} and {agreement.other.model} agree on {agreed} "
        f"%{interval} of {answers}; their scores of one are {apart} points apart on average."
    )


def difference_report(one: Path, other: Path) -> tuple[Report, Json]:
    """Return the report on how two runs differ by a judge and a person, and it for JSON.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when no person has judged enough pairs of their answers.
    """
    differences = estimate_differences(Run(one), Run(other))
    if not differences:
        raise UsageError(
            f"{one} and {other}: no person has judged 10 pairs of their answers that a judge has "
            "judged, with 5 each where its verdicts differ and where they agree; judge both by "
            "hand first"
        )
    content: Json = [difference.as_dict() for difference in differences]
    remarks = [_TOO_FEW] if any(difference.new is None for difference in differences) else []
    first = [*map(_difference_sentence, differences)]
    return Report("", [tabulate(_DIFFERENCES, differences)], remarks, first=first), content


def _difference_sentence(difference: JudgedDifference) -> str:
    low, high = difference.new or difference.these
    kind = "new histories" if difference.new else "these answers"
    return (
        f"{difference.source}: by {difference.judge.model} the first run is "
        f"{difference.judged:+.1f} points from the second; by verdicts of {difference.person} on "
        f"{write_count(difference.verdicts, 'pair')}, {difference.estimate:+.1f} "
        f"({low:+.1f} to {high:+.1f}, {kind})."
    )


def share_sentence(share: JudgedShare) -> str:
    """Return what a judge's share becomes by a person's verdicts, in one sentence."""
    low, high = share.new or share.these
    kind = "new histories" if share.new else "these answers"
    return (
        f"{share.source}: {share.judge.model} passes {write_number(share.judged, '.1f')}; by "
        f"{write_count(share.verdicts, 'verdict')} of {share.person} the share of right answers is "
        f"{write_number(share.estimate, '.1f')} ({low:.1f} to {high:.1f}, {kind})."
    )


# A report begins with this many sentences; the table has the rest.
_MOST_SENTENCES = 3
_TOO_FEW = (
    "An interval for new histories needs verdicts of a person on answers to at least 60 questions, "
    "of at least five histories."
)


def _extent(share: JudgedShare | JudgedDifference) -> str:
    low, high = share.new or share.these
    return f"{low:.1f} to {high:.1f}" + ("" if share.new else "†")


def _count_passed(share: JudgedShare) -> str:
    return f"{share.passed_wrong} of {share.wrong}"


def _name_judge(judge: JudgeName) -> str:
    return f"{judge.model} ({judge.prompts[:8]})"


_SHARES: Sequence[Column[JudgedShare]] = (
    Column("Source", lambda share: share.source),
    Column("Judge", lambda share: _name_judge(share.judge), key=True),
    Column("Person", lambda share: share.person, key=True),
    Column("By judge", lambda share: share.judged, ".1f"),
    Column("Estimate", lambda share: share.estimate, ".1f"),
    Column("95 %", _extent),
    Column("Verdicts", lambda share: share.verdicts, "d"),
    Column("Wrong, passed", _count_passed),
)
_DIFFERENCES: Sequence[Column[JudgedDifference]] = (
    Column("Source", lambda difference: difference.source),
    Column("Judge", lambda difference: _name_judge(difference.judge), key=True),
    Column("Person", lambda difference: difference.person, key=True),
    Column("By judge", lambda difference: difference.judged, "+.1f"),
    Column("Estimate", lambda difference: difference.estimate, "+.1f"),
    Column("95 %", _extent),
    Column("Pairs", lambda difference: difference.pairs, "d"),
    Column("Differ", lambda difference: difference.differ, "d"),
    Column("Judged by hand", lambda difference: difference.verdicts, "d"),
)


def _ends(limits: tuple[float, float] | None, form: str) -> str:
    return f"{limits[0]:{form}} to {limits[1]:{form}}" if limits else "too few histories"


def _judge(judge: JudgeName) -> str:
    return f"{judge.model} ({judge.prompts[:8]})"


_AGREEMENTS: tuple[Column[Agreement], ...] = (
    Column("Source", lambda row: row.source),
    Column("Judge", lambda row: _judge(row.one)),
    Column("Other judge", lambda row: _judge(row.other)),
    Column("Compared", lambda row: row.compared),
    Column("n", lambda row: row.n, ""),
    Column("Agree", lambda row: row.agreed, ".1%"),
    Column("95 %", lambda row: _ends(row.agreed_interval, ".1%"), ""),
    Column("Kappa", lambda row: row.kappa, ".3f"),
    Column("95 %, new histories", lambda row: _ends(row.kappa_interval, ".2f"), ""),
    Column("Score apart", lambda row: 100 * row.difference, ".1f"),
)
