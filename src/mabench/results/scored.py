"""The scored question: a sample with the scores that count, in reports and everywhere else."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from mabench.families import Family
from mabench.results.records.sample import (
    UNCLEAR_VERDICT,
    JudgeName,
    Judgment,
    Key,
    Sample,
    SampleScores,
    answer_hash,
)
from mabench.results.records.store import RunFolder

# The verdict on an answer that only a judge can score, before one has.
NOT_JUDGED = "not judged"
# What decides where no rule of a family does.
_JUDGED, _NO_ANSWER = "judge", "no-answer"

S = TypeVar("S", Sample, SampleScores)
Verdicts = Mapping[Key, Judgment]


class Metric:
    """What the questions of a source are scored by: the metric that the paper reports.

    ``needs`` is what it takes beside an answer: ``judge``, ``entities`` or None.
    """

    low, high = 0.0, 1.0  # The range of the score of one question.
    unanswered = 0.0  # What a question scores that has no answer.

    def __init__(self, family: Family) -> None:
        self.family, self.name = family, family.metric
        entities = "entities" if family.needs_entities else None
        self.needs = "judge" if family.needs_judge else entities

    @staticmethod
    def aggregate(scores: array[float]) -> float:
        """Return the score of a source, in percent: the mean of the scores of its questions.

        It is what the published code computes, to the last digit: numpy's mean, times 100.
        """
        return float(np.mean(np.frombuffer(scores))) * 100


class RunVerdicts(NamedTuple):
    """The verdicts of judges on the present answers of a run."""

    metrics: Mapping[str, Metric]  # By source.
    # The latest by source and judge, in the order in which the judges last judged.
    by_judge: Mapping[str, Mapping[JudgeName, Verdicts]]
    # Those that decide the score of a question: where the metric is not a judge's, only of an
    # answer that no rule can tell.
    counting: Verdicts
    answered: Mapping[str, Collection[Key]]  # By source; empty where nobody judged.


class ScoredQuestion(NamedTuple, Generic[S]):
    """A question of a run with the scores that count.

    Attributes:
        sample: the question with its answer.
        official, corrected: the scores from 0 to 1, by the reported metric or by the judge; None
            while there is none. A failed answer has 0.
        verdict: ``right``, ``wrong``, ``partial`` or ``unclear``, by the corrected score, or
            ``not judged``; None without a corrected score.
        rule: the rule that decided the corrected score, ``judge`` or ``no-answer``.
        judge: who judged; None where no judge's verdict counts.
    """

    sample: S
    official: float | None
    corrected: float | None
    verdict: str | None
    rule: str | None
    judge: JudgeName | None


def scored_questions(
    folder: RunFolder, samples: Iterable[S], verdicts: RunVerdicts | None = None
) -> Iterator[ScoredQuestion[S]]:
    """Yield samples, or their scores alone, with the scores that count by a run's verdicts."""
    verdicts = verdicts or read_verdicts(folder)
    for sample in samples:
        judgment = verdicts.counting.get((sample.split, sample.row, sample.question_index))
        yield score_question(sample, verdicts.metrics[sample.source], judgment)


def read_metrics(folder: RunFolder) -> dict[str, Metric]:
    """Return what each source of a run is scored by."""
    return {name: Metric(family) for name, family in folder.families().items()}


def read_verdicts(folder: RunFolder) -> RunVerdicts:
    """Return the verdicts on the answers of a run; a DataError where a file is unreadable."""
    metrics = read_metrics(folder)
    judgments = list(folder.judgments())
    if not judgments:
        return RunVerdicts(metrics, {}, {}, {})
    judged = {judgment.key for judgment in judgments}
    present: dict[Key, tuple[str, str]] = {}
    answered: dict[str, list[Key]] = defaultdict(list)
    unclear: set[Key] = set()
    for sample in folder.scores():
        if sample.prediction is None:
            continue
        answered[sample.source].append(sample.key)
        if sample.key in judged:
            present[sample.key] = (sample.source, answer_hash(sample.prediction))
        if sample.verdict == UNCLEAR_VERDICT:
            unclear.add(sample.key)
    by_judge: dict[str, dict[JudgeName, dict[Key, Judgment]]] = {}
    for judgment in judgments:
        if present.get(judgment.key) == (judgment.source, judgment.answer):
            of_source = by_judge.setdefault(judgment.source, {})
            verdicts = of_source.pop(judgment.judge, {})
            verdicts[judgment.key] = judgment
            of_source[judgment.judge] = verdicts
    counting: dict[Key, Judgment] = {}
    for source, verdicts_of in by_judge.items():
        judges = [*verdicts_of.values()]
        if metrics[source].needs == "judge":
            # The last judge to have judged every answer counts. While there is none, the last one
            # to have judged does, and only where it gave a verdict.
            complete = [of for of in judges if all(key in of for key in answered[source])]
            counting |= complete[-1] if complete else _with_a_value(judges[-1:])
        else:
            settling = _with_a_value(judges)
            counting |= {key: settling[key] for key in settling.keys() & unclear}
    return RunVerdicts(metrics, by_judge, counting, answered)


def _with_a_value(judges: Iterable[Verdicts]) -> dict[Key, Judgment]:
    return {
        key: judgment
        for verdicts in judges
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }


def score_question(sample: S, metric: Metric, judgment: Judgment | None) -> ScoredQuestion[S]:
    """Return a sample with the scores that count; ``judgment`` decides, where there is one."""
    official, corrected = sample.official.get(metric.name), sample.corrected.get(metric.name)
    official = None if official is None else float(official)
    corrected = None if corrected is None else float(corrected)
    verdict, rule = sample.verdict, sample.rule
    if sample.prediction is None:
        official = corrected = metric.unanswered
        verdict, rule = "wrong", _NO_ANSWER
    elif judgment is not None:
        corrected = float(judgment.value or 0)  # An answer without a verdict is wrong.
        if metric.needs == "judge":
            official = corrected if judgment.official is None else float(judgment.official)
        verdict, rule = None, _JUDGED
    elif metric.needs == "judge":
        official = corrected = None
        verdict = NOT_JUDGED
    if verdict is None and corrected is not None:
        verdict = "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"
    return ScoredQuestion(
        sample, official, corrected, verdict, rule, judgment.judge if judgment else None
    )
