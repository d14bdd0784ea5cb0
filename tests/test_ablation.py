from itertools import product
from pkgutil import resolve_name

import pytest
from benchmarks.ablation import FLOOR, SKILLS, Part, Scores, Skill, added, switched_off, whole

from mabench.data import BY_NAME
from mabench_floor import skill as floor
from mabench_floor.skill import _SKILLS

_PARTS = [
    pytest.param(part, id=f"{skill.name}: {part.name}") for skill in SKILLS for part in skill.parts
]


@pytest.mark.parametrize("part", _PARTS)
def test_what_is_switched_off_exists_and_changes(part: Part) -> None:
    for attribute, value in part.off.items():
        assert resolve_name(FLOOR + attribute) != value, attribute


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_every_skill_is_measured_on_sources_that_exist_and_can_be_switched_off(
    skill: Skill,
) -> None:
    assert {skill.module for skill in SKILLS} == set(_SKILLS)
    assert set(skill.sources) <= set(BY_NAME)
    with switched_off(whole(skill)):
        assert set(floor._SKILLS) == set(_SKILLS) - {skill.module}
    assert floor._SKILLS == _SKILLS


def test_what_is_added_has_an_interval_over_histories_and_is_bold_where_it_leaves_out_0() -> None:
    places = list(product(range(6), range(20)))
    everything: Scores = dict.fromkeys(places, 1.0)
    without: Scores = {(history, n): float(n % 2) for history, n in places}
    one_less: Scores = everything | {(0, 0): 0.0}
    assert added(everything, without).startswith("**+50.0 (+")
    assert added(without, everything).startswith("**-50.0 (-")
    assert added(everything, everything).startswith("+0.0 (-")
    assert added(everything, one_less).startswith("+0.8 (-")
    assert added({}, {}) == "-"
