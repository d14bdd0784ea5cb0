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
from mabench.results.records.sample import JudgeName
from mabench.results.records.store import RunFolder
from mabench.results.scored import Verdicts, read_verdicts
from mabench.scoring import cohens_kappa


@dataclass(frozen=True, slots=True)
class Agreement(JsonRecord):
    """Two judges on the same answers of a source.

    Attributes:
        source: the source.
        one, other: the judges.
        n: how many answers both gave a verdict on.
        compared: the reading, 0 or 1, that ``agreed`` and ``kappa`` compare.
        agreed: share of the answers with the same reading.
        kappa: Cohen's kappa of the readings; None where it is not defined.
        difference: mean distance between the scores that follow from the verdicts, from 0 to 1.
    """

    source: str
    one: JudgeName
    other: JudgeName
    n: int
    compared: str
    agreed: float
    kappa: float | None
    difference: float


def compare_judges(path: str | Path) -> list[Agreement]:
    """Compare every two judges of a run, source by source.

    Raises:
        DataError: when the run cannot be read.
        UsageError: when no two judges have judged the same answers.
    """
    folder = RunFolder(Path(path))
    sources = folder.record().all_sources
    verdicts = read_verdicts(folder).by_judge
    agreements = [
        agreement
        for source, judges in verdicts.items()
        for one, other in combinations(judges, 2)
        if (agreement := _agreement(sources[source], one, other, judges[one], judges[other]))
    ]
    if not agreements:
        raise UsageError(
            f"{folder.path}: no two judges have judged the same answers; have them judged by "
            "another model, or with other `prompts`, first"
        )
    return agreements


def _agreement(
    source: Source, one: JudgeName, other: JudgeName, first: Verdicts, second: Verdicts
) -> Agreement | None:
    rubric = family_of(source).rubric or UNCLEAR
    compared = rubric.compared
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
