"""The part of an answer, from its score and what was seen of its support."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.results import MISSED, PARTS, Holding, Sample, StageRecord
from mabench.results.scored import QuestionScore, part_of
from mabench.results.stages import StagesSummary, find_stage

_HELD = st.none() | st.sampled_from(get_args(Holding))
_HITS = st.none() | st.integers(0, 3)
_SEEN = st.builds(
    StageRecord,
    *map(st.just, ("Own", 0, 0)),
    source=st.just("s"),
    by=st.sampled_from(["evidence", "mention"]),
    held=_HELD,
    held_first=_HELD,
    rank=st.none() | st.integers(0, 200),
    shown=st.none() | st.booleans(),
)


def seen(**fields: Any) -> StageRecord:
    return StageRecord("Own", 0, 0, **{"source": "s", "by": "evidence", **fields})


def sample(hit: int | None, prediction: str | None = "a", by: str | None = "evidence") -> Sample:
    return Sample(
        *("Own", 0, 0, "s", None, "q", ["g"], prediction),
        hit_by=None if hit is None else by,
        hit_rank=hit or None,
        shown_tokens=5,
    )


@pytest.mark.parametrize(
    ("hit", "fields", "part"),
    [
        (0, {"held": "none"}, "absent"),
        (0, {"held": "none", "held_first": "none"}, "unwritten"),
        (0, {"held": "none", "held_first": "whole"}, "lost"),
        (0, {"held": "none", "held_first": "changed"}, "changed"),
        (0, {"held": "none", "held_first": "unclear"}, "absent"),
        (0, {"held": "changed"}, "changed"),
        (0, {"held": "changed", "held_first": "whole"}, "lost"),
        (2, {"held": "changed"}, "changed"),
        (0, {"held": "whole"}, "unfound"),
        (0, {"held": "whole", "rank": 0}, "unfound"),
        (0, {"held": "whole", "shown": False}, "cut"),
        (0, {"held": "unclear"}, "unclear"),
        (0, {"rank": 37}, "unfound"),
        (0, {"rank": 0}, "missed"),
        (0, {}, "missed"),
        (1, {"held": "whole"}, "misread"),
        (1, {"held": "whole", "shown": False}, "cut"),
        (1, {"held": "whole", "shown": True}, "misread"),
        (None, {"held": "none"}, "absent"),
        (None, {"held": "whole"}, "unclear"),
    ],
)
def test_the_earliest_sure_loss_counts(hit: int | None, fields: dict[str, Any], part: str) -> None:
    assert find_stage(hit, "evidence", seen(**fields)) == part


def test_a_mention_of_the_gold_is_no_support_that_the_store_lacks() -> None:
    lost = seen(held="none")
    assert [find_stage(1, by, lost) for by in ("evidence", "mention")] == ["misread", "absent"]


@given(_HITS, _SEEN | st.none(), st.sampled_from([None, 0.0, 0.5, 1.0]), st.booleans())
def test_every_answer_has_one_part(
    hit: int | None, known: StageRecord | None, value: float | None, lacks_form: bool
) -> None:
    answered = sample(hit)
    part = part_of(answered, value, lacks_form=lacks_form, seen=known)
    assert part in PARTS
    before = part_of(answered, value, lacks_form=lacks_form)
    # Looking only tells more of what was missed, misread or unclear.
    told_more = value is not None and value < 1 and not (value == 0 and lacks_form)
    assert part == before or told_more
    if known is None or (known.held is None and not known.rank and known.shown is not False):
        assert part == before
    # Added up as they are read, or later as they are seen, they come to the same.
    figures = QuestionScore(value, None, None, before, (), None, ("Own", 0, 0), hit, "evidence")
    if known is not None and hit is not None:
        assert figures.with_seen(known).part == part
    assert part_of(sample(hit, None), value, lacks_form=lacks_form, seen=known) == "failed"


@given(st.lists(st.tuples(_HITS, _SEEN), max_size=40))
def test_parts_add_up(questions: list[tuple[int | None, StageRecord]]) -> None:
    found = [find_stage(hit, "evidence", known) for hit, known in questions]
    counts = {part: found.count(part) for part in PARTS}
    assert sum(counts.values()) == len(questions)
    # What was not retrieved is missed, cut off or unclear, and nothing else.
    unretrieved = [part for part, (hit, _) in zip(found, questions, strict=True) if hit == 0]
    assert {*unretrieved} <= {*MISSED, "cut", "unclear"}
    summary = StagesSummary.of(known for _, known in questions)
    assert (summary is None) == (not questions)
    assert summary is None or summary.questions == len(questions)
