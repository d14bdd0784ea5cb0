"""How often a judge passes answers of each kind, right and wrong ones, as measured by calibration.

A calibration asks the judge about made-up answers whose verdict is known, by kind of answer and
family of questions. To pass an answer is to call it right.
"""

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

# The cell of a kind of answer that was not measured for a family.
_UNMEASURED = "-"


def calibration_report(calibration: Calibration) -> Report:
    """Return the report on what a judge passes: a sentence, a table by kind and family, remarks.

    Kinds of right answers come first in the table.
    """
    families = [measured.family for measured in calibration.families]
    shares = {(share.family, share.kind): share for share in calibration.shares}
    measured_kinds = {share.kind for share in calibration.shares if share.family in families}
    right = [kind for kind in AnswerKind if kind in measured_kinds and kind.is_right]
    wrong = [kind for kind in AnswerKind if kind in measured_kinds and not kind.is_right]
    rows: list[list[Value]] = []
    for kind in (*right, *wrong):
        cells = [_write_cell(shares.get((family, kind))) for family in families]
        rows.append([kind.value, "pass" if kind.is_right else "fail", *cells])
    table = plain_table(["Answer", "Should", *families], rows)
    return Report("", [table], [*_remarks(calibration)], first=[_first_sentence(calibration)])


def _first_sentence(calibration: Calibration) -> str:
    """Return what a judge passes of right answers, and of the wrong ones that it passes most."""
    return f"{calibration.model} passes {_best_and_worst(calibration.shares)}."


def calibration_remarks(run: Run) -> Iterator[str]:
    """Yield what the judge of each source passes, if its calibration is kept with the run."""
    kept = KeptCalibrations.of(run.folder)
    for name, source in run.summary.sources.items():
        shares = kept.shares_of(source.judge) if source.judge else []
        if source.judge and shares:
            yield f"{name}: {source.judge.model} passes {_best_and_worst(shares)}."


def _best_and_worst(shares: Sequence[PassedShare]) -> str:
    """Return how many right answers are passed, and how many of the wrong kind passed most often.

    ``shares`` must have a kind of right answers and one of wrong ones.
    """
    right = [share for share in shares if share.kind.is_right]
    wrong = [share for share in shares if not share.kind.is_right]
    answers, passed = sum(share.n for share in right), sum(share.passed for share in right)
    worst = max(wrong, key=attrgetter("share"))
    return (
        f"{100 * passed / answers:.1f} % of right answers; of the kinds of wrong ones it passes "
        f"most of these: {worst.kind} ({worst.family}), {_write_share(worst)}; measured on made-up "
        "answers"
    )


def _remarks(calibration: Calibration) -> Iterator[str]:
    """Yield what the table means, what is notable beside it, and what the calibration took."""
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
        low, high = effect.interval
        excludes_zero = low > 0 or high < 0
        if excludes_zero:
            yield _effect_sentence(effect)
    asked = sum(measured.asked_twice for measured in calibration.families)
    agreed = sum(measured.agreed for measured in calibration.families)
    yield f"Asked twice about {write_count(asked, 'answer')}, it said the same on {agreed}."
    yield _reading_sentence(calibration)
    tokens = f"{calibration.input_tokens:,} tokens in and {calibration.output_tokens:,} out"
    price = "at an unknown price" if calibration.cost is None else f"${calibration.cost:.4f}"
    yield f"{write_count(calibration.requests, 'request')}, {tokens}, {price}."


def _reading_sentence(calibration: Calibration) -> str:
    """Return how many easily misread replies our reader of verdicts takes as they are meant."""
    readings = calibration.readings
    read_as_meant = sum(reading.read_so for reading in readings)
    replies = sum(reading.n for reading in readings)
    misread = [reading.replies for reading in readings if reading.read_so < reading.n]
    kinds = f"; not all of these: {', '.join(misread)}" if misread else ""
    easily_misread = f"{replies} replies that are easily misread"
    return f"The reader takes {read_as_meant} of {easily_misread} as meant{kinds}."


def _effect_sentence(effect: ShareDifference) -> str:
    """Return by how many points something about answers changes the share that is passed."""
    low, high = effect.interval
    return (
        f"{effect.family}, {effect.effect}: {effect.difference:+.1f} points "
        f"({low:+.1f} to {high:+.1f})."
    )


def _write_cell(share: PassedShare | None) -> str:
    """Return a share with its interval in whole percent; a dash if it was not measured."""
    if share is None:
        return _UNMEASURED
    low, high = share.interval.percent
    return f"{100 * share.share:.0f} ({low:.0f} to {high:.0f})"


def _write_share(share: PassedShare) -> str:
    """Return a share with its interval in percent, as a part of a sentence."""
    low, high = share.interval.percent
    return f"{100 * share.share:.1f} % ({low:.1f} to {high:.1f})"
