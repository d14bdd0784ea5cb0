"""The scored question: a sample with the scores that count, which are those of the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from mabench.data import Source
from mabench.families import Family, family_of
from mabench.runs.records.judgments import JudgeName, Judgment
from mabench.runs.records.sample import UNCLEAR_VERDICT, Key, Sample, SampleScores
from mabench.runs.records.store import RunFolder
from mabench.runs.results.judges import (
    counting_judge,
    judged_score,
    settling_judgments,
    verdicts_by_judge,
)

# The verdict on an answer that only a judge can score, before one has.
NOT_JUDGED = "not judged"
# What decides where no rule of a family does.
_JUDGED, _NO_ANSWER = "judge", "no-answer"

S = TypeVar("S", Sample, SampleScores)


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


def scored_questions(folder: RunFolder) -> Iterator[ScoredQuestion[Sample]]:
    """Yield the questions of a run in the order in which they were stored.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    sources = folder.record().all_sources
    judgments = list(folder.judgments())
    counting = counting_judgments(judgments, folder.scores() if judgments else (), sources)
    for sample in folder.samples():
        yield score_question(sample, family_of(sample.source, sources), counting.get(sample.key))


def counting_judgments(
    judgments: Iterable[Judgment], samples: Iterable[SampleScores], sources: Mapping[str, Source]
) -> dict[Key, Judgment]:
    """Return the judgment that decides the score of each question, where one does.

    Where the metric is a judge's, it is that of the last judge to be through with the source.
    While none is, it is that of the last one to have judged, and only where it gave a verdict.
    Elsewhere judges decide only what no rule can tell.
    """
    listed = list(samples)
    counting: dict[Key, Judgment] = {}
    for source, judges in verdicts_by_judge(judgments, listed).items():
        of_source = [sample for sample in listed if sample.source == source]
        if family_of(source, sources).needs_judge:
            answered = [one.key for one in of_source if one.prediction is not None]
            if judge := counting_judge(judges, answered):
                counting |= judges[judge]
            else:
                last = [*judges.values()][-1].items()
                counting |= {key: judgment for key, judgment in last if judgment.value is not None}
        else:
            unclear = {one.key for one in of_source if one.verdict == UNCLEAR_VERDICT}
            settling = settling_judgments(judges).items()
            counting |= {key: judgment for key, judgment in settling if key in unclear}
    return counting


def score_question(sample: S, family: Family, judgment: Judgment | None) -> ScoredQuestion[S]:
    """Return a sample with the scores that count.

    Args:
        sample: the sample.
        family: the family of its source.
        judgment: the judgment that decides, if one does.
    """
    official, corrected = (
        None if value is None else float(value)
        for value in (sample.official.get(family.metric), sample.corrected.get(family.metric))
    )
    verdict, rule = sample.verdict, sample.rule
    if sample.prediction is None:
        official = corrected = 0.0
        verdict, rule = "wrong", _NO_ANSWER
    elif judgment is not None:
        if family.needs_judge:
            official = judged_score(judgment, "official")
        corrected = judged_score(judgment, "corrected")
        verdict, rule = None, _JUDGED
    elif family.needs_judge:
        official = corrected = None
        verdict = NOT_JUDGED
    if verdict is None and corrected is not None:
        verdict = "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"
    return ScoredQuestion(
        sample, official, corrected, verdict, rule, judgment.judge if judgment else None
    )
