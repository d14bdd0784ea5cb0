"""How far judges agree on the answers of a run, and what their scores become by people's verdicts.

A judge is a language model that says which answers are right. A person who has judged some of the
same answers by hand shows how far the judge is off: the estimate is what the person would find. Its
interval holds for new histories if there are verdicts enough, else for these answers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mabench.errors import UsageError
from mabench.json_text import Json
from mabench.printable import write_count, write_number
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import (
    THESE,
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

# How many sentences a report begins with; the table has the rest.
_MOST_SENTENCES = 3
# How many digits of the hash of a judge's prompts are shown.
_DIGITS = 8
_TOO_FEW = (
    "An interval for new histories needs verdicts of a person on answers to at least 60 questions, "
    "of at least five histories."
)


def compare_report(folder: Path) -> tuple[Report, Json]:
    """Return the report on the judges of a run, and its content for JSON.

    It has how far judges agree with each other, and estimates by verdicts of people.

    Raises:
        DataError: when the run cannot be read.
        UsageError: when no two judges, or a judge and a person, have judged the same answers.
    """
    shares = estimate_shares(Run(folder))
    try:
        agreements = compare_judges(folder)
    except UsageError:
        if not shares:
            raise
        agreements = []  # No two judges have judged the same answers.
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
    sentences = [*map(share_sentence, shares), *map(_agreement_sentence, agreements)]
    return Report("", tables, remarks, first=sentences[:_MOST_SENTENCES]), content


def _marked_remarks(folder: Path) -> Iterator[str]:
    """Yield, by person, how many of the answers that they judged have a gold or verdict marked.

    Nothing is yielded for a person whose answers have no marks.
    """
    for marked in count_marked(RunFolder(folder)):
        if marked.golds or marked.verdicts:
            answers = write_count(marked.judged, "answer")
            yield (
                f"Of {answers} that {marked.person} judged, people marked "
                f"the gold of {marked.golds} and the verdict on {marked.verdicts} as wrong."
            )


def _agreement_sentence(agreement: Agreement) -> str:
    """Return on how many answers two judges agree, and how far their scores are apart."""
    interval = ""
    if agreement.agreed_interval:
        low, high = agreement.agreed_interval
        low_percent, high_percent = (write_number(100 * end, ".1f") for end in (low, high))
        interval = f" ({low_percent} to {high_percent})"
    agreed = write_number(100 * agreement.agreed, ".1f")
    apart = write_number(100 * agreement.difference, ".1f")
    answers = write_count(agreement.n, "answer")
    return (
        f"{agreement.source}: {agreement.one.model} and {agreement.other.model} agree on {agreed} "
        f"%{interval} of {answers}; their scores of one are {apart} points apart on average."
    )


def difference_report(one: Path, other: Path) -> tuple[Report, Json]:
    """Return the report on how two runs differ by a judge and a person, and its content for JSON.

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
    sentences = [_difference_sentence(difference) for difference in differences]
    return Report("", [tabulate(_DIFFERENCES, differences)], remarks, first=sentences), content


def _difference_sentence(difference: JudgedDifference) -> str:
    """Return by how many points two runs differ by a judge, and by a person's verdicts."""
    low, high = difference.new or difference.these
    holds_for = "new histories" if difference.new else "these answers"
    return (
        f"{difference.source}: by {difference.judge.model} the first run is "
        f"{difference.judged:+.1f} points from the second; by verdicts of {difference.person} on "
        f"{write_count(difference.verdicts, 'pair')}, {difference.estimate:+.1f} "
        f"({low:+.1f} to {high:+.1f}, {holds_for})."
    )


def share_sentence(share: JudgedShare) -> str:
    """Return which share of answers a judge passes, and which share is right by a person."""
    low, high = share.new or share.these
    holds_for = "new histories" if share.new else "these answers"
    return (
        f"{share.source}: {share.judge.model} passes {write_number(share.judged, '.1f')}; by "
        f"{write_count(share.verdicts, 'verdict')} of {share.person} the share of right answers is "
        f"{write_number(share.estimate, '.1f')} ({low:.1f} to {high:.1f}, {holds_for})."
    )


def _write_interval(estimate: JudgedShare | JudgedDifference) -> str:
    """Return the interval of an estimate, marked if it is only for the answers at hand."""
    low, high = estimate.new or estimate.these
    mark = "" if estimate.new else THESE
    return f"{low:.1f} to {high:.1f}{mark}"


def _count_passed(share: JudgedShare) -> str:
    """Return how many of the answers that are wrong by a person the judge passes."""
    return f"{share.passed_wrong} of {share.wrong}"


def _name_judge(judge: JudgeName) -> str:
    """Return a judge's model, with the first digits of the hash of its prompts."""
    return f"{judge.model} ({judge.prompts[:_DIGITS]})"


_SHARES: Sequence[Column[JudgedShare]] = (
    Column("Source", lambda share: share.source),
    Column("Judge", lambda share: _name_judge(share.judge), key=True),
    Column("Person", lambda share: share.person, key=True),
    Column("By judge", lambda share: share.judged, spec=".1f"),
    Column("Estimate", lambda share: share.estimate, spec=".1f"),
    Column("95 %", _write_interval),
    Column("Verdicts", lambda share: share.verdicts, spec="d"),
    Column("Wrong, passed", _count_passed),
)
_DIFFERENCES: Sequence[Column[JudgedDifference]] = (
    Column("Source", lambda difference: difference.source),
    Column("Judge", lambda difference: _name_judge(difference.judge), key=True),
    Column("Person", lambda difference: difference.person, key=True),
    Column("By judge", lambda difference: difference.judged, spec="+.1f"),
    Column("Estimate", lambda difference: difference.estimate, spec="+.1f"),
    Column("95 %", _write_interval),
    Column("Pairs", lambda difference: difference.pairs, spec="d"),
    Column("Differ", lambda difference: difference.differ, spec="d"),
    Column("Judged by hand", lambda difference: difference.verdicts, spec="d"),
)


def _write_limits(limits: tuple[float, float] | None, spec: str) -> str:
    """Return the two ends of an interval in a format; without any, why there is none."""
    if limits is None:
        return "too few histories"
    low, high = limits
    return f"{low:{spec}} to {high:{spec}}"


_AGREEMENTS: tuple[Column[Agreement], ...] = (
    Column("Source", lambda agreement: agreement.source),
    Column("Judge", lambda agreement: _name_judge(agreement.one)),
    Column("Other judge", lambda agreement: _name_judge(agreement.other)),
    Column("Compared", lambda agreement: agreement.compared),
    Column("n", lambda agreement: agreement.n, spec=""),
    Column("Agree", lambda agreement: agreement.agreed, spec=".1%"),
    Column("95 %", lambda agreement: _write_limits(agreement.agreed_interval, ".1%"), spec=""),
    Column("Kappa", lambda agreement: agreement.kappa, spec=".3f"),
    Column(
        "95 %, new histories",
        lambda agreement: _write_limits(agreement.kappa_interval, ".2f"),
        spec="",
    ),
    Column("Score apart", lambda agreement: 100 * agreement.difference, spec=".1f"),
)
