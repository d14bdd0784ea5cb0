"""A stand-in for a language model that extracts a graph by rule.

``python -m tests.systems.graph_extractor PORT`` serves it. It answers what memory systems ask of a
language model: entities are runs of capitalised words, facts are the sentences that name two of
them; any other JSON schema is answered with its least value.
"""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from tests.systems.stand_in import prompt_of, serve

_NAME = re.compile(r"[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*")
_NOT_NAMES = {"The", "A", "An", "In", "On", "At", "It", "He", "She", "They", "This", "Who", "What"}

Json = dict[str, Any]


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
    found = [{"name": name, "entity_type_id": 0} for name in entities_of(text)]
    return {"extracted_entities": found}


def _edges(prompt: str, schema: Json) -> Json:
    text = _between(prompt, "CURRENT_MESSAGE", "CURRENT MESSAGE")
    names = [entity["name"] for entity in json.loads(_between(prompt, "ENTITIES") or "[]")]
    keys = ("source_entity_name", "target_entity_name", "fact")
    facts = [dict(zip(keys, fact, strict=True)) for fact in facts_of(text, names)]
    return {"edges": [{**fact, "relation_type": "RELATES_TO"} for fact in facts]}


def _resolutions(prompt: str, schema: Json) -> Json:
    existing = json.loads(_between(prompt, "EXISTING ENTITIES") or "[]")
    known = {entity["name"]: entity["candidate_id"] for entity in existing}
    resolved = [
        {"id": one["id"], "name": one["name"], "duplicate_candidate_id": known.get(one["name"], -1)}
        for one in json.loads(_between(prompt, "ENTITIES") or "[]")
    ]
    return {"entity_resolutions": resolved}


def _graph(prompt: str, schema: Json) -> Json:
    names = entities_of(prompt)
    nodes = [{"id": name, "name": name, "type": "Thing", "description": name} for name in names]
    keys = ("source_node_id", "target_node_id", "description")
    facts = [dict(zip(keys, fact, strict=True)) for fact in facts_of(prompt, names)]
    edges = [{**fact, "relationship_name": "relates_to"} for fact in facts]
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
    rule = _ANSWERS.get(name)
    return json.dumps(rule(prompt, schema) if rule else least(schema, schema))


def message(request: Json) -> Json:
    prompt = prompt_of(request)
    asked = request.get("response_format") or {}
    if request.get("tools"):
        function = request["tools"][0]["function"]
        arguments = answer(function["name"], function.get("parameters", {}), prompt)
        call = {"name": function["name"], "arguments": arguments}
        tools = [{"id": "call_1", "type": "function", "function": call}]
        return {"content": None, "tool_calls": tools}
    if asked.get("type") == "json_schema":
        wanted = asked["json_schema"]
        return {"content": answer(wanted["name"], wanted["schema"], prompt)}
    if asked.get("type") == "json_object":
        return {"content": _by_schema_in(request)}
    return {"content": " ".join(sentences_of(prompt)[:3]) or "Nothing."}


def _by_schema_in(request: Json) -> str:
    """Answer by the schema that stands in the messages, as libraries put it there."""
    written = "\n".join(str(message["content"]) for message in request["messages"])
    for name in _ANSWERS:
        if f'"title": "{name}"' in written:
            return answer(name, {}, prompt_of(request))
    return "{}"


if __name__ == "__main__":
    serve(int(sys.argv[1]), message)
