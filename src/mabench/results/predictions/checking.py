"""What a result file claims beside what follows from its own answers and verdicts.

A remark says what was seen in the file and counts it; it never says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from mabench.formats import GivenAnswer, GivenRun, GivenVerdict
from mabench.json_text import IfKnown, JsonRecord
from mabench.printable import write_count
from mabench.results.predictions.matching import AnswerMatcher
from mabench.results.predictions.reading import FileRun
from mabench.scoring import correct_answer, correct_unanswerable

# Figures in files are rounded to three places at least.
_ROUNDING = 0.0006
_MOST_PLACES = 3
# Remarks on answers that a file counts as correct although nothing is answered.
_CHANGE_THE_FIGURE = ("refusals-passed", "empty-golds-passed")
# The words with which judges state a verdict, as they are asked to write them.
_VERDICT_WORDS = {"CORRECT": 1.0, "INCORRECT": 0.0, "WRONG": 0.0}
_VERDICT_WORD = re.compile(rf"\b(?:{'|'.join(_VERDICT_WORDS)})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim(JsonRecord):
    """A figure that a file states for itself, and the same from the answers in the file."""

    what: str  # What the file calls it.
    claimed: float  # In percent.
    questions: IfKnown[int | None] = None  # Of how many questions, as the file says.
    recomputed: float | None  # The mean of the file's own verdicts or metric, in percent.
    counted: int  # Of how many answers that mean is; the others are left out of it.

    @property
    def holds(self) -> bool:
        """Whether the two are the same but for rounding."""
        if self.recomputed is None:
            return False
        return abs(self.claimed - self.recomputed) <= 100 * _ROUNDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark(JsonRecord):
    """Something that was seen in a file, with its count."""

    name: str
    count: int
    text: str
    places: tuple[str, ...] = ()  # The first few.


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck(JsonRecord):
    """What a file says of itself beside what its answers say."""

    format: str  # The name of the format.
    answers: int  # How many answers the file lists.
    failed: int  # How many of them are none, or are marked as failed.
    uncounted: int  # How many the file's own mean leaves out.
    # The corrected score by rules alone if all unclear answers are wrong, and if all are right, in
    # percent; failed answers are wrong. None if the file holds no answers or no golds.
    corrected_low: float | None
    corrected_high: float | None
    claims: tuple[CheckedClaim, ...] = ()
    remarks: tuple[Remark, ...] = ()


def check_file(file_run: FileRun, matches: AnswerMatcher | None, missing: int) -> FileCheck:
    """Compare what a run of a result file claims with what its answers and verdicts say.

    ``matches`` are those with a data set, if there is one; ``missing`` of its questions have no
    answer and are wrong in the corrected score.
    """
    run = file_run.run
    low, high = _corrected_extremes(run, matches, missing)
    claims = tuple(_check_claims(run))
    failed = 0 if run.has_no_answers else sum(map(_has_failed, run.answers))
    remarks = [*_remarks(run, claims, matches)]
    if file_run.unmatched_verdicts:
        what = "are on questions to which no file has an answer"
        remarks.append(_remark("verdicts-unmatched", file_run.unmatched_verdicts, what, "verdict"))
    return FileCheck(
        format=file_run.format,
        answers=len(run.answers),
        failed=failed,
        uncounted=sum(answer.counted is None for answer in run.answers),
        corrected_low=low,
        corrected_high=high,
        claims=claims,
        remarks=tuple(remarks),
    )


def _has_failed(answer: GivenAnswer) -> bool:
    return answer.text is None or bool(answer.failure)


def _check_claims(run: GivenRun) -> Iterator[CheckedClaim]:
    for claim in run.claims:
        answers = [one for one in run.answers if claim.question_type in (None, one.question_type)]
        counted = [one.counted for one in answers if one.counted is not None]
        yield CheckedClaim(
            what=claim.what,
            claimed=100 * claim.value,
            questions=claim.questions,
            recomputed=100 * fmean(counted) if counted else None,
            counted=len(counted),
        )


def _corrected_extremes(
    run: GivenRun, matches: AnswerMatcher | None, missing: int
) -> tuple[float | None, float | None]:
    """Return the corrected score if all unclear answers are wrong, and if all are right.

    Both are in percent, and None without answers or if any answer has no gold.
    """
    if run.has_no_answers:
        return None, None
    if matches is None:
        values = [_rule_values(answer, answer.question, answer.golds) for answer in run.answers]
    else:
        values = [
            _rule_values(answer, matches.questions[key].question, matches.questions[key].answers)
            for key, answer in matches.by_question.items()
        ]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not values:
        return None, None
    wrong = [0.0] * missing
    low = [least for least, _ in known] + wrong
    high = [most for _, most in known] + wrong
    return 100 * fmean(low), 100 * fmean(high)


def _rule_values(
    answer: GivenAnswer, question: str | None, golds: Sequence[str]
) -> tuple[float, float] | None:
    """Return the least and the most that an answer can be worth by rules; None without golds."""
    if answer.text is None or _has_failed(answer):
        return 0.0, 0.0
    asked = question or answer.prompt or ""
    if answer.is_unanswerable:
        corrected = correct_unanswerable(answer.text, asked)
    elif not any(gold.strip() for gold in golds):
        return (0.0, 1.0) if golds else None
    else:
        corrected = correct_answer(answer.text, [*golds], asked)
    if corrected.value is None:
        return 0.0, 1.0
    return corrected.value, corrected.value


def _remarks(
    run: GivenRun, claims: Sequence[CheckedClaim], matches: AnswerMatcher | None
) -> Iterator[Remark]:
    """Yield what was seen in a run: in its claims, its answers, and beside the data."""
    yield from _remarks_on_claims(run, claims)
    yield from _remarks_on_answers(run)
    if matches and matches.disagreeing:
        yield _remark("golds-differ", matches.disagreeing, "have other golds than the data")
    if matches and matches.elsewhere:
        what = "are of another source than the one that the file names"
        yield _remark("another-slice", matches.elsewhere, what)


def _remarks_on_claims(run: GivenRun, claims: Sequence[CheckedClaim]) -> Iterator[Remark]:
    """Yield figures that are not the mean of the file's outcomes, or not of all of them."""
    for claim in claims:
        if claim.recomputed is not None and not claim.holds:
            yield Remark(
                name="figure-not-of-its-parts",
                count=1,
                text=f"The file states {claim.what} {claim.claimed:.2f}; the mean of its own "
                f"outcomes, {claim.counted}, is {claim.recomputed:.2f}.",
            )
        left_out = (claim.questions or 0) - claim.counted
        if not run.answers:
            yield Remark(
                name="figure-without-answers",
                count=1,
                text=f"The file states {claim.what} {claim.claimed:.2f} and has no answers for it.",
            )
        elif left_out > 0:
            yield Remark(
                name="questions-left-out",
                count=left_out,
                text=f"The file states {write_count(claim.questions or 0, 'question')} and has "
                f"the outcome of {claim.counted}.",
            )


