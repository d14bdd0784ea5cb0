"""The verdicts of judges on the answers of a run, and which of them count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

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


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The verdicts of judges on the present answers of a run."""

    families: Mapping[str, Family]  # By source.
    # The latest by source and judge, in the order in which the judges last judged.
    by_judge: Mapping[str, Mapping[JudgeName, VerdictsByQuestion]] = field(default_factory=dict)
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
        by_judge: dict[str, dict[JudgeName, dict[Key, Judgment]]] = {}
        for judgment in judgments:
            if present.get(judgment.key) == (judgment.source, judgment.answer):
                of_source = by_judge.setdefault(judgment.source, {})
                verdicts = of_source.pop(judgment.judge, {})
                verdicts[judgment.key] = judgment
                of_source[judgment.judge] = verdicts  # Put last: the judge has judged last.
        counting: dict[Key, Judgment] = {}
        for source, verdicts_of in by_judge.items():
            # A person judges some of the answers only, so that the others would have no score.
            judges = [
                verdicts for judge, verdicts in verdicts_of.items() if judge.prompts != BY_HAND
            ]
            if families[source].needs == "judge":
                counting |= _scoring(judges, answered[source])
            else:
                latest = _with_a_value(judges)
                counting |= {key: latest[key] for key in latest.keys() & unclear}
        return cls(families, by_judge, counting, answered)

    def score(self, sample: Sample, timing: Timing | None = None) -> ScoredQuestion:
        """Return a sample with the scores that count; a judgment decides, if there is one."""
        family = self.families[sample.source]
        key = sample.split, sample.row, sample.question_index
        needs = family.needs
        judgment = self.counting.get(key)
        official = _score_in(sample.official, family.metric)
        corrected = _score_in(sample.corrected, family.metric)
        verdict, rule = sample.verdict, sample.rule
        if needs == "golds":
            official = corrected = verdict = rule = None
        elif sample.prediction is None:
            official = corrected = 0.0
            verdict, rule = "wrong", "no-answer"
        elif judgment is not None:
            corrected = float(judgment.value or 0)  # An answer without a verdict is wrong.
            if needs == "judge":
                official = corrected if judgment.official is None else float(judgment.official)
            verdict, rule = None, "judge"
        elif needs == "judge":
            official = corrected = None
            verdict = NOT_JUDGED
        if verdict is None and corrected is not None:
            verdict = _verdict_of(corrected)
        value = official if corrected is None else corrected
        seen = self.seen.get(key)
        part = part_of(sample, value, lacks_form=rule in family.no_form, seen=seen)
        judge = judgment.judge if judgment else None
        return ScoredQuestion(
            sample=sample,
            metric=family.metric,
            official=official,
            corrected=corrected,
            verdict=verdict,
            rule=rule,
            judge=judge,
            part=part,
            seen=seen,
            timing=timing,
            verdicts=self._given_on(sample.source, key),
        )

    def _given_on(self, source: str, key: Key) -> tuple[Judgment, ...]:
        """Return the latest verdict of each judge on an answer."""
        given = (of.get(key) for of in self.by_judge.get(source, {}).values())
        return tuple(judgment for judgment in given if judgment is not None)


def _score_in(scores: Mapping[str, Number], metric: str) -> float | None:
    score = scores.get(metric)
    return None if score is None else float(score)


def _verdict_of(score: float) -> str:
    if score >= 1:
        return "right"
    return "wrong" if score <= 0 else "partial"


def _scoring(judges: Sequence[VerdictsByQuestion], answered: Collection[Key]) -> VerdictsByQuestion:
    """Return the verdicts that score a source whose metric is a judge's.

    They are those of the last judge to have judged every answer. While there is none, they are
    those of the last one to have judged, and only where it gave a verdict.
    """
    complete = [verdicts for verdicts in judges if all(key in verdicts for key in answered)]
    return complete[-1] if complete else _with_a_value(judges[-1:])


def _with_a_value(judges: Iterable[VerdictsByQuestion]) -> dict[Key, Judgment]:
    """Return by question the verdict of the last of some judges who gave one."""
    return {
        key: judgment
        for verdicts in judges
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }
