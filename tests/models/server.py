"""A server of models on loopback, which counts what it is asked and misbehaves on request."""

import json
import re
import select
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.remote.http_serving import Handler, running

KEY = "sk-real-key-of-the-user"
PREFLIGHT = "Reply with OK."
# What passes: statuses and broken connections.
FAULTS: list[int | str] = [408, 409, 425, 429, 500, 502, 503, "drop", "cut"]


class Fault(NamedTuple):
    """What the server does in place of a reply.

    ``kind``: an HTTP status as digits, ``drop`` (closes the connection), ``cut`` (breaks off),
    ``garbage`` (no JSON), ``shape`` (JSON that is no completion), ``empty`` (no text),
    ``uncounted`` (no tokens), ``hang`` (never replies), ``late`` (replies after ``seconds``).
    """

    kind: str
    headers: dict[str, str] | None = None
    body: str | None = None
    seconds: float = 0.0


Answering = Callable[[str], str | Fault]


@dataclass
class Served:
    """What the server does, and what it was asked.

    ``answer`` takes prompts but for preflights; ``fault`` takes the number of a call, from 1, and
    ``reply`` makes bodies of requests. ``events`` stand in the place of those of a stream.

    Preflights are among ``calls``, ``paths``, ``bodies`` and ``headers`` alone. By prompt,
    ``asked`` counts requests, and ``paid`` those with a reply.
    """

    answer: Answering = lambda _: "Paris it is"
    preflight: Answering = lambda _: "OK"
    fault: Callable[[int], Fault | int | str | None] = lambda _: None
    reply: Callable[[dict[str, Any]], bytes] | None = None
    events: list[bytes] = field(default_factory=list)
    counts: bool = True
    cached: int = 0  # Of the tokens that it counts.

    pause: float = 0.0

    url: str = ""
    calls: int = 0
    preflights: int = 0

    paths: Counter[str] = field(default_factory=Counter)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    in_flight: int = 0
    most_in_flight: int = 0
    hung_up: int = 0
    lock: Any = field(default_factory=threading.Lock)
    stopped: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(answer: Answering | None = None) -> Iterator[Served]:
    """Serve; ``url`` is the base URL for a client."""
    served = Served(answer) if answer else Served(cached=4)
    with running(type("Answers", (_Handler,), {"served": served})) as url:
        served.url = f"{url}/v1"
        try:
            yield served
        finally:
            served.stopped.set()


class _Handler(Handler):
    served: Served

    def respond(self) -> None:
        served, body = self.served, self.read()
        content = json.loads(body or b"{}")
        prompt = content["messages"][-1]["content"] if "messages" in content else ""
        with served.lock:
            served.calls += 1
            call = served.calls
            served.paths[self.path] += 1
            served.bodies.append(body)
            served.headers.append(dict(self.headers))
            if prompt == PREFLIGHT:
                served.preflights += 1
            else:
                served.asked.update([prompt] if prompt else [])
                served.requests.append(content)
            served.in_flight += 1
            served.most_in_flight = max(served.most_in_flight, served.in_flight)
        try:
            self._respond(content, prompt, self._outcome(call, prompt))
        finally:
            with served.lock:
                served.in_flight -= 1

    def _outcome(self, call: int, prompt: str) -> str | Fault:
        time.sleep(self.served.pause)
        if (fault := self.served.fault(call)) is not None:
            return fault if isinstance(fault, Fault) else Fault(str(fault))
        answer = self.served.preflight if prompt == PREFLIGHT else self.served.answer
        return answer(prompt) if prompt else ""

    def _respond(self, content: dict[str, Any], prompt: str, outcome: str | Fault) -> None:
        cut = False
        if isinstance(outcome, Fault):
            kind, headers, said, seconds = outcome
            if kind == "hang":
                return self._hang()
            if kind == "drop":
                return self.drop()
            if kind in _BODIES:
                return self.send(_BODIES[kind])
            if kind.isdecimal():
                said = said or json.dumps({"error": {"message": f"status {kind}"}})
                located = {"Location": "http://127.0.0.1:9/elsewhere"} | (headers or {})
                return self.send(said.encode(), int(kind), **located)
            self.served.stopped.wait(seconds)
            outcome, cut = said or "cut off", kind == "cut"
        if not cut:
            with self.served.lock:
                self.served.paid.update([prompt] if prompt not in ("", PREFLIGHT) else [])
        if content.get("stream"):
            self._stream(content, outcome, cut)
        else:
            body = self._body(content, outcome)
            media, length = "application/json", str(len(body))
            self.send(body[:20] if cut else body, Content_Type=media, Content_Length=length)
        return self.drop() if cut else None

    def _hang(self) -> None:
        self.close_connection = True
        while not self.served.stopped.wait(0.02):
            if select.select([self.connection], [], [], 0)[0]:
                self.served.hung_up += 1
                return

    def _body(self, content: dict[str, Any], text: str) -> bytes:
        if self.command == "GET":
            return b'{"object": "list",  "data": [{"id": "m"}]}'
        if self.served.reply:
            return self.served.reply(content)
        usage = self._usage(content) if self.served.counts else {}
        if "input" not in content:
            return json.dumps(completion(text, usage)).encode()
        vectors = [{"embedding": [0.5, 0.25], "index": 0}]
        return json.dumps({"data": vectors, "usage": usage}).encode()

    def _usage(self, content: dict[str, Any]) -> dict[str, Any]:
        if "input" in content:
            return {"prompt_tokens": 11, "total_tokens": 11}
        cached = {"prompt_tokens_details": {"cached_tokens": self.served.cached}}
        return _COUNTED | (cached if self.served.cached else {})

    def _stream(self, content: dict[str, Any], text: str, cut: bool) -> None:
        asked = self.served.counts and (content.get("stream_options") or {}).get("include_usage")
        null = {"usage": None} if asked else {}
        events = [
            _event({"choices": [{"index": 0, "delta": {"content": word}}]} | null)
            for word in re.findall(r"\s*\S+", text)
        ]
        if asked:
            events = [*events, _event({"choices": [], "usage": self._usage(content)})]
        events = self.served.events or [*events, b"data: [DONE]\n\n"]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events[:1] if cut else [*events, b""]:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()


_COUNTED = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


def completion(text: str, usage: dict[str, Any] = _COUNTED) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    named = {"id": "c", "object": "chat.completion", "created": 0, "model": "m"}
    return named | {"choices": choices, "usage": usage}


_BODIES = {
    "garbage": b"{busy",
    "shape": b'{"choices": []}',
    "empty": json.dumps(completion("")).encode(),
    "uncounted": json.dumps(completion("fine", {})).encode(),
}
