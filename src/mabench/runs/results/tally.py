"""Adding up the samples of a source one at a time, so that a long run needs no more memory."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from mabench.data import Source
from mabench.families import family_of
from mabench.runs.records.judgments import JudgeName, Verdicts, judged_summary
from mabench.runs.records.sample import MISSING, Key, Sample
from mabench.runs.results.retrieval import RetrievalTally
from mabench.runs.results.usage import Usage

_Columns = defaultdict[str, "array[float]"]


def _columns() -> _Columns:
    return defaultdict(lambda: array("d"))


class Tally:
    """What is known of a source's samples so far."""

    def __init__(self, source: Source) -> None:
        self._family = family_of(source)
        self._spent = Usage(source.name)
        self._retrieval = RetrievalTally(self._family)
        self._missing = 0
        self._official, self._corrected = _columns(), _columns()
        self._differences: Counter[str] = Counter()
        self._evidence = array("d")
        self._reported = False
        self._answered: list[Key] = []

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self._spent.add(sample)
        self._retrieval.add(sample)
        self._missing += sample.error == MISSING
        for columns, scores in (
            (self._official, sample.official),
            (self._corrected, sample.corrected),
        ):
            for metric, value in scores.items():
                columns[metric].append(100 * float(value))
        if sample.difference:
            self._differences[sample.difference] += 1
        if sample.evidence_recall is not None:
            self._evidence.append(sample.evidence_recall)
        self._reported |= bool(sample.retrieved)
        if self._family.rubric and sample.prediction is not None:
            self._answered.append(sample.key)

    def summary(self, verdicts: Mapping[JudgeName, Verdicts]) -> dict[str, Any]:
        """Return the entry of the source in the summary; see ``summarize``."""
        family = self._family
        official = {metric: fmean(column) for metric, column in self._official.items()}
        corrected = {metric: fmean(column) for metric, column in self._corrected.items()}
        judges = judged_summary(verdicts, self._answered, self._spent.n)
        judge = next((one for one in reversed(judges) if one["official"] is not None), None)
        if judge:
            official[family.metric] = corrected[family.metric] = judge["official"]
        elif (
            family.rubric and self._spent.n and self._spent.errors == self._spent.n
        ):  # Wrong without asking.
            official[family.metric] = corrected[family.metric] = 0.0
        needs = "judge" if family.rubric else "entities" if family.needs_entities else None
        return {
            "n": self._spent.n,
            "answered": self._spent.n - self._spent.errors,
            "errors": self._spent.errors,
            "missing": self._missing,
            "metric": family.metric,
            "official": official.get(family.metric),
            "corrected": corrected.get(family.metric),
            "metrics": official,
            "differences": dict(sorted(self._differences.items())),
            "needs": None if family.metric in official else needs,
            **self._spent.amounts,
            "judge": judge and {"model": judge["model"], "prompts": judge["prompts"]},
            "judges": judges,
            "evidence_recall": self._evidence_recall(),
            "retrieval": self._retrieval.summary(),
        }

    def _evidence_recall(self) -> float | None:
        """Return the share of questions for which evidence was retrieved, from 0 to 100.

        None when the agent reported no passage at all, or no question has a turn of evidence.
        """
        return 100 * fmean(self._evidence) if self._evidence and self._reported else None
