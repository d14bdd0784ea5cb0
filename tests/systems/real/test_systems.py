"""Every memory system for real: synthetic rows from end to end, metered, and ``mabench check``.

Run by ``make test-memories``; environments are made in ``.venv-memories``.
"""

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest

from mabench.contract.methods import Takes
from mabench.plugins import Group, plugins
from mabench.remote.channel import RemoteError
from mabench.results import CallRecord
from mabench.results.records.store import RunFolder
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, ModelSpec, RunSpec
from mabench.tasks.loops import run_to_end
from tests.systems.real.environments import (
    described,
    embedding_model,
    environment,
    make_ahead,
    noted,
    served,
)

pytestmark = pytest.mark.real

_LEAST = 90.0  # Percent of single-fact questions for which the gold must be retrieved.
_SOURCE = "factconsolidation_sh_6k"
_LONGEST = 1800  # Seconds: `check` starts Letta's server some twenty times.


class System(NamedTuple):
    """A memory system, and what it needs."""

    name: str  # By which mabench runs it.
    model: bool = False  # It is given a language model.
    served: bool = False  # It embeds on a server alone.
    apart: bool = False  # It must live in an environment without mabench.
    alone: bool = False  # It must have a process for each row to be metered.
    failing: frozenset[str] = frozenset()  # Checks that it fails for a reason of its own.


SYSTEMS = (
    System("dense"),
    System("hybrid"),
    System("mem0", model=True),
    System("langmem", model=True),
    System("llama-index"),
    System("txtai"),
    System("graphiti", model=True),
    System("cognee", model=True, alone=True),
    # It embeds all pieces of a text at a time, each by a client of its own, and when there are
    # hundreds, as in a text of every script, it times out while connecting.
    System("letta", model=True, served=True, apart=True, failing=frozenset({"unicode"})),
)
# Those that are told of a model; of the others only the reader calls one.
METERED = [system for system in SYSTEMS if system.name not in ("dense", "hybrid")]
_QUESTIONS = 30


