"""Small HTTP servers on loopback: of any handler, and one that replies as it is told."""

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

DROP = -1  # In place of a status: the connection is closed without a reply.
Respond = Callable[[str, Any], tuple[int, Any]]


class Exchange(NamedTuple):
    """A request and what was replied to it; ``reply`` is an object, or text that is no JSON."""

    path: str
    body: Any
    status: int
    reply: Any


class Served:
    """Where the server is, and what was said."""

    def __init__(self) -> None:
        self.url = ""
        self.exchanges: list[Exchange] = []

    def asked(self, path: str) -> list[Any]:
        return [one.body for one in self.exchanges if one.path == path]


class Handler(BaseHTTPRequestHandler):
    """Says nothing on standard error."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.respond()

    def do_GET(self) -> None:
        self.respond()

    def respond(self) -> None:
        raise NotImplementedError

    def read(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in ({"Content-Length": str(len(body))} | named).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drop(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def log_message(self, *_: object) -> None: ...


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def serving(respond: Respond) -> Iterator[Served]:
    """Serve ``respond``: it takes path and body, and returns status and reply."""
    served = Served()

    class Responding(Handler):
        def respond(self) -> None:
            asked = json.loads(self.read())
            status, reply = respond(self.path, asked)
            served.exchanges.append(Exchange(self.path, asked, status, reply))
            if status == DROP:
                self.drop()
            else:
                self.send((reply if isinstance(reply, str) else json.dumps(reply)).encode(), status)

    with running(Responding) as served.url:
        yield served


@contextmanager
def running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server on a free port of loopback; yields its URL."""
    server = Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
