"""Reading the store: nothing of a run depends on it, wherever the memory lives."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import mabench
from mabench.comparison import compare
from mabench.contract.answers import AgentError, Listing
from mabench.results import Run, SourceSummary
from mabench.specs import AgentSpec, Limits
from tests.rows import keep_samples
from tests.runs.stages.faulty import CutsInHalf, NewestFirst
from tests.runs.stages.histories import SOURCES, Notes, agent_of, made_row


def run(agent: Any, out: Path, when: str | None = None, data: Any = None, **more: Any) -> Run:
    return mabench.run(
        agent,
        [made_row("facts")] if data is None else data,
        sources=SOURCES,
        protocol="turns",
        limits=Limits(stages=when, **more),
        out=out,
    )


def test_samples_are_the_same_bytes_whatever_is_looked_at(tmp_path: Path) -> None:
    whens: list[str | None] = ["off", None, "end", "full"]
    runs = [run(agent_of(NewestFirst), tmp_path / str(when), when) for when in whens]
    assert len({(one.folder / "samples.jsonl").read_bytes() for one in runs}) == 1
    looked = [(one.folder / "stages.jsonl").exists() for one in runs]
    assert looked == [False, True, True, True]
    scores = {(one.summary.headline, one.summary.sources["stages"].missed) for one in runs}
    assert len(scores) == 1
    # What is added up as it comes is what the files say.
    for one in runs:
        assert one.summary == Run(one.folder).summary


class Watched(Notes):
    """Learns from being listed and searched, and notes what it was passed."""

    calls: ClassVar[list[tuple[str, object]]] = []

    def add(self, text: str) -> object:
        self.calls.append(("add", text))
        return super().add(text)

    def search(self, query: str, k: int) -> list[Any]:
        self.calls.append((f"search {k}", query))
        return ["nothing"] if len(self.calls) < 100 else super().search(query, k)

    def list(self) -> Any:
        self.calls.append(("list", None))
        return super().list()


def test_the_memory_is_asked_after_the_answers_and_sees_no_gold(tmp_path: Path) -> None:
    Watched.calls.clear()
    row = made_row("facts", facts=30, asked=10)
    run(agent_of(Watched), tmp_path / "run", "end", [row], stage_depth=7)
    names = [name for name, _ in Watched.calls]
    assert names == ["add"] * 30 + ["search 5"] * 10 + ["list"] + ["search 7"] * 10
    asked = [text for name, text in Watched.calls if name.startswith("search")]
    assert asked[:10] == asked[10:]
    golds = [answers[0] for answers in row["answers"]]
    assert not [text for text in asked if any(gold in str(text) for gold in golds)]


def test_a_memory_that_searching_changes_is_only_listed(tmp_path: Path) -> None:
    class Changed(Watched):
        mabench_capabilities: ClassVar = {"changed_by_search": True}

    Watched.calls.clear()
    run(agent_of(Changed), tmp_path / "run", "full", [made_row("facts", facts=8, asked=4)])
    names = [name for name, _ in Watched.calls]
    assert {*names} == {"add", "search 5", "list"}
    # After each of four chunks with support, and at the end.
    assert (names.count("list"), names.count("search 5")) == (5, 4)


def test_a_list_of_what_was_told_is_no_list_of_what_is_kept(tmp_path: Path) -> None:
    class Emulated(NewestFirst):
        mabench_capabilities: ClassVar = {"emulates_list": True}

    source = run(agent_of(Emulated), tmp_path / "run", "end").summary.sources["stages"]
    assert source.stages is not None
    assert (source.stages.listed, source.stages.searched > 0) == (0, True)
    assert run(agent_of(Emulated), tmp_path / "off").summary.sources["stages"].stages is None


_THERE = """
import re

class There:
    def __init__(self):
        self.records = []

    def add(self, text):
        self.records.append(text)

    def search(self, query, k):
        return self.records[-k:]

    {kind} list(self):
        {body}
