"""Adding up the samples of a source one at a time, so that a long run needs no more memory."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from mabench.families import Family
from mabench.results.records.measurements import Place
from mabench.results.records.sample import MISSING, UNCLEAR_VERDICT, JudgeName, Key, Sample
from mabench.results.scored import Metric, ScoredQuestion, Verdicts
from mabench.results.summaries import (
    EvidenceSummary,
    Intervals,
    JudgeSummary,
    RetrievalSummary,
    SearchSummary,
    SourceScores,
    TypeScores,
)
from mabench.uncertainty import Grouped, new_histories, these_histories

AMOUNTS = ("input_tokens", "output_tokens", "dropped_tokens", "cost")
_DEPTHS = (1, 5, 10)


class UsageTally:
    """What the answers of a row, or of a source, took so far; an amount where a sample says."""

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


class SourceTotals(NamedTuple):
    """A source's scores, and those of its questions by history; None unless each has one."""

    scores: SourceScores
    official: Grouped | None
    corrected: Grouped | None


class SourceTally:
    """What is known so far of the questions of a source that is scored by ``metric``.

    ``chunks`` says how many chunks the agent was given of each row, where that is known.
    """

    def __init__(self, metric: Metric, chunks: Mapping[Place, int]) -> None:
        self._metric = metric
        self._usage = UsageTally()
        self._retrieval = _RetrievalTally(metric.family, chunks)
        self._evidence = _EvidenceTally()
        self._missing = self._redacted = self._unclear = self._settled = 0
        self._official, self._corrected = array("d"), array("d")
        self._metrics: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._differences: Counter[str] = Counter()
        self._types: list[str | None] = []
        self._histories: dict[Place, int] = {}
        self._history_of = array("q")
        # In the order in which they come: those who decided a question.
        self._judges: dict[JudgeName, None] = {}

    def add(self, scored: ScoredQuestion[Sample]) -> None:
        """Take in a question."""
        sample, place = scored.sample, (scored.sample.split, scored.sample.row)
        history = self._histories.setdefault(place, len(self._histories))
        self._history_of.append(history)
        self._types.append(sample.question_type)
        self._usage.add(sample)
        self._retrieval.add(scored)
        self._evidence.add(sample, history)
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
            self._settled += self._metric.needs != "judge"
        if sample.difference:
            self._differences[sample.difference] += 1

    def scores(
        self, judges: Mapping[JudgeName, Verdicts], answered: Collection[Key], expected: int
    ) -> SourceTotals:
        """Return the source's scores, of ``expected`` questions of which some are ``answered``.

        The ``judges`` are in the order in which they last judged.
        """
        metric, usage, evidence = self._metric, self._usage, self._evidence
        official, corrected = self._by_history(self._official), self._by_history(self._corrected)
        deciding = [judge for judge in (*self._judges, *judges) if judge in self._judges]
        beside = judges.items() if metric.needs == "judge" or metric.family.judge_beside else ()
        values = self._metrics | ({metric.name: self._official} if official is not None else {})
        metrics = {name: metric.aggregate(scores) for name, scores in values.items()}
        summary = SourceScores(
            n=usage.n,
            answered=usage.n - usage.errors,
            errors=usage.errors,
            missing=self._missing,
            metric=metric.name,
            official=metrics[metric.name] if official is not None else None,
            corrected=metric.aggregate(self._corrected) if corrected is not None else None,
            interval=source_intervals(official),
            interval_corrected=source_intervals(corrected),
            metrics=metrics,
            differences=dict(sorted(self._differences.items())),
            needs=None if official is not None else metric.needs,
            **usage.amounts,
            judge=deciding[-1] if deciding and official is not None else None,
            judges=tuple([_judge_summary(*judge, answered, usage.n) for judge in beside]),
            unclear=self._unclear or None,
            settled=self._settled or None,
            redacted=self._redacted or None,
            evidence_recall=_percent(evidence.recalls) if evidence.reported else None,
            evidence=evidence.summary() if evidence.reported else None,
            types=self._type_scores(),
            retrieval=self._retrieval.summary(),
            expected=expected,
        )
        return SourceTotals(summary, official, corrected)

    def _by_history(self, values: array[float]) -> Grouped | None:
        if not values or len(values) != len(self._history_of):
            return None
        return Grouped(np.asarray(values), np.asarray(self._history_of))

    def _type_scores(self) -> dict[str, TypeScores] | None:
        """Return the scores of each type of questions; None where no question has one."""
        counts = Counter(filter(None, self._types))
        recalls = self._evidence.recalls_by_type if self._evidence.reported else {}

        def mean(values: Sequence[float], name: str) -> float | None:
            known = len(values) == len(self._types)
            pairs = zip(values, self._types, strict=True) if known else ()
            return _percent([value for value, kind in pairs if kind == name])

        return {
            name: TypeScores(
                n=counts[name],
                official=mean(self._official, name),
                corrected=mean(self._corrected, name),
                evidence_recall=_percent(recalls.get(name, ())),
            )
            for name in sorted(counts)
        } or None


