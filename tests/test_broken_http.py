"""Servers that break HTTP or never end, over every way to a server.

Each shape is a failed request that names the server; none is a traceback, none waits for ever, and
the requests that are recorded are those that the server got.
"""

import asyncio
import json
import math
import os
import random
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest

import mabench
from mabench.errors import MabenchError
from mabench.metering import Meter
from mabench.models import (
    Call,
    CallLog,
    CallPhase,
    ModelAddress,
    ModelError,
    ModelSpec,
    ReadingModel,
    RequestGate,
    RetryPolicy,
    current_log,
)
from mabench.models.embeddings.served import ServedEmbedder
from mabench.models.preflight import PREFLIGHT_PROMPT
from mabench.remote import http_channel, mcp_channel
from mabench.remote.http_channel import http_factory
from mabench.remote.mcp_channel import mcp_factory
from mabench.specs import Limits
from tests.agents.queries import ask as ask_agent
from tests.broken_http import BROKEN, SHAPES, UNUSABLE, Broken, Shape, breaking
from tests.metering.memories import Calling
from tests.models.server import completion
from tests.remote.mcp_serving import needs_mcp, write_map

QUICK = RetryPolicy(
    attempts=2, first=0.01, longest=0.05, timeout=0.5, patience=0.3, longest_reply=1 << 20
)
PATIENT = RetryPolicy(first=0.01, longest=0.05, timeout=1.0, longest_reply=1 << 20)
# One of each kind; the rest of the table takes minutes.
_KINDS = (
    *("chunk of the size b'zz'", "Content-Length: b'-1'", "status line b'ICY 200 OK'", "nothing"),
    *("too many headers", "escapes in a header", "packed: bomb", "redirect: invalid host"),
    *("redirect: loop with 307", "silent", "a head, a line at a time", "chunks without end"),
)
FAST = [shape for shape in SHAPES if shape.name in _KINDS]
_KEY = "sk-very-secret-0123456789"
_MAP = """
[add]
tool = "add"
arguments = { text = "{text}", name = "{session}" }
[search]
tool = "search"
arguments = { query = "{query}", name = "{session}" }
"""


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MAP", write_map(tmp_path, _MAP))
    monkeypatch.setattr(ModelSpec, "retry", QUICK)
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setattr(http_channel, "_RESET_SECONDS", 0.5)
    monkeypatch.setattr(mcp_channel, "_START_SECONDS", 0.5)


def read(served: Broken) -> int:
    calls: list[Call] = []

    async def ask() -> None:
        current_log.set(log)
        model = ReadingModel.open(ModelSpec("m", base_url=f"{served.url}/v1", cache=False))
        try:
            await model.reply("hello", 5)
        finally:
            await model.close()

    log = CallLog(calls.append, CallPhase("answering"))
    with pytest.raises(ModelError, match=served.url):
        asyncio.run(ask())
    ended = sum(call.ended for call in calls)
    assert len(calls) == 2 * ended
    return ended


def embed(served: Broken) -> None:
    with pytest.raises(ModelError, match=served.url):
        ServedEmbedder("e", f"{served.url}/v1", QUICK).embed(["a"])


def meter(served: Broken) -> int:
    begun: list[Call] = []
    ended: list[Call] = []
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    address = ModelAddress("m", f"{served.url}/v1", "none")
    with Meter(address, {}, RequestGate(retry=QUICK)) as one:
        endpoint = one.endpoint(lambda call: (ended if call.ended else begun).append(call))
        url = endpoint.address.base_url
        with suppress(httpx2.HTTPError):
            assert httpx2.post(f"{url}/chat/completions", json=body, timeout=60).status_code
        with suppress(httpx2.HTTPError):  # What HTTP allows to be sent again is not, either.
            assert httpx2.get(f"{url}/models", timeout=60).status_code
    assert len(begun) == len(ended)
    return len(begun)


def reset(served: Broken) -> None:
    with pytest.raises(MabenchError, match=served.url):
        http_factory(served.url)()


def mcp(served: Broken) -> None:
    with pytest.raises(MabenchError, match=served.url):
        mcp_factory(f"mcp:{served.url}/mcp", os.environ["MAP"])()


def called(served: Broken, make: Callable[[], Any], call: Callable[[Any], Awaitable[Any]]) -> None:
    async def opened() -> None:
        agent = make()
        try:
            async with asyncio.timeout(1.0):  # The engine's, by --answer-timeout.
                await call(agent)
        finally:
            with suppress(MabenchError, TimeoutError):
                async with asyncio.timeout(1.0):
                    await agent.close()

    with pytest.raises((MabenchError, TimeoutError), match=rf"{served.url}|^$"):
        asyncio.run(opened())


def answer(served: Broken) -> None:
    called(served, http_factory(served.url), lambda agent: agent.answer(ask_agent("Where?")))


def mcp_call(served: Broken) -> None:
    memory = mcp_factory(f"mcp:{served.url}/mcp", os.environ["MAP"])
    called(served, memory, lambda memory: memory.add("a"))


Way = Callable[[Broken], "int | None"]
WAYS = [
    *(read, embed, meter, reset, answer),
    pytest.param(mcp, marks=needs_mcp),
    pytest.param(mcp_call, marks=needs_mcp),
]


