"""Adding up what was retrieved for the questions of a source, and whether it held the answer."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from statistics import fmean

from mabench.families import Family
from mabench.runs.records.sample import Sample
from mabench.runs.results.summaries import RetrievalSummary

DEPTHS = (1, 5, 10)


class RetrievalTally:
    """What is known so far of the retrieval for a source's questions.

    Questions that failed do not count. Once an agent has reported what was retrieved for one
    question, an answer for which nothing was retrieved counts as one that misses the gold.
    """

    def __init__(self, family: Family) -> None:
        self._family = family
        self._reported = False
        self._nothing = 0
        self._passages, self._tokens = array("q"), array("q")
        # Of the questions whose gold can be looked for: rank (0 for none) and official score.
        self._ranks, self._scores = array("q"), array("d")

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        if sample.prediction is None:
            return
        if sample.retrieved and sample.shown_tokens is None:
            return  # Stored by a version that did not look for the gold.
        self._reported |= sample.shown_tokens is not None
        if sample.retrieved:
            self._passages.append(len(sample.retrieved))
            self._tokens.append(sample.shown_tokens or 0)
        else:
            self._nothing += 1
        score = sample.official.get(self._family.metric)
        if score is not None and self._family.gold_in_text(sample.answers):
            self._ranks.append(sample.hit_rank or 0)
            self._scores.append(100 * float(score))

    def summary(self) -> RetrievalSummary | None:
        """Return the summary; None when no passages were reported."""
        if not self._reported:
            return None
        ranks = self._ranks
        hits = [score for rank, score in zip(ranks, self._scores, strict=True) if rank]
        hit_at = {str(k): 100 * fmean(0 < rank <= k for rank in ranks) for k in DEPTHS if ranks}
        return RetrievalSummary(
            questions=len(self._passages),
            nothing=self._nothing,
            depth=_mean(self._passages),
            shown_tokens=_mean(self._tokens),
            sought=len(ranks),
            hit=100 * len(hits) / len(ranks) if ranks else None,
            hit_at=hit_at or None,
            answered=_mean(self._scores),
            answered_when_hit=_mean(hits),
        )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
