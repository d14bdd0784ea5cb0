"""A small HTTP server on loopback that replies as it is told, and keeps what was said."""

import json
import socket
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


@contextmanager
def serving(respond: Respond) -> Iterator[Served]:
    """Serve ``respond``: it takes path and body, and returns status and reply."""
    served = Served()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = respond(self.path, asked)
            served.exchanges.append(Exchange(self.path, asked, status, reply))
            if status == DROP:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            body = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Say nothing."""

    with running(Handler) as served.url:
        yield served


@contextmanager
def running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server on a free port of loopback; yields its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
