"""How many turns a question may know of is found without reading the turns for each question."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data.schema import RowContent
from mabench.data.turns import TurnIndex
from mabench.data.turns.faults import find_faults

_START = datetime(2024, 1, 1, tzinfo=UTC)


class _CountedTurns(list[Any]):
    """Turns that count how often one of them is read."""

    reads = 0

    def __iter__(self) -> Iterator[Any]:
        for turn in super().__iter__():
            self.reads += 1
            yield turn

    def __getitem__(self, place: Any) -> Any:
        self.reads += 1
        return super().__getitem__(place)


def _row(times: list[str | None], asked_after: list[str]) -> RowContent:
    turns = [
        {"id": f"t{number}", "session": "1", "start": number, "end": number, "time": time}
        for number, time in enumerate(times)
    ]
    asked = {"questions": ["What?"] * len(asked_after), "answers": [["x"]] * len(asked_after)}
    metadata = {"source": "own"}
    fields = {"context": " " * len(times), **asked, "metadata": metadata, "turns": turns}
    return RowContent.model_validate({**fields, "asked_after": asked_after})


def _minute(number: int) -> str:
    return (_START + timedelta(minutes=number)).isoformat()


def _reads(size: int, last: str) -> int:
    """How many turns are read for half as many questions as there are turns."""
    times = [*map(_minute, range(size - 1)), last]
    asked = [f"t{number}" if number % 2 else _minute(number) for number in range(size // 2)]
    row = _row([*times], asked)
    counted = _CountedTurns(row.turns or [])
    for _ in find_faults(row.model_copy(update={"turns": counted})):
        pass
    return counted.reads


@pytest.mark.parametrize("last", [_minute(10**6), "no time at all"])
def test_twice_the_questions_and_turns_are_twice_the_work(last: str) -> None:
    assert _reads(200, last) <= 2 * _reads(100, last) + 10


@given(st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 9))
def test_a_time_is_before_the_first_turn_that_is_later(
    minutes: list[int | None], asked: int
) -> None:
    minutes = [minutes[0] or 0, *minutes[1:]]
    row = _row([None if one is None else _minute(one) for one in minutes], [])
    later = (number for number, one in enumerate(minutes) if one is not None and one > asked)
    assert TurnIndex(row).turns_before(_minute(asked)) == next(later, len(minutes))


def test_of_turns_with_one_id_the_last_counts_and_a_day_lasts_to_its_end() -> None:
    row = _row(["2024-01-01T00:00Z", "2024-01-01T23:59Z", "2024-01-02T00:00Z"], [])
    turns = [turn.model_copy(update={"id": "same"}) for turn in row.turns or ()]
    assert TurnIndex(row.model_copy(update={"turns": turns})).turns_before("same") == 3
    assert TurnIndex(row).turns_before("2024-01-01") == 2


@pytest.mark.parametrize("times", [[], [None, "2024-01-01T00:00Z"]])
def test_turns_without_times_are_no_place_for_a_time(times: list[str | None]) -> None:
    with pytest.raises(ValueError, match="no times"):
        TurnIndex(_row(times, [])).turns_before("2024-01-01")
