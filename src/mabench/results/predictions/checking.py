"""Compares what a result file claims with what follows from its own answers and verdicts.

A claim is a figure that the file states for itself. A remark says what was seen in the file and
counts it; it never says why. ``answer.counted`` is what the file itself counts for an answer, from
0 (wrong) to 1 (right); None if it leaves the answer out of its mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from mabench.formats import GivenAnswer, GivenRun, GivenVerdict
from mabench.json_text import IfKnown, JsonRecord
from mabench.printable import write_count
from mabench.results.predictions.matching import AnswerMatcher
from mabench.results.predictions.reading import FileRun
from mabench.scoring import correct_answer, correct_unanswerable

# Figures in files are rounded to three places at least.
_ROUNDING = 0.0006
_MOST_PLACES = 3  # How many answers a remark names.
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

    ``matches`` has the questions of a data set that the answers match, if there is a data set;
    ``missing`` of its questions have no answer, and are wrong in the corrected score.
    """
    run = file_run.run
    low, high = _corrected_extremes(run, matches, missing)
    claims = tuple(_check_claims(run))
    failed = 0 if run.has_no_answers else sum(_has_failed(answer) for answer in run.answers)
    remarks = list(_remarks(run, claims, matches))
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
    """Return whether an answer has no text, or the file marks it as failed."""
    return answer.text is None or bool(answer.failure)


def _check_claims(run: GivenRun) -> Iterator[CheckedClaim]:
    """Yield each claim with the mean of what the file counts for the answers that it is about.

    A claim is about all answers, or about those to one type of questions.
    """
    for claim in run.claims:
        counted = [
            answer.counted
            for answer in run.answers
            if answer.counted is not None and claim.question_type in (None, answer.question_type)
        ]
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

    Both are in percent, and None without answers or if any answer has no gold. Question and golds
    are those of the data set if there is one, else those of the file.
    """
    if run.has_no_answers:
        return None, None
    if matches is None:
        ranges = [_score_range(answer, answer.question, answer.golds) for answer in run.answers]
    else:
        ranges = []
        for key, answer in matches.by_question.items():
            question = matches.questions[key]
            ranges.append(_score_range(answer, question.question, question.answers))
    known = [score_range for score_range in ranges if score_range is not None]
    if not ranges or len(known) < len(ranges):
        return None, None
    scores_of_missing = [0.0] * missing
    low = [score_range.low for score_range in known] + scores_of_missing
    high = [score_range.high for score_range in known] + scores_of_missing
    return 100 * fmean(low), 100 * fmean(high)


class _ScoreRange(NamedTuple):
    """The least and the most that an answer can be worth; both are its score if that is clear."""

    low: float
    high: float


def _score_range(
    answer: GivenAnswer, question: str | None, golds: Sequence[str]
) -> _ScoreRange | None:
    """Return what an answer can be worth by rules alone; None without golds.

    An answer without a text or that failed is wrong. With blank golds alone, nothing is clear.
    """
    if answer.text is None or _has_failed(answer):
        return _ScoreRange(0.0, 0.0)
    asked = question or answer.prompt or ""
    if answer.is_unanswerable:
        corrected = correct_unanswerable(answer.text, asked)
    elif any(gold.strip() for gold in golds):
        corrected = correct_answer(answer.text, list(golds), asked)
    else:
        return _ScoreRange(0.0, 1.0) if golds else None
    if corrected.value is None:
        return _ScoreRange(0.0, 1.0)
    return _ScoreRange(corrected.value, corrected.value)


def _remarks(
    run: GivenRun, claims: Sequence[CheckedClaim], matches: AnswerMatcher | None
) -> Iterator[Remark]:
    """Yield remarks on a run: on its claims, its answers, and how they differ from the data."""
    yield from _remarks_on_claims(run, claims)
    yield from _remarks_on_answers(run)
    if matches and matches.disagreeing:
        yield _remark("golds-differ", matches.disagreeing, "have other golds than the data")
    if matches and matches.elsewhere:
        what = "are of another source than the one that the file names"
        yield _remark("another-slice", matches.elsewhere, what)


def _remarks_on_claims(run: GivenRun, claims: Sequence[CheckedClaim]) -> Iterator[Remark]:
    """Yield remarks on claims that do not follow from what the file counts for its answers.

    Either the mean is another, or there are no answers, or fewer than the claim says.
    """
    for claim in claims:
        if claim.recomputed is not None and not claim.holds:
            yield Remark(
                name="figure-not-of-its-parts",
                count=1,
                text=f"The file states {claim.what} {claim.claimed:.2f}; the mean of its own "
                f"outcomes, {claim.counted}, is {claim.recomputed:.2f}.",
            )
        claimed_questions = claim.questions or 0
        left_out = claimed_questions - claim.counted
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
                text=f"The file states {write_count(claimed_questions, 'question')} and has "
                f"the outcome of {claim.counted}.",
            )


def _remarks_on_answers(run: GivenRun) -> Iterator[Remark]:
    """Yield a remark on each fault that answers have, with how many have it."""
    for fault in _ANSWER_FAULTS:
        places = [answer.place for answer in run.answers if fault.is_in(answer)]
        if not places:
            continue
        remark = _remark(fault.name, places, fault.what)
        if fault.changes_figure:
            remark = _add_mean_if_wrong(remark, run, fault)
        yield remark


def _remark(name: str, places: Sequence[str], what: str, noun: str = "answer") -> Remark:
    """Return a remark on the answers, or other things, at some places.

    ``what`` says what they do or are, with a verb in the plural: ``have no verdict``.
    """
    text = f"{write_count(len(places), noun)} {what}."
    if len(places) == 1:
        text = text.replace(" are ", " is ", 1).replace(" have ", " has ", 1)
        text = text.replace(" decline ", " declines ", 1)
    return Remark(name=name, count=len(places), text=text, places=tuple(places[:_MOST_PLACES]))


def _add_mean_if_wrong(remark: Remark, run: GivenRun, fault: _AnswerFault) -> Remark:
    """Return a remark that also says what the file's mean is if these answers count as wrong."""
    counted = [
        0.0 if fault.is_in(answer) else answer.counted
        for answer in run.answers
        if answer.counted is not None
    ]
    return replace(remark, text=f"{remark.text} Counted as wrong: {100 * fmean(counted):.1f}.")


