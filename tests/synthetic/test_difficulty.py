from __future__ import annotations

import pytest

from mabench.data.inventory import SOURCES
from mabench.errors import UsageError
from mabench_synthetic import DIFFICULTIES, GENERATORS, knobs_of, make_rows, row_specs

_A_SOURCE = {source.family: source.name for source in SOURCES}
_QUESTIONS = {"infbench": 1, "detective": 8}


@pytest.mark.parametrize("family", GENERATORS)
def test_easy_and_hard_lie_on_both_sides_of_real(family: str) -> None:
    source = _A_SOURCE[family]
    knobs = {name: row_specs(source, 0, difficulty=name)[0].knobs for name in DIFFICULTIES}
    assert knobs["real"] == {knob.name: knob.default for knob in knobs_of(source)}
    moved = [name for name in knobs["real"] if knobs["easy"][name] != knobs["hard"][name]]
    assert moved
    for name in moved:
        assert sorted(knobs[d][name] for d in DIFFICULTIES) in (
            [knobs[d][name] for d in DIFFICULTIES],
            [knobs[d][name] for d in reversed(DIFFICULTIES)],
        )


@pytest.mark.parametrize("family", GENERATORS)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_rows_of_every_difficulty_can_be_made(family: str, difficulty: str) -> None:
    specs = row_specs(
        _A_SOURCE[family],
        1,
        tokens=12_000,
        rows=1,
        questions=_QUESTIONS.get(family, 10),
        difficulty=difficulty,
    )
    (row,) = make_rows(specs)
    assert row.questions
    assert specs[0].difficulty == difficulty


def test_a_knob_goes_before_the_difficulty_which_must_be_known() -> None:
    knobs = {"renamed": 0.5}
    (spec, *_) = row_specs("eventqa_full", 0, knobs=knobs, difficulty="easy")
    assert (spec.knobs["renamed"], spec.knobs["elsewhere"]) == (0.5, 0)
    with pytest.raises(UsageError, match="no such difficulty: 'simple'; known: easy, real, hard"):
        row_specs("eventqa_full", 0, difficulty="simple")
