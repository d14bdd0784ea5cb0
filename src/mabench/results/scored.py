"""The scored question: a sample with the scores that count, in reports and everywhere else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from mabench.families import Family, family_of
from mabench.results.records.judgments import JudgeName, Judgment, answer_hash
from mabench.results.records.sample import UNCLEAR_VERDICT, Key, Sample, SampleScores
from mabench.results.records.store import RunFolder

# The verdict on an answer that only a judge can score, before one has.
NOT_JUDGED = "not judged"
# What decides where no rule of a family does.
_JUDGED, _NO_ANSWER = "judge", "no-answer"

S = TypeVar("S", Sample, SampleScores)
Verdicts = Mapping[Key, Judgment]


class RunVerdicts(NamedTuple):
    """The verdicts of judges on the present answers of a run.

    Attributes:
        by_judge: the latest by source and judge, in the order in which the judges last judged.
        counting: the verdict that decides the score of a question, where one does: where the
            metric is not a judge's, only of an answer that no rule can tell.
        answered: the questions with an answer, by source; empty where nobody judged.
    """

    by_judge: Mapping[str, Mapping[JudgeName, Verdicts]]
    counting: Verdicts
    answered: Mapping[str, Collection[Key]]


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
    """Yield samples of a run with the scores that count.

    Args:
        folder: the run.
        samples: its samples, or their scores alone.
        verdicts: the verdicts on its answers, where they have been read.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    families = _families(folder)
    counting = (verdicts or read_verdicts(folder, folder.scores())).counting
    for sample in samples:
        yield score_question(sample, families[sample.source], counting.get(sample.key))


def read_verdicts(folder: RunFolder, samples: Iterable[Sample | SampleScores]) -> RunVerdicts:
    """Return the verdicts of judges on the answers of a run.

    Args:
        folder: the run.
        samples: its samples, which are read only where somebody judged.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    judgments = list(folder.judgments())
    if not judgments:
        return RunVerdicts({}, {}, {})
    judged = {judgment.key for judgment in judgments}
    present: dict[Key, tuple[str, str]] = {}
    answered: dict[str, list[Key]] = defaultdict(list)
    unclear: set[Key] = set()
    for sample in samples:
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
            judges = by_judge.setdefault(judgment.source, {})
            verdicts = judges.pop(judgment.judge, {})
            verdicts[judgment.key] = judgment
            judges[judgment.judge] = verdicts
    families = _families(folder)
    counting: dict[Key, Judgment] = {}
    for source, of_source in by_judge.items():
        if families[source].needs_judge:
            counting |= _judging(of_source, answered[source])
        else:
            settling = _with_a_value(*of_source.values())
            counting |= {key: settling[key] for key in settling.keys() & unclear}
    return RunVerdicts(by_judge, counting, answered)


def _families(folder: RunFolder) -> dict[str, Family]:
    """Return the family of each source of a run."""
    record = folder.record()
    sources = record.all_sources
    return {name: family_of(name, sources) for name in record.questions}


def _judging(judges: Mapping[JudgeName, Verdicts], answered: Collection[Key]) -> Verdicts:
    """Return the verdicts that count where the metric is a judge's.

    They are those of the last judge to have judged every answer. While none is through, they are
    those of the last one to have judged, and only where it gave a verdict.
    """
    listed = list(judges.values())
    through = (one for one in reversed(listed) if all(key in one for key in answered))
    return next(through, None) or _with_a_value(listed[-1])


def _with_a_value(*judges: Verdicts) -> dict[Key, Judgment]:
    """Return the latest verdict on each answer that has a value."""
    return {
        key: judgment
        for verdicts in judges
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }


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
        corrected = float(judgment.value or 0)  # An answer without a verdict is wrong.
        if family.needs_judge:
            official = corrected if judgment.official is None else float(judgment.official)
        verdict, rule = None, _JUDGED
    elif family.needs_judge:
        official = corrected = None
        verdict = NOT_JUDGED
    if verdict is None and corrected is not None:
        verdict = "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"
    return ScoredQuestion(
        sample, official, corrected, verdict, rule, judgment.judge if judgment else None
    )