def _is_passed(answer: GivenAnswer) -> bool:
    """Return whether the file counts an answer as correct."""
    return answer.counted is not None and answer.counted >= 1


def _is_passed_refusal(answer: GivenAnswer) -> bool:
    """Return whether an answer declines an answerable question, and counts as correct."""
    if answer.text is None or answer.is_unanswerable or not _is_passed(answer):
        return False
    return correct_unanswerable(answer.text, answer.question or "").value == 1


def _is_passed_without_gold(answer: GivenAnswer) -> bool:
    """Return whether an answer counts as correct although its golds in the file are blank."""
    has_blank_golds = bool(answer.golds) and not any(gold.strip() for gold in answer.golds)
    return has_blank_golds and not answer.is_unanswerable and _is_passed(answer)


def _has_contradicted_verdict(answer: GivenAnswer) -> bool:
    """Return whether an answer has a verdict that another field or the judge contradicts."""
    return any(_is_contradicted(verdict) for verdict in answer.verdicts)


def _lacks_a_verdict(answer: GivenAnswer) -> bool:
    """Return whether a judge that judged other answers gave none on this one."""
    return any(verdict.value is None for verdict in answer.verdicts)


def _is_contradicted(verdict: GivenVerdict) -> bool:
    """Return whether a second field or the words of a judge say the opposite of a verdict.

    That is right for wrong, or wrong for right; verdicts in between are not contradicted.
    """
    if verdict.value not in (0.0, 1.0):
        return False
    if verdict.second_value in (0.0, 1.0) and verdict.second_value != verdict.value:
        return True
    stated = {_VERDICT_WORDS[word] for word in _VERDICT_WORD.findall(verdict.words or "")}
    return len(stated) == 1 and stated != {verdict.value}


class _AnswerFault(NamedTuple):
    """Something that can be wrong with an answer of a file."""

    name: str  # Of the remark.
    what: str  # What such answers do or are, for the remark.
    is_in: Callable[[GivenAnswer], bool]  # Whether an answer has the fault.
    changes_figure: bool = False  # Whether the file counts it as correct for no answer.


_ANSWER_FAULTS = (
    _AnswerFault(
        "refusals-passed",
        "decline to answer an answerable question and are counted as correct",
        _is_passed_refusal,
        changes_figure=True,
    ),
    _AnswerFault(
        "empty-golds-passed",
        "are counted as correct although the file has no gold",
        _is_passed_without_gold,
        changes_figure=True,
    ),
    _AnswerFault(
        "verdict-contradicts-reply",
        "have a verdict that another field, or the judge's own words, contradicts",
        _has_contradicted_verdict,
    ),
    _AnswerFault(
        "verdicts-missing",
        "have no verdict of a judge that judged others",
        _lacks_a_verdict,
    ),
)
