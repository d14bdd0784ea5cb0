"""The rounds of a race: one history of each source, the same for every agent, and never twice."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data import Dataset, Row
from mabench.errors import DataError, UsageError
from mabench.rounds import open_rounds
from mabench.specs import DataSpec, RaceSpec, RunSpec
from tests.rows import row

_FACTS, _DOCUMENTS, _JUDGED = "factconsolidation_sh_6k", "ruler_qa1_197K", "longmemeval_s*"


def _rows(source: str, count: int) -> list[Row]:
    return [row(source, f"History {n}.", [(f"What is {n}?", [f"{n}"])], n) for n in range(count)]


def _race(data: object, **more: object) -> RaceSpec:
    return replace(RaceSpec(run=RunSpec(data=DataSpec(data=data))), **more)  # type: ignore[arg-type]


def _made(*sources: tuple[str, int]) -> Dataset:
    rows = [one for source, count in sources for one in _rows(source, count)]
    return Dataset.from_rows("histories", lambda: rows)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 99), cuts=st.lists(st.integers(0, 12), max_size=4))
def test_rounds_have_a_row_of_each_source_and_each_row_once(seed: int, cuts: list[int]) -> None:
    part, order = open_rounds(_race(_made((_FACTS, 12), (_DOCUMENTS, 15)), seed=seed))
    seen: list[tuple[str, int]] = []
    for first, last in pairwise(sorted({0, 12, *cuts})):
        rows = [(one.source, one.index) for one in part(range(first, last))]
        assert {*rows} == {(name, n) for name in order for n in order[name][first:last]}
        seen += rows
    assert len(seen) == len({*seen}) == 24
    assert [len(numbers) for numbers in order.values()] == [12, 12], "as many as the shortest has"


def test_the_seed_alone_says_which_rows_come_when() -> None:
    data = _made((_FACTS, 20))
    orders = [open_rounds(_race(data, seed=seed))[1][_FACTS] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == [*range(20)]


def test_later_rounds_extend_a_run_over_the_earlier_ones() -> None:
    data = _made((_FACTS, 10))
    part, order = open_rounds(_race(data))
    early, late = part(range(3)), part(range(3, 6))
    assert early.fingerprint == late.fingerprint == data.fingerprint
    assert {one.row for one in early.outline} == {*order[_FACTS][:3]}
    assert {one.row for one in late.outline} == {*order[_FACTS][:6]}, "with those before"


def test_made_up_rows_have_no_end_and_are_not_shuffled() -> None:
    spec = _race(f"synthetic:{_FACTS}", tokens=600, questions=2, max_histories=3)
    part, order = open_rounds(spec)
    assert order == {}
    (far,) = part(range(700, 701))
    assert (far.source, len(far.questions)) == (_FACTS, 2)
    assert far.context != next(iter(part(range(1)))).context
    assert next(iter(open_rounds(spec)[0](range(700, 701)))) == far


def test_only_some_sources_take_part() -> None:
    part, order = open_rounds(
        _race(_made((_FACTS, 10), (_DOCUMENTS, 2)), over=("factconsolidation",))
    )
    assert [*order] == [_FACTS]
    assert {one.source for one in part(range(10))} == {_FACTS}


@pytest.mark.parametrize(
    ("data", "more", "problem"),
    [
        (
            _made((_FACTS, 2)),
            {},
            "has 2 histories of fact.*, but a race needs at least .*endless",
        ),
        (_made((_JUDGED, 20)), {}, "a judge scores longmemeval_s"),
        (_made((_FACTS, 20)), {"tokens": 100}, "`tokens` is for made-up rows"),
        (_made((_FACTS, 20)), {"over": ("rule",)}, "unknown source"),
    ],
)
def test_what_no_race_can_be_over_is_refused(
    data: Dataset, more: dict[str, object], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        open_rounds(_race(data, **more))


def test_data_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        open_rounds(_race(tmp_path / "nowhere"))
