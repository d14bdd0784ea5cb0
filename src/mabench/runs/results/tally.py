"""Adding up the samples of a source one at a time, so that a long run needs no more memory."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from mabench.families import Family
from mabench.runs.records.judgments import JudgeName
from mabench.runs.records.measurements import Place
from mabench.runs.records.sample import MISSING, UNCLEAR_VERDICT, Key, Sample
from mabench.runs.results.breakdown import DEPTHS, EvidenceTally, TypesTally
from mabench.runs.results.intervals import source_intervals
from mabench.runs.results.judges import (
    Verdicts,
    counting_judge,
    judge_summary,
    judged_score,
    settling_judgments,
)
from mabench.runs.results.summaries import (
    JudgeSummary,
    RetrievalSummary,
    SearchSummary,
    SourceScores,
)
from mabench.uncertainty import Grouped

AMOUNTS = ("input_tokens", "output_tokens", "dropped_tokens", "cost")

_Values = defaultdict[str, "array[float]"]


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


class Scored(NamedTuple):
    """A source's scores, and those of its questions by history; None where one has none."""

    scores: SourceScores
    official: Grouped | None
    corrected: Grouped | None


class _Decided(NamedTuple):
    """The scores of a source's questions from 0 to 1, and who decided them.

    ``settled`` is how many unclear answers a judge settled.
    """

    official: array[float] | None
    corrected: array[float] | None
    judge: JudgeName | None
    judges: tuple[JudgeSummary, ...] = ()
    settled: int = 0


class SourceTally:
    """What is known of a source's samples so far.

    Args:
        family: the family of the source.
        chunks: how many chunks the agent was given of each row, where that is known.
    """

    def __init__(self, family: Family, chunks: Mapping[Place, int]) -> None:
        self._family = family
        self._usage = UsageTally()
        self._retrieval = _RetrievalTally(family, chunks)
        self._missing = self._redacted = 0
        self._official: _Values = defaultdict(lambda: array("d"))
        self._corrected: _Values = defaultdict(lambda: array("d"))
        self._differences: Counter[str] = Counter()
        self._evidence = EvidenceTally()
        self._types = TypesTally()
        self._reported = False
        self._histories: dict[Place, int] = {}
        self._history_of = array("q")
        # Where the scores of unclear answers stand.
        self._unclear: dict[Key, int] = {}
        # Of a family that is judged: each question, and whether it was answered.
        self._questions: dict[Key, bool] = {}

    def add(self, sample: Sample) -> None:
        """Take in a sample."""
        self._usage.add(sample)
        self._retrieval.add(sample)
        self._missing += sample.error == MISSING
        self._redacted += bool(sample.redacted)
        for metric, value in sample.official.items():
            self._official[metric].append(float(value))
        if sample.verdict == UNCLEAR_VERDICT:
            self._unclear[sample.key] = len(self._corrected[self._family.metric])
        for metric, value in sample.corrected.items():
            self._corrected[metric].append(float(value))
        if sample.difference:
            self._differences[sample.difference] += 1
        self._evidence.add(sample)
        self._types.add(sample)
        self._reported |= bool(sample.retrieved)
        place = (sample.split, sample.row)
        self._history_of.append(self._histories.setdefault(place, len(self._histories)))
        if self._family.rubric:
            self._questions[sample.key] = sample.prediction is not None

    def scores(self, verdicts: Mapping[JudgeName, Verdicts], expected: int) -> Scored:
        """Return the source's scores, and those of its questions.

        Args:
            verdicts: the judgments on the source's answers, by judge.
            expected: how many questions there are in all.
        """
        family, usage = self._family, self._usage
        decided = self._judged(verdicts) if family.needs_judge else self._settled(verdicts)
        official = {metric: _percent(values) for metric, values in self._official.items()}
        corrected = {metric: _percent(values) for metric, values in self._corrected.items()}
        for scores, values in ((official, decided.official), (corrected, decided.corrected)):
            if values is not None and len(values) == usage.n:
                scores[family.metric] = _percent(values)
        grouped, grouped_corrected = map(self._grouped, (decided.official, decided.corrected))
        needs = "judge" if family.needs_judge else "entities" if family.needs_entities else None
        summary = SourceScores(
            n=usage.n,
            answered=usage.n - usage.errors,
            errors=usage.errors,
            missing=self._missing,
            metric=family.metric,
            official=official.get(family.metric),
            corrected=corrected.get(family.metric),
            interval=source_intervals(grouped),
            interval_corrected=source_intervals(grouped_corrected),
            metrics=official,
            differences=dict(sorted(self._differences.items())),
            needs=None if family.metric in official else needs,
            **usage.amounts,
            judge=decided.judge,
            judges=decided.judges,
            unclear=len(self._unclear) - decided.settled or None,
            settled=decided.settled or None,
            redacted=self._redacted or None,
            evidence_recall=self._evidence.recall if self._reported else None,
            evidence=self._evidence.summary() if self._reported else None,
            types=self._types.scores(decided.official, decided.corrected, self._reported),
            retrieval=self._retrieval.summary(),
            expected=expected,
        )
        return Scored(summary, grouped, grouped_corrected)

    def _judged(self, verdicts: Mapping[JudgeName, Verdicts]) -> _Decided:
        """Return the scores of questions by the last judge to have judged every answer."""
        answered = [key for key, known in self._questions.items() if known]
        judges = tuple(judge_summary(*judge, answered, self._usage.n) for judge in verdicts.items())
        judge = counting_judge(verdicts, answered)
        if judge is None:
            # Where every answer failed, there is nothing to ask a judge.
            failed = self._usage.n and self._usage.errors == self._usage.n
            wrong = array("d", bytes(8 * self._usage.n)) if failed else None
            return _Decided(wrong, wrong, None, judges)
        official, corrected = (
            array("d", (judged_score(verdicts[judge].get(key), name) for key in self._questions))
            for name in ("official", "corrected")
        )
        return _Decided(official, corrected, judge, judges)

    def _settled(self, verdicts: Mapping[JudgeName, Verdicts]) -> _Decided:
        """Return the scores of questions by rule, those that are unclear by the last judge."""
        official = self._official.get(self._family.metric)
        corrected = self._corrected.get(self._family.metric)
        settled = settling_judgments(verdicts)
        places = {key: place for key, place in self._unclear.items() if key in settled}
        if corrected is not None and places:
            corrected = corrected[:]
            for key, place in places.items():
                corrected[place] = float(settled[key].value or 0)
        judge = list(verdicts)[-1] if places else None
        return _Decided(official, corrected, judge, self._beside(verdicts), len(places))

    def _beside(self, verdicts: Mapping[JudgeName, Verdicts]) -> tuple[JudgeSummary, ...]:
        """Return the judges whose scores stand beside the reported metric."""
        answered = [key for key, known in self._questions.items() if known]
        named = verdicts.items() if self._family.judge_beside else ()
        return tuple(judge_summary(*judge, answered, self._usage.n) for judge in named)

    def _grouped(self, values: array[float] | None) -> Grouped | None:
        """Return the scores of questions by history; None unless every question has one."""
        if not values or len(values) != len(self._history_of):
            return None
        return Grouped(np.asarray(values), np.asarray(self._history_of))


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

    def add(self, sample: Sample) -> None:
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
        score = sample.official.get(self._family.metric)
        if score is not None and self._family.gold_in_text(sample.answers):
            self._ranks.append(sample.hit_rank or 0)
            self._scores.append(100 * float(score))
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
