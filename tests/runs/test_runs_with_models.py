"""Whole runs against a real server on loopback: readers, faults, estimates, models ignored."""

import asyncio
import random
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.check import check_agent
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.families import SYSTEM_MESSAGE
from mabench.models import ModelSpec, ModelUnavailableError, ReadingModel, RetryPolicy
from mabench.reports.costs.estimates import estimate_report
from mabench.results import Run
from mabench.results.records.record import ModelRecord
from mabench.runs import estimate_run, sweep
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, RunSpec, SweepSpec
from mabench.text import estimate_tokens
from mabench.text.tokenizers import load_encoding
from tests import parts
from tests.command_line import mabench as command
from tests.models.server import Answering, Fault, Served, serving
from tests.remote import worker_agents
from tests.remote.http_serving import serving as serving_agent
from tests.remote.test_http_channel import word_agents
from tests.rows import dataset, keep_samples, row
from tests.runs.agents import Notes, Shelf

NAME = "ruler_qa1_197K"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key_and_cache: Path) -> None:
    monkeypatch.chdir(tmp_path)


def rows(count: int = 2, questions: int = 5) -> Dataset:
    """Return rows of other texts, whose questions are each answered by the number in it."""
    made = []
    for index in range(count):
        texts = [f"Document {i}:\nThe code of box {i} is {i * 7}: {index}." for i in range(40)]
        places = range(index * questions, (index + 1) * questions)
        asked = [(f"What is the code of box {i}?", [str(i * 7)]) for i in places]
        made.append(row(NAME, "\n\n".join(texts), asked, index))
    return dataset(made)


def answer(prompt: str) -> str:
    """Read the answer off the passages: the code of the box that is asked for."""
    asked = re.findall(r"What is the code of box (\d+)\?", prompt)[-1]
    found = re.search(rf"The code of box {asked} is (\d+):", prompt)
    return found[1] if found else "unknown"


def run(url: str, out: Path, agent: str = "bm25", data: Any = None, **options: Any) -> Run:
    choice = ModelSpec("openai/gpt-4o-mini", base_url=url, **options.pop("choice", {}))
    return parts.run(agent, data or rows(), out=out, model=choice, **options)


@pytest.mark.parametrize("agent", ["async memory", "sync memory", "long-context"])
def test_a_model_is_asked_in_the_engines_loop_whatever_the_memory_does_in_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    def place() -> tuple[int, object]:
        return threading.get_ident(), asyncio.get_running_loop()

    class Searches(Shelf):
        async def search(self, query: str, k: int) -> list[str]:  # type: ignore[override]
            searched.add(place())
            for task in asyncio.all_tasks():
                task.cancel()
            await asyncio.sleep(0.05)
            return super().search(query, k)

    async def reply(model: ReadingModel, *given: Any, **more: Any) -> Any:
        read.add(place())
        return await asked(model, *given, **more)

    searched, read, asked = set[Any](), set[Any](), ReadingModel.reply
    monkeypatch.setattr(ReadingModel, "reply", reply)
    agents: dict[str, Any] = {"async memory": Searches, "sync memory": Shelf}
    with serving(answer) as served:
        given: dict[str, Any] = {"data": rows(2, 4), "out": tmp_path / "run"}
        limits, model = Limits(rows=2, questions=3), ModelSpec("m", base_url=served.url)
        done = mabench.run(agents.get(agent, agent), limits=limits, model=model, **given)
    assert len(read) == 1
    assert len(searched) == (agent == "async memory")
    assert not {part for one in read for part in one} & {part for one in searched for part in one}
    assert done.summary.spent.errors == 0
    seconds = [timing.search_seconds for timing in done.store.timings()]
    assert all(each is None if agent == "long-context" else each for each in seconds)


def test_a_memory_is_read_by_a_model(tmp_path: Path) -> None:
    with serving(answer) as served:
        done = run(served.url, tmp_path / "run")
    source = done.summary["sources"][NAME]
    assert source["official"] == 100
    assert (source["input_tokens"], source["output_tokens"]) == (110, 30)
    assert source["cost"] == pytest.approx((110 * 0.15 + 30 * 0.60) / 1e6)
    each = (11 * 0.15 + 3 * 0.60) / 1e6
    assert [one.paid for one in done.store.timings()] == pytest.approx([each] * 10)
    assert done.summary["spent"]["cost"] == pytest.approx(11 * each), "with the preflight"
    assert [row["input_tokens"] for row in done.summary["rows"]] == [55, 55]
    prompt = served.requests[0]["messages"][0]["content"]
    assert prompt.startswith("Memory 1:\n")
    assert served.requests[0]["model"] == "gpt-4o-mini"
    assert served.requests[0]["max_tokens"] == 50, "the answer budget of the protocol"
    assert done.record.model == ModelRecord(name="openai/gpt-4o-mini", temperature=0)
    sample = next(done.samples())
    assert sample.tokens_estimated is False
    assert sample.retrieved
    with pytest.raises(UsageError, match=r"model is .* there and None here"):
        mabench.run("bm25", rows(), out=tmp_path / "run")


