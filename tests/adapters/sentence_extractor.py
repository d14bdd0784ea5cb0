"""A server on loopback that speaks as OpenAI does, and extracts facts by rule.

Facts are the sentences of what the request tells, each under 400 characters. ``python
sentence_extractor.py PORT`` serves on a port; ``serving()`` on a free one.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_DIMENSIONS = 512
_LONGEST = 400
_MOST = 64


@contextmanager
def serving(port: int = 0) -> Iterator[str]:
    """Serve on loopback, on a free port unless one is named; yields the base URL."""
    server = _Server(("127.0.0.1", port), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def facts(text: str) -> list[str]:
    """Return the sentences of a text, at most 64, each cut to 400 characters."""
    found = (each.strip() for each in re.split(r"(?<=[.!?])\s+|\n+", text))
    return [each[:_LONGEST] for each in found if re.search(r"\w", each)][:_MOST]


def embedding(text: str) -> list[float]:
    """Return a vector of unit length: how often each hash of a word is there."""
    vector = [0.0] * _DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
        vector[int.from_bytes(digest, "big") % _DIMENSIONS] += 1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector]


def message(request: dict[str, Any]) -> dict[str, Any]:
    """Return the assistant's message in reply to a request for a completion."""
    found = facts(_told(request["messages"]))
    if request.get("tools"):
        return {"role": "assistant", "content": None, "tool_calls": _calls(request, found)}
    if request.get("response_format", {}).get("type", "text") == "text":
        return {"role": "assistant", "content": "\n".join(found)}
    memories = [
        {"id": str(index), "text": fact, "attributed_to": "user"}
        for index, fact in enumerate(found)
    ]
    return {"role": "assistant", "content": json.dumps({"memory": memories})}


def _told(messages: list[dict[str, Any]]) -> str:
    """Return what the last message tells, without the prompt that a known system puts around it."""
    content = messages[-1]["content"]
    text = content if isinstance(content, str) else "\n".join(p.get("text", "") for p in content)
    mem0 = re.search(r"## New Messages\n(.*)\n\n## Observation Date", text, re.DOTALL)
    if mem0:
        return re.sub(r"(?m)^(user|assistant): ", "", _texts(mem0.group(1)))
    langmem = re.search(r"<session_[\w-]+>\n(.*)\n</session_[\w-]+>", text, re.DOTALL)
    if langmem:
        return re.sub(r"(?m)^=+ \w+ Message =+$", "", langmem.group(1))
    return text


def _texts(told: str) -> str:
    """Return the contents where messages are told as JSON, else the text itself."""
    try:
        messages = json.loads(told)
    except ValueError:
        return told
    if not isinstance(messages, list):
        return str(messages)
    return "\n".join(each["content"] for each in messages)


def _calls(request: dict[str, Any], found: list[str]) -> list[dict[str, Any]]:
    """Call, once a fact, the first tool whose arguments a text can fill."""
    for tool in request["tools"]:
        schema = tool["function"]["parameters"]
        required = schema.get("required", [])
        names = [name for name in required if schema["properties"][name].get("type") == "string"]
        if names == required and "content" in names:
            return [
                {
                    "id": f"call_{index}",
                    "type": "function",
                    "function": {
                        "name": tool["function"]["name"],
                        "arguments": json.dumps(dict.fromkeys(names, fact)),
                    },
                }
                for index, fact in enumerate(found)
            ]
    return []


def _completion(request: dict[str, Any]) -> dict[str, Any]:
    said = message(request)
    why = "tool_calls" if said.get("tool_calls") else "stop"
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": said, "finish_reason": why}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


def _embeddings(request: dict[str, Any]) -> dict[str, Any]:
    texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
    data = [
        {"object": "embedding", "index": index, "embedding": embedding(str(text))}
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 11, "total_tokens": 11}
    return {"object": "list", "data": data, "model": request["model"], "usage": usage}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = _embeddings if self.path.endswith("/embeddings") else _completion
        body = json.dumps(reply(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


if __name__ == "__main__":
    with serving(int(sys.argv[1])) as base_url:
        print(base_url, flush=True)
        threading.Event().wait()
