"""A server of models on loopback that streams, embeds, fails on request, and counts for itself."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "sk-real-key-of-the-user"


@dataclass
class Served:
    """What the server was asked.

    ``fault`` returns what to do in place of a reply: a status, ``drop``, ``cut`` (breaks off),
    ``hang``, or None. ``events`` stand in the place of those of a stream, ``whole_events`` of its
    end, too.
    """

    url: str = ""
    calls: int = 0
    paths: Counter[str] = field(default_factory=Counter)
    requests: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    tokens: int = 0
    counts: bool = True
    knows_stream_options: bool = True
    fault: Callable[[int], int | str | None] = lambda call: None
    reply: Callable[[dict[str, Any]], bytes] | None = None
    in_flight: int = 0
    most_in_flight: int = 0
    hung_up: int = 0
    pause: float = 0.0
    events: list[bytes] = field(default_factory=list)
    whole_events: list[bytes] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Served]:
    """Serve in a thread, under ``url``."""
    served, ready, stop = Served(), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def work() -> None:
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            served.in_flight += 1
            served.most_in_flight = max(served.most_in_flight, served.in_flight)
            try:
                return await _answer(served, request)
            except asyncio.CancelledError:
                served.hung_up += 1
                raise
            finally:
                served.in_flight -= 1

        server = web.Server(answer, handler_cancellation=True, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
        await site.start()
        served.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(work()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield served
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


async def _answer(served: Served, request: web.BaseRequest) -> web.StreamResponse:
    body = b"".join([part async for part in request.content.iter_any()])
    served.calls += 1
    call = served.calls
    served.paths[request.path] += 1
    served.bodies.append(body)
    served.headers.append(dict(request.headers))
    content = json.loads(body) if body else {}
    served.requests.append(content)
    if served.pause:
        await asyncio.sleep(served.pause)
    fault = served.fault(call)
    if isinstance(fault, int):
        said = {"error": {"message": f"status {fault}"}}
        headers = {"Location": "http://127.0.0.1:9/elsewhere"} if 300 <= fault < 400 else {}
        return web.json_response(said, status=fault, headers=headers)
    if fault == "hang":
        await asyncio.sleep(60)
    if fault == "drop":
        assert request.transport
        request.transport.abort()
        return web.Response()
    if "stream_options" in content and not served.knows_stream_options:
        return web.json_response({"error": {"message": "unknown: stream_options"}}, status=400)
    if content.get("stream"):
        return await _stream(served, request, content, cut=fault == "cut")
    reply = (served.reply or _reply(served))(content) if request.method == "POST" else _MODELS
    if fault == "cut":
        response = web.StreamResponse(headers={"Content-Length": str(len(reply))})
        await response.prepare(request)
        await response.write(reply[:20])
        assert request.transport
        request.transport.close()
        return response
    served.tokens += 14
    return web.Response(body=reply, content_type="application/json")


_MODELS = b'{"object": "list",  "data": [{"id": "m"}]}'


def usage_of(content: dict[str, Any]) -> dict[str, Any]:
    if "input" in content:
        return {"prompt_tokens": 11, "total_tokens": 11}
    details = {"cached_tokens": 4}
    return {"prompt_tokens": 11, "completion_tokens": 3, "prompt_tokens_details": details}


def _reply(served: Served) -> Callable[[dict[str, Any]], bytes]:
    def reply(content: dict[str, Any]) -> bytes:
        if "input" in content:
            made: dict[str, Any] = {"data": [{"embedding": [0.5, 0.25], "index": 0}]}
        else:
            message = {"role": "assistant", "content": "Paris it is"}
            made = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        if served.counts:
            made["usage"] = usage_of(content)
        return json.dumps(made, indent=1).encode()

    return reply


async def _stream(
    served: Served, request: web.BaseRequest, content: dict[str, Any], cut: bool
) -> web.StreamResponse:
    asked = served.counts and (content.get("stream_options") or {}).get("include_usage")
    null = ',"usage":null' if asked else ""
    events = served.events or [
        f'data: {{"choices":[{{"index":0,"delta":{{"content":"{word}"}}}}]{null}}}\n\n'.encode()
        for word in ("Paris", " it", " is")
    ]
    if asked:
        last = {"choices": [], "usage": usage_of(content)}
        events = [*events, f"data: {json.dumps(last)}\n\n".encode()]
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    for number, event in enumerate(served.whole_events or [*events, b"data: [DONE]\n\n"]):
        if cut and number == 1:
            assert request.transport
            request.transport.close()
            return response
        await response.write(event)
        await asyncio.sleep(0.001)
    served.tokens += 14
    return response
