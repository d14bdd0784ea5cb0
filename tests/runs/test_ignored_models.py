"""A model that the agent would never ask is refused, not recorded as if it had read."""

import sys
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

import mabench
from mabench.check import check_agent
from mabench.errors import UsageError
from mabench.models import ModelSpec, ReadingModel
from mabench.runs import sweep
from mabench.specs import AgentSpec, RunSpec, SweepSpec
from tests.command_line import mabench as command
from tests.models.server import serving
from tests.remote import worker_agents
from tests.remote.http_serving import serving as serving_agent
from tests.remote.test_http_channel import word_agents
from tests.rows import dataset
from tests.runs.agents import Notes, Shelf

MODEL = ModelSpec("openai/gpt-4o-mini", base_url="http://127.0.0.1:9/v1")
IGNORED = "makes its own answers and would ignore `model`; leave it out"


class Settable(Notes):
    def __init__(self, model: Any = None) -> None:
        self.model = model


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key_and_cache: Path) -> None:
    monkeypatch.setattr(ReadingModel, "preflight", AsyncMock())


@pytest.mark.parametrize(
    "how",
    [
        *({"agent": agent} for agent in ("floor", "oracle", "no-memory", Notes)),
        {"agent": "tests.runs.agents:Notes"},
        {"agent": Settable, "settings": {"model": "its-own"}},
        {"agent": AgentSpec(agent="floor", python=sys.executable)},
    ],
)
def test_it_is_refused_before_data_or_a_key_are_needed(
    how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match=IGNORED) as raised:
        mabench.run(data="no such data", model=MODEL, out=tmp_path / "run", **how)
    assert raised.value.parameter == "model"
    assert not (tmp_path / "run").exists()


PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line.lstrip(chr(30)))
    made = {"kind": "agent", "methods": []}
    if len(sys.argv) > 1:
        made["takes_model"] = False
    result = {"make": made, "answer": "Oslo"}.get(request["method"])
    reply = {"jsonrpc": "2.0", "id": request["id"], "result": result}
    print(chr(30) + json.dumps(reply), flush=True)
"""


def test_it_is_refused_once_the_agent_is_made_and_before_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    program = f"stdio:{sys.executable} {tmp_path / 'program.py'}"
    elsewhere = AgentSpec(agent=f"{worker_agents.__name__}:Echo", python=sys.executable)
    with serving_agent(word_agents()) as served:
        for agent in (lambda: Notes(), elsewhere, served.url, f"{program} none"):
            with pytest.raises(UsageError, match=IGNORED):
                mabench.run(agent, dataset(), model=MODEL, out=tmp_path / "run")
            assert not (tmp_path / "run").exists()
    assert Notes.told == served.asked("/memorize") == []
    run = mabench.run(program, dataset(), model=MODEL, out=tmp_path / "run")
    assert {sample.prediction for sample in run.samples()} == {"Oslo"}, "it may have used it"


def test_a_memory_is_read_by_it_and_a_factory_that_takes_it_is_given_it(tmp_path: Path) -> None:
    made = []

    def make(model: Any = None) -> Notes:
        made.append(model["name"])
        return Notes()

    memories: list[Any] = [Shelf, lambda: Shelf(), "tests.runs.agents:Shelf"]
    with serving(lambda _: "Oslo") as served:
        model = ModelSpec("openai/gpt-4o-mini", base_url=served.url)
        for number, agent in enumerate([*memories, make]):
            run = mabench.run(agent, dataset(), model=model, out=tmp_path / f"{number}")
            assert {sample.prediction for sample in run.samples()} == {"Oslo"}
    assert made == ["gpt-4o-mini"] * 2


def test_checks_and_sweeps_refuse_it_too(tmp_path: Path) -> None:
    for agent in ("floor", Notes, lambda: Notes()):
        with pytest.raises(UsageError, match=IGNORED):
            check_agent(AgentSpec(agent=agent, model=MODEL))
    rows = SweepSpec(source="ruler_qa1_197K", knob="tokens", values=(1000,))
    with pytest.raises(UsageError, match=IGNORED):
        list(sweep([RunSpec(agent=AgentSpec(agent="floor", model=MODEL))], rows))
    words = ("run", "--model", "openai/m", "--data", "synthetic:small")
    for more in ((), ("--estimate",)):
        done = command(*words, *more, cwd=tmp_path)
        assert done.returncode == 2
        assert "floor makes its own answers and would ignore --model" in done.stderr
