"""The verdicts of judges on a run's answers: which of them hold, and the scores from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from mabench.runs.records.judgments import JudgeName, Judgment, answer_hash
from mabench.runs.records.sample import Key, Sample
from mabench.runs.results.summaries import JudgeSummary

Verdicts = Mapping[Key, Judgment]


def verdicts_by_judge(
    judgments: Iterable[Judgment], samples: Iterable[Sample]
) -> Mapping[str, Mapping[JudgeName, Verdicts]]:
    """Return the latest judgments on the samples' present answers, by source and judge.

    Judges stand in the order in which they last judged.
    """
    listed = list(judgments)
    judged = {judgment.key for judgment in listed}
    present = {
        sample.key: (sample.source, answer_hash(sample.prediction))
        for sample in (samples if listed else ())
        if sample.prediction is not None and sample.key in judged
    }
    sources: dict[str, dict[JudgeName, dict[Key, Judgment]]] = {}
    for judgment in listed:
        if present.get(judgment.key) != (judgment.source, judgment.answer):
            continue
        judges = sources.setdefault(judgment.source, {})
        verdicts = judges.pop(judgment.judge, {})
        verdicts[judgment.key] = judgment
        judges[judgment.judge] = verdicts
    return sources


def judge_summary(
    judge: JudgeName, verdicts: Verdicts, answered: Collection[Key], questions: int
) -> JudgeSummary:
    """Return a judge's score of a source's samples.

    A failed answer is wrong, and so is one on which the judge gave no verdict: both stay in the
    denominator, ``questions``; ``answered`` are the questions with an answer.
    """
    complete = all(key in verdicts for key in answered)
    values = [verdict.value for verdict in verdicts.values() if verdict.value is not None]
    return JudgeSummary(
        model=judge.model,
        prompts=judge.prompts,
        judged=len(values),
        failed=len(verdicts) - len(values),
        of=len(answered),
        official=100 * sum(values) / questions if complete and questions else None,
    )