@pytest.fixture(scope="module", autouse=True)
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The stand-in for a language model; the environments of all that is tested are made ahead."""
    asked = [getattr(item, "callspec", None) for item in request.session.items]
    chosen: list[System] = [call.params["system"] for call in asked if call]
    make_ahead({environment_of(system.name): not system.apart for system in chosen})
    with served() as url:
        yield url


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "rows"
    _mabench(
        System("dense"), "generate", _SOURCE, "--rows", "2", "--tokens", "2500",
        "--questions", str(_QUESTIONS), "--out", str(folder),
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def facts_and_documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "both"
    _mabench(
        System("dense"), "generate", _SOURCE, "ruler_qa1_197K", "--rows", "1", "--tokens", "2500",
        "--questions", str(_QUESTIONS), "--out", str(folder),
    )  # fmt: skip
    return folder


def environment_of(system: str) -> str:
    shared = {"hybrid": "dense", "llama-index": "llama_index"}
    return shared.get(system, system)


def _mabench(system: System, *arguments: str) -> subprocess.CompletedProcess[str]:
    name = "dense" if system.apart else system.name
    program = environment(environment_of(name)) / "bin" / "mabench"
    # No one's key, no network beyond loopback, and a core each for two tests at a time.
    known = {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [program, *arguments],
        capture_output=True, text=True, timeout=_LONGEST, env={**os.environ, **known},
    )  # fmt: skip


def _options(system: System, server: str, *, metered: bool = False) -> list[str]:
    """Return what a command is told of a system; metered, it embeds on the server, too."""
    on_server = metered or system.served
    embeddings = "openai/all-MiniLM-L6-v2" if on_server else embedding_model()
    options = ["--set", f"embeddings={embeddings}"]
    if system.model or metered:
        options += ["--model", "openai/stand-in", "--base-url", server]
    if system.apart or (metered and system.alone):
        folder = environment(environment_of(system.name), ours=not system.apart)
        options += ["--python", str(folder / "bin" / "python")]
    return options


Asked = Counter[tuple[str, str]]  # By path, and "calls" or tokens of "input" or "output".


def asked_of(server: str) -> Asked:
    """Return what the server at a base URL counted since it started."""
    with urlopen(f"{server.removesuffix('/v1')}/count", timeout=30) as reply:
        return Counter({(path, name): number for path, name, number in json.loads(reply.read())})


def counted(calls: Iterable[CallRecord]) -> Asked:
    total: Asked = Counter()
    for call in calls:
        total[call.path, "calls"] += 1
        total[call.path, "input"] += call.input_tokens or 0
        total[call.path, "output"] += call.output_tokens or 0
    return +total


def describe(calls: Iterable[CallRecord], history_tokens: int, questions: int) -> str:
    """Say what the calls of a memory come to: per 1,000 tokens of history, and per question."""
    calls, parts = [*calls], []
    for phase, name, unit in (
        ("memorizing", "1,000 tokens of history", history_tokens / 1000),
        ("answering", "a question", questions),
    ):
        total = counted(call for call in calls if call.phase == phase)
        for path in sorted({path for path, _ in total}):
            number, given, made = (total[path, key] / unit for key in ("calls", "input", "output"))
            parts.append(f"{name}: {path} {number:,.1f} calls, {given:,.1f} + {made:,.1f} tokens")
    return "; ".join(parts)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_row_from_end_to_end(system: System, data: Path, server: str, tmp_path: Path) -> None:
    cache = ["--no-cache"] if system.model else []
    start = time.monotonic()
    done = _mabench(
        system, "run", system.name, *_options(system, server), *cache,
        "--data", str(data), "--row", "0", "--chunk-tokens", "64", "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    source = summary["sources"][_SOURCE]
    hits = source["retrieval"]["hit_at"]
    memory = {key: source["memory"][key] for key in ("chunks", "memories", "bytes")}
    shares = " / ".join(f"{hits[depth]:.0f}" for depth in ("1", "5", "10"))
    seconds = time.monotonic() - start
    noted(f"{system.name}: gold retrieved at 1 / 5 / 10: {shares} %, {memory}, {seconds:.0f} s")
    assert (source["errors"], source["answered"]) == (0, _QUESTIONS)
    assert hits["10"] >= _LEAST


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_stage_of_every_loss_is_looked_for(
    system: System, facts_and_documents: Path, server: str, tmp_path: Path
) -> None:
    """The figures are the table of systems in the guide *Find out why*."""
    cache = ["--no-cache"] if system.model else []
    done = _mabench(
        system, "run", system.name, *_options(system, server), *cache, "--set", "k=5",
        "--data", str(facts_and_documents), "--chunk-tokens", "64", "--stages", "full",
        "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    parts, looked = Counter[str](), Counter[str]()
    for source in summary["sources"].values():
        parts.update(source["parts"])
        looked.update({name: source["stages"][name] for name in ("listed", "searched")})
    seen = ", ".join(f"{part} {number}" for part, number in parts.items() if number)
    noted(f"{system.name}: stages: {seen}; {dict(looked)}")
    assert parts.total() == 2 * _QUESTIONS
    assert not parts["failed"]


@pytest.mark.parametrize("system", METERED, ids=lambda system: system.name)
def test_the_meter_counts_what_the_server_counts(
    system: System, data: Path, server: str, tmp_path: Path
) -> None:
    """Two rows at a time, each metered apart; embeddings come from the server, too."""
    before = asked_of(server)
    done = _mabench(
        system, "run", system.name,
        *_options(system, server, metered=True), "--no-cache", "--data", str(data),
        "--chunk-tokens", "64", "--rows-in-parallel", "2", "--questions-in-parallel", "1",
        "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    calls = [*RunFolder(tmp_path / "run").calls()]
    assert all(call.ended for call in calls)
    assert counted(calls) == asked_of(server) - before
    own = [call for call in calls if call.by == "memory"]
    assert {call.phase for call in own} == {"memorizing", "answering"}
    answering = [(call.row, call.question_index) for call in own if call.phase == "answering"]
    assert {*answering} == {(row, question) for row in (0, 1) for question in range(_QUESTIONS)}
    assert {call.row for call in own if call.phase == "memorizing"} == {0, 1}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))["calls"]
    noted(f"{system.name}: {describe(own, summary['history_tokens'], summary['questions'])}")


def _report(command: str, system: System, server: str, *words: str) -> dict[str, Any]:
    words = (*_options(system, server), *words, "--format", "json")
    done = _mabench(system, command, system.name, *words)
    assert done.returncode in (0, 1), done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_check(system: System, server: str) -> None:
    start = time.monotonic()
    report = _report("check", system, server, "--timeout", "300")
    said = [
        f"\n  {finding['check']}: {finding['status']}: {finding['message']}"
        for finding in report["findings"]
        if finding["status"] != "passed"
    ]
    noted(f"{system.name}: check took {time.monotonic() - start:.0f} s{''.join(said)}")
    failed = {finding["check"] for finding in report["findings"] if finding["invalidates"]}
    assert failed == system.failing


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_stress_reports_what_it_sees(system: System, server: str) -> None:
    """What is found is noted: what a system does not promise, it does not break."""
    report = _report("stress", system, server, "--for", "60", "--clients", "1,8")
    noted(f"{system.name}: {described(report)}")
    assert sum(part["histories"] for part in report["tried"])


_JUNE, _JULY = datetime(2024, 6, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC)
_EARLY, _BEFORE, _AFTER = (datetime(2024, month, 15, tzinfo=UTC) for month in (5, 6, 7))
_NAMES = ("Marlow", "Quill", "Tamsin", "Ysolde", "Wren", "Bramble", "Heron", "Finch")
_QUESTION = "Who is the lighthouse keeper of Orvale?"
# One name begins with the other, and one has what is special in a path, a pattern or a filter.
_ADA, _ADAM, _ODD = "ada", "adam", "O'Neil / *.%\u00e9"


def _keeper(name: str) -> str:
    return f"The lighthouse keeper of Orvale is {name} Sorrel."


def _spec(system: System, server: str, model: bool) -> RunSpec:
    python = environment(environment_of(system.name), ours=not system.apart) / "bin" / "python"
    settings = {"embeddings": embedding_model()}
    if system.served:
        settings = {"embeddings": "openai/all-MiniLM-L6-v2", "embeddings_url": server}
    named = ModelSpec(name="openai/stand-in", base_url=server, cache=False) if model else None
    return RunSpec(
        agent=AgentSpec(agent=system.name, python=python, settings=settings, model=named)
    )


# mem0 and langmem store texts as they are where there is no model.
_CASES = [(system, model) for system in SYSTEMS for model in (False, True) if (
    system.name not in ("dense", "hybrid")
    and (model is system.model or system.name in ("mem0", "langmem"))
)]  # fmt: skip


@pytest.mark.parametrize(
    ("system", "model"), _CASES, ids=lambda value: getattr(value, "name", value)
)
def test_what_is_declared_is_done(
    system: System, model: bool, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    async def use(door: Conversation) -> None:
        await door.make()
        try:
            await _try_users_and_times(door, door.takes)
            await _try_editing(door, door.takes)
        finally:
            await door.close()

    factory, _ = open_agent(_spec(system, server, model))
    run_to_end(use(Conversation(factory)))


async def _names(door: Conversation, **asked: Any) -> set[str]:
    """Return the keepers who are found."""
    found = await door.search(_QUESTION, 20, asked)
    return {name for name in _NAMES for one in found if name in one.text}


async def _try_users_and_times(door: Conversation, takes: Takes) -> None:
    own = {_ADA: "Marlow", _ADAM: "Quill", _ODD: "Tamsin", None: "Ysolde"}
    for user, name in own.items():
        fields = {"user": user, "time": _JUNE, "speaker": "Bo", "session": f"of {name}"}
        await door.tell(_keeper(name), fields)
    assert "user" in takes.told & takes.asked
    for user, name in own.items():
        # Without a user, all are asked.
        assert await _names(door, user=user) == ({name} if user else {*own.values()}), user
    assert await _names(door, user="nobody at all") == set()
    if "time" in takes.told & takes.asked:
        await door.tell(_keeper("Wren"), {"user": _ADA, "time": _JULY})
        assert await _names(door, user=_ADA, time=_BEFORE) == {"Marlow"}
        assert await _names(door, user=_ADA, time=_AFTER) >= {"Wren"}
        hits = await door.search(_QUESTION, 20, {"user": _ADA})
        assert {hit.time for hit in hits} == {_JUNE, _JULY}


async def _try_editing(door: Conversation, takes: Takes) -> None:
    assert takes.methods >= {"update", "delete", "list"}
    listed = " ".join(await door.list_texts())
    assert all(name in listed for name in ("Marlow", "Quill", "Tamsin", "Ysolde"))
    own = " ".join(await door.list_texts(user=_ADAM))
    assert {name for name in _NAMES if name in own} == {"Quill"}
    assert await door.list_texts(user="nobody at all") == []
    editor = {"user": "editor", "time": _JUNE}
    [id] = await door.tell(_keeper("Bramble"), editor)
    await door.update(id, _keeper("Heron"), editor)
    assert await _names(door, user="editor") == {"Heron"}
    await door.update(id, _keeper("Finch"))  # Its id holds on, and its user and time.
    assert await _names(door, user="editor") == {"Finch"}
    if "time" in takes.told & takes.asked:
        assert await _names(door, user="editor", time=_BEFORE) == {"Finch"}
        assert await _names(door, user="editor", time=_EARLY) == set()
    with pytest.raises(RemoteError, match="no text has the id 'no such id'"):
        await door.update("no such id", "Lost.")
    with pytest.raises(RemoteError, match="no text has the id 'no such id'"):
        await door.delete(id="no such id")
    await door.delete(id=id)
    assert await _names(door, user="editor") == set()
    await door.delete(user=_ADA)
    assert await _names(door) == {"Quill", "Tamsin", "Ysolde"}
    left = " ".join(await door.list_texts())
    assert {name for name in _NAMES if name in left} == {"Quill", "Tamsin", "Ysolde"}


# Where a session went, by what the system itself says of it.
_SESSIONS = {
    "mem0": """memory._memory.get_all(filters={"run_id": "s1"})["results"][0]["memory"]""",
    "llama-index": """[node.text for node in memory._wait(memory._vectors.aget_nodes(None,
        memory._types.MetadataFilters.from_dict({"session_id": "s1"})))][0]""",
}


def _printed(system: str, program: str, **arguments: Any) -> str:
    """Return what a program prints in a system's environment, where ``memory`` is made."""
    kind = plugins(Group.MEMORIES)[system].value.replace(":", " import ")
    arguments = {"embeddings": embedding_model(), **arguments}
    whole = f"from {kind} as Memory\nmemory = Memory(**{arguments!r})\n{program}\nmemory.close()"
    done = subprocess.run(
        [environment(environment_of(system)) / "bin" / "python", "-c", whole],
        capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "system", [one for one in SYSTEMS if one.name in _SESSIONS], ids=lambda system: system.name
)
def test_a_session_is_one_of_the_system(system: System) -> None:
    printed = _printed(
        system.name,
        f"""
memory.add("We met.", session="s1")
memory.add("We parted.", session="s2")
print({_SESSIONS[system.name]})""",
    )
    assert "We met." in printed
    assert "We parted." not in printed


@pytest.mark.parametrize("system", [one for one in SYSTEMS if one.name == "graphiti"])
def test_graphiti_finds_the_facts_that_held(system: System, server: str) -> None:
    """The stand-in for a model dates no facts, so they are dated in the graph itself."""
    model = {"name": "stand-in", "base_url": server, "api_key": "none"}
    printed = _printed(
        system.name,
        """
from datetime import datetime, timezone
june, july = (datetime(2024, month, 15, tzinfo=timezone.utc) for month in (6, 7))
memory.add("The keeper of Orvale Light is Bo Marlow.", time=june)
memory._wait(memory._driver.execute_query("MATCH (e:RelatesToNode_) SET e.valid_at ="
    " timestamp('2024-06-15 00:00:00'), e.invalid_at = timestamp('2024-07-01 00:00:00')"))
for time in (june, july):
    print(len(memory.search("keeper", 9, time=time)))
print(len(memory.search("keeper", 9)))""",
        model=model,
        recipe="facts",
    )
    assert printed.split() == ["1", "0", "1"]
