"""The knobs of FactConsolidation and RULER make rows harder, step by step, for BM25."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import pytest

from tests.synthetic.families.knob_scores import Turned, score

_SINGLE, _MULTI = "factconsolidation_sh_6k", "factconsolidation_mh_6k"
_QA1, _QA2 = "ruler_qa1_197K", "ruler_qa2_421K"
# A step back of so many points is chance, over ten rows of 40 questions.
_CHANCE = 3.0


def _steps(knob: str, *values: float) -> list[Mapping[str, float]]:
    return [{knob: value} for value in values]


# Settings from the easiest to the hardest.
_KNOBS = {
    "conflicts": Turned(_SINGLE, _steps("conflicts", 0, 0.26, 0.6), 2),
    "distance": Turned(_SINGLE, _steps("distance", 0.01, 0.1, 1), 2),
    "contradicted": Turned(_SINGLE, _steps("contradicted", 0, 0.5, 1), 2),
    "facts in other words": Turned(_SINGLE, _steps("paraphrase", 0, 0.5, 1), 3),
    "most hops": Turned(_MULTI, _steps("most_hops", 2, 3, 4), 5),
    "fewest hops": Turned(_MULTI, _steps("fewest_hops", 2, 3, 4), 5),
    # Who is meant matters most where the first passage alone is read, and is understood.
    "likeness": Turned(_QA1, [{"likeness": v, "paraphrase": 0} for v in (0, 0.45, 0.9)], 1),
    "surface forms": Turned(_QA1, _steps("forms", 3, 2, 1), 3),
    "questions in other words": Turned(_QA1, _steps("paraphrase", 0, 0.5, 1), 3),
    "second hops in other words": Turned(_QA2, _steps("paraphrase", 0, 0.5, 1), 3),
    "comparisons": Turned(_QA2, _steps("compared", 0.8, 0.3, 0), 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("knob", sorted(_KNOBS))
def test_every_knob_makes_rows_harder_step_by_step(knob: str) -> None:
    turned = _KNOBS[knob]
    scores = [score(turned, setting, range(10)) for setting in turned.settings]
    assert all(harder <= easier + _CHANCE for easier, harder in pairwise(scores)), scores
    assert scores[-1] < scores[0], scores


@pytest.mark.parametrize("knob", ["conflicts", "comparisons"])
def test_the_hardest_setting_is_harder_than_the_easiest(knob: str) -> None:
    turned = _KNOBS[knob]._replace(tokens=5_000, questions=20)
    easiest, hardest = (score(turned, turned.settings[end], range(1)) for end in (0, -1))
    assert hardest < easiest
