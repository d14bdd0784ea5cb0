"""A memory over HTTP: start this, then `mabench run http://127.0.0.1:9000`."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

SESSIONS: dict[str, list[str]] = {}  # What was added, apart for each row of the benchmark.


def search(texts: list[str], query: str, k: int) -> list[str]:
    words = set(query.lower().split())
    return sorted(texts, key=lambda text: -len(words & set(text.lower().split())))[:k]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Connections stay open, ...
    disable_nagle_algorithm = True  # ... and no reply waits 40 ms to be sent.

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        session = asked.get("session") or uuid4().hex
        texts, reply = SESSIONS.setdefault(session, []), {}
        if self.path == "/reset":
            reply = {"session": session, "kind": "memory"}
        elif self.path == "/add":
            texts.append(asked["text"])
        elif self.path == "/search":
            reply = {"passages": search(texts, asked["query"], asked["k"])}
        elif self.path == "/close":
            del SESSIONS[session]
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 9000), Handler).serve_forever()