def _remarks_on_answers(run: GivenRun) -> Iterator[Remark]:
    """Yield for each fault of ``_ANSWER_FAULTS`` how many answers have it."""
    for name, (what, has_fault) in _ANSWER_FAULTS.items():
        places = [answer.place for answer in run.answers if has_fault(answer)]
        if places:
            remark = _remark(name, places, what)
            if name in _CHANGE_THE_FIGURE:
                remark = _add_mean_if_wrong(remark, run, has_fault)
            yield remark


def _remark(name: str, places: Sequence[str], what: str, noun: str = "answer") -> Remark:
    """Return a remark on what is at some places; ``what`` is a verb in the plural with the rest."""
    text = f"{write_count(len(places), noun)} {what}."
    if len(places) == 1:
        text = text.replace(" are ", " is ", 1).replace(" have ", " has ", 1)
        text = text.replace(" decline ", " declines ", 1)
    return Remark(name=name, count=len(places), text=text, places=tuple(places[:_MOST_PLACES]))


def _add_mean_if_wrong(
    remark: Remark, run: GivenRun, has_fault: Callable[[GivenAnswer], bool]
) -> Remark:
    """Return a remark that also says what the file's mean is if these answers count as wrong."""
    counted = [
        0.0 if has_fault(answer) else answer.counted
        for answer in run.answers
        if answer.counted is not None
    ]
    return replace(remark, text=f"{remark.text} Counted as wrong: {100 * fmean(counted):.1f}.")


def _is_passed(answer: GivenAnswer) -> bool:
    """Whether the file counts an answer as correct."""
    return answer.counted is not None and answer.counted >= 1


def _is_passed_refusal(answer: GivenAnswer) -> bool:
    if answer.text is None or answer.is_unanswerable or not _is_passed(answer):
        return False
    return correct_unanswerable(answer.text, answer.question or "").value == 1


def _is_passed_without_gold(answer: GivenAnswer) -> bool:
    is_without_gold = bool(answer.golds) and not any(gold.strip() for gold in answer.golds)
    return is_without_gold and not answer.is_unanswerable and _is_passed(answer)


def _contradicts_itself(answer: GivenAnswer) -> bool:
    return any(_is_contradicted(verdict) for verdict in answer.verdicts)


def _lacks_a_verdict(answer: GivenAnswer) -> bool:
    return any(verdict.value is None for verdict in answer.verdicts)


def _is_contradicted(verdict: GivenVerdict) -> bool:
    """Whether a second field or the words of a judge say right for wrong, or wrong for right."""
    if verdict.value not in (0.0, 1.0):
        return False
    if verdict.second_value in (0.0, 1.0) and verdict.second_value != verdict.value:
        return True
    said = {_VERDICT_WORDS[word] for word in _VERDICT_WORD.findall(verdict.words or "")}
    return len(said) == 1 and said != {verdict.value}


# What can be seen in an answer: the words of the remark, and what tells whether it is there.
_ANSWER_FAULTS: Mapping[str, tuple[str, Callable[[GivenAnswer], bool]]] = {
    "refusals-passed": (
        "decline to answer an answerable question and are counted as correct",
        _is_passed_refusal,
    ),
    "empty-golds-passed": (
        "are counted as correct although the file has no gold",
        _is_passed_without_gold,
    ),
    "verdict-contradicts-reply": (
        "have a verdict that another field, or the judge's own words, contradicts",
        _contradicts_itself,
    ),
    "verdicts-missing": (
        "have no verdict of a judge that judged others",
        _lacks_a_verdict,
    ),
}
