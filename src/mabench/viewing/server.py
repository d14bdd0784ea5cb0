"""A server on loopback for the pages of a folder of runs.

Only who has the address with its token gets an answer. Requests under another host name, which a
page of another site could send, are refused, and nothing is written but marks.
"""

from __future__ import annotations

import hmac
import secrets
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

from mabench.errors import MabenchError, UsageError
from mabench.json_text import Json, from_json, to_json
from mabench.viewing.contents import ViewedFolder, explain

_HTML, _JSON = "text/html; charset=utf-8", "application/json"
_LONGEST_MARK: Final = 16_384  # bytes
_PATIENCE: Final = 30.0  # seconds without a byte from a client


class ViewServer(ThreadingHTTPServer):
    """Serves a folder of runs on this machine alone; ``address`` is where, with its token."""

    daemon_threads = True

    def __init__(self, viewed: ViewedFolder, port: int = 0) -> None:
        self.viewed = viewed
        self.token = secrets.token_urlsafe(18)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            why = f"{port} cannot be served: {error}; give another, or 0 for any"
            raise UsageError(why, parameter="port") from error

    @property
    def address(self) -> str:
        """The address of the index."""
        return f"http://127.0.0.1:{self.server_address[1]}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """The host names under which it answers."""
        port = self.server_address[1]
        return f"127.0.0.1:{port}", f"localhost:{port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    """Answers one client."""

    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version = "mabench"
    sys_version = ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """Answer with the index, a run's page, or how runs proceed."""
        path = self._path()
        if path is None:
            return
        viewed = self.server.viewed
        try:
            if path == "":
                self._answer(HTTPStatus.OK, viewed.index(), _HTML)
            elif path == "live":
                self._answer(HTTPStatus.OK, to_json(viewed.progress()), _JSON)
            elif path.startswith("run/"):
                page = viewed.page(path.removeprefix("run/"))
                if page is None:
                    self._refuse(HTTPStatus.NOT_FOUND, "there is no such run")
                else:
                    self._answer(HTTPStatus.OK, page, _HTML)
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        except (MabenchError, OSError, RecursionError) as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, explain(error))

    def do_POST(self) -> None:
        """Take a mark of a run's question."""
        path = self._path()
        if path is None:
            return
        given = self._read_mark()
        if given is None:
            return
        try:
            if path.startswith("mark/") and self.server.viewed.add_mark(path[5:], given[0]):
                self._answer(HTTPStatus.OK, to_json({"marked": True}), _JSON)
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such run")
        except UsageError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except (MabenchError, OSError, RecursionError) as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, explain(error))

    def _path(self) -> str | None:
        """Return what follows the token; refuse what comes from elsewhere and return None."""
        if self.headers.get("Host") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers on its own address alone")
            return None
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            self._refuse(HTTPStatus.FORBIDDEN, "the request is of a page from elsewhere")
            return None
        _, _, rest = urlsplit(self.path).path.partition("/")
        token, slash, path = rest.partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "use the address that `mabench view` printed")
            return None
        return path

    def _read_mark(self) -> tuple[Json] | None:
        """Return the JSON that was sent; refuse anything else and return None."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type") != _JSON or not length.isdecimal():
            self._refuse(HTTPStatus.BAD_REQUEST, "a mark is sent as application/json")
        elif len(length) > 9 or int(length) > _LONGEST_MARK:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is too long for a mark")
        else:
            try:
                return (from_json(self.rfile.read(int(length))),)
            except ValueError:
                self._refuse(HTTPStatus.BAD_REQUEST, "that is no JSON")
        return None

    def _answer(self, status: HTTPStatus, content: str, kind: str) -> None:
        body = content.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # What else was sent is not read.
        self._answer(status, f"<!DOCTYPE html><title>mabench</title><p>{escape(why)}</p>\n", _HTML)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - its name there
        """Print nothing for each request."""
