"""Scores one prediction: officially, as published, and corrected, as a careful reader would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mabench.data import Source
from mabench.errors import UsageError
from mabench.families.family import Family, ScoringInput
from mabench.families.registry import family_of
from mabench.scoring import Catalogue, Corrected, prepared


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one prediction, all from 0 to 1."""

    metric: str  # The name of the metric that the paper reports for the source.
    # Every metric that the published scorer computes, by name.
    official: dict[str, float] = field(default_factory=dict)
    # The corrected value of the reported metric (for recommendation, at three depths), by name;
    # empty if only a judge could decide.
    corrected: dict[str, float] = field(default_factory=dict)
    # The rule that decided each corrected value, by the same name.
    rules: dict[str, str] = field(default_factory=dict)
    # The verdict on the reported metric: ``right``, ``wrong``, ``partial`` (some of the golds), or
    # ``unclear`` (no rule can decide, and the official value holds). None: only a judge could.
    verdict: str | None = None

    @property
    def rule(self) -> str | None:
        """The rule that decided the reported metric; None if only a judge could decide."""
        return self.rules.get(self.metric)

    @property
    def reported(self) -> float | None:
        """The official value of the reported metric; None without judge or entities."""
        value = self.official.get(self.metric)
        return None if value is None else float(value)

    @property
    def reported_corrected(self) -> float | None:
        """The corrected value of the reported metric; None if there is none."""
        return self.corrected.get(self.metric)

    @property
    def difference(self) -> str | None:
        """The rule by which the corrected value differs from the official; None if it is equal."""
        if self.reported is None or self.reported_corrected in (None, self.reported):
            return None
        return self.rules[self.metric]


def score_answer(
    source: str | Source,
    prediction: str | None,
    answers: Sequence[str] | Sequence[Sequence[str]],
    question: str | None = None,
    entities: Mapping[str, int] | Catalogue | None = None,
    question_type: str | None = None,
) -> Score:
    """Return the official and the corrected score of one prediction.

    Args:
        source: the name of a source of the benchmark, such as ``ruler_qa1_197K``, or a source.
        prediction: what the agent answered; None for a failed answer, which is wrong.
        answers: the golds of the question.
        question: the question; the corrected score needs it where the question offers options.
        entities: entity name to id, for recommendation, or the ``Catalogue`` of them. A mapping
            that is passed again, unchanged, is not prepared again.
        question_type: the type of the question, which some metrics go by, such as LoCoMo's.

    Raises:
        UsageError: when the source is unknown, its family cannot be loaded, the prediction is no
            string, there is no gold, or one is neither a string nor a number.
    """
    if prediction is not None and not isinstance(prediction, str):
        raise UsageError(
            f"`prediction` is {prediction!r}; give a string, or None for a failed answer",
            parameter="prediction",
        )
    family = family_of(source)
    catalogue = None
    if family.needs_entities and entities is not None:
        catalogue = prepared(entities)
    golds = _flatten_answers(answers)
    return score_prediction(family, prediction, golds, question, catalogue, question_type)


def score_prediction(
    family: Family,
    prediction: str | None,
    golds: Sequence[str],
    question: str | None,
    catalogue: Catalogue | None,
    question_type: str | None,
) -> Score:
    """Return the scores of a prediction by the rules of a family, as ``score_answer`` does.

    Raises:
        UsageError: when there is no gold.
    """
    if not golds:
        raise UsageError(
            "`answers` holds no gold, so nothing could be right; give at least one string",
            parameter="answers",
        )
    titles = catalogue if family.needs_entities else None
    case = ScoringInput(prediction or "", golds, question, titles, question_type)
    official, corrected = dict(family.official(case)), family.corrected(case)
    if prediction is None:  # Wrong by every metric, whatever the golds are.
        official = dict.fromkeys(official, 0.0)
        corrected = dict.fromkeys(corrected, Corrected(0.0, "no-answer"))
    decided = corrected.get(family.metric)
    return Score(
        metric=family.metric,
        official=official,
        corrected={
            # If the rule cannot decide, the official value holds.
            name: float(official.get(name) or 0) if result.value is None else result.value
            for name, result in corrected.items()
        },
        rules={name: result.rule for name, result in corrected.items()},
        verdict=decided.verdict if decided else None,
    )


def _flatten_answers(answers: object) -> list[str]:
    """Return the golds of one question as strings, from a list that may be nested."""
    if isinstance(answers, str):
        return [answers]
    if isinstance(answers, int | float) and not isinstance(answers, bool):
        return [str(answers)]
    if hasattr(answers, "tolist"):  # An array, or a number out of one.
        return _flatten_answers(answers.tolist())
    if isinstance(answers, Sequence) and not isinstance(answers, bytes | bytearray):
        return [gold for item in answers for gold in _flatten_answers(item)]
    kind = type(answers).__name__
    raise UsageError(
        f"`answers` holds {answers!r} of type {kind}; give strings or numbers, one for each "
        "acceptable answer",
        parameter="answers",
    )
