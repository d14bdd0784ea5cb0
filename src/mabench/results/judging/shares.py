"""The share of right answers by a judge, corrected by a person's verdicts on a sample of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mabench.json_text import JsonRecord
from mabench.results.judging.by_hand import judged_by_hand
from mabench.results.records.lines import BY_HAND, JudgeName, Judgment, Key
from mabench.results.run import Run
from mabench.results.verdicts import RunVerdicts
from mabench.uncertainty.prediction_powered import JudgedSample

# With fewer verdicts of a person, nothing is estimated.
_FEWEST = 10


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
    people: dict[str, dict[Key, Judgment]] = {}
    for judgment in judged_by_hand(run.judgments()):
        people.setdefault(judgment.model, {})[judgment.key] = judgment
    if not people:
        return []
    verdicts = RunVerdicts.of(run.store)
    shares = []
    for source, judges in verdicts.by_judge.items():
        for judge, given in judges.items():
            if judge.prompts == BY_HAND:
                continue
            for person, own in people.items():
                share = _share(source, judge, person, given, own)
                if share is not None:
                    shares.append(share)
    return shares


def _share(
    source: str,
    judge: JudgeName,
    person: str,
    given: Mapping[Key, Judgment],
    own: Mapping[Key, Judgment],
) -> JudgedShare | None:
    """Return the estimate of one judge and person; None with too few verdicts of the person."""
    keys = [key for key, judgment in given.items() if judgment.value is not None]
    judged = np.array([float(given[key].value or 0) for key in keys])
    histories: dict[tuple[str, int], int] = {}
    numbers = [histories.setdefault((split, row), len(histories)) for split, row, _ in keys]
    both = [
        (place, float(own[key].value or 0))
        for place, key in enumerate(keys)
        if key in own and own[key].value is not None and own[key].answer == given[key].answer
    ]
    if len(both) < _FEWEST:
        return None
    sampled = np.array([place for place, _ in both])
    values = np.array([value for _, value in both])
    sample = JudgedSample(
        judged=judged,
        histories=np.array(numbers),
        sampled=sampled,
        people=values,
        chances=np.full(len(both), len(both) / len(keys)),
    )
    these, new = sample.these_answers(), sample.new_histories()
    is_wrong = values == 0
    return JudgedShare(
        source=source,
        judge=judge,
        person=person,
        answers=len(keys),
        verdicts=len(both),
        judged=100 * float(judged.mean()),
        estimate=100 * sample.estimate,
        these=(100 * these.low, 100 * these.high),
        new=None if new is None else (100 * new.low, 100 * new.high),
        passed_wrong=int((is_wrong & (judged[sampled] >= 1)).sum()),
        wrong=int(is_wrong.sum()),
    )
