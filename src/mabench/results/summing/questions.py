"""Adds up scored questions one at a time: the scores of sources, and means of the paper's table.

Nothing but numbers is kept of a question, so that a long run needs little memory. A part is what
became of a question: right, or wrong for one of several reasons.
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
# What an answer took, by the names of the fields of samples and of ``AnswerUsage``.
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
        # By split, row and source.
        self._rows: dict[tuple[str, int, str], _UsageTally] = defaultdict(_UsageTally)
        self._spent, self._errors = _UsageTally(), _ErrorTally()

    def add(self, scored: ScoredQuestion) -> None:
        """Add a question; its text is not kept."""
        sample = scored.sample
        self._rows[sample.split, sample.row, sample.source].add(sample)
        self._spent.add(sample)
        if sample.error is not None and sample.error != MISSING:
            self._errors.add(sample.error)
        self._sources[sample.source].add(scored)

    def see(self, stage: StageRecord) -> None:
        """Add what the memory did with the support of a question that was added before."""
        self._sources[stage.source].see(stage)

    def scores(self) -> dict[str, list[QuestionScore]]:
        """Return the scores of the questions so far, by source, in the order they were added."""
        return {name: tally.questions for name, tally in self._sources.items()}

    def totals(
        self, *, benchmark: bool, shared_texts: Mapping[Place, Place] | None = None
    ) -> ScoreTotals:
        """Return the scores of the questions so far, and what their answers took.

        Args:
            benchmark: whether the rows are the benchmark's own: others feed no column of the
                paper's table.
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
    """Counts errors by their words; errors that differ in numbers alone are of one kind."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()  # By kind.
        self._first: dict[str, str] = {}  # The first error of each kind.

    def add(self, error: str) -> None:
        """Count an error."""
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
        """Add what an answer took; an amount that no sample says stays None."""
        self.amounts["n"] += 1
        if sample.prediction is None:
            self.amounts["errors"] += 1
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
        # How many questions have no answer, have an answer that was redacted, and were decided by
        # a judge where rules decide others.
        self._missing = self._redacted = self._settled = 0
        self.questions: list[QuestionScore] = []
        self._places: dict[Key, int] = {}  # Of the questions, in their list.
        # What the memory did with the support of questions.
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
        """Add a question of the source."""
        sample, place, score = scored.sample, scored.place, scored.figures
        history = self._histories.setdefault(place, len(self._histories))
        self._history_numbers.append(history)
        self._places[score.key] = len(self.questions)
        self.questions.append(score)
        self._usage.add(sample)
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
        self._letters.add(sample)
        self._retrieval.add(scored, history)
        if scored.seen is not None:
            self._seen.append(scored.seen)

    def see(self, stage: StageRecord) -> None:
        """Add what the memory did with the support of a question, which may say why it is wrong."""
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
        """Return the scores of the source and those of its judges.

        Args:
            source: its name.
            verdicts: those of judges on its answers.
            expected: how many questions the run asks of it.
            shared_texts: as in ``QuestionTally.totals``.
        """
        family, retrieval = self._family, self._retrieval
        self._texts = None
        if not shared_texts.keys().isdisjoint(self._histories):
            self._texts = tuple(shared_texts.get(place, place) for place in self._histories)
        amounts = dict(self._usage.amounts)
        n, errors = amounts.pop("n"), amounts.pop("errors")
        # The scores by history; None unless each question has one.
        official = self._by_history([score.official for score in self.questions])
        corrected = self._by_history([score.corrected for score in self.questions])
        unclear = sum(score.verdict == "unclear" for score in self.questions)
        parts = Counter(score.part for score in self.questions)
        metrics = {name: _percent(np.frombuffer(values)) for name, values in self._metrics.items()}
        if official is not None:
            metrics[family.metric] = _percent(official.values)
        summary = SourceScores(
            n=n,
            answered=n - errors,
            errors=errors,
            parts={part: parts[part] for part in PARTS},
            misread_less_missed=self._lead(["misread"], MISSED),
            missing=self._missing,
            metric=family.metric,
            official=metrics[family.metric] if official is not None else None,
            corrected=_percent(corrected.values) if corrected is not None else None,
            parts_intervals=self._part_intervals(),
            interval=Intervals.of([(1, official)]),
            interval_corrected=Intervals.of([(1, corrected)]),
            metrics=metrics,
            differences=dict(sorted(self._differences.items())),
            needs=None if official is not None else family.needs,
            **amounts,
            judge=None if official is None else self._last_deciding_judge(source, verdicts),
            judges=self._judge_summaries(source, verdicts, n),
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

    def _last_deciding_judge(self, source: str, verdicts: RunVerdicts) -> JudgeName | None:
        """Return the last judge that decided a question; None if none did."""
        judges = verdicts.by_judge.get(source, {})  # In the order in which they judged.
        deciding = [judge for judge in (*self._judges, *judges) if judge in self._judges]
        return deciding[-1] if deciding else None

    def _judge_summaries(
        self, source: str, verdicts: RunVerdicts, questions: int
    ) -> tuple[JudgeSummary, ...]:
        """Return the summary of each judge, if judges' scores of the source are reported."""
        if self._family.needs != "judge" and not self._family.judge_beside:
            return ()
        answered = verdicts.answered.get(source, ())
        return tuple(
            [
                _judge_summary(judge, judgments, answered, questions)
                for judge, judgments in verdicts.by_judge.get(source, {}).items()
            ]
        )

    def _part_intervals(self) -> dict[str, Intervals]:
        """Return the intervals of the share of each part that questions have.

        Parts whose interval is not defined are left out.
        """
        present = {score.part for score in self.questions}
        intervals = {}
        for part in PARTS:
            if part in present:
                interval = Intervals.of([(1, self._indicate([part]))])
                if interval is not None:
                    intervals[part] = interval
        return intervals

    def _extremes(self) -> tuple[float, float]:
        """Return the corrected score if all unclear answers are wrong, and if all are right."""

        def score_with(value: float) -> float:
            """Return the corrected score if unclear answers have this one."""
            values = [
                value if score.verdict == "unclear" else score.corrected for score in self.questions
            ]
            return _percent(np.array(values, dtype=np.float64))

        return score_with(0.0), score_with(1.0)

    def _by_history(self, values: Sequence[float | None]) -> Grouped | None:
        """Return values of the questions by history; None unless each question has one."""
        known = [value for value in values if value is not None]
        return self._group(known) if known and len(known) == len(values) else None

    def _indicate(self, parts: Collection[str], less: Collection[str] = ()) -> Grouped:
        """Return, by history, 1 for each question of ``parts`` and -1 for each of ``less``.

        Other questions have 0. So the mean is the share of the former less that of the latter.
        """
        signs = []
        for score in self.questions:
            added = 1.0 if score.part in parts else 0.0
            taken = 1.0 if score.part in less else 0.0
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
        indicators = self._indicate(parts, less)
        if not indicators.values.any():
            return None
        paired = compare_paired(indicators)
        return Intervals(
            these_histories=_within_points(paired.these),
            new_histories=_within_points(paired.new),
        )

    def _group_some(self, values: Sequence[float], places: Sequence[Place]) -> Grouped:
        """Return values of some questions by history, each with the place of its history."""
        grouped = Grouped.of(values, places)
        if self._texts is None:
            return grouped
        texts = dict(zip(self._histories, self._texts, strict=True))
        return replace(grouped, texts=tuple(texts[place] for place in dict.fromkeys(places)))

    def _type_scores(self) -> dict[str, TypeScores] | None:
        """Return the scores of each type of questions; None if they have no types."""
        scores_by_type = defaultdict[str, list[QuestionScore]](list)
        for score in self.questions:
            if score.question_type:
                scores_by_type[score.question_type].append(score)
        have_official = all(score.official is not None for score in self.questions)
        have_corrected = all(score.corrected is not None for score in self.questions)
        types: dict[str, TypeScores] = {}
        for name, scores in sorted(scores_by_type.items()):
            places = [score.place for score in scores]
            official = corrected = None
            if have_official:
                official = self._group_some([score.official or 0.0 for score in scores], places)
            if have_corrected:
                corrected = self._group_some([score.corrected or 0.0 for score in scores], places)
            types[name] = TypeScores(
                n=len(scores),
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
    """Return a judge's score of a source; answers that failed or have no verdict are wrong.

    The judge has a score only if it judged all answers. The official score of an answer without one
    is that of the verdict; if no answer has one, there is no corrected score beside it.
    """
    has_judged_all = questions > 0 and all(key in verdicts for key in answered)
    judgments = list(verdicts.values())
    values = [judgment.value for judgment in judgments if judgment.value is not None]
    errors = _ErrorTally()
    for judgment in judgments:
        if judgment.value is None:
            errors.add(judgment.error or "it gave no reason")
    official = [judgment.official for judgment in judgments if judgment.official is not None]
    in_place = [judgment.value or 0.0 for judgment in judgments if judgment.official is None]
    return JudgeSummary(
        judge.model,
        judge.prompts,
        judged=len(values),
        failed=len(judgments) - len(values),
        of=len(answered),
        commonest_error=errors.commonest,
        official=100 * sum([*official, *in_place]) / questions if has_judged_all else None,
        corrected=100 * sum(values) / questions if has_judged_all and official else None,
    )
