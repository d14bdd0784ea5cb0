"""The verdicts of judges on the answers of a run, and which of them count.

A judgment is what a judge, a model or a person, says of the answer to a question. It names the
answer by a hash, so that one on an answer that was replaced since is not used. A sample is a
question with its answer and with the scores that rules gave it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from mabench.families import Family
from mabench.json_text import Number
from mabench.results.records.lines import (
    BY_HAND,
    JudgeName,
    Judgment,
    Key,
    Sample,
    StageRecord,
    Timing,
)
from mabench.results.records.store import RunFolder
from mabench.results.scored import NOT_JUDGED, ScoredQuestion, part_of

VerdictsByQuestion = Mapping[Key, Judgment]
# By source and judge.
VerdictsByJudge = Mapping[str, Mapping[JudgeName, VerdictsByQuestion]]


class _DecidedScore(NamedTuple):
    """The scores of an answer that count, with the verdict and the name of what decides."""

    official: float | None
    corrected: float | None
    verdict: str | None
    rule: str | None


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The verdicts of judges on the present answers of a run."""

    families: Mapping[str, Family]  # By source.
    # The latest by source and judge, in the order in which the judges last judged.
    by_judge: VerdictsByJudge = field(default_factory=dict)
    # Those that decide the score of a question: where the metric is not a judge's, only of an
    # answer that no rule can tell.
    counting: VerdictsByQuestion = field(default_factory=dict)
    # By source; empty where nobody judged.
    answered: Mapping[str, Collection[Key]] = field(default_factory=dict)
    # What was seen of the support of questions, which decides why wrong answers are wrong.
    seen: Mapping[Key, StageRecord] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: RunFolder) -> Self:
        """Return the verdicts on the answers of a run; a DataError where a file is unreadable."""
        judgments, seen = list(folder.judgments()), {one.key: one for one in folder.stages()}
        if not judgments:
            return cls(folder.families(), seen=seen)
        verdicts = cls.of_judgments(folder.families(), folder.samples(), judgments)
        return replace(verdicts, seen=seen)

    @classmethod
    def of_judgments(
        cls,
        families: Mapping[str, Family],
        samples: Iterable[Sample],
        judgments: Sequence[Judgment],
    ) -> Self:
        """Return the verdicts of judgments on the samples that hold their answers."""
        judged = {judgment.key for judgment in judgments}
        # Of what was judged the source and the hash of the present answer.
        present: dict[Key, tuple[str, str]] = {}
        answered: dict[str, list[Key]] = defaultdict(list)
        unclear: set[Key] = set()
        for sample in samples:
            if sample.prediction is None:
                continue
            answered[sample.source].append(sample.key)
            if sample.key in judged:
                present[sample.key] = (sample.source, sample.answer_hash)
            if sample.is_unclear:
                unclear.add(sample.key)
        of_present = [
            judgment
            for judgment in judgments
            if present.get(judgment.key) == (judgment.source, judgment.answer)
        ]
        by_judge = _group_by_judge(of_present)
        counting: dict[Key, Judgment] = {}
        for source, verdicts_by_judge in by_judge.items():
            # A person judges some of the answers only, so that the others would have no score.
            of_models = [
                verdicts
                for judge, verdicts in verdicts_by_judge.items()
                if judge.prompts != BY_HAND
            ]
            if families[source].needs == "judge":
                counting |= _select_scoring(of_models, answered[source])
            else:
                latest = _latest_with_value(of_models)
                counting |= {key: latest[key] for key in latest.keys() & unclear}
        return cls(families, by_judge, counting, answered)

    def score(self, sample: Sample, timing: Timing | None = None) -> ScoredQuestion:
        """Return a sample with the scores that count; a judgment decides, if there is one."""
        family = self.families[sample.source]
        key = sample.split, sample.row, sample.question_index
        judgment = self.counting.get(key)
        official, corrected, verdict, rule = _decide_score(sample, family, judgment)
        if verdict is None and corrected is not None:
            verdict = _verdict_of(corrected)
        # What became of the question (its part) follows from the corrected score, if there is one.
        value = official if corrected is None else corrected
        seen = self.seen.get(key)
        return ScoredQuestion(
            sample=sample,
            metric=family.metric,
            official=official,
            corrected=corrected,
            verdict=verdict,
            rule=rule,
            judge=judgment.judge if judgment else None,
            part=part_of(sample, value, lacks_form=rule in family.no_form, seen=seen),
            seen=seen,
            timing=timing,
            verdicts=self._given_on(sample.source, key),
        )

    def _given_on(self, source: str, key: Key) -> tuple[Judgment, ...]:
        """Return the latest verdict of each judge on an answer."""
        given = (of.get(key) for of in self.by_judge.get(source, {}).values())
        return tuple(judgment for judgment in given if judgment is not None)


def _decide_score(sample: Sample, family: Family, judgment: Judgment | None) -> _DecidedScore:
    """Return the scores of an answer: without golds none, without an answer 0, else a judgment's.

    Where no judgment counts, they are those of the rules, but not where the metric is a judge's. A
    verdict of None is still to be read from the score.
    """
    official = _score_in(sample.official, family.metric)
    if family.needs == "golds":
        return _DecidedScore(None, None, verdict=None, rule=None)
    if sample.prediction is None:
        return _DecidedScore(0.0, 0.0, verdict="wrong", rule="no-answer")
    if judgment is not None:
        judged = float(judgment.value or 0)  # An answer without a verdict is wrong.
        if family.needs == "judge":
            official = judged if judgment.official is None else float(judgment.official)
        return _DecidedScore(official, judged, verdict=None, rule="judge")
    if family.needs == "judge":
        return _DecidedScore(None, None, verdict=NOT_JUDGED, rule=sample.rule)
    corrected = _score_in(sample.corrected, family.metric)
    return _DecidedScore(official, corrected, sample.verdict, sample.rule)


def _score_in(scores: Mapping[str, Number], metric: str) -> float | None:
    """Return the score of a metric; None if there is none."""
    score = scores.get(metric)
    return None if score is None else float(score)


def _verdict_of(score: float) -> str:
    """Return in a word what a score from 0 to 1 is."""
    if score >= 1:
        return "right"
    return "wrong" if score <= 0 else "partial"


def _group_by_judge(judgments: Iterable[Judgment]) -> VerdictsByJudge:
    """Return the latest judgments by source, judge and question; of a source the last judge last.

    ``judgments`` are in the order in which they were given.
    """
    by_judge: dict[str, dict[JudgeName, dict[Key, Judgment]]] = {}
    for judgment in judgments:
        of_source = by_judge.setdefault(judgment.source, {})
        verdicts = of_source.pop(judgment.judge, {})
        verdicts[judgment.key] = judgment
        of_source[judgment.judge] = verdicts  # Put last: the judge has judged last.
    return by_judge


def _select_scoring(
    judges: Sequence[VerdictsByQuestion], answered: Collection[Key]
) -> VerdictsByQuestion:
    """Return the verdicts that score a source whose metric is a judge's.

    They are those of the last judge to have judged every answer. While there is none, they are
    those of the last one to have judged, and only where it gave a verdict.
    """
    complete = [verdicts for verdicts in judges if all(key in verdicts for key in answered)]
    return complete[-1] if complete else _latest_with_value(judges[-1:])


def _latest_with_value(judges: Iterable[VerdictsByQuestion]) -> dict[Key, Judgment]:
    """Return by question the verdict of the last of some judges who gave one.

    Later judges replace earlier ones.
    """
    return {
        key: judgment
        for verdicts in judges
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }
