"""Adding up scored questions one at a time, by source and to the means of the paper's table.

No more than numbers is kept of a question, so that a long run needs no more memory.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mabench.families import Family
from mabench.results.answers import MISSED, PARTS, AnswerUsage, RowUsage
from mabench.results.records.lines import (
    MISSING,
    JudgeName,
    Judgment,
    Key,
    Place,
    Sample,
    StageRecord,
)
from mabench.results.retrieval import RetrievalTally
from mabench.results.scored import QuestionScore, ScoredQuestion
from mabench.results.stages import StagesSummary
from mabench.results.summaries import JudgeSummary, SourceScores, TypeScores
from mabench.results.summing.letters import LetterTally
from mabench.results.summing.paper import SourceTotals, interval_of_mean, paper_means
from mabench.results.verdicts import RunVerdicts
from mabench.uncertainty import Floats, Grouped, compare_paired
from mabench.uncertainty.intervals import Estimate
from mabench.uncertainty.score_intervals import Intervals, Limits

_DIGITS = re.compile(r"\d+")
_AMOUNTS = ("input_tokens", "output_tokens", "dropped_tokens", "cut_off", "cost")


class ScoreTotals(NamedTuple):
    """The scores of a run: by source and in all, and what its answers took, also by row."""

    sources: Mapping[str, SourceScores]
    rows: tuple[RowUsage, ...]
    spent: AnswerUsage
    commonest_error: str | None
    means: Mapping[str, Any]  # Of the paper's table, in the fields of ``ScoreSummary``.


def total_scores(
    questions: Iterable[ScoredQuestion],
    expected: Mapping[str, int],
    verdicts: RunVerdicts,
    *,
    benchmark: bool = True,
) -> ScoreTotals:
    """Add up the scores of questions, one at a time.

    ``expected`` is how many there are in all by source. Each judge of ``verdicts`` has a summary.
    Only rows of the ``benchmark`` feed the paper's columns.
    """
    tally = QuestionTally(expected, verdicts)
    for scored in questions:
        tally.add(scored)
    return tally.totals(benchmark=benchmark)


class QuestionTally:
    """What is known so far of the questions of a run, or of a file of predictions.

    ``expected`` is how many there are in all by source. Each judge of ``verdicts`` has a summary.
    """

    def __init__(self, expected: Mapping[str, int], verdicts: RunVerdicts) -> None:
        self._expected, self._verdicts = expected, verdicts
        self._sources = {name: _SourceTally(verdicts.families[name]) for name in expected}
        self._rows: dict[tuple[str, int, str], _UsageTally] = defaultdict(_UsageTally)
        self._spent, self._errors = _UsageTally(), _ErrorTally()

    def add(self, scored: ScoredQuestion) -> None:
        """Add a question; its text is not kept."""
        sample = scored.sample
        self._rows[sample.split, sample.row, sample.source].add(sample)
        self._spent.add(sample)
        if sample.error not in (None, MISSING):
            self._errors.add(sample.error or "")
        self._sources[sample.source].add(scored)

    def see(self, stage: StageRecord) -> None:
        """Add what was seen of the support of a question that was added before."""
        self._sources[stage.source].see(stage)

    def scores(self) -> dict[str, list[QuestionScore]]:
        """Return the scores of the questions so far, by source, in the order they were added."""
        return {name: tally.questions for name, tally in self._sources.items()}

    def totals(
        self, *, benchmark: bool, shared_texts: Mapping[Place, Place] | None = None
    ) -> ScoreTotals:
        """Return what they come to.

        Args:
            benchmark: whether they are rows of the benchmark, which feed the paper's columns.
            shared_texts: one name for all histories that share their text, by place; others are
                left out.
        """
        totals = {
            name: tally.scores(name, self._verdicts, self._expected[name], shared_texts or {})
            for name, tally in self._sources.items()
        }
        usage = [
            RowUsage(split=split, row=row, source=source, **tally.amounts)
            for (split, row, source), tally in self._rows.items()
        ]
        means = paper_means(totals if benchmark else {})
        means["mean_interval"] = interval_of_mean([*totals.values()])
        return ScoreTotals(
            sources={name: total.scores for name, total in totals.items()},
            rows=tuple(sorted(usage, key=lambda row: (row.split, row.row))),
            spent=AnswerUsage(**self._spent.amounts),
            commonest_error=self._errors.commonest,
            means=means,
        )


class _ErrorTally:
    """Errors by their words; such as differ in numbers alone count as one."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, error: str) -> None:
        kind = _DIGITS.sub("0", error)
        self._counts[kind] += 1
        self._first.setdefault(kind, error)

    @property
    def commonest(self) -> str | None:
        """The first error of the commonest kind; None if there was none."""
        if not self._counts:
            return None
        [(kind, _)] = self._counts.most_common(1)
        return self._first[kind]


