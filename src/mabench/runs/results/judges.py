"""The verdicts of judges on a run's answers: which of them hold, and the scores from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from mabench.runs.records.judgments import JudgeName, Judgment, answer_hash
from mabench.runs.records.sample import Key, Sample, SampleScores
from mabench.runs.results.summaries import JudgeSummary

Verdicts = Mapping[Key, Judgment]


def verdicts_by_judge(
    judgments: Iterable[Judgment], samples: Iterable[Sample | SampleScores]
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
    complete = questions > 0 and all(key in verdicts for key in answered)
    values = [verdict.value for verdict in verdicts.values() if verdict.value is not None]
    official = [one.official for one in verdicts.values() if one.official is not None]
    unread = [one.value or 0.0 for one in verdicts.values() if one.official is None]
    return JudgeSummary(
        model=judge.model,
        prompts=judge.prompts,
        judged=len(values),
        failed=len(verdicts) - len(values),
        of=len(answered),
        official=100 * sum([*official, *unread]) / questions if complete else None,
        corrected=100 * sum(values) / questions if complete and official else None,
    )


def judged_score(judgment: Judgment | None, name: str) -> float:
    """Return a question's ``official`` or ``corrected`` score from a judgment, from 0 to 1.

    An answer without a verdict is wrong.
    """
    if judgment is None:
        return 0.0
    if name == "official" and judgment.official is not None:
        return float(judgment.official)
    return float(judgment.value or 0)


def counting_judge(
    judges: Mapping[JudgeName, Verdicts], answered: Collection[Key]
) -> JudgeName | None:
    """Return the last judge to have judged every answer of a source; None if none is through."""
    return next(
        (
            judge
            for judge, verdicts in reversed(list(judges.items()))
            if all(key in verdicts for key in answered)
        ),
        None,
    )


def settling_judgments(judges: Mapping[JudgeName, Verdicts]) -> dict[Key, Judgment]:
    """Return the judgments that settle unclear answers; the last to have judged counts."""
    return {
        key: judgment
        for verdicts in judges.values()
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }
