"""Every memory system for real: synthetic rows from end to end, metered, and ``mabench check``.

Run by ``make test-memories``; environments are made in ``.venv-memories``.
"""

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest

from mabench.results import CallRecord
from mabench.results.records.store import RunFolder
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
