"""A small server that speaks chat completions on loopback, and misbehaves on request."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """What the server does in place of a reply.

    ``kind``: an HTTP status as digits, ``drop`` (closes the connection), ``truncate`` (half a
    body), ``garbage`` (no JSON), ``shape`` (JSON that is no completion), ``empty`` (no text),
    ``hang`` (never replies), ``late`` (replies after ``seconds``).
    """

    kind: str
    headers: dict[str, str] | None = None
    body: str | None = None
    seconds: float = 0.0


# What a preflight says; it is counted apart and answered by ``Served.preflight``.
PREFLIGHT = "Reply with OK."

Answering = Callable[[str], str | Fault]


class Served:
    """What the server was asked, and what it replied to.

    ``asked`` counts requests by prompt, ``paid`` those that were replied to with a completion;
    ``preflights`` stand apart.
    """

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.preflight: Answering = lambda _: "OK"
        self.preflights = 0
        # Answers whole requests, preflights too, in place of both.
        self.answer_request: Callable[[dict[str, Any]], str | Fault] | None = None
        self.asked: Counter[str] = Counter()
        self.paid: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.times: list[float] = []
        self.most_in_flight = 0
        self.in_flight = 0
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.url = ""


@contextmanager
def serving(answer: Answering) -> Iterator[Served]:
    """Serve on a free port of loopback; ``url`` is the base URL for a client."""
    served = Served(answer)
    server = _Server(("127.0.0.1", 0), _handler(served))
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield served
    finally:
        served.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 512
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away."""


def _handler(served: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = request["messages"][-1]["content"]
            if prompt == PREFLIGHT:
                with served.lock:
                    served.preflights += 1
                answer = served.answer_request or (lambda _: served.preflight(prompt))
                self._respond(None, answer(request))
                return
            with served.lock:
                served.asked[prompt] += 1
                served.requests.append(request)
                served.keys.add(self.headers.get("Authorization", ""))
                served.times.append(time.monotonic())
                served.in_flight += 1
                served.most_in_flight = max(served.most_in_flight, served.in_flight)
            try:
                answer = served.answer_request or (lambda _: served.answer(prompt))
                self._respond(prompt, answer(request))
            finally:
                with served.lock:
                    served.in_flight -= 1

        def _respond(self, prompt: str | None, outcome: str | Fault) -> None:
            if isinstance(outcome, Fault) and outcome.kind == "late":
                served.stopped.wait(outcome.seconds)
                outcome = outcome.body or ""
            if isinstance(outcome, str):
                with served.lock:
                    if prompt is not None:
                        served.paid[prompt] += 1
                self._send(200, json.dumps(completion(outcome)).encode(), {})
            else:
                self._fail(outcome)

        def _fail(self, fault: Fault) -> None:
            if fault.kind == "hang":
                served.stopped.wait()
            elif fault.kind == "drop":
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            elif fault.kind == "truncate":
                body = json.dumps(completion("cut off")).encode()
                self._send(200, body[:40], {"Content-Length": str(len(body))})
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            elif fault.kind in _BODIES:
                self._send(200, _BODIES[fault.kind], {})
            else:
                said = fault.body or json.dumps({"error": {"message": "try later"}})
                self._send(int(fault.kind), said.encode(), fault.headers or {})

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            sent = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            for name, value in (sent | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Say nothing."""

    return Handler


def completion(text: str | None, usage: dict[str, int] | None = None) -> dict[str, Any]:
    counted = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": counted if usage is None else usage,
    }


_BODIES = {
    "garbage": b"<html>busy</html>",
    "shape": b'{"choices": []}',
    "empty": json.dumps(completion("")).encode(),
    "uncounted": json.dumps(completion("fine", {})).encode(),
}
