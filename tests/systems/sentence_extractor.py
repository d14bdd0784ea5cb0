"""A stand-in for a language model that extracts sentences as facts, by rule.

Facts are the sentences of what the request tells, each under 400 characters. ``python -m
tests.systems.sentence_extractor PORT`` serves it.
"""

import json
import re
import sys
from typing import Any

from tests.systems.stand_in import serve

_LONGEST = 400
_MOST = 64


def facts(text: str) -> list[str]:
    """Return the sentences of a text, at most 64, each cut to 400 characters."""
    sentences = (each.strip() for each in re.split(r"(?<=[.!?])\s+|\n+", text))
    return [each[:_LONGEST] for each in sentences if re.search(r"\w", each)][:_MOST]


def message(request: dict[str, Any]) -> dict[str, Any]:
    sentences = facts(_told(request["messages"]))
    if request.get("tools"):
        return {"content": None, "tool_calls": _calls(request, sentences)}
    if request.get("response_format", {}).get("type", "text") == "text":
        return {"content": "\n".join(sentences)}
    memories = [
        {"id": str(index), "text": fact, "attributed_to": "user"}
        for index, fact in enumerate(sentences)
    ]
    return {"content": json.dumps({"memory": memories})}


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
    try:
        messages = json.loads(told)
    except ValueError:
        return told
    if not isinstance(messages, list):
        return str(messages)
    return "\n".join(each["content"] for each in messages)


def _calls(request: dict[str, Any], sentences: list[str]) -> list[dict[str, Any]]:
    """Call, once a fact, the first tool whose arguments a text can fill."""
    for tool in request["tools"]:
        schema = tool["function"]["parameters"]
        required = schema.get("required", [])
        names = [name for name in required if schema["properties"][name].get("type") == "string"]
        if names == required and "content" in names:
            filled = [json.dumps(dict.fromkeys(names, fact)) for fact in sentences]
            calls = [{"name": tool["function"]["name"], "arguments": each} for each in filled]
            return [
                {"id": f"call_{index}", "type": "function", "function": call}
                for index, call in enumerate(calls)
            ]
    return []


if __name__ == "__main__":
    serve(int(sys.argv[1]), message)
