import re

import pytest

from mabench.data.schema import Row
from mabench_synthetic import make_rows, row_specs
from tests.synthetic.wordings import events_told, summarized

# What moves a thing, or sets somebody on a course or against another.
_DECISIVE = {"resolve", "find", "buy", "steal", "give", "hide", "quarrel", "arrive"}


def _rows(seed: int, rows: int = 1) -> list[Row]:
    specs = row_specs("infbench_sum_eng_shots2", seed, tokens=6_000, questions=1, rows=rows)
    return list(make_rows(specs))


@pytest.mark.parametrize("seeds", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_over_seeds_key_points_are_different_decisive_events_in_the_order_of_the_story(
    seeds: int,
) -> None:
    for seed in range(300, 300 + seeds):
        (row,) = _rows(seed)
        told, at = list(events_told(row.context)), -1
        for event in map(summarized, row.metadata.get("keypoints") or []):
            assert event.kind in _DECISIVE
            at = told.index(event, at + 1)


def test_the_reference_is_one_summary_of_the_length_asked_for_with_both_shots() -> None:
    one, other = _rows(0, rows=2)
    assert one.context != other.context
    for row in (one, other):
        ((summary,),) = row.answers
        asked = re.search(r"in about (\d+) to (\d+) words", row.questions[0])
        assert asked
        assert int(asked[1]) * 0.8 <= len(summary.split()) <= int(asked[2]) * 1.2
        points = row.metadata.get("keypoints") or []
        assert len(points) >= 15
        assert all(point in summary for point in points)
        demo = str(row.metadata.get("demo"))
        assert demo.count("[story text]\nSummary: The story is set in ") == 2
        assert demo in row.questions[0]
        assert summary not in row.questions[0]
