"""Invented names and worlds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.text.names import Names
from mabench_synthetic.generator import random_stream
from mabench_synthetic.world import build_world


@given(st.integers(0, 10**9))
@settings(max_examples=20, deadline=None)
def test_no_name_stands_in_another(seed: int) -> None:
    names = Names(random_stream(seed, "names"))
    words = [names.word().lower() for _ in range(150)]
    assert not [(a, b) for a in words for b in words if a is not b and a in b]


@given(st.integers(0, 10**6), st.integers(1, 10**6))
@settings(max_examples=20, deadline=None)
def test_two_seeds_share_less_than_one_name_in_a_hundred(seed: int, step: int) -> None:
    one, other = (
        {names.word() for _ in range(400)}
        for names in (Names(random_stream(seed, "x")), Names(random_stream(seed + step, "x")))
    )
    assert len(one & other) < 4


def test_streams_of_different_paths_differ_and_are_repeatable() -> None:
    assert random_stream(1, "a").random() == random_stream(1, "a").random()
    assert len({random_stream(s, p, i).random() for s in (0, 1) for p in "ab" for i in (0, 1)}) == 8


def test_a_world_is_whole_and_its_capitals_lie_at_home() -> None:
    world = build_world(random_stream(0, "world"), 40)
    for country in world.entities["country"]:
        assert world.state["country", world.state["capital", country]] == country
    assert all(subject != value for (_, subject), value in world.state.items())
