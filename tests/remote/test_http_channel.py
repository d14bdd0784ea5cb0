import asyncio
import io
import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import reduce
from http.server import BaseHTTPRequestHandler
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml
from examples import http_server
from jsonschema import Draft202012Validator

import mabench
from mabench.contract.answers import AgentError
from mabench.contract.methods import KINDS
from mabench.errors import UsageError
from mabench.remote.channel import RemoteError
from mabench.remote.http_channel import http_factory
from mabench.specs import Limits
from tests.agents.queries import ask
from tests.remote.http_serving import DROP, Exchange, Respond, running, serving
from tests.remote.mcp_serving import free_port
from tests.rows import dataset
from tests.runs.agents import Shelf

FACTS = "factconsolidation_sh_6k"
ROOT = Path(__file__).parents[2]
CONTRACT = yaml.safe_load((ROOT / "docs" / "reference" / "openapi.yaml").read_text("utf-8"))


class WordAgent:
    """Answers with the chunk of the most shared words."""

    def __init__(self) -> None:
        self.chunks: list[str] = []

    def memorize(self, chunk: str) -> None:
        self.chunks.append(chunk)

    def answer(self, query: mabench.Query) -> Any:
        return self.find(query.search_query)

    def find(self, query: str) -> dict[str, Any]:
        words = set(query.lower().split())
        best = max(self.chunks, key=lambda chunk: len(words & set(chunk.lower().split())))
        return {"text": best[:40], "retrieved": [best], "input_tokens": len(best), "cost": 0.5}


def word_agents() -> Respond:
    agents: dict[str, WordAgent] = {}

    def respond(path: str, body: Any) -> tuple[int, Any]:
        if path == "/reset":
            agents[str(len(agents))] = WordAgent()
            return 200, {"session": str(len(agents) - 1), "kind": "agent"}
        agent = agents[body["session"]]
        if path == "/memorize":
            agent.memorize(body["chunk"])
        elif path == "/answer":
            return 200, agent.find(body["search_query"])
        elif path == "/stats":
            return 200, {"memories": len(agent.chunks), "bytes": sum(map(len, agent.chunks))}
        return 200, {}

    return respond


def run(agent: Callable[[], object], out: Path, limits: Limits | None = None) -> list[str]:
    sources = [FACTS, "eventqa_full", "icl_banking77_5900shot_balance"]
    what: Any = {"sources": sources, "limit_questions": 4, "limits": limits}
    mabench.run(agent, "synthetic:small", out=out, **what)
    lines = (out / "samples.jsonl").read_text("utf-8").splitlines()
    # Each says of which run it is, and these are of different agents.
    return sorted(json.dumps({**json.loads(line), "run": None}) for line in lines)


def test_the_example_gives_the_samples_of_the_same_memory_in_process(tmp_path: Path) -> None:
    class Notes(Shelf):
        def search(self, query: str, k: int) -> Any:
            return http_server.search(self.texts, query, k)

    here = run(Notes, tmp_path / "here")
    with running(_recording([])) as url:
        there = run(http_factory(url), tmp_path / "there", Limits(rows=3, questions=4))
    assert there == here
    assert any('"retrieved": []' not in sample for sample in here)
    assert http_server.SESSIONS == {}, "a session was not closed"


def test_an_agent_gives_the_samples_of_the_same_agent_in_process(tmp_path: Path) -> None:
    here = run(WordAgent, tmp_path / "here")
    # A session that cannot be ended harms no answer.
    with serving(failing_at("/close", 500, {"error": "no"})) as served:
        there = run(http_factory(served.url), tmp_path / "there", Limits(rows=3, questions=4))
    assert there == here
    assert json.loads(here[0])["cost"] == 0.5
    memory = json.loads((tmp_path / "there" / "memories.jsonl").read_text("utf-8").splitlines()[0])
    assert (memory["memories"], memory["bytes"]) == (memory["chunks"], memory["characters"])
    assert {one.status for one in served.exchanges} == {200, 500}
    assert not any(map(problems, served.exchanges))


def test_client_and_example_keep_to_the_contract_which_refuses_what_it_should() -> None:
    said: list[Exchange] = []
    with running(_recording(said)) as url:
        asyncio.run(_talk(url))
    paths = "/reset /add /add /search /stats /close"
    assert [exchange.path for exchange in said] == paths.split()
    assert said[3].reply == {"passages": ["The keeper of Orvale.", "\ud800 alone"]}
    assert [problem for exchange in said for problem in problems(exchange)] == []
    assert problems(Exchange("/add", {"session": "1"}, 200, {}))
    assert problems(Exchange("/reset", {}, 200, {"session": "1", "kind": "other"}))
    assert problems(Exchange("/search", {"session": "1", "query": "", "k": 1}, 200, {}))
    assert problems(Exchange("/answer", {"session": "1"}, 500, {"error": "x"}))
    assert problems(Exchange("/close", {"session": "1"}, 500, {"error": 4}))


async def _talk(url: str) -> None:
    memory: Any = http_factory(url)()
    await memory.add("\ud800 alone")
    await memory.add("The keeper of Orvale.")
    await memory.search("keeper of what?", 2)
    assert await memory.stats() == {}
    await memory.close()


def test_where_nobody_answers_it_says_what_to_do() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(UsageError, match=rf"no reply from {url}/reset: .*start the server at"):
        http_factory(url)()


@pytest.mark.parametrize("url", ["http://", "ftp://a", "127.0.0.1:9", "http://a:b", "http://a?b"])
def test_what_is_no_address_is_refused_before_anything_happens(url: str) -> None:
    with pytest.raises(UsageError, match="no address of a server"):
        http_factory(url)


