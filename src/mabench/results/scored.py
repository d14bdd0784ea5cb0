"""The scored question: what is stored of it, and which of its scores count, everywhere."""

from __future__ import annotations

from typing import NamedTuple

from mabench.results.records.lines import JudgeName, Sample

# The verdict on an answer that only a judge can score, before one has.
NOT_JUDGED = "not judged"


class ScoredQuestion(NamedTuple):
    """A question of a run with the scores that count."""

    sample: Sample  # The question with its answer.
    # The scores from 0 to 1, by the reported metric or by the judge; None while there is none. A
    # failed answer has 0.
    official: float | None
    corrected: float | None
    # ``right``, ``wrong``, ``partial`` or ``unclear``, by the corrected score, or ``not judged``;
    # None without a corrected score.
    verdict: str | None
    rule: str | None  # The rule that decided the corrected score, ``judge`` or ``no-answer``.
    judge: JudgeName | None  # Who judged; None where no judge's verdict counts.
    # What became of the question, one of ``PARTS``. An answer is right that has the whole score,
    # the corrected one, or the official one where that is unclear or missing.
    part: str

    @property
    def is_judged(self) -> bool:
        """Whether it has the judge's verdict that its score takes, if it takes one."""
        return self.verdict != NOT_JUDGED

    @property
    def undecided_parts(self) -> tuple[str, ...]:
        """The parts that it may have instead, since nobody knows what was retrieved."""
        if self.part == "unclear":
            return ("missed", "misread")
        if self.part == "right" and self.sample.hit is None:
            return ("right", "right_unretrieved")
        return ()


def part_of(sample: Sample, value: float | None, *, lacks_form: bool) -> str:
    """Return the part of a question with a score, if any, from 0 to 1."""
    if sample.prediction is None:
        return "failed"
    if value is None:
        return "unclear"
    if value >= 1:
        return "right_unretrieved" if sample.hit == 0 else "right"
    if value <= 0 and lacks_form:
        return "no_form"
    if sample.hit is None:
        return "unclear"
    return "misread" if sample.hit else "missed"
