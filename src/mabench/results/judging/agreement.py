"""How far the judges of a run agree with each other on the same answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.errors import UsageError
from mabench.families import UNCLEAR
from mabench.json_text import JsonRecord
from mabench.results.records.lines import JudgeName, Judgment
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts
from mabench.scoring.judge_replies import cohens_kappa
from mabench.uncertainty import ALPHA, MIN_HISTORIES

_DRAWS, _SEED = 2_000, 57


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


def bootstrap_agreement(
    readings: Sequence[Sequence[int]], histories: Sequence[Hashable]
) -> tuple[tuple[float, float], tuple[float, float] | None] | None:
    """Return the 95 % intervals of the share of equal readings and of Cohen's kappa.

    Whole histories are drawn again, 2,000 times from a fixed seed (Efron and Tibshirani 1993, the
    percentile interval), since answers about one of them are not independent.

    Args:
        readings: two sequences of 0 and 1, of the same answers.
        histories: what names the history of each answer.

    Returns:
        The two intervals, that of kappa None if it is not defined; None below five histories.
    """
    names = list(dict.fromkeys(histories))
    if len(names) < MIN_HISTORIES:
        return None
    codes = np.array([names.index(each) for each in histories])
    one, other = (np.asarray(each, dtype=np.float64) for each in readings)
    # For each answer 1 in one of four: both say 1, the first alone, the second alone, neither.
    outcomes = [one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)]
    # Their counts in each history, of shape (4, histories); and in each draw, (4, draws).
    counts = np.stack([np.bincount(codes, weights=outcome) for outcome in outcomes])
    random = np.random.default_rng(_SEED)
    drawn = counts[:, random.integers(0, len(names), (_DRAWS, len(names)))].sum(axis=2)
    yes, first, second, no = drawn / drawn.sum(axis=0)
    agreed = yes + no
    chance = (yes + first) * (yes + second) + (no + first) * (no + second)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = (agreed - chance) / (1 - chance)
    ends = [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)]
    low, high = (float(end) for end in np.percentile(agreed, ends))
    if not np.isfinite(kappa).all():
        return (low, high), None
    return (low, high), (float(np.percentile(kappa, ends[0])), float(np.percentile(kappa, ends[1])))


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
        reading = (verdicts.families[source].rubric or UNCLEAR).compared
        for (one, of_one), (other, of_other) in combinations(judges.items(), 2):
            pairs = [
                (of_one[key], of_other[key]) for key in sorted(of_one.keys() & of_other.keys())
            ]
            pairs = [pair for pair in pairs if all(reading in (of.verdict or {}) for of in pair)]
            if pairs:
                agreements.append(_agreement(source, (one, other), pairs, reading))
    if not agreements:
        raise UsageError(
            f"{folder.path}: no two judges have judged the same answers; judge them with another "
            "model or other `prompts` first"
        )
    return agreements


def _agreement(
    source: str,
    judges: tuple[JudgeName, JudgeName],
    pairs: Sequence[tuple[Judgment, Judgment]],
    compared: str,
) -> Agreement:
    """Return how far two judges agree; each pair has their verdicts on an answer.

    All verdicts have the reading that is ``compared``.
    """
    ones = [(first.verdict or {})[compared] for first, _ in pairs]
    others = [(second.verdict or {})[compared] for _, second in pairs]
    histories = [first.key[:2] for first, _ in pairs]
    intervals = bootstrap_agreement([ones, others], histories)
    distances = (abs((first.value or 0.0) - (second.value or 0.0)) for first, second in pairs)
    return Agreement(
        source=source,
        one=judges[0],
        other=judges[1],
        n=len(pairs),
        compared=compared,
        agreed=fmean(a == b for a, b in zip(ones, others, strict=True)),
        agreed_interval=intervals and intervals[0],
        kappa=cohens_kappa(ones, others),
        kappa_interval=intervals and intervals[1],
        difference=fmean(distances),
    )
