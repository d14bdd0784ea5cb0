"""The model of what is legal, against all orders tried one by one."""

import math
from datetime import timedelta
from itertools import combinations, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.stress_tests.model import Access, Value, states_after
from mabench.stress_tests.operations import TIMES

_moments = st.integers(0, 9)


@st.composite
def accesses(draw: st.DrawFn) -> Access:
    kind = draw(st.sampled_from(["add", "update", "delete", "read", "read"]))
    start = draw(_moments)
    end = start + draw(st.integers(0, 5))
    if kind == "read":
        as_of = draw(st.none() | st.sampled_from(TIMES[:3]))
        return Access(kind, start, end, None, draw(st.none() | st.integers(0, 3)), as_of)
    value = Value(draw(st.integers(0, 3)), draw(st.sampled_from(TIMES[:3])))
    failed = draw(st.integers(0, 5)) == 0
    return Access(kind, start, math.inf if failed else end, None if kind == "delete" else value)


def brute_force(history: list[Access]) -> bool:
    """Try each subset of what failed, in each order that keeps what came before."""
    must = [each for each in history if each.end < math.inf]
    may = [each for each in history if each.end == math.inf]
    for chosen in range(1 << len(may)):
        part = must + [each for place, each in enumerate(may) if chosen >> place & 1]
        for order in permutations(part):
            pairs = combinations(order, 2)
            if all(late.end >= early.start for early, late in pairs) and carries(order):
                return True
    return False


def carries(order: tuple[Access, ...]) -> bool:
    """Say without ``Access.after`` what a register with a history of values shows."""
    states: list[list[Value]] = [[]]
    for each in order:
        following: list[list[Value]] = []
        for state in states:
            if each.kind == "delete":
                following.append([])
            elif each.value:
                following.append([*state, each.value])
                following += [state] if each.kind == "update" and not state else []
            else:
                past = [v for v in state if not each.as_of or v.time <= each.as_of]  # type: ignore[operator]
                last = past[-1] if past else None
                forgotten = each.shown is None and (not last or last is not state[-1])
                following += [state] if forgotten or (last and last.version == each.shown) else []
        states = following
    return bool(states)


@given(st.lists(accesses(), max_size=6))
@settings(max_examples=400, deadline=None)
def test_the_model_allows_what_some_order_explains(history: list[Access]) -> None:
    assert bool(states_after(history)) == brute_force(history)


def test_what_was_shown_is_not_forgotten_again() -> None:
    new, old = Value(1), Value(0)
    writes = [Access("add", 0, 1, old), Access("update", 2, 9, new)]
    reads = [Access("read", 3, 4, shown=1), Access("read", 5, 6, shown=0)]
    assert states_after([*writes, *reads[:1]])
    assert states_after([*writes, *reads[1:]])
    assert not states_after([*writes, *reads])


def test_a_moment_is_the_same_in_every_zone() -> None:
    time = TIMES[1]
    elsewhere = time.astimezone(TIMES[2].tzinfo)
    write = Access("add", 0, 1, Value(0, time))
    assert states_after([write, Access("read", 2, 3, shown=0, as_of=elsewhere)])
    before = time - timedelta(seconds=1)
    assert not states_after([write, Access("read", 2, 3, shown=0, as_of=before)])
