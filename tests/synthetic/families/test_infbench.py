import re

import pytest

from mabench_synthetic import GENERATORS, row_specs
from tests.synthetic.families.story_events import events_told, summarized
from tests.synthetic.small import RowsOf

# What moves a thing, or sets somebody on a course or against another.
_DECISIVE = {"resolve", "find", "buy", "steal", "give", "hide", "quarrel", "arrive"}


@pytest.mark.parametrize("seeds", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_over_seeds_key_points_are_different_decisive_events_in_the_order_of_the_story(
    seeds: int,
) -> None:
    for seed in range(300, 300 + seeds):
        (spec,) = row_specs("infbench_sum_eng_shots2", seed, tokens=6_000, questions=1, rows=1)
        row = GENERATORS["infbench"].make_row(spec)
        told, at = list(events_told(row.context)), -1
        for event in map(summarized, row.metadata.get("keypoints") or []):
            assert event.kind in _DECISIVE
            at = told.index(event, at + 1)


def test_the_reference_is_one_summary_of_the_length_asked_for_with_both_shots(
    rows_of: RowsOf,
) -> None:
    for row in rows_of("infbench_sum_eng_shots2"):
        ((summary,),) = row.answers
        asked = re.search(r"in about (\d+) to (\d+) words", row.questions[0])
        assert asked
        assert int(asked[1]) * 0.8 <= len(summary.split()) <= int(asked[2]) * 1.2
        assert all(point in summary for point in row.metadata.get("keypoints") or [])
        assert len(row.metadata.get("keypoints") or []) >= 15
    one, other = rows_of("infbench_sum_eng_shots2")
    assert one.context != other.context
    for row in (one, other):
        assert (
            str(row.metadata.get("demo")).count("[story text]\nSummary: The story is set in ") == 2
        )
        assert str(row.metadata.get("demo")) in row.questions[0]
        assert row.answers[0][0] not in row.questions[0]
