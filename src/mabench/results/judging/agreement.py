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
from mabench.results.records.lines import JudgeName
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
    of_each = [one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)]
    counts = np.stack([np.bincount(codes, weights=each) for each in of_each])
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
    folder, agreements = RunFolder(Path(path)), []
    verdicts = RunVerdicts.of(folder)
    for source, judges in verdicts.by_judge.items():
        compared = (verdicts.families[source].rubric or UNCLEAR).compared
        for (one, first), (other, second) in combinations(judges.items(), 2):
            shared = sorted(first.keys() & second.keys())
            both = [(first[key], second[key]) for key in shared]
            told = [all(compared in (of.verdict or {}) for of in pair) for pair in both]
            pairs = [pair for pair, known in zip(both, told, strict=True) if known]
            histories = [key[:2] for key, known in zip(shared, told, strict=True) if known]
            if pairs:
                readings = [
                    [(judgment.verdict or {})[compared] for judgment in side]
                    for side in zip(*pairs, strict=True)
                ]
                agreed = fmean(a == b for a, b in zip(*readings, strict=True))
                intervals = bootstrap_agreement(readings, histories)
                apart = fmean(abs((a.value or 0.0) - (b.value or 0.0)) for a, b in pairs)
                agreements.append(
                    Agreement(
                        source=source,
                        one=one,
                        other=other,
                        n=len(pairs),
                        compared=compared,
                        agreed=agreed,
                        agreed_interval=intervals and intervals[0],
                        kappa=cohens_kappa(*readings),
                        kappa_interval=intervals and intervals[1],
                        difference=apart,
                    )
                )
    if not agreements:
        raise UsageError(
            f"{folder.path}: no two judges have judged the same answers; judge them with another "
            "model or other `prompts` first"
        )
    return agreements
