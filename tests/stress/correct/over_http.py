"""A client whose server it starts itself; by `serving`, the server alone for `mabench stress URL`.

The server speaks docs/reference/http.md: a session by `/reset`, then one path for each method. What
a call has no value for is left out, and a time is ISO 8601 text.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.client import HTTPConnection
from typing import Any
from uuid import uuid4

from tests.remote.http_serving import Handler, Server
from tests.stress.faulty._base import Found, Held, Time, User

# What the methods declare, as the reply to `/reset` says it.
TAKES = {
    "add": ["time", "user"],
    "update": ["time"],
    "search": ["time", "user"],
    "delete": ["id", "user"],
    "list": ["user"],
    "ready": [],
}


def reply_to(sessions: dict[str, Held], path: str, sent: dict[str, Any]) -> dict[str, Any]:
    if path == "/reset":
        session = uuid4().hex
        sessions[session] = Held()
        return {"session": session, "kind": "memory", "takes": TAKES}
    session = sent.pop("session")
    if path == "/close":
        sessions.pop(session, None)
        return {}
    if "time" in sent:
        sent["time"] = datetime.fromisoformat(sent["time"])
    returned = getattr(sessions[session], path.removeprefix("/"))(**sent)
    field = {"/add": "id", "/search": "passages", "/list": "texts"}.get(path)
    return {field: returned} if field else {}


@contextmanager
def serving() -> Iterator[str]:
    """Serve memories on a free port of loopback; yields the URL."""
    sessions: dict[str, Held] = {}

    class Serves(Handler):
        def respond(self) -> None:
            try:
                self.send(
                    json.dumps(reply_to(sessions, self.path, json.loads(self.read()))).encode()
                )
            except KeyError as error:
                self.send(json.dumps({"error": f"there is no {error}"}).encode(), 404)

    server = Server(("127.0.0.1", 0), Serves)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Memory:
    def __init__(self) -> None:
        self.server = serving()
        self.address = self.server.__enter__().removeprefix("http://")
        self.idle: list[HTTPConnection] = []  # Each is of one call at a time.
        self.session = self._call("reset")["session"]

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        return str(self._call("add", text=text, time=time, user=user)["id"])

    def update(self, id: str, text: str, *, time: Time = None) -> None:
        self._call("update", id=id, text=text, time=time)

    def delete(self, id: str | None = None, *, user: User = None) -> None:
        self._call("delete", id=id, user=user)

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        found: Found = self._call("search", query=query, k=k, time=time, user=user)["passages"]
        return found

    def list(self, *, user: User = None) -> Found:
        texts: Found = self._call("list", user=user)["texts"]
        return texts

    def ready(self) -> None:
        self._call("ready")

    def close(self) -> None:
        for connection in self.idle:
            connection.close()
        self.server.__exit__(None, None, None)

    def _call(self, method: str, **sent: object) -> dict[str, Any]:
        try:
            connection = self.idle.pop()
        except IndexError:
            connection = HTTPConnection(self.address, timeout=60)
        session = {"session": self.session} if method != "reset" else {}
        body = session | {name: value for name, value in sent.items() if value is not None}
        connection.request("POST", f"/{method}", json.dumps(body, default=datetime.isoformat))
        response = connection.getresponse()
        reply: dict[str, Any] = json.loads(response.read())
        self.idle.append(connection)
        if response.status == 404:
            raise KeyError(reply["error"])
        return reply
