"""How far the judges of a run agree with each other on the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

from mabench.errors import UsageError
from mabench.families import UNCLEAR
from mabench.json_text import JsonRecord
from mabench.results.records.lines import JudgeName
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts
from mabench.scoring.judge_replies import cohens_kappa


@dataclass(frozen=True, slots=True)
class Agreement(JsonRecord):
    """Two judges on the same answers of a source."""

    source: str
    one: JudgeName
    other: JudgeName
    n: int  # How many answers both gave a verdict on.
    compared: str  # The reading, 0 or 1, that the next two compare.
    agreed: float  # The share of the answers with the same reading.
    kappa: float | None  # Cohen's; None if it is not defined.
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
