"""Verdicts of judges on a run's answers, as stored in ``judgments.jsonl``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mabench.results.records.encoding import IfKnown, JsonRecord, Number
from mabench.results.records.sample import QuestionPlace


@dataclass(frozen=True, slots=True)
class JudgeName(JsonRecord):
    """What names a judge.

    Attributes:
        model: the model.
        prompts: the hash of the prompts that it was asked with.
    """

    model: str
    prompts: str


@dataclass(frozen=True, slots=True)
class Judgment(QuestionPlace):
    """One judge's verdict on one answer.

    Attributes:
        source: the source of the row.
        model: the model that judged.
        prompts: the hash of its prompts for the family.
        answer: hash of the prediction, so that a verdict is never taken for one on another answer.
        verdict: the verdict, as numbers by name; None when there is none.
        value: the score from the verdict, from 0 to 1; None without a verdict.
        error: why there is no verdict.
        official: the score by the published reading of the first replies, where that is another
            reading than ours.
    """

    source: str
    model: str
    prompts: str
    answer: str
    verdict: dict[str, int] | None = None
    value: Number | None = None
    error: str | None = None
    official: IfKnown[Number | None] = None

    @property
    def judge(self) -> JudgeName:
        """Who judged."""
        return JudgeName(self.model, self.prompts)


def answer_hash(prediction: str) -> str:
    """Return what names an answer in a judgment."""
    return hashlib.sha256(prediction.encode("utf-8", "surrogatepass")).hexdigest()[:16]
