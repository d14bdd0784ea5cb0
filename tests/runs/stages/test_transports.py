"""A store is read alike in this process, in a program, and behind HTTP or MCP."""

import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.results import Run, SourceSummary
from mabench.specs import AgentSpec, Limits
from tests.remote.http_serving import serving
from tests.remote.mcp_serving import needs_mcp
from tests.runs.stages.histories import SOURCES, made_row

_LISTED = 20  # As many records as many memories list unless they are asked for more.


class Half:
    """Keeps every second text, and finds the newest ones."""

    def __init__(self) -> None:
        self.told = 0
        self.kept: list[str] = []

    def add(self, text: str) -> None:
        self.told += 1
        if self.told % 2:
            self.kept.append(text)

    def search(self, query: str, k: int) -> list[str]:
        return self.kept[-k:]

    def list(self) -> Any:
        return self.kept


class FirstPage(Half):
    """Lists no more than one page, and does not say so."""

    def list(self) -> Any:
        return super().list()[:_LISTED]


class Streams(Half):
    """Yields its records one by one."""

    def list(self) -> Any:
        yield from self.kept


class StreamsLater(Half):
    """Yields its records one by one, from an async generator."""

    async def list(self) -> Any:
        for one in self.kept:
            yield {"text": one}


_PROGRAM = """
import json, sys
told, kept = 0, []
for line in sys.stdin:
    request = json.loads(line.lstrip(chr(30)))
    method, given = request["method"], request.get("params") or {}
    result = None
    if method == "make":
        result = {"kind": "memory", "methods": ["list"]}
    elif method == "add":
        told += 1
        kept += [given["text"]] if told % 2 else []
    elif method == "search":
        result = kept[-given["k"]:]
    elif method == "list":
        result = {"passages": kept}
    reply = {"jsonrpc": "2.0", "id": request["id"], "result": result}
    sys.stdout.write(chr(30) + json.dumps(reply) + chr(10))
    sys.stdout.flush()
"""
_MCP_SERVER = """
from mcp.server.mcpserver import MCPServer
told, kept = [], []

def keep(text: str) -> str:
    told.append(text)
    if len(told) % 2:
        kept.append(text)
    return "kept"

def find(query: str, limit: int) -> dict[str, list[str]]:
    return {"found": kept[-limit:]}

def show() -> dict[str, list[str]]:
    return {"found": kept}

server = MCPServer("half", log_level="ERROR")
for tool in (keep, find, show):
    server.add_tool(tool, structured_output=True)
server.run("stdio")
"""
_MCP_MAP = """
[server]
starts_empty = true
[add]
tool = "keep"
arguments = { text = "{text}" }
[search]
tool = "find"
arguments = { query = "{query}", limit = "{k}" }
results = "found[]"
[list]
tool = "show"
arguments = {}
results = "found[]"
"""


def _run(agent: Any, out: Path) -> Run:
    row = made_row("facts", facts=62, asked=20)
    limits = Limits(stages="end", stage_depth=60)
    return mabench.run(agent, [row], sources=SOURCES, protocol="turns", limits=limits, out=out)


def _source(run: Run) -> SourceSummary:
    (source,) = run.summary.sources.values()
    return source


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> SourceSummary:
    source = _source(_run(Half, tmp_path_factory.mktemp("here")))
    assert source.parts["absent"] > 0
    assert source.parts["unfound"] > 0
    return source


def _is_alike(there: SourceSummary, here: SourceSummary) -> bool:
    assert there.stages
    assert here.stages
    assert there.stages.commonest_error is None
    assert there.stages.records == here.stages.records == 31
    return there.parts == here.parts and there.stages.store == here.stages.store


def test_a_program_is_read_alike(here: SourceSummary, tmp_path: Path) -> None:
    program = tmp_path / "half.py"
    program.write_text(_PROGRAM)
    agent = AgentSpec(agent=f"stdio:{shlex.join([sys.executable, str(program)])}")
    assert _is_alike(_source(_run(agent, tmp_path / "run")), here)


def _respond(sessions: dict[str, Half]) -> Callable[[str, Any], tuple[int, Any]]:
    def respond(path: str, body: Any) -> tuple[int, Any]:
        if path == "/reset":
            session = f"row-{len(sessions)}"
            sessions[session] = Half()
            return 200, {"session": session, "kind": "memory", "methods": ["list"]}
        memory = sessions[body["session"]]
        if path == "/add":
            memory.add(body["text"])
        elif path == "/search":
            return 200, {"passages": memory.search(body["query"], body["k"])}
        elif path == "/list":
            return 200, {"passages": memory.list()}
        return 200, {}

    return respond


def test_a_server_is_read_alike(here: SourceSummary, tmp_path: Path) -> None:
    with serving(_respond({})) as served:
        there = _source(_run(AgentSpec(agent=served.url), tmp_path / "run"))
    assert _is_alike(there, here)
    assert len(served.asked("/list")) == 1


@needs_mcp
def test_an_mcp_server_is_read_alike(here: SourceSummary, tmp_path: Path) -> None:
    server, mapping = tmp_path / "server.py", tmp_path / "map.toml"
    server.write_text(_MCP_SERVER)
    mapping.write_text(_MCP_MAP)
    agent = AgentSpec(
        agent=f"mcp:{shlex.join([sys.executable, str(server)])}", mcp_map=str(mapping)
    )
    assert _is_alike(_source(_run(agent, tmp_path / "run")), here)


@pytest.mark.parametrize("memory", [Streams, StreamsLater])
def test_generators_are_read_to_their_end(
    memory: type, here: SourceSummary, tmp_path: Path
) -> None:
    assert _is_alike(_source(_run(memory, tmp_path)), here)


def test_a_first_page_is_no_loss(tmp_path: Path) -> None:
    source = _source(_run(FirstPage, tmp_path))
    assert source.stages
    assert source.stages.cut_lists == 20
    assert source.parts["absent"] == source.parts["unwritten"] == source.parts["lost"] == 0
    assert source.stages.store
    assert source.stages.store.records_per_1000_tokens is None


def test_an_endless_list_is_cut_and_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless(Half):
        def list(self) -> Iterator[str]:
            while True:
                yield from self.kept[:5]

    monkeypatch.setattr("mabench.contract.answers._MOST_RECORDS", 200)
    source = _source(_run(Endless, tmp_path))
    assert source.stages
    assert (source.stages.records, source.stages.cut_lists) == (200, 20)
    assert source.parts["absent"] == 0


def test_a_list_that_fails_loses_no_answer(tmp_path: Path) -> None:
    class Fails(Half):
        def list(self) -> Any:
            raise OSError("the store is locked")

    source = _source(_run(Fails, tmp_path))
    assert source.stages
    assert "the store is locked" in str(source.stages.commonest_error)
    assert (source.n, source.errors) == (20, 0)
    assert source.missed == source.parts["missed"]