class _UsageTally:
    """What some answers took so far, in the fields of ``AnswerUsage``."""

    def __init__(self) -> None:
        self.amounts: dict[str, Any] = {"n": 0, "errors": 0, **dict.fromkeys(_AMOUNTS)}

    def add(self, sample: Sample) -> None:
        self.amounts["n"] += 1
        self.amounts["errors"] += sample.prediction is None
        for name in _AMOUNTS:
            value = getattr(sample, name)
            if value is not None:
                self.amounts[name] = (self.amounts[name] or 0) + value


class _SourceTally:
    """What is known so far of the questions of a source."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._usage = _UsageTally()
        self._retrieval, self._letters = RetrievalTally(), LetterTally()
        self._missing = self._redacted = self._settled = 0
        self.questions: list[QuestionScore] = []
        self._places: dict[Key, int] = {}  # Of the questions, in their list.
        self._seen: list[StageRecord] = []
        self._metrics: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._differences: Counter[str] = Counter()
        self._histories: dict[Place, int] = {}  # Their numbers, in the order in which they come.
        self._history_numbers = array("q")  # Of each question.
        # A name for the text of each history; None if none of them shares it with another.
        self._texts: tuple[Place, ...] | None = None
        # Those who decided a question, in the order in which they come.
        self._judges: dict[JudgeName, None] = {}

    def add(self, scored: ScoredQuestion) -> None:
        sample, place, figures = scored.sample, scored.place, scored.figures
        history = self._histories.setdefault(place, len(self._histories))
        self._history_numbers.append(history)
        self._places[figures.key] = len(self.questions)
        self.questions.append(figures)
        self._usage.add(sample)
        self._letters.add(sample)
        if sample.error == MISSING:
            self._missing += 1
        if sample.redacted:
            self._redacted += 1
        for metric, value in sample.official.items():
            self._metrics[metric].append(float(value))
        if scored.judge is not None:
            self._judges[scored.judge] = None
            if self._family.needs != "judge":
                self._settled += 1
        if sample.difference:
            self._differences[sample.difference] += 1
        self._retrieval.add(scored, history)
        if scored.seen is not None:
            self._seen.append(scored.seen)

    def see(self, stage: StageRecord) -> None:
        """Add what was seen of the support of a question."""
        self._seen.append(stage)
        place = self._places.get(stage.key)
        if place is not None:
            self.questions[place] = self.questions[place].with_seen(stage)

    def scores(
        self,
        source: str,
        verdicts: RunVerdicts,
        expected: int,
        shared_texts: Mapping[Place, Place],
    ) -> SourceTotals:
        """Return the source's scores, of ``expected`` questions, with those of all its judges.

        ``shared_texts`` has one name for all histories that share their text, by place.
        """
        family, retrieval = self._family, self._retrieval
        self._texts = None
        if not shared_texts.keys().isdisjoint(self._histories):
            self._texts = tuple(shared_texts.get(place, place) for place in self._histories)
        amounts = {**self._usage.amounts}
        n, errors = amounts.pop("n"), amounts.pop("errors")
        official = self._by_history([one.official for one in self.questions])
        corrected = self._by_history([one.corrected for one in self.questions])
        unclear = sum(one.verdict == "unclear" for one in self.questions)
        parts = Counter(one.part for one in self.questions)
        judges = verdicts.by_judge.get(source, {})
        # The judges that decided a question; the last one of them is last among ``judges``, too.
        deciding = [judge for judge in (*self._judges, *judges) if judge in self._judges]
        summarized = judges.items() if family.needs == "judge" or family.judge_beside else ()
        answered = verdicts.answered.get(source, ())
        metrics = {name: _percent(np.frombuffer(each)) for name, each in self._metrics.items()}
        if official is not None:
            metrics[family.metric] = _percent(official.values)
        summary = SourceScores(
            n=n,
            answered=n - errors,
            errors=errors,
            parts={part: parts[part] for part in PARTS},
            parts_intervals=self._part_intervals(),
            misread_less_missed=self._lead(["misread"], MISSED),
            missing=self._missing,
            metric=family.metric,
            official=metrics[family.metric] if official is not None else None,
            corrected=_percent(corrected.values) if corrected is not None else None,
            interval=Intervals.of([(1, official)]),
            interval_corrected=Intervals.of([(1, corrected)]),
            metrics=metrics,
            differences=dict(sorted(self._differences.items())),
            needs=None if official is not None else family.needs,
            **amounts,
            judge=deciding[-1] if deciding and official is not None else None,
            judges=tuple([_judge_summary(*judge, answered, n) for judge in summarized]),
            unclear=unclear or None,
            extremes=self._extremes() if corrected is not None and unclear else None,
            settled=self._settled or None,
            redacted=self._redacted or None,
            types=self._type_scores(),
            evidence_recall=retrieval.recall(),
            evidence=retrieval.evidence(),
            retrieval=retrieval.summary(),
            letters=self._letters.summary(),
            stages=StagesSummary.of(self._seen),
            expected=expected,
        )
        return SourceTotals(summary, official, corrected)

    def _part_intervals(self) -> dict[str, Intervals]:
        """Return the intervals of the shares of the parts that questions have, where there are."""
        present = {one.part for one in self.questions}
        intervals = {
            part: Intervals.of([(1, self._sign([part]))]) for part in PARTS if part in present
        }
        return {part: own for part, own in intervals.items() if own is not None}

    def _extremes(self) -> tuple[float, float]:
        """Return the corrected score if all unclear answers are wrong, and if all are right."""

        def score_with(value: float) -> float:
            values = [
                value if one.verdict == "unclear" else one.corrected for one in self.questions
            ]
            return _percent(np.array(values, dtype=np.float64))

        return score_with(0.0), score_with(1.0)

    def _by_history(self, values: Sequence[float | None]) -> Grouped | None:
        """Return values of the questions by history; None unless each question has one."""
        known = [value for value in values if value is not None]
        return self._group(known) if known and len(known) == len(values) else None

    def _sign(self, parts: Collection[str], less: Collection[str] = ()) -> Grouped:
        """Return 1 for each question of some parts, -1 for each of those compared with them."""
        signs = []
        for one in self.questions:
            added = 1.0 if one.part in parts else 0.0
            taken = 1.0 if one.part in less else 0.0
            signs.append(added - taken)
        return self._group(signs, lowest=-1.0 if less else 0.0)

    def _group(self, values: Sequence[float], lowest: float = 0.0) -> Grouped:
        """Return a value of each question by history; there can be none below the lowest."""
        histories = np.array(self._history_numbers)
        return Grouped(np.array(values, dtype=np.float64), histories, self._texts, lowest)

    def _lead(self, parts: Collection[str], less: Collection[str]) -> Intervals | None:
        """Return the intervals of the share of some parts minus that of others, in points.

        None where no question has any of these parts.
        """
        signs = self._sign(parts, less)
        if not signs.values.any():
            return None
        paired = compare_paired(signs)
        return Intervals(
            these_histories=_within_points(paired.these),
            new_histories=_within_points(paired.new),
        )

    def _type_scores(self) -> dict[str, TypeScores] | None:
        """Return the scores of each type of questions; None if they have no types."""
        by_type = defaultdict[str, list[QuestionScore]](list)
        for one in self.questions:
            if one.question_type:
                by_type[one.question_type].append(one)
        have_official = all(one.official is not None for one in self.questions)
        have_corrected = all(one.corrected is not None for one in self.questions)

        def group(of_type: Sequence[QuestionScore], name: str) -> Grouped:
            values = [float(getattr(one, name) or 0.0) for one in of_type]
            grouped = Grouped.of(values, [one.place for one in of_type])
            if self._texts is None:
                return grouped
            texts = dict(zip(self._histories, self._texts, strict=True))
            places = dict.fromkeys(one.place for one in of_type)
            return replace(grouped, texts=tuple(texts[place] for place in places))

        types: dict[str, TypeScores] = {}
        for name, of_type in sorted(by_type.items()):
            official = group(of_type, "official") if have_official else None
            corrected = group(of_type, "corrected") if have_corrected else None
            types[name] = TypeScores(
                n=len(of_type),
                official=None if official is None else 100 * official.mean,
                corrected=None if corrected is None else 100 * corrected.mean,
                interval=Intervals.of([(1, official)]),
                interval_corrected=Intervals.of([(1, corrected)]),
                evidence_recall=self._retrieval.recall(name),
            )
        return types or None


def _within_points(estimate: Estimate | None) -> Limits | None:
    """Return the 95 % interval of a difference, from -100 to 100; None without an estimate."""
    return None if estimate is None else estimate.interval(-1.0, 1.0).percent


def _percent(scores: Floats) -> float:
    """Return the score of a source, in percent: the mean of the scores of its questions.

    It is what the published code computes, to the last digit: numpy's mean, times 100.
    """
    return float(np.mean(scores)) * 100


def _judge_summary(
    judge: JudgeName, verdicts: Mapping[Key, Judgment], answered: Collection[Key], questions: int
) -> JudgeSummary:
    """Return a judge's score of a source; answers that failed or have no verdict are wrong."""
    complete = questions > 0 and all(key in verdicts for key in answered)
    values = [each.value for each in verdicts.values() if each.value is not None]
    official = [each.official for each in verdicts.values() if each.official is not None]
    errors = _ErrorTally()
    for each in verdicts.values():
        if each.value is None:
            errors.add(each.error or "it gave no reason")
    unread = [each.value or 0.0 for each in verdicts.values() if each.official is None]
    return JudgeSummary(
        judge.model,
        judge.prompts,
        judged=len(values),
        failed=len(verdicts) - len(values),
        of=len(answered),
        commonest_error=errors.commonest,
        official=100 * sum([*official, *unread]) / questions if complete else None,
        corrected=100 * sum(values) / questions if complete and official else None,
    )
