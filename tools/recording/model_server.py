"""A stand-in for a language model's server, whose replies depend on the request alone."""

from __future__ import annotations

import json
import re
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def model_server() -> Iterator[str]:
    """Serve on a free port, and yield the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def reply_to(prompt: str) -> str:
    """Return what a judge's prompt asks for; for any other prompt, a name that it mentions.

    Which one depends on a hash of the prompt.
    """
    if '"fluent"' in prompt:
        return '{"fluent": 1}'
    if '"found"' in prompt:
        return '{"found": 2}'
    if '"supported"' in prompt:
        return '{"supported": 1, "sentences": 3}'
    digest = zlib.crc32(prompt.encode())
    if re.search(r"\byes\b.*\bno\b", prompt, re.IGNORECASE):
        return "no" if digest % 3 == 0 else "yes"
    names = re.findall(r"\b[A-Z][a-z]{3,}\b", prompt)
    return str(names[digest % len(names)]) if names else "unknown"


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one client."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """List the models."""
        self._send({"object": "list", "data": [{"id": "stand-in", "object": "model"}]})

    def do_POST(self) -> None:
        """Complete a chat."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(str(one["content"]) for one in body.get("messages", []))
        reply = reply_to(prompt)
        used = {"prompt_tokens": len(prompt.split()), "completion_tokens": len(reply.split())}
        self._send(
            {
                "id": "reply",
                "object": "chat.completion",
                "created": 0,
                "model": body.get("model"),
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": reply},
                        "finish_reason": "stop",
                    }
                ],
                "usage": used | {"total_tokens": sum(used.values())},
            }
        )

    def _send(self, content: dict[str, Any]) -> None:
        """Send a JSON object."""
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Log nothing."""
