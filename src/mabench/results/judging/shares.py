"""The share of right answers by a judge, corrected by a person's verdicts on a sample of them.

How it is estimated, ``uncertainty.prediction_powered`` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mabench.json_text import JsonRecord
from mabench.results.judging.by_hand import judged_by_hand
from mabench.results.records.lines import JudgeName, Judgment, Key
from mabench.results.run import Run
from mabench.results.verdicts import RunVerdicts
from mabench.uncertainty.prediction_powered import JudgedSample

_FEWEST = 10  # With fewer verdicts of a person, nothing is estimated.


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedShare(JsonRecord):
    """What a judge and a person say of the answers of one source; shares in percent."""

    source: str
    judge: JudgeName
    person: str
    answers: int  # How many the judge gave a verdict on.
    verdicts: int  # On how many of these the person gave one.
    judged: float  # The share of right answers by the judge alone.
    # The share by the person, estimated from both, and its 95 % intervals: for these answers, and
    # for new histories, which needs five with a verdict and 60 verdicts.
    estimate: float
    these: tuple[float, float]
    new: tuple[float, float] | None
    # Of the answers that the person called wrong, how many the judge passes, and of how many.
    passed_wrong: int
    wrong: int


def estimate_shares(run: Run) -> list[JudgedShare]:
    """Return the estimate for each source, judge and person with enough verdicts."""
    judgments_by_person: dict[str, dict[Key, Judgment]] = {}
    for judgment in judged_by_hand(run.judgments()):
        if judgment.drawn_by is None:  # The others are no random sample of this run alone.
            person = judgment.model  # A judgment by hand names the person as its model.
            judgments_by_person.setdefault(person, {})[judgment.key] = judgment
    if not judgments_by_person:
        return []
    verdicts = RunVerdicts.of(run.store)
    shares = []
    for source, judges in verdicts.by_judge.items():
        for judge, by_judge in judges.items():
            if judge.is_person:
                continue
            for person, by_person in judgments_by_person.items():
                share = _share(source, judge, person, by_judge, by_person)
                if share is not None:
                    shares.append(share)
    return shares


def _share(
    source: str,
    judge: JudgeName,
    person: str,
    by_judge: Mapping[Key, Judgment],
    by_person: Mapping[Key, Judgment],
) -> JudgedShare | None:
    """Return the estimate of one judge and person; None with too few verdicts of the person.

    The person's verdicts on answers that the judge gave no verdict on do not count, nor those on
    other answers to the same questions.
    """
    keys = [key for key, judgment in by_judge.items() if judgment.value is not None]
    judged = np.array([float(by_judge[key].value or 0) for key in keys])
    score_by_place: dict[int, float] = {}  # The person's scores, by the places of their ``keys``.
    for place, key in enumerate(keys):
        own = by_person.get(key)
        if own is not None and own.value is not None and own.answer == by_judge[key].answer:
            score_by_place[place] = float(own.value)
    if len(score_by_place) < _FEWEST:
        return None
    sampled = np.array(list(score_by_place))
    scores = np.array(list(score_by_place.values()))
    sample = JudgedSample(
        judged=judged,
        histories=number_histories(keys),
        sampled=sampled,
        people=scores,
        chances=np.full(len(scores), len(scores) / len(keys)),
    )
    these, new = sample.these_answers(), sample.new_histories()
    is_wrong = scores == 0
    return JudgedShare(
        source=source,
        judge=judge,
        person=person,
        answers=len(keys),
        verdicts=len(scores),
        judged=100 * float(judged.mean()),
        estimate=100 * sample.estimate,
        these=(100 * these.low, 100 * these.high),
        new=None if new is None else (100 * new.low, 100 * new.high),
        passed_wrong=int((is_wrong & (judged[sampled] >= 1)).sum()),
        wrong=int(is_wrong.sum()),
    )


def number_histories(keys: Sequence[Key]) -> NDArray[np.intp]:
    """Return the number of the history of each question, in the order of their first questions."""
    number_by_history: dict[tuple[str, int], int] = {}
    numbers = [
        number_by_history.setdefault((split, row), len(number_by_history)) for split, row, _ in keys
    ]
    return np.array(numbers)
