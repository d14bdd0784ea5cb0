"""Memories with one planted fault: the stage that is named most is the one with the fault."""

from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.results import MISSED, StagesSummary
from mabench.specs import Limits
from tests.runs.stages.faulty import (
    FAULTS,
    RIGHT,
    CutsInHalf,
    FindsWholeQueries,
    FirstWords,
    IndexesLate,
)
from tests.runs.stages.histories import KINDS, SOURCES, Careful, agent_of, made_row

_FAULTY = [
    pytest.param(stage, memory, reader, kind, id=f"{memory.__name__}-{reader.__name__}-{kind}")
    for stage, faults in FAULTS.items()
    for number, (memory, reader) in enumerate(faults)
    for kind in [KINDS[number % len(KINDS)]]
]
# Where only the end of the store is read, and where nothing is.
_AT_THE_END = {"unwritten": "absent", "lost": "absent"}
_WITHOUT_LIST = {"unwritten": "missed", "lost": "missed"}
# No search tells that these hold what was told.
_HIDING = (IndexesLate, FindsWholeQueries, CutsInHalf, FirstWords)


def run(
    out: Path, memory: type, reader: type = Careful, kind: str = "facts", when: str | None = "end"
) -> Any:
    made = mabench.run(
        agent_of(memory, reader),
        [made_row(kind)],
        sources=SOURCES,
        protocol="turns",
        limits=Limits(stages=when),
        out=out,
    )
    return made.summary.sources["stages"]


def commonest_loss(source: Any) -> str:
    assert sum(source.parts.values()) == source.n
    lost = {part: n for part, n in source.parts.items() if part not in ("right", "missed")}
    return max(lost, key=lambda part: lost[part]) if any(lost.values()) else "missed"


def without_list(memory: type) -> type:
    return type(f"Silent{memory.__name__}", (memory,), {"list": None})


@pytest.mark.parametrize(("stage", "memory", "reader", "kind"), _FAULTY)
def test_the_stage_with_the_fault_is_named_most(
    stage: str, memory: type, reader: type, kind: str, tmp_path: Path
) -> None:
    assert commonest_loss(run(tmp_path / "full", memory, reader, kind, "full")) == stage


@pytest.mark.parametrize(("stage", "memory", "reader", "kind"), _FAULTY[::2])
def test_the_end_of_the_store_tells_no_more_than_it_can(
    stage: str, memory: type, reader: type, kind: str, tmp_path: Path
) -> None:
    source = run(tmp_path / "end", memory, reader, kind, None)
    assert commonest_loss(source) == _AT_THE_END.get(stage, stage)
    assert source.stages.followed == 0


@pytest.mark.parametrize(
    ("stage", "memory", "reader", "kind"),
    [one for one in _FAULTY if one.values[0] in ("unwritten", "lost", "unfound", "cut")][::2],
)
def test_without_a_list_only_a_deeper_search_tells(
    stage: str, memory: type, reader: type, kind: str, tmp_path: Path
) -> None:
    source = run(tmp_path / "end", without_list(memory), reader, kind)
    told = "missed" if memory in _HIDING else _WITHOUT_LIST.get(stage, stage)
    assert commonest_loss(source) == told
    assert source.stages.listed == 0


def test_without_a_list_nothing_is_looked_at_unless_asked(tmp_path: Path) -> None:
    memory, _ = FAULTS["unfound"][0]
    source = run(tmp_path / "default", without_list(memory), when=None)
    assert source.stages is None
    assert [part for part in MISSED if source.parts[part]] == ["missed"]


@pytest.mark.parametrize("when", ["end", "full"])
@pytest.mark.parametrize("memory", RIGHT)
def test_right_memories_lose_nothing(memory: type, when: str, tmp_path: Path) -> None:
    kind = KINDS[RIGHT.index(memory) % len(KINDS)]
    source = run(tmp_path / "run", memory, kind=kind, when=when)
    assert source.parts["right"] == source.n == 30


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stage", FAULTS)
def test_it_is_so_for_every_kind_of_history(stage: str, kind: str, tmp_path: Path) -> None:
    for number, (memory, reader) in enumerate(FAULTS[stage]):
        source = run(tmp_path / str(number), memory, reader, kind, "full")
        assert commonest_loss(source) == stage, (memory.__name__, dict(source.parts))


def test_what_was_looked_at_is_said(tmp_path: Path) -> None:
    faulty, _ = FAULTS["unfound"][0]
    source = run(tmp_path / "run", faulty)
    stages = source.stages
    assert isinstance(stages, StagesSummary)
    assert (stages.questions, stages.listed, stages.records) == (30, 30, 60)
    assert stages.searched == source.parts["unfound"] + source.parts["right_unretrieved"]
    assert (stages.depth, stages.by, stages.calls) == (200, "evidence", 1 + stages.searched)