"""
_BODIES = {
    "all": ("def", "return self.records"),
    "pages": ("def", "yield from ([one] for one in self.records)"),
    "async": ("async def", "return {'results': self.records, 'total': len(self.records)}"),
    "cut": ("def", "return {'results': self.records[:3], 'next': 'page 2'}"),
}


@pytest.mark.parametrize("listed", _BODIES)
def test_a_memory_in_another_interpreter_is_read_alike(listed: str, tmp_path: Path) -> None:
    kind, body = _BODIES[listed]
    (tmp_path / "there.py").write_text(_THERE.format(kind=kind, body=body))
    agent = AgentSpec(agent=f"{tmp_path / 'there.py'}:There", python=sys.executable)
    row = made_row("facts", facts=30, asked=10)
    source = run(agent, tmp_path / "run", "end", [row]).summary.sources["stages"]
    assert source.stages is not None
    assert source.stages.commonest_error is None
    assert source.stages.cut_lists == (10 if listed == "cut" else None)
    assert source.stages.records == (3 if listed == "cut" else 30)
    # What lies beyond a cut list is found by the deeper search, and never said to be lost.
    assert source.parts["absent"] == source.parts["changed"] == 0
    assert source.missed == source.parts["unfound"] > 0


def test_rows_in_other_processes_are_looked_at_alike(tmp_path: Path) -> None:
    rows = [made_row("documents", seed, facts=30, asked=10) for seed in (1, 2)]
    found = []
    for executor in ("local", "processes"):
        made = mabench.run(
            AgentSpec(agent="bm25", settings={"k": 1}),
            rows,
            sources=SOURCES,
            protocol="turns",
            executor=executor,
            out=tmp_path / executor,
        )
        source = made.summary.sources["stages"]
        assert source.stages is not None
        found.append((source.parts, source.stages.listed, source.stages.searched))
        assert made.summary == Run(made.folder).summary
    assert found[0] == found[1]
    assert found[0][1] == 20


@pytest.mark.parametrize("executor", ["local", "processes"])
@pytest.mark.parametrize("memory", [NewestFirst, CutsInHalf])
def test_a_resumed_run_comes_to_the_same_as_one_that_was_not_stopped(
    memory: type[Notes], executor: str, tmp_path: Path
) -> None:
    """A run that is stopped in a row has answers whose support was not looked for yet."""
    rows = [made_row("facts", seed) for seed in (1, 2)]
    agent = AgentSpec(agent=f"{memory.__module__}:{memory.__name__}", same_code=True)

    def run_to_the_end() -> SourceSummary:
        made = mabench.run(
            agent, rows, sources=SOURCES, protocol="turns", executor=executor, out=tmp_path
        )
        return made.summary.sources["stages"]

    whole = run_to_the_end()

    def was_kept(line: str) -> bool:
        """Return whether a line was written before half of the second row was answered."""
        place = json.loads(line)
        return place["row"] == 0 or (place["question_index"] < 15 and "prediction" in place)

    for name in ("samples.jsonl", "stages.jsonl"):
        file = tmp_path / name
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(filter(was_kept, lines)))
    again = run_to_the_end()
    assert again.parts == whole.parts
    assert whole.stages is not None
    assert again.stages is not None
    assert again.stages.listed == whole.stages.listed == 60


@pytest.mark.parametrize(
    ("returned", "texts", "is_cut"),
    [
        (["a", {"text": "b"}], ("a", "b"), False),
        ([["a"], ["b", "c"]], ("a", "b", "c"), False),
        ({"memories": ["a"], "total": 1}, ("a",), False),
        ({"memories": ["a"], "total": 2}, ("a",), True),
        ([{"results": ["a"], "next": 2}, {"results": ["b"], "next": None}], ("a", "b"), False),
        ([{"results": ["a"], "total": 2}, {"results": ["b"], "total": 2}], ("a", "b"), False),
        ([{"results": ["a"], "has_more": True}], ("a",), True),
        ([], (), False),
    ],
)
def test_lists_and_pages_of_them(returned: object, texts: Sequence[str], is_cut: bool) -> None:
    assert Listing.of(returned) == (texts, is_cut)


@pytest.mark.parametrize("returned", [None, "text", 3, [3], {"text": "a"}])
def test_what_is_no_list_is_refused(returned: object) -> None:
    with pytest.raises(AgentError):
        Listing.of(returned)


def test_stages_are_compared_only_where_the_same_was_looked_at(tmp_path: Path) -> None:
    rows = [made_row("facts", seed, facts=30, asked=10) for seed in range(3)]
    looked = [
        run(agent_of(memory), tmp_path / f"{when}-{memory.__name__}", when, rows)
        for memory, when in ((NewestFirst, "end"), (Notes, "end"), (Notes, "off"))
    ]
    alike = compare([looked[0], looked[1]]).pairs[0].parts["stages"]
    other = compare([looked[0], looked[2]]).pairs[0].parts["stages"]
    assert "unfound" in alike
    assert "missed" not in alike
    assert "unfound" not in other
    # The better run is A, which lost less at any stage.
    assert other["missed"].difference == alike["unfound"].difference < 0


def test_a_resumed_row_looks_at_each_point_of_its_history(tmp_path: Path) -> None:
    """Questions in the middle of a history are looked at when the memory knows that much."""
    row = made_row("facts")
    points = [evidence[-1] for evidence in row["evidence"]]
    row["asked_after"] = [points[index // 10 * 10 + 9] for index in range(len(points))]
    whole = run(agent_of(NewestFirst), tmp_path, "end", [row])
    keep_samples(tmp_path, 25)
    stages = tmp_path / "stages.jsonl"
    before = stages.read_text().splitlines(keepends=True)
    stages.write_text("".join(before[:10]))
    again = run(AgentSpec(agent=agent_of(NewestFirst), same_code=True), tmp_path, "end", [row])
    assert again.summary.sources["stages"].parts == whole.summary.sources["stages"].parts

    def told(lines: Sequence[str]) -> dict[int, object]:
        seen = [json.loads(line) for line in lines]
        return {
            one["question_index"]: (one["held"], one["records"], one.get("rank")) for one in seen
        }

    assert told(stages.read_text().splitlines()) == told(before)
