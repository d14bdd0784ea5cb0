"""Reading the result of an MCP tool: where the texts stand in it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage
from mabench.redact import redact
from mabench.remote.mcp_mapping import Search

_STEP = re.compile(r"\[\]|[^.\[\]]+")
_SHOWN = 300


class ToolResult(NamedTuple):
    """What a tool returned: its structured content, if any, and its blocks of text."""

    structured: Any
    texts: Sequence[str]


def passages_in(result: ToolResult, search: Search) -> list[Passage]:
    """Return the passages that a search found, in the server's order.

    Raises:
        AgentError: when the result has not the shape that the mapping says, showing what came.
    """
    try:
        items = _items(result, search)
        read = [(_text(item, search), _score(item, search)) for item in items]
    except _ShapeError as error:
        raise AgentError(
            f"{search.tool}: {error} in the result; correct the mapping; "
            f"what came: {_shown(result)}"
        ) from error
    return [Passage(text, score) for text, score in read if text is not None]


class _ShapeError(Exception):
    """A path leads nowhere."""


def _items(result: ToolResult, search: Search) -> list[Any]:
    if search.results is None:
        blocks = [block.split(search.split) if search.split else [block] for block in result.texts]
        return [item for block in blocks for item in block if item.strip()]
    if result.structured is None and not result.texts:
        return []
    return _follow(_whole(result), search.results)


def _whole(result: ToolResult) -> Any:
    """Return what paths begin at: structured content, else the text as JSON."""
    if result.structured is not None:
        return result.structured
    parsed = [_parsed(text) for text in result.texts]
    return parsed[0] if len(parsed) == 1 else parsed


def _parsed(text: str) -> Any:
    """Return JSON objects and lists parsed; any other text, a number as well, as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _follow(value: Any, path: str) -> list[Any]:
    """Return what ``path`` leads to: ``a.b`` goes into objects, ``[]`` into each of a list."""
    found = [value]
    for step in _STEP.findall(path):
        if step == "[]":
            if not all(isinstance(one, list) for one in found):
                raise _ShapeError(f"no list for [] of {path!r}")
            found = [item for one in found for item in one]
        else:
            if not all(isinstance(one, dict) and step in one for one in found):
                raise _ShapeError(f"no {step!r} of {path!r}")
            found = [one[step] for one in found]
    return found


def _text(item: Any, search: Search) -> str | None:
    """Return the text of an item; None when it is not between the marks."""
    parts = [item] if search.text is None else _follow(item, search.text)
    if not all(isinstance(part, str) for part in parts):
        raise _ShapeError(f"no text at {search.text or search.results!r}")
    text = "\n".join(parts)
    if search.between is None:
        return text
    before, after = search.between
    start, end = text.find(before), text.rfind(after)
    return text[start + len(before) : end] if start >= 0 and start + len(before) <= end else None


def _score(item: Any, search: Search) -> float | None:
    if search.score is None:
        return None
    try:
        [score] = _follow(item, search.score)
    except (_ShapeError, ValueError):
        return None
    return float(score) if isinstance(score, int | float) else None


def _shown(result: ToolResult) -> str:
    came = result.structured if result.structured is not None else list(result.texts)
    return redact(json.dumps(came, ensure_ascii=False, default=str))[:_SHOWN]
