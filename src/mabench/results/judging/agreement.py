"""How far two judges agree on the answers of a run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

from mabench.data import Source
from mabench.errors import UsageError
from mabench.families import UNCLEAR, family_of
from mabench.json_text import JsonRecord
from mabench.results.records.lines import JudgeName
from mabench.results.records.store import RunFolder
from mabench.results.scored import RunVerdicts, Verdicts
from mabench.scoring import cohens_kappa


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
    folder = RunFolder(Path(path))
    sources = folder.record().all_sources
    agreements = [
        agreement
        for source, judges in RunVerdicts.of(folder).by_judge.items()
        for one, other in combinations(judges, 2)
        if (agreement := _agreement(sources[source], one, other, judges[one], judges[other]))
    ]
    if not agreements:
        raise UsageError(
            f"{folder.path}: no two judges have judged the same answers; judge them with another "
            "model or other `prompts` first"
        )
    return agreements


def _agreement(
    source: Source, one: JudgeName, other: JudgeName, first: Verdicts, second: Verdicts
) -> Agreement | None:
    compared = (family_of(source).rubric or UNCLEAR).compared
    pairs = [
        (first[key], second[key])
        for key in first.keys() & second.keys()
        if all(compared in (one[key].verdict or {}) for one in (first, second))
    ]
    if not pairs:
        return None
    readings = [
        [(judgment.verdict or {})[compared] for judgment in side]
        for side in zip(*pairs, strict=True)
    ]
    return Agreement(
        source.name,
        one,
        other,
        len(pairs),
        compared,
        fmean(a == b for a, b in zip(*readings, strict=True)),
        cohens_kappa(*readings),
        fmean(abs((a.value or 0.0) - (b.value or 0.0)) for a, b in pairs),
    )
