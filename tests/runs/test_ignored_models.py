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
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(ReadingModel, "preflight", AsyncMock())
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "how",
    [
        {"agent": "floor"},
        {"agent": "oracle"},
        {"agent": "no-memory"},
        {"agent": Notes},
        {"agent": "tests.runs.agents:Notes"},
        {"agent": Settable, "settings": {"model": "its-own"}},
        {"agent": AgentSpec(agent="floor", python=sys.executable)},
    ],
)
def test_it_is_refused_before_data_or_a_key_are_needed(how: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=IGNORED) as raised:
        mabench.run(data="no such data", model=MODEL, out=tmp_path / "run", **how)
    assert raised.value.parameter == "model"
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("key_and_cache")
def test_it_is_refused_once_the_agent_is_made_and_before_it_is_told(tmp_path: Path) -> None:
    elsewhere = AgentSpec(agent=f"{worker_agents.__name__}:Echo", python=sys.executable)
    with serving_agent(word_agents()) as served:
        for agent in (lambda: Notes(), elsewhere, served.url):
            with pytest.raises(UsageError, match=IGNORED):
                mabench.run(agent, dataset(), model=MODEL, out=tmp_path / "run")
            assert not (tmp_path / "run").exists()
    assert Notes.told == served.asked("/memorize") == []


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


@pytest.mark.usefixtures("key_and_cache")
def test_a_program_is_refused_where_it_says_that_it_takes_no_model(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    program = f"stdio:{sys.executable} {tmp_path / 'program.py'}"
    run = mabench.run(program, dataset(), model=MODEL, out=tmp_path / "run")
    assert {sample.prediction for sample in run.samples()} == {"Oslo"}, "it may have used it"
    with pytest.raises(UsageError, match=IGNORED):
        mabench.run(f"{program} none", dataset(), model=MODEL, out=tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


@pytest.mark.parametrize("agent", [Shelf, lambda: Shelf(), "tests.runs.agents:Shelf"])
@pytest.mark.usefixtures("key_and_cache")
def test_a_memory_is_read_by_it(agent: Any, tmp_path: Path) -> None:
    with serving(lambda _: "Oslo") as served:
        model = ModelSpec("openai/gpt-4o-mini", base_url=served.url)
        run = mabench.run(agent, dataset(), model=model, out=tmp_path / "run")
    assert {sample.prediction for sample in run.samples()} == {"Oslo"}


@pytest.mark.usefixtures("key_and_cache")
def test_a_factory_that_takes_it_is_given_it(tmp_path: Path) -> None:
    made = []

    def make(model: Any = None) -> Notes:
        made.append(model["name"])
        return Notes()

    mabench.run(make, dataset(), model=MODEL, out=tmp_path / "run")
    assert made == ["gpt-4o-mini"] * 2


def test_checks_and_sweeps_refuse_it_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for agent in ("floor", Notes):
        with pytest.raises(UsageError, match=IGNORED):
            check_agent(AgentSpec(agent=agent, model=MODEL))
    rows = SweepSpec(source="ruler_qa1_197K", knob="tokens", values=(1000,))
    with pytest.raises(UsageError, match=IGNORED):
        list(sweep([RunSpec(agent=AgentSpec(agent="floor", model=MODEL))], rows))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-no-use-1234")
    with pytest.raises(UsageError, match=IGNORED):
        check_agent(AgentSpec(agent=lambda: Notes(), model=MODEL))
    for more in ((), ("--estimate",)):
        done = command(
            "run", "--model", "openai/m", "--data", "synthetic:small", *more, cwd=tmp_path
        )
        assert done.returncode == 2
        assert "floor makes its own answers and would ignore --model" in done.stderr
