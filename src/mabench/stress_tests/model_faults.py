"""A server of models that misbehaves now and then: slow, refusing, cut off, or nonsense.

It stands between a memory and the server that the memory calls, and passes on what it does not
spoil. A seed says what is spoiled, and how.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from mabench.models import ModelAddress

_SLOW_SECONDS = 1.0
_SECONDS = 60.0  # That the server itself may take.
_WAYS = ("slow", "429", "500", "cut off", "nonsense")
_NONSENSE = (
    b'{"choices": [{"message": {"content": "\\ud83d lorem }}{"}}], "data": [{"embedding": []}'
)
_PASSED_ON = ("content-type", "authorization", "accept")


@contextmanager
def spoiling(address: ModelAddress, rate: float, seed: int) -> Iterator[ModelFaults]:
    """Serve on loopback what can misbehave, in front of the server at ``address``."""
    with ModelFaults(address, rate, seed) as faults:
        threading.Thread(target=faults.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield faults
        finally:
            faults.shutdown()


class ModelFaults(ThreadingHTTPServer):
    """The server that misbehaves, at a rate; the memory finds it at its ``address``."""

    def __init__(self, address: ModelAddress, rate: float, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = address.base_url.rstrip("/")
        self.address = address._replace(base_url=f"http://127.0.0.1:{self.server_port}/v1")
        self._rate, self._seed = rate, seed
        self._rng: Random | None = None

    def spoil(self, number: int | None) -> None:
        """Spoil requests from now on, the same of each number; none more for None."""
        self._rng = None if number is None else Random(f"{self._seed} {number}")  # noqa: S311

    def way(self) -> str | None:
        """Return how the next request is spoiled; None where it is not."""
        if self._rng is None or self._rng.random() >= self._rate:
            return None
        return self._rng.choice(_WAYS)


class _Handler(BaseHTTPRequestHandler):
    server: ModelFaults

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match way := self.server.way():
            case "429" | "500":
                self._reply(int(way), b'{"error": {"message": "a fault of mabench stress"}}')
                return
            case "nonsense":
                self._reply(200, _NONSENSE)
                return
            case "slow":
                time.sleep(_SLOW_SECONDS)
        headers = {k: v for k, v in self.headers.items() if k.lower() in _PASSED_ON}
        url = self.server.target + re.sub(r"^/v1", "", self.path)
        request = Request(url, body or None, headers, method=self.command)  # noqa: S310
        try:
            with urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
                status, content = reply.status, reply.read()
        except HTTPError as error:
            status, content = error.code, error.read()
        except OSError as error:
            status, content = 502, str(error).encode()
        self._reply(status, content, cut=way == "cut off")

    do_GET = do_POST  # noqa: N815

    def _reply(self, status: int, content: bytes, cut: bool = False) -> None:
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if cut else content)

    def log_message(self, *arguments: Any) -> None:
        pass
