"""The verdicts of judges on the answers of a run, and which of them count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from mabench.families import Family
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
                of_source[judgment.judge] = verdicts
        counting: dict[Key, Judgment] = {}
        for source, verdicts_of in by_judge.items():
            # A person judges a sample, so that what is left would have no score.
            judges = [
                verdicts for judge, verdicts in verdicts_of.items() if judge.prompts != BY_HAND
            ]
            if families[source].needs == "judge":
                # The last judge to have judged every answer counts. While there is none, the last
                # one to have judged does, and only where it gave a verdict.
                complete = [of for of in judges if all(key in of for key in answered[source])]
                counting |= complete[-1] if complete else _with_a_value(judges[-1:])
            else:
                settling = _with_a_value(judges)
                counting |= {key: settling[key] for key in settling.keys() & unclear}
        return cls(families, by_judge, counting, answered)

    def score(self, sample: Sample, timing: Timing | None = None) -> ScoredQuestion:
        """Return a sample with the scores that count; a judgment decides, if there is one."""
        family = self.families[sample.source]
        key = sample.split, sample.row, sample.question_index
        given, needs = self._given_on(sample.source, key), family.needs
        judgment = self.counting.get(key)
        scores = (of.get(family.metric) for of in (sample.official, sample.corrected))
        official, corrected = (None if one is None else float(one) for one in scores)
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
            verdict = "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"
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
            verdicts=given,
        )

    def _given_on(self, source: str, key: Key) -> tuple[Judgment, ...]:
        """Return the latest verdict of each judge on an answer."""
        given = (of.get(key) for of in self.by_judge.get(source, {}).values())
        return tuple(judgment for judgment in given if judgment is not None)


def _with_a_value(judges: Iterable[VerdictsByQuestion]) -> dict[Key, Judgment]:
    return {
        key: judgment
        for verdicts in judges
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }
