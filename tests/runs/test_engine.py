import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.results import Run
from tests.progress import RecordedProgress
from tests.rows import dataset, keep_samples, two_rows
from tests.runs.agents import Oslo, async_like, failing, like


class Recorder(Oslo):
    """Remembers what it was told and asked."""

    made: "list[Recorder]"

    def __init__(self) -> None:
        self.chunks: list[str] = []
        self.queries: list[Query] = []
        self.closed = False
        type(self).made.append(self)

    def memorize(self, chunk: str) -> None:
        self.chunks.append(chunk)

    def answer(self, query: Query) -> Any:
        self.queries.append(query)
        return "Oslo"

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def _no_recorders() -> None:
    Recorder.made = []


def test_each_row_has_a_fresh_agent_that_sees_chunks_and_queries_alone(tmp_path: Path) -> None:
    progress, how = RecordedProgress(), {"protocol": "structured", "out": tmp_path / "run"}
    run = mabench.run(Recorder, dataset(), progress=progress, **how)  # type: ignore[arg-type]
    agent, second = Recorder.made
    assert "tower" in "".join(second.chunks)
    assert "Ann" not in "".join(second.chunks)
    assert agent.closed
    assert second.closed
    assert "".join(agent.chunks) == two_rows()[0].context.strip()
    query = agent.queries[0]
    assert query.question == query.search_query.split("\n")[0] == "Where does Ann live?"
    readings = (query.question, query.search_query, query.system)
    seen = " ".join([*agent.chunks, *agent.queries, *readings])
    assert "factconsolidation" not in seen
    assert "_no0" not in seen
    parts = {"question", "search_query", "max_tokens", "system", "time", "user"}

    class Text(str):  # It has what Python itself gives a class; versions differ.
        __slots__ = ("question",)
        system: str

    assert {*dir(query)} - {*dir(Text)} <= parts | {"__getnewargs_ex__"}
    memory = json.loads((run.folder / "memories.jsonl").read_text().splitlines()[0])
    assert memory["source"] == "factconsolidation_sh_6k"
    assert (memory["chunks"], memory["error"]) == (1, None)
    assert memory["characters"] == len(two_rows()[0].context.strip())
    assert progress.events[:6] == [
        "start questions 0/5",
        "start chunks 0/1 factconsolidation_sh_6k, row 0 3 questions",
        "advance chunks",
        *["advance questions"] * 3,
    ]
    assert len(progress.events) == 10


def test_a_run_can_be_started_from_a_running_event_loop(tmp_path: Path) -> None:
    async def notebook() -> Run:
        return mabench.run(async_like(Oslo), dataset(), out=tmp_path / "run")

    assert asyncio.run(notebook()).summary["sources"]["ruler_qa1_197K"]["n"] == 2


def test_only_the_agent_named_oracle_is_shown_the_gold(tmp_path: Path) -> None:
    from mabench.agents.baselines import Oracle

    class Impostor(Oracle):
        pass

    for agent in (Oracle, Impostor):
        run = mabench.run(agent, dataset(), out=tmp_path / agent.__name__)
        assert run.summary["sources"]["factconsolidation_sh_6k"]["official"] == 0


@pytest.mark.parametrize("executor", ["local", "processes"])
def test_progress_announces_the_questions_that_are_asked(tmp_path: Path, executor: str) -> None:
    progress = RecordedProgress()
    given: dict[str, Any] = {"executor": executor, "progress": progress, "out": tmp_path / "run"}
    for limit in (1, 3):
        mabench.run("no-memory", dataset(), limit_questions=limit, **given)
    notes = [event.split("row 0 ")[1] for event in progress.events if "start chunks" in event]
    assert sorted(notes) == ["1 question", "1 question", "1 question", "2 questions"]


def test_progress_is_told_of_failures_and_of_what_is_answered_already(tmp_path: Path) -> None:
    fails = like(Oslo, answer=failing(RuntimeError("no idea")))
    run = mabench.run(fails, dataset(), out=tmp_path / "run")
    keep_samples(run.folder, 3)
    progress = RecordedProgress()
    mabench.run(fails, dataset(), out=tmp_path / "run", progress=progress)
    told = progress.events
    assert told[:2] == [
        "start questions 3/5",
        f"note questions {run.folder}: 3 of 5 questions are answered, 2 to ask.",
    ]
    assert told[-3] == "advance questions 1 errors"
    assert told[-2].startswith("say ruler_qa1_197K, row 0, question 0: ")
    assert told[-1] == "advance questions 2 errors"  # It is the same one: nothing is said.


KNOWN = ("Bern", "Oslo", "Bob", "300 metres")


@pytest.mark.parametrize(
    ("agent", "answers"),
    [
        ("floor", [*KNOWN, "bridge"]),
        ("bm25", [*KNOWN, "bridge"]),
        ("oracle", [*KNOWN, "the bridge"]),
        ("no-memory", ["I could only guess."] * 5),
    ],
)
def test_built_in_agents_answer(agent: str, answers: list[str], tmp_path: Path) -> None:
    run = mabench.run(agent, dataset(), out=tmp_path / "run")
    assert [sample.prediction for sample in run.samples()] == answers
