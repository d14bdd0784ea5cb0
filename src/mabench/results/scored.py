"""The scored question: a sample made of an answer, and which of its scores count, everywhere."""

from __future__ import annotations

import traceback
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, Self

from mabench.contract.answers import AgentRaisedError, attempt, describe_error
from mabench.data import Question, Source
from mabench.errors import UsageError
from mabench.families import UNCLEAR, Family, score_answer
from mabench.json_text import JsonRecord
from mabench.redact import redact, redact_values
from mabench.results.records.lines import JudgeName, Judgment, Key, Sample
from mabench.results.records.store import RunFolder
from mabench.scoring import Catalogue
from mabench.scoring.judge_replies import cohens_kappa
from mabench.uncertainty import MIN_HISTORIES, Grouped, Interval, Part

# The verdict on an answer that only a judge can score, before one has.
_NOT_JUDGED = "not judged"


Limits = tuple[float, float]
# What a sample has of its question, beside the answers.
_OF_QUESTIONS = (
    *("split", "row", "question_index", "source", "qa_pair_id", "question", "question_type"),
    "asked_after",
)
# Of an error.
_LONGEST_MESSAGE = 2_000
_LONGEST_CALL = 300
_LONGEST_NOTE = 100_000  # Characters that are read of a note; fewer are kept.
_FRAMES, _MOST_NOTES = 4, 10

