"""Scoring one prediction: the official metrics, the corrected one, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mabench.families.family import Family, ScoringInput


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one prediction, all from 0 to 1.

    Attributes:
        metric: the name of the metric that the paper reports for the source.
        official: every metric that the published scorer computes, by name.
        corrected: the corrected value of the reported metric (for recommendation, of its three
            depths), by the same name; empty when only a judge could tell.
        rules: the rule that decided each corrected value, by the same name.
    """

    metric: str
    official: dict[str, float] = field(default_factory=dict)
    corrected: dict[str, float] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)

    @property
    def reported(self) -> float | None:
        """The official value of the reported metric; None without judge or entities."""
        value = self.official.get(self.metric)
        return None if value is None else float(value)

    @property
    def reported_corrected(self) -> float | None:
        """The corrected value of the reported metric; None where there is none."""
        return self.corrected.get(self.metric)

    @property
    def difference(self) -> str | None:
        """The rule by which the corrected value differs from the official; None if it does not."""
        if self.reported is None or self.reported_corrected in (None, self.reported):
            return None
        return self.rules[self.metric]


def score(family: Family, scored: ScoringInput) -> Score:
    """Score a prediction by its family's rules."""
    corrected = family.corrected(scored)
    return Score(
        metric=family.metric,
        official=family.official(scored),
        corrected={name: result.value for name, result in corrected.items()},
        rules={name: result.rule for name, result in corrected.items()},
    )


def failed(family: Family, scored: ScoringInput) -> Score:
    """Score a question that got no answer: wrong by every metric, whatever the golds are."""
    zero = score(family, scored)
    return Score(
        metric=family.metric,
        official=dict.fromkeys(zero.official, 0.0),
        corrected=dict.fromkeys(zero.corrected, 0.0),
        rules=dict.fromkeys(zero.corrected, "no-answer"),
    )


def one_question(answers: Sequence[object]) -> list[str]:
    """Return the golds of one question; those of a single-question row may come nested."""
    flat: list[str] = []
    for item in answers:
        if isinstance(item, str):
            flat.append(item)
        elif isinstance(item, Sequence):
            flat.extend(one_question(item))
    return flat