def test_what_is_kept_at_temperature_0_needs_no_server(tmp_path: Path) -> None:
    def ran(name: str, **choice: Any) -> tuple[int, int]:
        done = run(served.url, tmp_path / name, choice=choice)
        assert done.summary.sources[NAME].official == 100
        return served.preflights, served.paid.total()

    with serving(answer) as served:
        assert [ran(name) for name in ("one", "one", "two")] == [(1, 10), (1, 10), (2, 10)]
        assert ran("three", temperature=0.7) == (3, 20)
        assert ran("four", temperature=0.7) == (4, 30)
        assert ran("five", cache=False) == (5, 40)
    done = run(served.url, tmp_path / "six", offline=True)
    assert done.summary.sources[NAME].official == 100
    with pytest.raises(ModelUnavailableError, match="connection is refused"):
        run(served.url, tmp_path / "other", data=rows(3))
    assert not (tmp_path / "other").exists()


def test_long_context_shows_everything_or_the_newest(tmp_path: Path) -> None:
    with serving(answer) as served:
        whole = run(served.url, tmp_path / "whole", "long-context")
        assert whole.summary["sources"][NAME]["official"] == 100
        assert whole.summary["sources"][NAME]["dropped_tokens"] == 0
        assert "code of box 0 is" in served.requests[0]["messages"][0]["content"]
        cut = run(served.url, tmp_path / "cut", "long-context", choice={"window": 400})
    shown = served.requests[-1]["messages"][0]["content"]
    assert "code of box 39 is" in shown
    assert "code of box 0 is" not in shown
    sample = next(cut.samples())
    assert (sample.dropped_tokens or 0) > 100
    assert cut.summary["sources"][NAME]["official"] == 0


@pytest.mark.parametrize("protocol", ["paper", "repository"])
def test_by_published_protocols_models_get_a_system_message(tmp_path: Path, protocol: str) -> None:
    """Ours by default, a user's with every protocol; none under our own protocol."""
    pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")
    file = tmp_path / "prompts.toml"
    file.write_text('[ruler]\nsystem = "You answer in numbers."\n', encoding="utf-8")
    theirs: dict[str, Any] = {"prompts": file}
    with serving(answer) as served:
        for agent in ("bm25", "long-context"):
            for number, (options, system) in enumerate([
                ({"protocol": protocol}, SYSTEM_MESSAGE),
                ({"protocol": protocol} | theirs, "You answer in numbers."),
                (theirs, "You answer in numbers."),
                ({}, None),
            ]):  # fmt: skip
                served.requests.clear()
                run(served.url, tmp_path / f"{agent}-{number}", agent, rows(1, 2), **options)
                start = [{"role": "system", "content": system}] if system else []
                assert served.requests
                assert all(one["messages"][:-1] == start for one in served.requests)
        with pytest.raises(UsageError, match="prompts hash is"):
            run(served.url, tmp_path / "bm25-0", "bm25", rows(1, 2), protocol=protocol, **theirs)


@pytest.mark.parametrize("protocol", ["paper", "repository"])
def test_the_published_cut_counts_the_tokens_of_the_history(tmp_path: Path, protocol: str) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="the extra 'paper' brings the tokenizer")
    window = 4_000 + 50 + 200  # The budget of an answer is 50.
    how: dict[str, Any] = {"agent": "long-context", "protocol": protocol, "chunk_tokens": 100}
    with serving(answer) as served:
        done = run(served.url, tmp_path / "run", data=rows(1, 2), choice={"window": window}, **how)
        whole = run(served.url, tmp_path / "all", data=rows(1, 2), **how)
        how |= {"settings": {"published": False}, "choice": {"window": 400}}
        ours = run(served.url, tmp_path / "ours", data=rows(1, 2), **how)
        with pytest.raises(UsageError, match="published=maybe: expected true or false"):
            run(served.url, tmp_path / "x", **how | {"settings": {"published": "maybe"}})
    contents = [one["messages"][-1]["content"] for one in served.requests]
    start_of_question = "\nWhat you remember holds"
    # The two questions of a run are sent in either order: take the same one of both runs.
    shown, everything = (
        min(sent, key=lambda content: content[content.index(start_of_question) :])
        for sent in (contents[:2], contents[2:4])
    )
    assert load_encoding().name == tiktoken.get_encoding("o200k_base").name
    question = shown[shown.index(start_of_question) :]
    history, kept = everything.removesuffix(question), shown.removesuffix(question)
    counted = load_encoding().encode_ordinary(history)
    assert kept == load_encoding().decode(counted[-200:])
    assert {one.dropped_tokens for one in done.samples()} == {len(counted) - 200}
    assert {one.dropped_tokens for one in whole.samples()} == {0}
    assert all((one.dropped_tokens or 0) > 0 for one in ours.samples())
    agents = [f"long-context[published={published}]" for published in (True, False)]
    assert [done.record.agent, ours.record.agent] == agents
    assert history.startswith("Document 0:")
    assert "\n\n" not in history, "chunks are joined by a line break"