@pytest.mark.parametrize("reply", [{"session": "1"}, {"kind": [], "session": "1"}, [], "<html>"])
def test_a_server_of_another_kind_is_named(reply: object) -> None:
    with serving(lambda path, body: (200, reply)) as served, pytest.raises(UsageError) as caught:
        http_factory(served.url)()
    assert f"{served.url}/reset replied with {json.dumps(reply)}; expected" in str(caught.value)


@pytest.mark.parametrize(
    ("status", "reply", "message"),
    [
        (500, {"error": "the disk\n is full"}, "the disk is full (http"),
        (400, "plain " + "x" * 999, "plain " + "x" * 294 + " (http"),
        (503, {"detail": "no"}, '{"detail": "no"} (http'),
        (301, "", "replied with status 301"),
        (200, {"answer": "42"}, '/answer replied with {"answer": "42"}; expected an object with'),
    ],
)
def test_the_servers_message_is_the_error(status: int, reply: object, message: str) -> None:
    with serving(failing_at("/answer", status, reply)) as served:
        with pytest.raises((RemoteError, AgentError)) as caught:
            asyncio.run(answered(served.url))
        assert message in str(caught.value)
        assert len(served.asked("/answer")) == 1, "a refusal was asked again"


@pytest.mark.parametrize(
    ("method", "drops", "calls"),
    [("answer", 2, 3), ("answer", 9, 3), ("memorize", 1, 1), ("search", 2, 3), ("add", 1, 1)],
)
def test_what_reads_is_asked_again_three_times_and_what_stores_is_not(
    method: str, drops: int, calls: int
) -> None:
    kind = "memory" if method in KINDS["memory"] else "agent"
    reply = {"text": "there", "passages": ["there"], "session": "1", "kind": kind}

    def respond(path: str, body: Any) -> tuple[int, Any]:
        is_dropped = path == f"/{method}" and len(served.asked(path)) < drops
        return (DROP, None) if is_dropped else (200, reply)

    async def talk() -> Any:
        call = getattr(http_factory(served.url)(), method)
        words: dict[str, list[Any]] = {"answer": [ask("Where?")], "search": ["Where?", 1]}
        return await call(*words.get(method, ["there"]))

    ends: AbstractContextManager[Any] = pytest.raises(RemoteError, match="no reply from")
    if calls > drops:
        ends = nullcontext()
    with serving(respond) as served:
        with ends:
            assert "there" in str(asyncio.run(talk()))
        assert len(served.asked(f"/{method}")) == calls


def test_a_server_that_is_back_in_time_is_told_a_chunk() -> None:
    async def talk() -> None:
        with serving(lambda path, body: (200, {"session": "1", "kind": "agent"})) as served:
            agent: Any = http_factory(served.url)()
            port = int(served.url.rpartition(":")[2])
        telling = asyncio.create_task(agent.memorize("again"))
        await asyncio.sleep(0.1)  # The first attempt has met nobody.
        told = asyncio.Event()

        async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"}")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            told.set()
            writer.close()

        async with await asyncio.start_server(listen, "127.0.0.1", port):
            await asyncio.gather(telling, told.wait())

    asyncio.run(talk())


async def answered(url: str) -> Any:
    agent: Any = http_factory(url)()
    try:
        await agent.memorize("there")
        return await agent.answer(ask("Where?"))
    finally:
        await agent.close()


def failing_at(path: str, status: int, reply: object) -> Respond:
    agent = word_agents()
    return lambda asked, body: (status, reply) if asked == path else agent(asked, body)


def problems(exchange: Exchange) -> list[str]:
    """Return how an exchange breaks the contract."""
    operation = CONTRACT["paths"][exchange.path]["post"]
    responses = operation["responses"]
    response = responses.get(str(exchange.status), responses["default"])
    found = []
    for part, value in ((operation["requestBody"], exchange.body), (response, exchange.reply)):
        if "$ref" in part:
            names = part["$ref"].removeprefix("#/").split("/")
            part = reduce(getitem, names, CONTRACT)
        if "content" in part:
            schema = part["content"]["application/json"]["schema"]
            validator = Draft202012Validator({"components": CONTRACT["components"], **schema})
            found += [error.message for error in validator.iter_errors(value)]
    return found


def _recording(said: list[Exchange]) -> type[BaseHTTPRequestHandler]:
    """Return the handler of the example, which keeps what goes in and out."""

    def do_post(self: Any) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reader, writer = self.rfile, self.wfile
        self.rfile, self.wfile = io.BytesIO(body), io.BytesIO()
        http_server.Handler.do_POST(self)
        sent = self.wfile.getvalue()
        self.rfile, self.wfile = reader, writer
        head, _, reply = sent.partition(b"\r\n\r\n")
        said.append(Exchange(self.path, json.loads(body), int(head.split()[1]), json.loads(reply)))
        writer.write(sent)

    silent = {"do_POST": do_post, "log_message": lambda *_: None}
    return type("Recording", (http_server.Handler,), silent)


def test_a_server_on_this_machine_is_told_where_its_model_calls_are_metered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("aiohttp")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-key-of-the-user")
    with serving(word_agents()) as served:
        agent = mabench.AgentSpec(agent=served.url, meter="http://127.0.0.1:9/v1")
        mabench.run(agent, dataset(), rows=[0], sources=[FACTS], out=tmp_path / "run")
    assert not any(map(problems, served.exchanges))
    (told,) = served.asked("/reset")
    assert told["model"]["base_url"].startswith("http://127.0.0.1:")
    assert told["model"]["api_key"].startswith("sk-mabench-")
