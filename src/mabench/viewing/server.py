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
_LONGEST_MARK: Final = 16_384  # Bytes of JSON.
_MOST_DIGITS: Final = 9  # Of a length that a client states; a longer number is not even read.
_PATIENCE: Final = 30.0  # Seconds without a byte from a client.
_TOKEN_BYTES: Final = 18  # Random ones: far too many tokens to guess one.
# Headers against other sites that would show or read the pages.
_SAFETY_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ViewServer(ThreadingHTTPServer):
    """Serves a folder of runs on this machine alone, at ``address``, which has a secret token.

    Port 0 takes any free port. Raises ``UsageError`` when the port cannot be used.
    """

    daemon_threads = True  # A client that is still connected does not keep the program alive.

    def __init__(self, viewed: ViewedFolder, port: int = 0) -> None:
        self.viewed = viewed
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            why = f"{port} cannot be served: {error}; give another, or 0 for any"
            raise UsageError(why, parameter="port") from error

    @property
    def address(self) -> str:
        """The address of the index."""
        port = self.server_address[1]
        return f"http://127.0.0.1:{port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """The host names, with the port, under which it answers."""
        port = self.server_address[1]
        return f"127.0.0.1:{port}", f"localhost:{port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print no traceback when a request fails, mostly since the client went away."""


class _RefusedRequestError(Exception):
    """A request that is not answered as it asks, with the status and the reason to send."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one client, as the library's HTTP server calls it."""

    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version = "mabench"
    sys_version = ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """Answer with the index, a run's page, or how runs proceed."""
        try:
            path = self._read_path()
        except _RefusedRequestError as refused:
            self._refuse(refused.status, refused.why)
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
        try:
            path = self._read_path()
            fields = self._read_json()
        except _RefusedRequestError as refused:
            self._refuse(refused.status, refused.why)
            return
        try:
            viewed, run_id = self.server.viewed, path.removeprefix("mark/")
            if path.startswith("mark/") and viewed.add_mark(run_id, fields):
                self._answer(HTTPStatus.OK, to_json({"marked": True}), _JSON)
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such run")
        except UsageError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except (MabenchError, OSError, RecursionError) as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, explain(error))

    def _read_path(self) -> str:
        """Return the path that is asked for, without the token before it.

        Raises:
            _RefusedRequestError: when the request comes from elsewhere or lacks the token.
        """
        if self.headers.get("Host") not in self.server.hosts:
            raise _RefusedRequestError(
                HTTPStatus.FORBIDDEN, "this server answers on its own address alone"
            )
        origin = self.headers.get("Origin")  # Of the page that sent it, if a browser says so.
        own_origins = {f"http://{host}" for host in self.server.hosts}
        if origin is not None and origin not in own_origins:
            raise _RefusedRequestError(
                HTTPStatus.FORBIDDEN, "the request is of a page from elsewhere"
            )
        _, _, after_slash = urlsplit(self.path).path.partition("/")
        token, slash, path = after_slash.partition("/")
        # The comparison takes as long for any wrong token, so its time tells nothing.
        if not slash or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise _RefusedRequestError(
                HTTPStatus.FORBIDDEN, "use the address that `mabench view` printed"
            )
        return path

    def _read_json(self) -> Json:
        """Return the JSON that was sent.

        Raises:
            _RefusedRequestError: when something else was sent, or it is too long for a mark.
        """
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type") != _JSON or not length.isdecimal():
            raise _RefusedRequestError(HTTPStatus.BAD_REQUEST, "a mark is sent as application/json")
        if len(length) > _MOST_DIGITS or int(length) > _LONGEST_MARK:
            raise _RefusedRequestError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is too long for a mark"
            )
        try:
            return from_json(self.rfile.read(int(length)))
        except ValueError as error:
            raise _RefusedRequestError(HTTPStatus.BAD_REQUEST, "that is no JSON") from error

    def _answer(self, status: HTTPStatus, content: str, content_type: str) -> None:
        """Send a response."""
        body = content.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in _SAFETY_HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Send a page that says why a request is refused, and end the connection."""
        self.close_connection = True  # What else was sent is not read.
        self._answer(status, f"<!DOCTYPE html><title>mabench</title><p>{escape(why)}</p>\n", _HTML)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - its name there
        """Print nothing about requests."""
