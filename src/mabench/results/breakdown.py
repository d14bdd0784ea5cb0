"""What a source's samples say of evidence, and of each type of questions."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from mabench.results.means import source_intervals
from mabench.results.records.measurements import Place
from mabench.results.records.sample import Sample
from mabench.results.summaries import EvidenceSummary, TypeScores
from mabench.uncertainty import Grouped

DEPTHS = (1, 5, 10)

_Ranks = tuple[int | None, ...]


class EvidenceTally:
    """The evidence that was retrieved so far for a source's questions."""

    def __init__(self) -> None:
        self._recalls = array("d")
        self._histories: list[Place] = []
        self._turns: dict[int, array[float]] = {depth: array("d") for depth in DEPTHS}
        self._sessions: dict[int, array[float]] = {depth: array("d") for depth in DEPTHS}

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        if sample.evidence_recall is not None:
            self._recalls.append(float(sample.evidence_recall))
            self._histories.append((sample.split, sample.row))
        for depth in DEPTHS:
            if sample.evidence_ranks:
                self._turns[depth].append(_within(depth, sample.evidence_ranks))
            if sample.session_ranks:
                self._sessions[depth].append(_within(depth, sample.session_ranks))

    @property
    def recall(self) -> float | None:
        """The mean recall from 0 to 100; None without evidence."""
        return 100 * fmean(self._recalls) if self._recalls else None

    def summary(self) -> EvidenceSummary | None:
        """Return the recall at each depth; None where turns have no ids."""
        n = len(self._turns[1])
        if not n or n != len(self._recalls):
            return None
        return EvidenceSummary(
            n=n,
            interval=source_intervals(Grouped.of(self._recalls, self._histories)),
            turns_at={str(depth): 100 * fmean(self._turns[depth]) for depth in DEPTHS},
            sessions_at={str(depth): 100 * fmean(self._sessions[depth]) for depth in DEPTHS},
        )


class TypesTally:
    """The types of a source's questions so far, in the order of the samples."""

    def __init__(self) -> None:
        self._types: list[str | None] = []
        self._recalls: dict[str, array[float]] = {}

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self._types.append(sample.question_type)
        if sample.question_type and sample.evidence_recall is not None:
            recalls = self._recalls.setdefault(sample.question_type, array("d"))
            recalls.append(float(sample.evidence_recall))

    def scores(
        self, official: Sequence[float] | None, corrected: Sequence[float] | None, reported: bool
    ) -> dict[str, TypeScores] | None:
        """Return the scores of each type; None where no question has one.

        Args:
            official: the scores of all questions, from 0 to 1, in the order of the samples.
            corrected: their corrected scores, likewise.
            reported: whether passages were reported, without which there is no recall.
        """
        counts = Counter(filter(None, self._types))
        if not counts:
            return None
        return {
            name: TypeScores(
                n=counts[name],
                official=self._mean(official, name),
                corrected=self._mean(corrected, name),
                evidence_recall=_percent(self._recalls.get(name)) if reported else None,
            )
            for name in sorted(counts)
        }

    def _mean(self, values: Sequence[float] | None, name: str) -> float | None:
        if values is None or len(values) != len(self._types):
            return None
        return _percent([v for v, kind in zip(values, self._types, strict=True) if kind == name])


def _within(depth: int, ranks: _Ranks) -> float:
    return fmean(rank is not None and rank <= depth for rank in ranks)


def _percent(values: Sequence[float] | None) -> float | None:
    return 100 * fmean(values) if values else None
