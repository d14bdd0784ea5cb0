"""The difference of two runs by a judge, corrected by a person's verdicts on a sample of pairs.

In each part of the sample, where the judge's verdicts differ and where they agree, an answer stands
for as many as its chance of being drawn says. Where nothing was drawn from a part, nothing is
estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mabench.json_text import JsonRecord
from mabench.results.judging.by_hand import judged_by_hand
from mabench.results.judging.pairs import PairsOfSource, judged_pairs, value_of
from mabench.results.records.lines import JudgeName, Judgment, Key, Sample
from mabench.results.run import Run
from mabench.uncertainty.prediction_powered import JudgedSample

# With fewer pairs judged by a person, in all or in a part, nothing is estimated.
_FEWEST, _FEWEST_OF_PART = 10, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDifference(JsonRecord):
    """By how much the first of two runs is better on a source, in points of 100."""

    source: str
    judge: JudgeName
    person: str
    pairs: int  # How many questions have a verdict of the judge in both runs, or a failure.
    differ: int  # On how many of them the judge's two verdicts differ.
    verdicts: int  # On how many pairs the person gave verdicts.
    judged: float  # The difference by the judge alone.
    # The difference by the person, estimated from both, and its 95 % intervals: for these answers,
    # and for new histories, which needs five with a verdict and 60 pairs.
    estimate: float
    these: tuple[float, float]
    new: tuple[float, float] | None


def estimate_differences(one: Run, other: Run) -> list[JudgedDifference]:
    """Return the estimate for each source, judge and person with enough verdicts."""
    people = [_by_person(run) for run in (one, other)]
    names = [name for name in people[0] if name in people[1]]
    differences = []
    for source, judges in judged_pairs(one.store, other.store).items():
        for of_judge in judges:
            for name in names:
                given = people[0][name], people[1][name]
                difference = _difference(source, of_judge, name, given)
                if difference is not None:
                    differences.append(difference)
    return differences


def _by_person(run: Run) -> dict[str, dict[Key, Judgment]]:
    people: dict[str, dict[Key, Judgment]] = {}
    for judgment in judged_by_hand(run.judgments()):
        people.setdefault(judgment.model, {})[judgment.key] = judgment
    return people


def _difference(
    source: str,
    of_judge: PairsOfSource,
    person: str,
    given: tuple[Mapping[Key, Judgment], Mapping[Key, Judgment]],
) -> JudgedDifference | None:
    """Return the estimate of one judge and person; None with too few verdicts of the person."""
    pairs = of_judge.pairs
    by_person: dict[int, float] = {}
    for place, pair in enumerate(pairs):
        values = [
            _own_value(sample, own, of_judge.judge)
            for sample, own in zip(pair.samples, given, strict=True)
        ]
        if values[0] is not None and values[1] is not None:
            by_person[place] = values[0] - values[1]
    sizes = Counter(pair.differ for pair in pairs)
    drawn = Counter(pairs[place].differ for place in by_person)
    is_short = any(drawn[part] < min(size, _FEWEST_OF_PART) for part, size in sizes.items())
    if len(by_person) < _FEWEST or is_short:
        return None
    histories: dict[tuple[str, int], int] = {}
    numbers = [histories.setdefault(pair.key[:2], len(histories)) for pair in pairs]
    judged = np.array([pair.values[0] - pair.values[1] for pair in pairs])
    chances = [drawn[pairs[place].differ] / sizes[pairs[place].differ] for place in by_person]
    sample = JudgedSample(
        judged=judged,
        histories=np.array(numbers),
        sampled=np.array([*by_person]),
        people=np.array([*by_person.values()]),
        chances=np.array(chances),
    )
    these, new = sample.these_answers(), sample.new_histories()
    return JudgedDifference(
        source=source,
        judge=of_judge.judge,
        person=person,
        pairs=len(pairs),
        differ=sizes[True],
        verdicts=len(by_person),
        judged=100 * float(judged.mean()),
        estimate=100 * sample.estimate,
        these=these.percent,
        new=None if new is None else new.percent,
    )


def _own_value(sample: Sample, own: Mapping[Key, Judgment], judge: JudgeName) -> float | None:
    """Return a person's score of an answer; None if another judge's verdicts led to its drawing."""
    judgment = own.get(sample.key)
    if judgment is not None and judgment.drawn_by not in (None, judge):
        return None
    return value_of(sample, own)