def sound(way: Way, path: str, body: bytes) -> object:
    """Return what must be replied as it should be, so that a shape comes in its place; or None."""
    if way is answer and path == "/reset":
        return {"session": "1", "kind": "agent"}
    if way is not mcp_call or not body:
        return None
    asked = json.loads(body)
    reply = {"jsonrpc": "2.0", "id": asked.get("id")}
    match asked.get("method"):
        case "tools/call":
            return None
        case "initialize":
            about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
            return {**reply, "result": {"protocolVersion": "2025-06-18", **about}}
        case "tools/list":
            tools = [{"name": n, "inputSchema": {"type": "object"}} for n in ("add", "search")]
            return {**reply, "result": {"tools": tools}}
    return {**reply, "error": {"code": -32601, "message": "no"}}


def problem(way: Way, shape: Shape) -> str | None:
    began = time.monotonic()
    with breaking(lambda path, body, _: sound(way, path, body) or shape) as served:
        try:
            recorded = way(served)
        except (Exception, pytest.fail.Exception) as error:
            return f"{shape.name}: {type(error).__name__}: {error}"
        if recorded is not None and recorded != len(served.paths):
            return f"{shape.name}: {recorded} recorded, {len(served.paths)} sent"
    if time.monotonic() - began > 60:  # Of limits of half a second; machines are busy.
        return f"{shape.name}: took {time.monotonic() - began:.0f} s"
    return None


def problems(way: Way, shapes: list[Shape]) -> list[str]:
    with ThreadPoolExecutor(8) as pool:
        return [said for said in pool.map(lambda shape: problem(way, shape), shapes) if said]


# The others come with every shape in the slow test below.
@pytest.mark.parametrize("way", [read, meter, reset, pytest.param(mcp, marks=needs_mcp)])
def test_what_breaks_http_or_never_ends_is_a_failed_request(
    way: Way, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert problems(way, FAST) == []
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_shape_over_every_way(way: Way) -> None:
    seed = int(os.environ.get("BROKEN_HTTP_SEED") or time.time())
    print(f"BROKEN_HTTP_SEED={seed}")
    assert problems(way, [*SHAPES, *mutated(random.Random(seed), 60)]) == []


def mutated(chance: random.Random, count: int) -> list[Shape]:
    """Return replies of which some bytes are others, doubled or gone."""
    replies = [one.sends.replace(b"HERE", b"http://127.0.0.1:9") for one in (*BROKEN, *UNUSABLE)]
    shapes = []
    for number in range(count):
        reply = bytearray(chance.choice(replies)[:2000])
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(reply) + 1)
            middle = chance.choice([b"", chance.randbytes(1), reply[place : place + 9] * 2])
            reply[place : place + chance.randrange(9)] = middle
        shapes.append(Shape(f"mutation {number}: {bytes(reply)!r}", bytes(reply)))
    return shapes


_ONE = [{"index": 0, "embedding": [3.0]}]


@pytest.mark.parametrize(
    "reply",
    [
        *({"data": [{"index": 0, "embedding": one}]} for one in ([[1.0]], "AAAA", [], [math.nan])),
        {"data": [*_ONE, {"index": 1, "embedding": [1.0]}]},
        *({"data": ["text"]}, {"data": {"index": 0}}, "text"),
        {"data": [{"index": 0, "embedding": [3.0, 3.0]}]},  # Of another length than before.
    ],
)
def test_embeddings_of_other_shapes_are_named(reply: object) -> None:
    with breaking(lambda _, body, number: {"data": _ONE} if number == 1 else reply) as served:
        embedder = ServedEmbedder("e", f"{served.url}/v1", QUICK)
        assert np.array_equal(embedder.embed(["a"]), [[1.0]])
        with pytest.raises(ModelError, match=rf"openai/e at {served.url}/v1: .*embeddings"):
            embedder.embed(["b"])


FAILING = [
    shape for shape in FAST if not shape.stays and "invalid" not in shape.name and not shape.pause
]


def test_the_requests_that_a_run_records_are_those_that_the_server_got(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelSpec, "retry", PATIENT)
    bodies: list[bytes] = []

    def answer(path: str, body: bytes, number: int) -> object:
        bodies.append(body)
        if number % 3 == 0:
            return FAILING[number // 3 % len(FAILING)]
        if b'"input"' in body:
            return {"data": _ONE, "usage": {"prompt_tokens": 1}}
        return completion("yes")

    with breaking(answer) as served:
        model = ModelSpec("m", base_url=f"{served.url}/v1", cache=False)
        given: Any = {
            "data": "synthetic:small",
            "sources": ["factconsolidation_sh_6k"],
            "limit_questions": 12,
            # In this order the server's faults hit the memory's calls, which it survives.
            "limits": Limits(questions=1),
        }
        run = mabench.run(Calling, model=model, out=tmp_path / "run", **given)
        time.sleep(0.2)
    lines = (tmp_path / "run" / "calls.jsonl").read_text("utf-8").splitlines()
    calls = {record["call"]: record for record in map(json.loads, lines)}
    assert PREFLIGHT_PROMPT.encode() in bodies[0]
    assert len(calls) == len(served.paths)
    assert sum(record.get("error") is not None for record in calls.values()) > len(FAILING)
    counted = run.summary.calls
    assert counted is not None
    assert counted.by_memory.calls + counted.by_reader.calls == len(calls), "with the preflight"