def test_an_estimate_counts_what_the_published_cut_shows(tmp_path: Path) -> None:
    def estimated(protocol: str) -> int:
        spec = RunSpec(
            agent=AgentSpec(agent="long-context", model=ModelSpec("m", window=4_150)),
            data=DataSpec(data=rows(1, 1)),
            injection=InjectionSpec(protocol=protocol),
        )
        (estimate,) = estimate_run(spec)
        return estimate.input_tokens

    system = estimate_tokens(SYSTEM_MESSAGE)
    history = estimate_tokens(next(rows(1, 1).rows()).context)
    assert estimated("structured") - history == estimated("paper") - 100 - system


def faulty(kinds: list[str], share: float) -> Callable[[str], str | Fault]:
    """Fail so many calls, by chance from a seed, in every way there is; hang once."""
    chance, lock = random.Random(5), threading.Lock()

    def respond(prompt: str) -> str | Fault:
        with lock:
            if chance.random() >= share:
                return answer(prompt)
            kind = chance.choice(kinds)
            if kind == "hang":
                kinds.remove(kind)
        return Fault(kind, {"Retry-After": "0.02"})

    return respond


@pytest.mark.parametrize("count", [10, pytest.param(25, marks=pytest.mark.slow)])
def test_hundreds_of_questions_survive_every_fault(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may take a second for a reply, which must not look like a hang.
    retry = RetryPolicy(attempts=6, first=0.01, longest=0.05, timeout=2.5, patience=30.0)
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", retry)
    kinds = ["429", "500", "503", "drop", "cut", "garbage", "shape", "empty", "hang"]
    data, questions = rows(count, 20), 20 * count
    limits = Limits(rows=5, questions=4)
    with serving(faulty(kinds, 0.3)) as served:
        samples = [*run(served.url, tmp_path / "run", data=data, limits=limits).samples()]
        assert len({sample.key for sample in samples}) == len(samples) == questions
        assert all((sample.prediction is None) == bool(sample.error) for sample in samples)
        served.answer = answer
        again = run(served.url, tmp_path / "run", data=data, limits=limits, retry_errors=True)
    assert (again.summary.spent.errors, again.summary.sources[NAME].answered) == (0, questions)
    assert max(served.paid.values()) == 1, "what was paid for is not asked again"


# An estimate of a run that its folder holds already counts what is left.
FACTS = "factconsolidation_sh_6k"


def three_rows() -> Dataset:
    asked = [(f"Which is box {i}?", ["red"]) for i in range(3)]
    made = [
        row(source, f"Document 1:\nBox {index} of {source} is red.", asked, index)
        for source, index in ((NAME, 0), (NAME, 1), (FACTS, 0))
    ]
    return dataset(made)


NOWHERE = ModelSpec("openai/m", base_url="http://127.0.0.1:9/v1", cache=False)


def spec(
    out: str | None = None, model: ModelSpec = NOWHERE, tokens: int | None = None, **data: Any
) -> RunSpec:
    agent, injection = AgentSpec(agent="bm25", model=model), InjectionSpec(chunk_tokens=tokens)
    where = Path(out) if out else None
    return RunSpec(
        agent=agent, data=DataSpec(data=three_rows(), **data), injection=injection, out=where
    )


def red_but_for_box_1(prompt: str) -> str | Fault:
    return Fault("400") if "box 1" in prompt else "red"


def ran(out: str | None = None, answer: Answering = lambda _: "red", **given: Any) -> None:
    with serving(answer) as served:
        model = ModelSpec("openai/m", base_url=served.url, cache=False)
        mabench.run("bm25", three_rows(), model=model, out=out, **given)


def left(*given: Any, **more: Any) -> list[tuple[int, int]]:
    """Return how many questions of each source are left to ask, and how many were."""
    return [(one.calls, one.done) for one in estimate_run(spec(*given, **more))]


def test_of_a_run_that_is_extended_what_is_left_is_counted() -> None:
    whole = estimate_run(spec())
    assert left() == [(6, 0), (3, 0)]
    ran("run", limit_questions=1)
    estimates = estimate_run(spec("run"))
    assert left("run") == [(4, 2), (2, 1)]
    for one, other in zip(whole, estimates, strict=True):
        assert (other.source, other.chunks) == (one.source, one.chunks)
        assert other.output_tokens == one.output_tokens * 2 // 3
    said = "Not included: 3 questions of this run, already answered."
    assert said in estimate_report(estimates, spec()).remarks
    ran("facts", sources=[FACTS])  # Its row is finished, and not memorized again.
    ruler, facts = estimate_run(spec("facts"))
    assert left("facts") == [(6, 0), (0, 3)]
    assert (facts.chunks, facts.input_tokens, ruler.chunks) == (0, 0, 2)


def test_without_a_folder_that_of_the_unfinished_run_is_looked_at() -> None:
    ran(limit_questions=1)
    assert left(limit_questions=1) == [(2, 0), (1, 0)]
    keep_samples(next(Path("runs").iterdir()), 2)
    assert left(limit_questions=1) == [(0, 2), (1, 0)]


def test_errors_are_left_where_they_are_asked_again_and_another_run_is_refused() -> None:
    ran("run", red_but_for_box_1)
    before = Path("run/run.json").read_bytes()
    assert left("run") == [(0, 6), (0, 3)]
    again = estimate_run(replace(spec("run"), retry_errors=True))
    assert [(one.calls, one.done) for one in again] == [(2, 4), (1, 2)]
    with pytest.raises(UsageError, match="holds another run"):
        left("run", tokens=77)
    with pytest.raises(UsageError, match="holds a run with more questions"):
        left("run", limit_questions=1)
    assert Path("run/run.json").read_bytes() == before


# A model that the agent would never ask is refused, not recorded as if it had read.
IGNORED = "makes its own answers and would ignore `model`; leave it out"


class Settable(Notes):
    def __init__(self, model: Any = None) -> None:
        self.model = model


def test_it_is_refused_before_data_or_a_key_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for agent in (
        *("floor", "oracle", "no-memory", Notes, "tests.runs.agents:Notes"),
        AgentSpec(agent=Settable, settings={"model": "its-own"}),
        AgentSpec(agent="floor", python=sys.executable),
    ):
        with pytest.raises(UsageError, match=IGNORED) as raised:
            mabench.run(agent, "no such data", model=NOWHERE, out="run")
        assert raised.value.parameter == "model"
        assert not Path("run").exists()


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


def test_it_is_refused_once_the_agent_is_made_and_before_it_is_told(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    program = f"stdio:{sys.executable} {tmp_path / 'program.py'}"
    elsewhere = AgentSpec(agent=f"{worker_agents.__file__}:Echo", python=sys.executable)
    model = ModelSpec("openai/m", base_url=served.url)
    with serving_agent(word_agents()) as agents:
        for agent in (lambda: Notes(), elsewhere, agents.url, f"{program} none"):
            with pytest.raises(UsageError, match=IGNORED):
                mabench.run(agent, dataset(), model=model, out=tmp_path / "run")
            assert not (tmp_path / "run").exists()
        assert Notes.told == agents.asked("/memorize") == []
        done = mabench.run(program, dataset(), model=model, out=tmp_path / "run")
    assert {sample.prediction for sample in done.samples()} == {"Oslo"}, "it may have used it"


def test_a_memory_is_read_by_it_and_a_factory_that_takes_it_is_given_it(tmp_path: Path) -> None:
    made = []

    def make(model: Any = None) -> Notes:
        made.append(model["name"])
        return Notes()

    memories: list[Any] = [Shelf, lambda: Shelf(), "tests.runs.agents:Shelf"]
    with serving(lambda _: "Oslo") as served:
        model = ModelSpec("openai/gpt-4o-mini", base_url=served.url)
        for number, agent in enumerate([*memories, make]):
            done = mabench.run(agent, dataset(), model=model, out=tmp_path / f"{number}")
            assert {sample.prediction for sample in done.samples()} == {"Oslo"}
    assert made == ["gpt-4o-mini"] * 2


def test_checks_and_sweeps_refuse_it_too(served: Served, tmp_path: Path) -> None:
    model = ModelSpec("openai/m", base_url=served.url)
    for agent in ("floor", Notes, lambda: Notes()):
        with pytest.raises(UsageError, match=IGNORED):
            check_agent(AgentSpec(agent=agent, model=model))
    made = SweepSpec(source="ruler_qa1_197K", knob="tokens", values=(1000,))
    with pytest.raises(UsageError, match=IGNORED):
        list(sweep([RunSpec(agent=AgentSpec(agent="floor", model=model))], made))
    words = ("run", "--model", "openai/m", "--data", "synthetic:small")
    for more in ((), ("--estimate",)):
        done = command(*words, *more, cwd=tmp_path)
        assert done.returncode == 2
        assert "floor makes its own answers and would ignore --model" in done.stderr
