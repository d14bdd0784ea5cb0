"""What judges said about a run's answers, as stored in ``judgments.jsonl``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from mabench.runs.records.sample import Key, Sample


class JudgeName(NamedTuple):
    """What names a judge: the model, and the hash of the prompts that it was asked with."""

    model: str
    prompts: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's verdict on one answer.

    Attributes:
        split, row, question_index: the place of the question, as in its sample.
        model, prompts: the judge: its model, and the hash of its prompts for the family.
        answer: hash of the prediction, so that a verdict is never taken for one on another answer.
        verdict: what the judge said, as numbers by name; None when it gave no verdict.
        value: the score from the verdict, from 0 to 1; None without a verdict.
        error: why there is no verdict.
    """

    split: str
    row: int
    question_index: int
    source: str
    model: str
    prompts: str
    answer: str
    verdict: dict[str, int] | None = None
    value: float | None = None
    error: str | None = None

    @property
    def key(self) -> Key:
        """What names the question, as in its sample."""
        return (self.split, self.row, self.question_index)

    @property
    def judge(self) -> JudgeName:
        """Who judged."""
        return JudgeName(self.model, self.prompts)

    def to_json(self) -> str:
        """Return the judgment as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def answer_hash(prediction: str) -> str:
    """Return what names an answer in a judgment."""
    return hashlib.sha256(prediction.encode("utf-8", "surrogatepass")).hexdigest()[:16]


Verdicts = Mapping[Key, Judgment]


def by_judge(
    judgments: Iterable[Judgment], samples: Iterable[Sample]
) -> dict[str, dict[JudgeName, Verdicts]]:
    """Return the latest judgments on the samples' present answers, by source and judge.

    Judges stand in the order in which they last judged.
    """
    listed = list(judgments)
    judged = {judgment.key for judgment in listed}
    present = {
        sample.key: answer_hash(sample.prediction)
        for sample in (samples if listed else ())
        if sample.prediction is not None and sample.key in judged
    }
    found: dict[str, dict[JudgeName, dict[Key, Judgment]]] = {}
    for judgment in listed:
        if present.get(judgment.key) != judgment.answer:
            continue
        judges = found.setdefault(judgment.source, {})
        verdicts = judges.pop(judgment.judge, {})
        judges[judgment.judge] = {**verdicts, judgment.key: judgment}
    return {source: dict(judges) for source, judges in found.items()}


def judged_summary(
    judges: Mapping[JudgeName, Verdicts], answered: Collection[Key], questions: int
) -> list[dict[str, Any]]:
    """Return each judge's score of a source's samples, in the order in which they last judged.

    Args:
        judges: the verdicts of each judge.
        answered: the questions that were answered.
        questions: how many were asked, the failed ones counted.

    ``official`` runs from 0 to 100 and is None until every answer has a verdict or a stated
    failure. A failed answer is wrong, and so is one on which the judge gave no verdict: both
    stay in the denominator.
    """
    return [_judged(name, verdicts, answered, questions) for name, verdicts in judges.items()]


def _judged(
    judge: JudgeName, verdicts: Verdicts, answered: Collection[Key], questions: int
) -> dict[str, Any]:
    complete = all(key in verdicts for key in answered)
    values = [verdict.value or 0.0 for verdict in verdicts.values()]
    return {
        "model": judge.model,
        "prompts": judge.prompts,
        "judged": sum(verdict.value is not None for verdict in verdicts.values()),
        "failed": sum(verdict.value is None for verdict in verdicts.values()),
        "of": len(answered),
        "official": 100 * sum(values) / questions if complete and questions else None,
    }
