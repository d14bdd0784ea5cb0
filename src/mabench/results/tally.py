"""Adding up the samples of a source one at a time, so that a long run needs no more memory."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from mabench.families import Family
from mabench.results.breakdown import DEPTHS, EvidenceTally, TypesTally
from mabench.results.means import source_intervals
from mabench.results.records.judgments import JudgeName
from mabench.results.records.measurements import Place
from mabench.results.records.sample import MISSING, UNCLEAR_VERDICT, Key, Sample
from mabench.results.scored import ScoredQuestion, Verdicts
from mabench.results.summaries import (
    JudgeSummary,
    RetrievalSummary,
    SearchSummary,
    SourceScores,
)
from mabench.uncertainty import Grouped

AMOUNTS = ("input_tokens", "output_tokens", "dropped_tokens", "cost")


class UsageTally:
    """What the answers of a row, or of a source, took so far.

    Attributes:
        n: how many questions were asked.
        errors: how many of them failed.
        amounts: tokens and dollars, by the field names of samples; None where no sample says.
    """

    def __init__(self) -> None:
        self.n = self.errors = 0
        self.amounts: dict[str, Any] = dict.fromkeys(AMOUNTS)

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self.n += 1
        self.errors += sample.prediction is None
        for name in AMOUNTS:
            value = getattr(sample, name)
            if value is not None:
                self.amounts[name] = (self.amounts[name] or 0) + value


class TallyScores(NamedTuple):
    """A source's scores, and those of its questions by history; None unless each has one."""

    scores: SourceScores
    official: Grouped | None
    corrected: Grouped | None


class SourceTally:
    """What is known of a source's questions so far.

    Args:
        family: the family of the source.
        chunks: how many chunks the agent was given of each row, where that is known.
    """

    def __init__(self, family: Family, chunks: Mapping[Place, int]) -> None:
        self._family = family
        self._usage = UsageTally()
        self._retrieval = _RetrievalTally(family, chunks)
        self._missing = self._redacted = self._unclear = self._settled = 0
        self._official, self._corrected = array("d"), array("d")
        self._metrics: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._differences: Counter[str] = Counter()
        self._evidence = EvidenceTally()
        self._types = TypesTally()
        self._reported = False
        self._histories: dict[Place, int] = {}
        self._history_of = array("q")
        # In the order in which they come: those who decided a question.
        self._judges: dict[JudgeName, None] = {}

    def add(self, scored: ScoredQuestion[Sample]) -> None:
        """Take in a question."""
        sample = scored.sample
        self._usage.add(sample)
        self._retrieval.add(scored)
        self._missing += sample.error == MISSING
        self._redacted += bool(sample.redacted)
        for metric, value in sample.official.items():
            self._metrics[metric].append(float(value))
        if scored.official is not None:
            self._official.append(scored.official)
        if scored.corrected is not None:
            self._corrected.append(scored.corrected)
        self._unclear += scored.verdict == UNCLEAR_VERDICT
        if scored.judge is not None:
            self._judges[scored.judge] = None
            self._settled += not self._family.needs_judge
        if sample.difference:
            self._differences[sample.difference] += 1
        self._evidence.add(sample)
        self._types.add(sample)
        self._reported |= bool(sample.retrieved)
        place = (sample.split, sample.row)
        self._history_of.append(self._histories.setdefault(place, len(self._histories)))

    def scores(
        self,
        judges: Mapping[JudgeName, Verdicts],
        answered: Collection[Key],
        expected: int,
    ) -> TallyScores:
        """Return the source's scores, and those of its questions.

        Args:
            judges: the judges of the source's answers, in the order in which they last judged.
            answered: the questions with an answer.
            expected: how many questions there are in all.
        """
        family, usage = self._family, self._usage
        official, corrected = self._grouped(self._official), self._grouped(self._corrected)
        metrics = {metric: _percent(values) for metric, values in self._metrics.items()}
        if official is not None:
            metrics[family.metric] = _percent(self._official)
        needs = "judge" if family.needs_judge else "entities" if family.needs_entities else None
        deciding = [judge for judge in (*self._judges, *judges) if judge in self._judges]
        beside = judges.items() if family.needs_judge or family.judge_beside else ()
        summary = SourceScores(
            n=usage.n,
            answered=usage.n - usage.errors,
            errors=usage.errors,
            missing=self._missing,
            metric=family.metric,
            official=metrics[family.metric] if official is not None else None,
            corrected=_percent(self._corrected) if corrected is not None else None,
            interval=source_intervals(official),
            interval_corrected=source_intervals(corrected),
            metrics=metrics,
            differences=dict(sorted(self._differences.items())),
            needs=None if official is not None else needs,
            **usage.amounts,
            judge=deciding[-1] if deciding and official is not None else None,
            judges=tuple(_judge_summary(*judge, answered, usage.n) for judge in beside),
            unclear=self._unclear or None,
            settled=self._settled or None,
            redacted=self._redacted or None,
            evidence_recall=self._evidence.recall if self._reported else None,
            evidence=self._evidence.summary() if self._reported else None,
            types=self._types.scores(self._official, self._corrected, self._reported),
            retrieval=self._retrieval.summary(),
            expected=expected,
        )
        return TallyScores(summary, official, corrected)

    def _grouped(self, values: array[float]) -> Grouped | None:
        """Return the scores of questions by history; None unless every question has one."""
        if not values or len(values) != len(self._history_of):
            return None
        return Grouped(np.asarray(values), np.asarray(self._history_of))


