"""A server of models that misbehaves now and then: slow, refusing, cut off, or nonsense.

It stands between a memory and the server that the memory calls, and passes on what it does not
spoil. A seed says what is spoiled, and how.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from mabench.errors import UsageError
from mabench.models import ModelAddress

_SLOW_SECONDS = 1.0
_SECONDS = 60.0  # That the server itself may take.
_WAYS = ("slow", "429", "500", "cut off", "nonsense")
_NONSENSE = (
    b'{"choices": [{"message": {"content": "\\ud83d lorem }}{"}}], "data": [{"embedding": []}'
)
_PASSED_ON = ("content-type", "authorization", "accept")


@dataclass(slots=True)
class ModelFaults:
    """How the server of models is spoiled, while it is ``on``.

    Attributes:
        rate: the share of requests that are spoiled.
        address: where the memory finds it.
    """

    rate: float
    address: ModelAddress
    on: bool = False
    rng: Random = field(default_factory=Random)

    def way(self) -> str | None:
        """Return how the next request is spoiled; None where it is not."""
        draw, way = self.rng.random(), self.rng.choice(_WAYS)
        return way if self.on and draw < self.rate else None


def read_faults(faults: Mapping[str, float]) -> float:
    """Return the rate of a model's faults, or raise a ``UsageError``."""
    rate = faults.get("model")
    if rate is None or len(faults) > 1 or not 0 < rate <= 1:
        message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
        raise UsageError(message, parameter="faults")
    return rate


@contextmanager
def spoiling(address: ModelAddress, rate: float, seed: int) -> Iterator[ModelFaults]:
    """Serve on loopback what misbehaves, in front of the server at ``address``."""
    faults = ModelFaults(rate, address, rng=Random(seed))  # noqa: S311

    class Handler(_Handler):
        target, spoiled = address.base_url.rstrip("/"), faults

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    faults.address = address._replace(base_url=f"http://127.0.0.1:{server.server_port}/v1")
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield faults
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    target: str
    spoiled: ModelFaults

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        way = self.spoiled.way()
        if way in ("429", "500"):
            self._reply(int(way), b'{"error": {"message": "a fault of mabench stress"}}')
            return
        if way == "nonsense":
            self._reply(200, _NONSENSE)
            return
        if way == "slow":
            time.sleep(_SLOW_SECONDS)
        status, content = self._pass_on(body)
        self._reply(status, content, cut=way == "cut off")

    do_GET = do_POST  # noqa: N815

    def _pass_on(self, body: bytes) -> tuple[int, bytes]:
        headers = {k: v for k, v in self.headers.items() if k.lower() in _PASSED_ON}
        url = self.target + re.sub(r"^/v1", "", self.path)
        request = Request(url, body or None, headers, method=self.command)  # noqa: S310
        try:
            with urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
                return reply.status, reply.read()
        except HTTPError as error:
            return error.code, error.read()
        except (URLError, OSError) as error:
            return 502, str(error).encode()

    def _reply(self, status: int, content: bytes, cut: bool = False) -> None:
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if cut else content)

    def log_message(self, *arguments: Any) -> None:
        pass
