"""What judges pass, by kind of answer: measured on made-up answers, and said to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from mabench.printable import write_count
from mabench.reports.report import Report
from mabench.reports.tables import Value, plain_table
from mabench.results import (
    AnswerKind,
    Calibration,
    KeptCalibrations,
    PassedShare,
    Run,
    ShareDifference,
)

_UNMEASURED = "-"


def calibration_report(calibration: Calibration) -> Report:
    """Return the report on what a judge passes: a sentence, a table by kind and family, remarks."""
    families = [measured.family for measured in calibration.families]
    by_place = {(share.family, share.kind): share for share in calibration.shares}
    kinds = [kind for kind in AnswerKind if any((name, kind) in by_place for name in families)]
    rows: list[list[Value]] = []
    for kind in sorted(kinds, key=lambda kind: not kind.is_right):
        cells = [_cell(by_place.get((name, kind))) for name in families]
        rows.append([kind.value, "pass" if kind.is_right else "fail", *cells])
    table = plain_table(["Answer", "Should", *families], rows)
    return Report("", [table], [*_remarks(calibration)], first=[first_sentence(calibration)])


def first_sentence(calibration: Calibration) -> str:
    """Return what a judge passes of right answers, and of the wrong ones that it passes most."""
    return f"{calibration.model} passes {_best_and_worst(calibration.shares)}."


def calibration_remarks(run: Run) -> Iterator[str]:
    """Yield what the judge of each source passes, where it had to show a calibration."""
    kept = KeptCalibrations.of(run.folder)
    for name, source in run.summary.sources.items():
        shares = kept.shares_of(source.judge) if source.judge else []
        if source.judge and shares:
            yield f"{name}: {source.judge.model} passes {_best_and_worst(shares)}."


def _best_and_worst(shares: Sequence[PassedShare]) -> str:
    right = [share for share in shares if share.kind.is_right]
    n, passed = sum(share.n for share in right), sum(share.passed for share in right)
    worst = max((share for share in shares if not share.kind.is_right), key=attrgetter("share"))
    return (
        f"{100 * passed / n:.1f} % of right answers; of the kinds of wrong ones it passes most of "
        f"these: {worst.kind} ({worst.family}), {_percent(worst)}; measured on made-up answers"
    )


def _remarks(calibration: Calibration) -> Iterator[str]:
    yield (
        "In percent of made-up answers that the judge passes, with 95 % intervals (Wilson) for "
        "more answers of the kind. They say nothing of how often real answers are of a kind, so no "
        "share of real answers may be corrected by them."
    )
    no_verdict = sum(share.no_verdict for share in calibration.shares)
    if no_verdict:
        answers = write_count(no_verdict, "answer")
        yield f"On {answers} the judge gave no verdict; they count as not passed."
    for effect in calibration.effects():
        if effect.interval[0] > 0 or effect.interval[1] < 0:
            yield _effect_sentence(effect)
    asked = sum(measured.asked_twice for measured in calibration.families)
    agreed = sum(measured.agreed for measured in calibration.families)
    yield f"Asked twice about {write_count(asked, 'answer')}, it said the same on {agreed}."
    misread = [one for one in calibration.readings if one.read_so < one.n]
    total = sum(one.n for one in calibration.readings)
    read_so = sum(one.read_so for one in calibration.readings)
    kinds = f"; not all of these: {', '.join(one.replies for one in misread)}" if misread else ""
    yield f"The reader takes {read_so} of {total} replies that are easily misread as meant{kinds}."
    tokens = f"{calibration.input_tokens:,} tokens in and {calibration.output_tokens:,} out"
    price = "at an unknown price" if calibration.cost is None else f"${calibration.cost:.4f}"
    yield f"{write_count(calibration.requests, 'request')}, {tokens}, {price}."


def _effect_sentence(effect: ShareDifference) -> str:
    low, high = effect.interval
    return (
        f"{effect.family}, {effect.effect}: {effect.difference:+.1f} points "
        f"({low:+.1f} to {high:+.1f})."
    )


def _cell(share: PassedShare | None) -> str:
    if share is None:
        return _UNMEASURED
    low, high = share.interval.percent
    return f"{100 * share.share:.0f} ({low:.0f} to {high:.0f})"


def _percent(share: PassedShare) -> str:
    low, high = share.interval.percent
    return f"{100 * share.share:.1f} % ({low:.1f} to {high:.1f})"