def _judge_summary(
    judge: JudgeName, verdicts: Verdicts, answered: Collection[Key], questions: int
) -> JudgeSummary:
    """Return a judge's score of a source's samples.

    A failed answer is wrong, and so is one on which the judge gave no verdict: both stay in the
    denominator, ``questions``; ``answered`` are the questions with an answer.
    """
    complete = questions > 0 and all(key in verdicts for key in answered)
    values = [verdict.value for verdict in verdicts.values() if verdict.value is not None]
    official = [one.official for one in verdicts.values() if one.official is not None]
    unread = [one.value or 0.0 for one in verdicts.values() if one.official is None]
    return JudgeSummary(
        model=judge.model,
        prompts=judge.prompts,
        judged=len(values),
        failed=len(verdicts) - len(values),
        of=len(answered),
        official=100 * sum([*official, *unread]) / questions if complete else None,
        corrected=100 * sum(values) / questions if complete and official else None,
    )


class _RetrievalTally:
    """What is known so far of the retrieval for a source's questions.

    Questions that failed do not count. Once an agent has reported what was retrieved for one
    question, an answer for which nothing was retrieved counts as one that misses the gold.
    """

    def __init__(self, family: Family, chunks: Mapping[Place, int]) -> None:
        self._family = family
        self._chunks = chunks
        self._reported = False
        self._nothing = self._every_chunk = 0
        self._passages, self._tokens = array("q"), array("q")
        # Of the questions whose gold can be looked for: rank (0 for none), official score, and
        # passages (-1 where every chunk was retrieved).
        self._ranks, self._scores, self._depths = array("q"), array("d"), array("q")

    def add(self, scored: ScoredQuestion[Sample]) -> None:
        sample = scored.sample
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
        every_chunk = self._is_every_chunk(sample)
        self._every_chunk += every_chunk
        if scored.official is not None and self._family.gold_in_text(sample.answers):
            self._ranks.append(sample.hit_rank or 0)
            self._scores.append(100 * scored.official)
            self._depths.append(-1 if every_chunk else len(sample.retrieved))

    def _is_every_chunk(self, sample: Sample) -> bool:
        """Whether every chunk of the row was retrieved; False where that is not known."""
        retrieved = {passage.chunk for passage in sample.retrieved} - {None}
        return bool(retrieved) and len(retrieved) == self._chunks.get((sample.split, sample.row))

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
            every_chunk=self._every_chunk or None,
            searched=self._searched(),
        )

    def _searched(self) -> SearchSummary | None:
        known = zip(self._depths, self._ranks, self._scores, strict=True)
        searched = [one for one in known if one[0] >= 0]
        if not self._every_chunk or not searched:
            return None
        depths, ranks, scores = zip(*searched, strict=True)
        return SearchSummary(
            sought=len(ranks),
            depth=fmean(depths),
            hit=100 * fmean(rank > 0 for rank in ranks),
            answered=fmean(scores),
        )


def _percent(values: array[float]) -> float:
    """Return the mean as the published code computes it, to the last digit: numpy's, times 100."""
    return float(np.mean(np.frombuffer(values))) * 100


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
