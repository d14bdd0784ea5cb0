"""The difference of two runs by a judge, corrected by a person's verdicts on a sample of pairs.

A pair is two runs' answers to a question. There are two parts: pairs on which the judge's verdicts
differ, and pairs on which they agree. From the first, more are drawn; each drawn pair counts by its
chance of being drawn. If too few were drawn from a part, nothing is estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mabench.json_text import JsonRecord
from mabench.results.judging.by_hand import judged_by_hand
from mabench.results.judging.pairs import PairsOfSource, judged_pairs, score_of
from mabench.results.judging.shares import number_histories
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
    of_one, of_other = _judgments_by_person(one), _judgments_by_person(other)
    people = [person for person in of_one if person in of_other]
    differences = []
    for source, judges in judged_pairs(one.store, other.store).items():
        for of_judge in judges:
            for person in people:
                judgments = of_one[person], of_other[person]
                difference = _difference(source, of_judge, person, judgments)
                if difference is not None:
                    differences.append(difference)
    return differences


def _judgments_by_person(run: Run) -> dict[str, dict[Key, Judgment]]:
    """Return the latest judgment of each person on each question of a run, by the person's name."""
    people: dict[str, dict[Key, Judgment]] = {}
    for judgment in judged_by_hand(run.judgments()):
        person = judgment.model  # A judgment by hand names the person as its model.
        people.setdefault(person, {})[judgment.key] = judgment
    return people


def _difference(
    source: str,
    of_judge: PairsOfSource,
    person: str,
    judgments: tuple[Mapping[Key, Judgment], Mapping[Key, Judgment]],
) -> JudgedDifference | None:
    """Return the estimate of one judge and person; None with too few verdicts of the person.

    ``judgments`` are the person's on the first run and on the second.
    """
    pairs = of_judge.pairs
    difference_by_place: dict[int, float] = {}  # By the person, at the places of the pairs judged.
    for place, pair in enumerate(pairs):
        first = _score_by_person(pair.samples[0], judgments[0], of_judge.judge)
        second = _score_by_person(pair.samples[1], judgments[1], of_judge.judge)
        if first is not None and second is not None:
            difference_by_place[place] = first - second
    # The pairs of each part and those of them that were drawn, by whether the judge's verdicts
    # differ.
    sizes = Counter(pair.differ for pair in pairs)
    drawn = Counter(pairs[place].differ for place in difference_by_place)
    has_few_of_part = any(drawn[part] < min(size, _FEWEST_OF_PART) for part, size in sizes.items())
    if len(difference_by_place) < _FEWEST or has_few_of_part:
        return None
    judged = np.array([pair.values[0] - pair.values[1] for pair in pairs])
    parts_drawn = [pairs[place].differ for place in difference_by_place]
    sample = JudgedSample(
        judged=judged,
        histories=number_histories([pair.key for pair in pairs]),
        sampled=np.array(list(difference_by_place)),
        people=np.array(list(difference_by_place.values())),
        chances=np.array([drawn[part] / sizes[part] for part in parts_drawn]),
    )
    these, new = sample.these_answers(), sample.new_histories()
    return JudgedDifference(
        source=source,
        judge=of_judge.judge,
        person=person,
        pairs=len(pairs),
        differ=sizes[True],
        verdicts=len(difference_by_place),
        judged=100 * float(judged.mean()),
        estimate=100 * sample.estimate,
        these=these.percent,
        new=None if new is None else new.percent,
    )


def _score_by_person(
    sample: Sample, judgments: Mapping[Key, Judgment], judge: JudgeName
) -> float | None:
    """Return a person's score of an answer; None without one.

    A judgment of an answer that was drawn by the verdicts of another judge does not count: its
    chance of being drawn is another.
    """
    judgment = judgments.get(sample.key)
    if judgment is not None and judgment.drawn_by not in (None, judge):
        return None
    return score_of(sample, judgments)