_Verdicts = Mapping[Key, Judgment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(JsonRecord):
    """The 95 % confidence intervals of a mean score, low and high."""

    # For other questions about the same histories; null where each history has one question.
    these_histories: Limits | None
    # For other histories of the same kind; null below five histories and where almost all are
    # alike. Of a column, a category or all, sources with fewer histories are taken as given, and it
    # is null where all are.
    new_histories: Limits | None

    @classmethod
    def of(cls, scores: Sequence[tuple[float, Grouped | None]]) -> Self | None:
        """Return those of a weighted mean over sources, or of one; None unless all have scores."""
        groups = [(weight, group) for weight, group in scores if group and group.n]
        if len(groups) < len(scores):
            return None
        if len(groups) == 1:
            these, new = groups[0][1].these_histories(), groups[0][1].new_histories()
            return cls(these_histories=these and these.percent, new_histories=new and new.percent)

        def interval(*, new: bool) -> Limits:
            parts = (Part(weight, group.mean, group.spread(new=new)) for weight, group in groups)
            return Interval.student(*Part.combine(parts), 0.0, 1.0).percent

        several = any(group.groups >= MIN_HISTORIES for _, group in groups)
        others = interval(new=True) if several else None
        return cls(these_histories=interval(new=False), new_histories=others)


class ScoredQuestion(NamedTuple):
    """A question of a run with the scores that count."""

    sample: Sample  # The question with its answer.
    # The scores from 0 to 1, by the reported metric or by the judge; None while there is none. A
    # failed answer has 0.
    official: float | None
    corrected: float | None
    # ``right``, ``wrong``, ``partial`` or ``unclear``, by the corrected score, or ``not judged``;
    # None without a corrected score.
    verdict: str | None
    rule: str | None  # The rule that decided the corrected score, ``judge`` or ``no-answer``.
    judge: JudgeName | None  # Who judged; None where no judge's verdict counts.
    # What became of the question, one of ``PARTS``. An answer is right that has the whole score,
    # the corrected one, or the official one where that is unclear or missing.
    part: str

    @property
    def is_judged(self) -> bool:
        """Whether it has the judge's verdict that its score takes, if it takes one."""
        return self.verdict != _NOT_JUDGED

    @property
    def undecided_parts(self) -> tuple[str, ...]:
        """The parts that it may have instead, since nobody knows what was retrieved."""
        if self.part == "unclear":
            return ("missed", "misread")
        if self.part == "right" and self.sample.hit is None:
            return ("right", "right_unretrieved")
        return ()


def score_sample(
    question: Question,
    prediction: str | None,
    error: str | None,
    source: Source,
    catalogue: Catalogue | None,
    **reported: Any,
) -> Sample:
    """Score a prediction as given, or the lack of one, and make the sample, without secrets.

    ``reported`` holds what the agent told beside its answer, by the sample's field names.
    """
    sample = Sample(
        **{name: getattr(question, name) for name in _OF_QUESTIONS},
        answers=list(question.answers),
        prediction=prediction,
        error=error,
        **reported,
    )
    sample = score_again(sample, source, catalogue)
    stored = None if prediction is None else redact_values(prediction)
    return replace(sample, prediction=stored, redacted=True if stored != prediction else None)


def score_again(sample: Sample, source: Source, catalogue: Catalogue | None) -> Sample:
    """Return a sample with the scores of its prediction by this version's rules."""
    answer, kind = sample.prediction, sample.question_type
    score = score_answer(source, answer, sample.answers, sample.question, catalogue, kind)
    # The published metrics that count hits are bools; what is stored is a number, always.
    official, corrected = (
        {name: float(value) for name, value in scores.items()}
        for scores in (score.official, score.corrected)
    )
    return replace(
        sample,
        official=official,
        corrected=corrected,
        difference=score.difference,
        verdict=score.verdict,
        rule=score.rule,
    )


def error_fields(error: Exception, call: str = "") -> dict[str, str | None]:
    """Return the kind and message of an error, and the last frames of where, without secrets.

    ``call`` names the call that failed, such as ``add of Notes, chunk 3``, and comes last.
    """
    original = error.original if isinstance(error, AgentRaisedError) else error

    def locate() -> str:
        """Return the frames, and the notes that an agent in another process makes of its own."""
        frames = traceback.extract_tb(original.__traceback__)[-_FRAMES:]
        notes = getattr(original, "__notes__", None)
        notes = list.__getitem__(notes, slice(_MOST_NOTES)) if isinstance(notes, list) else []
        texts = [str.__str__(note)[-_LONGEST_NOTE:] for note in notes if isinstance(note, str)]
        return "".join([*traceback.format_list(frames), *texts])

    try:
        where = attempt(locate)
    except Exception:  # Whatever the error itself raises.
        where = ""
    failed = f" ({call[:_LONGEST_CALL]})" if call else ""
    message = redact(describe_error(error))[: _LONGEST_MESSAGE - len(failed)] + failed
    return {"error": message, "traceback": redact(where)[-_LONGEST_MESSAGE:] or None}


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The verdicts of judges on the present answers of a run."""

    families: Mapping[str, Family]  # By source.
    # The latest by source and judge, in the order in which the judges last judged.
    by_judge: Mapping[str, Mapping[JudgeName, _Verdicts]] = field(default_factory=dict)
    # Those that decide the score of a question: where the metric is not a judge's, only of an
    # answer that no rule can tell.
    counting: _Verdicts = field(default_factory=dict)
    # By source; empty where nobody judged.
    answered: Mapping[str, Collection[Key]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: RunFolder) -> Self:
        """Return the verdicts on the answers of a run; a DataError where a file is unreadable."""
        families, judgments = folder.families(), list(folder.judgments())
        if not judgments:
            return cls(families)
        judged = {judgment.key for judgment in judgments}
        present: dict[Key, tuple[str, str]] = {}
        answered: dict[str, list[Key]] = defaultdict(list)
        unclear: set[Key] = set()
        for sample in folder.samples():
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
            judges = [*verdicts_of.values()]
            if families[source].needs == "judge":
                # The last judge to have judged every answer counts. While there is none, the last
                # one to have judged does, and only where it gave a verdict.
                complete = [of for of in judges if all(key in of for key in answered[source])]
                counting |= complete[-1] if complete else _with_a_value(judges[-1:])
            else:
                settling = _with_a_value(judges)
                counting |= {key: settling[key] for key in settling.keys() & unclear}
        return cls(families, by_judge, counting, answered)

    def score(self, sample: Sample) -> ScoredQuestion:
        """Return a sample with the scores that count; a judgment decides, where there is one."""
        family = self.families[sample.source]
        judgment = self.counting.get((sample.split, sample.row, sample.question_index))
        scores = (of.get(family.metric) for of in (sample.official, sample.corrected))
        official, corrected = (None if one is None else float(one) for one in scores)
        verdict, rule = sample.verdict, sample.rule
        if sample.prediction is None:
            official = corrected = 0.0
            verdict, rule = "wrong", "no-answer"
        elif judgment is not None:
            corrected = float(judgment.value or 0)  # An answer without a verdict is wrong.
            if family.needs == "judge":
                official = corrected if judgment.official is None else float(judgment.official)
            verdict, rule = None, "judge"
        elif family.needs == "judge":
            official = corrected = None
            verdict = _NOT_JUDGED
        if verdict is None and corrected is not None:
            verdict = "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"
        value = official if corrected is None else corrected
        part = _part(sample, value, lacks_form=rule in family.no_form)
        judge = judgment.judge if judgment else None
        return ScoredQuestion(sample, official, corrected, verdict, rule, judge, part)


@dataclass(frozen=True, slots=True)
class Agreement(JsonRecord):
    """Two judges on the same answers of a source."""

    source: str
    one: JudgeName
    other: JudgeName
    n: int  # How many answers both gave a verdict on.
    compared: str  # The reading, 0 or 1, that the next two compare.
    agreed: float  # The share of the answers with the same reading.
    kappa: float | None  # Cohen's; None where it is not defined.
    difference: float  # Mean distance between the scores by the verdicts, from 0 to 1.


def compare_judges(path: str | Path) -> list[Agreement]:
    """Compare every two judges of a run, source by source.

    Raises:
        DataError: when the run cannot be read.
        UsageError: when no two judges have judged the same answers.
    """
    folder, agreements = RunFolder(Path(path)), []
    verdicts = RunVerdicts.of(folder)
    for source, judges in verdicts.by_judge.items():
        compared = (verdicts.families[source].rubric or UNCLEAR).compared
        for (one, first), (other, second) in combinations(judges.items(), 2):
            both = [(first[key], second[key]) for key in first.keys() & second.keys()]
            pairs = [pair for pair in both if all(compared in (of.verdict or {}) for of in pair)]
            if pairs:
                readings = [
                    [(judgment.verdict or {})[compared] for judgment in side]
                    for side in zip(*pairs, strict=True)
                ]
                agreed = fmean(a == b for a, b in zip(*readings, strict=True))
                apart = fmean(abs((a.value or 0.0) - (b.value or 0.0)) for a, b in pairs)
                of_both = len(pairs), compared, agreed, cohens_kappa(*readings), apart
                agreements.append(Agreement(source, one, other, *of_both))
    if not agreements:
        raise UsageError(
            f"{folder.path}: no two judges have judged the same answers; judge them with another "
            "model or other `prompts` first"
        )
    return agreements


def _part(sample: Sample, value: float | None, *, lacks_form: bool) -> str:
    """Return the part of a question with a score, if any, from 0 to 1."""
    if sample.prediction is None:
        return "failed"
    if value is None:
        return "unclear"
    if value >= 1:
        return "right_unretrieved" if sample.hit == 0 else "right"
    if value <= 0 and lacks_form:
        return "no_form"
    if sample.hit is None:
        return "unclear"
    return "misread" if sample.hit else "missed"


def _with_a_value(judges: Iterable[_Verdicts]) -> dict[Key, Judgment]:
    return {
        key: judgment
        for verdicts in judges
        for key, judgment in verdicts.items()
        if judgment.value is not None
    }
