"""How far the judges of a run agree with each other on the same answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.errors import UsageError
from mabench.families import UNCLEAR
from mabench.json_text import JsonRecord
from mabench.results.records.lines import JudgeName, Judgment
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts
from mabench.scoring.judge_replies import cohens_kappa
from mabench.uncertainty import ALPHA, MIN_HISTORIES
from mabench.uncertainty.grouped import Floats

_DRAWS, _SEED = 2_000, 57  # Of the bootstrap.


@dataclass(frozen=True, slots=True)
class Agreement(JsonRecord):
    """Two judges on the same answers of a source."""

    source: str
    one: JudgeName
    other: JudgeName
    n: int  # How many answers both gave a verdict on.
    compared: str  # The reading, 0 or 1, that the next two compare.
    agreed: float  # The share of the answers with the same reading.
    # Its 95 % interval, and that of kappa, for other histories; None with fewer than five, as with
    # these alone nothing of what judges read would vary.
    agreed_interval: tuple[float, float] | None
    kappa: float | None  # Cohen's; None if it is not defined.
    kappa_interval: tuple[float, float] | None
    difference: float  # Mean distance between the scores by the verdicts, from 0 to 1.


class AgreementIntervals(NamedTuple):
    """The 95 % intervals of how far two judges agree, each from its lower to its upper end."""

    agreed: tuple[float, float]  # Of the share of answers with the same reading.
    kappa: tuple[float, float] | None  # Of Cohen's kappa; None if it is not defined in every draw.


def bootstrap_agreement(
    readings: Sequence[Sequence[int]], histories: Sequence[Hashable]
) -> AgreementIntervals | None:
    """Return the 95 % intervals of the share of equal readings and of Cohen's kappa.

    Whole histories are drawn again, 2,000 times from a fixed seed (Efron and Tibshirani 1993, the
    percentile interval), since answers about one of them are not independent.

    Args:
        readings: what each of the two judges says of the same answers, 0 or 1.
        histories: what names the history of each answer.

    Returns:
        The two intervals; None below five histories.
    """
    names = list(dict.fromkeys(histories))
    if len(names) < MIN_HISTORIES:
        return None
    history_numbers = np.array([names.index(name) for name in histories])
    one, other = (np.asarray(values, dtype=np.float64) for values in readings)
    # For each answer 1 in one of four: both say 1, the first alone, the second alone, neither.
    outcomes = [one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)]
    # How often each outcome is in each history, in shape (4, histories), and in each draw of
    # histories, in shape (4, draws).
    counts = np.stack([np.bincount(history_numbers, weights=outcome) for outcome in outcomes])
    random = np.random.default_rng(_SEED)
    draws = random.integers(0, len(names), (_DRAWS, len(names)))
    counts_in_draws = counts[:, draws].sum(axis=2)
    both, only_one, only_other, neither = counts_in_draws / counts_in_draws.sum(axis=0)
    agreed = both + neither
    agreed_by_chance = (both + only_one) * (both + only_other)
    agreed_by_chance += (neither + only_one) * (neither + only_other)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = (agreed - agreed_by_chance) / (1 - agreed_by_chance)
    is_defined = bool(np.isfinite(kappa).all())
    return AgreementIntervals(
        agreed=_percentile_interval(agreed),
        kappa=_percentile_interval(kappa) if is_defined else None,
    )


def _percentile_interval(values: Floats) -> tuple[float, float]:
    """Return the two ends between which 95 % of the values of all draws are."""
    low, high = np.percentile(values, [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)])
    return float(low), float(high)


def compare_judges(path: str | Path) -> list[Agreement]:
    """Compare every two judges of a run, source by source.

    Raises:
        DataError: when the run cannot be read.
        UsageError: when no two judges have judged the same answers.
    """
    folder = RunFolder(Path(path))
    verdicts = RunVerdicts.of(folder)
    agreements = []
    for source, judges in verdicts.by_judge.items():
        # The name of the number in a verdict on which judges are compared.
        compared = (verdicts.families[source].rubric or UNCLEAR).compared
        for one, other in combinations(judges, 2):
            shared_keys = sorted(judges[one].keys() & judges[other].keys())
            pairs = [(judges[one][key], judges[other][key]) for key in shared_keys]
            readable = [
                pair
                for pair in pairs
                if _has_number(pair[0], compared) and _has_number(pair[1], compared)
            ]
            if readable:
                agreements.append(_agreement(source, (one, other), readable, compared))
    if not agreements:
        raise UsageError(
            f"{folder.path}: no two judges have judged the same answers; judge them with another "
            "model or other `prompts` first"
        )
    return agreements


def _has_number(judgment: Judgment, name: str) -> bool:
    """Return whether a judgment has a verdict, and the verdict has a number of this name."""
    return judgment.verdict is not None and name in judgment.verdict


def _agreement(
    source: str,
    judges: tuple[JudgeName, JudgeName],
    pairs: Sequence[tuple[Judgment, Judgment]],
    compared: str,
) -> Agreement:
    """Return how far two judges agree; each pair has their judgments of an answer.

    All verdicts have the number that is ``compared``.
    """
    ones = [(first.verdict or {})[compared] for first, _ in pairs]
    others = [(second.verdict or {})[compared] for _, second in pairs]
    histories = [(first.split, first.row) for first, _ in pairs]
    intervals = bootstrap_agreement([ones, others], histories)
    distances = [abs((first.value or 0.0) - (second.value or 0.0)) for first, second in pairs]
    return Agreement(
        source=source,
        one=judges[0],
        other=judges[1],
        n=len(pairs),
        compared=compared,
        agreed=fmean(one == other for one, other in zip(ones, others, strict=True)),
        agreed_interval=None if intervals is None else intervals.agreed,
        kappa=cohens_kappa(ones, others),
        kappa_interval=None if intervals is None else intervals.kappa,
        difference=fmean(distances),
    )