def _judge_summary(
    judge: JudgeName, verdicts: Verdicts, answered: Collection[Key], questions: int
) -> JudgeSummary:
    """Return a judge's score of a source; answers that failed or have no verdict are wrong."""
    complete = questions > 0 and all(key in verdicts for key in answered)
    values = [verdict.value for verdict in verdicts.values() if verdict.value is not None]
    official = [verdict.official for verdict in verdicts.values() if verdict.official is not None]
    unread = [verdict.value or 0.0 for verdict in verdicts.values() if verdict.official is None]
    return JudgeSummary(
        model=judge.model,
        prompts=judge.prompts,
        judged=len(values),
        failed=len(verdicts) - len(values),
        of=len(answered),
        official=100 * sum([*official, *unread]) / questions if complete else None,
        corrected=100 * sum(values) / questions if complete and official else None,
    )


class _EvidenceTally:
    """The evidence that was retrieved so far for a source's questions."""

    def __init__(self) -> None:
        self.reported = False  # Were any passages? Without, nothing is known.
        # Of each question with evidence, from 0 to 1.
        self.recalls = array("d")
        self.recalls_by_type: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._histories = array("q")
        self._turns: dict[int, array[float]] = {depth: array("d") for depth in _DEPTHS}
        self._sessions: dict[int, array[float]] = {depth: array("d") for depth in _DEPTHS}

    def add(self, sample: Sample, history: int) -> None:
        self.reported |= bool(sample.retrieved)
        if sample.evidence_recall is not None:
            recall = float(sample.evidence_recall)
            self.recalls.append(recall)
            self._histories.append(history)
            if sample.question_type:
                self.recalls_by_type[sample.question_type].append(recall)
        shares = ((self._turns, sample.evidence_ranks), (self._sessions, sample.session_ranks))
        for share, ranks in shares:
            if ranks:
                for depth in _DEPTHS:
                    share[depth].append(fmean(rank is not None and rank <= depth for rank in ranks))

    def summary(self) -> EvidenceSummary | None:
        """Return the recall at each depth; None where turns have no ids."""
        n = len(self._turns[1])
        if not n or n != len(self.recalls):
            return None
        return EvidenceSummary(
            n=n,
            interval=source_intervals(Grouped.of(self.recalls, self._histories)),
            turns_at={str(depth): 100 * fmean(self._turns[depth]) for depth in _DEPTHS},
            sessions_at={str(depth): 100 * fmean(self._sessions[depth]) for depth in _DEPTHS},
        )


class _RetrievalTally:
    """What is known so far of the retrieval for a source's answered questions.

    Once an agent has reported passages, an answer without any counts as one that misses the gold.
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
        chunks = {passage.chunk for passage in sample.retrieved} - {None}
        of_row = self._chunks.get((sample.split, sample.row))  # None where that is not known.
        every_chunk = bool(chunks) and len(chunks) == of_row
        self._every_chunk += every_chunk
        if scored.official is not None and self._family.gold_in_text(sample.answers):
            self._ranks.append(sample.hit_rank or 0)
            self._scores.append(100 * scored.official)
            self._depths.append(-1 if every_chunk else len(sample.retrieved))

    def summary(self) -> RetrievalSummary | None:
        if not self._reported:
            return None
        ranks = self._ranks
        hits = [score for rank, score in zip(ranks, self._scores, strict=True) if rank]
        hit_at = {str(k): 100 * fmean(0 < rank <= k for rank in ranks) for k in _DEPTHS if ranks}
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
            searched=self._search_summary(),
        )

    def _search_summary(self) -> SearchSummary | None:
        sought = zip(self._depths, self._ranks, self._scores, strict=True)
        searched = [question for question in sought if question[0] >= 0]
        if not self._every_chunk or not searched:
            return None
        depths, ranks, scores = zip(*searched, strict=True)
        return SearchSummary(
            sought=len(ranks),
            depth=fmean(depths),
            hit=100 * fmean(rank > 0 for rank in ranks),
            answered=fmean(scores),
        )


def source_intervals(scores: Grouped | None) -> Intervals | None:
    """Return the intervals of a source's mean score; None when it has none."""
    if scores is None or not scores.n:
        return None
    these, new = these_histories(scores), new_histories(scores)
    return Intervals(these_histories=these and these.percent, new_histories=new and new.percent)


def _percent(values: Sequence[float]) -> float | None:
    return 100 * fmean(values) if values else None


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
