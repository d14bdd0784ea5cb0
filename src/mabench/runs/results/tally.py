"""Adding up the samples of a source one at a time, so that a long run needs no more memory."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import fmean

from mabench.families import Family
from mabench.runs.records.judgments import JudgeName
from mabench.runs.records.sample import MISSING, Key, Sample
from mabench.runs.results.judges import Verdicts, judge_summary
from mabench.runs.results.retrieval import RetrievalTally
from mabench.runs.results.summaries import JudgeSummary, SourceScores
from mabench.runs.results.usage import UsageTally

_Values = defaultdict[str, "array[float]"]


def _values() -> _Values:
    return defaultdict(lambda: array("d"))


class SourceTally:
    """What is known of a source's samples so far."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._usage = UsageTally()
        self._retrieval = RetrievalTally(family)
        self._missing = 0
        self._official, self._corrected = _values(), _values()
        self._differences: Counter[str] = Counter()
        self._evidence = array("d")
        self._reported = False
        self._answered: list[Key] = []

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self._usage.add(sample)
        self._retrieval.add(sample)
        self._missing += sample.error == MISSING
        for values, scores in (
            (self._official, sample.official),
            (self._corrected, sample.corrected),
        ):
            for metric, value in scores.items():
                values[metric].append(100 * float(value))
        if sample.difference:
            self._differences[sample.difference] += 1
        if sample.evidence_recall is not None:
            self._evidence.append(sample.evidence_recall)
        self._reported |= bool(sample.retrieved)
        if self._family.rubric and sample.prediction is not None:
            self._answered.append(sample.key)

    def scores(self, verdicts: Mapping[JudgeName, Verdicts], expected: int) -> SourceScores:
        """Return the source's scores.

        Args:
            verdicts: the judgments on the source's answers, by judge.
            expected: how many questions there are in all.
        """
        family, usage = self._family, self._usage
        judges = [
            judge_summary(judge, judged, self._answered, usage.n)
            for judge, judged in verdicts.items()
        ]
        judge = next((one for one in reversed(judges) if one.official is not None), None)
        official, corrected = _means(self._official), _means(self._corrected)
        verdict = self._verdict(judge)
        if verdict is not None:
            official[family.metric] = corrected[family.metric] = verdict
        needs = "judge" if family.rubric else "entities" if family.needs_entities else None
        return SourceScores(
            n=usage.n,
            answered=usage.n - usage.errors,
            errors=usage.errors,
            missing=self._missing,
            metric=family.metric,
            official=official.get(family.metric),
            corrected=corrected.get(family.metric),
            metrics=official,
            differences=dict(sorted(self._differences.items())),
            needs=None if family.metric in official else needs,
            **usage.amounts,
            judge=JudgeName(judge.model, judge.prompts) if judge else None,
            judges=tuple(judges),
            evidence_recall=self._evidence_recall(),
            retrieval=self._retrieval.summary(),
            expected=expected,
        )

    def _verdict(self, judge: JudgeSummary | None) -> float | None:
        """Return the score by the judge; where every answer failed it is 0 without asking."""
        if judge:
            return judge.official
        failed = self._usage.n and self._usage.errors == self._usage.n
        return 0.0 if self._family.rubric and failed else None

    def _evidence_recall(self) -> float | None:
        """Return the share of questions for which evidence was retrieved, from 0 to 100.

        None when the agent reported no passage at all, or no question has a turn of evidence.
        """
        return 100 * fmean(self._evidence) if self._evidence and self._reported else None


def _means(values: _Values) -> dict[str, float]:
    return {metric: fmean(column) for metric, column in values.items()}
