"""The result of a tool of an MCP server, and paths into it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

_STEP = re.compile(r"\[\]|[^.\[\]]+")
# Levels of structured content in which texts are parsed.
_DEEPEST = 20


class ToolResult(NamedTuple):
    """The result of a tool."""

    structured: Any = None  # Its structured content; None without any.
    texts: Sequence[str] = ()  # Its blocks of text, and the texts of embedded resources.
    others: Sequence[str] = ()  # The types of blocks without a text, such as ``image``.

    @property
    def is_mute(self) -> bool:
        """Whether there is neither text nor structured content."""
        return self.structured is None and not self.texts

    def shown(self) -> Any:
        """Return the part that an error shows."""
        if self.structured is not None:
            return self.structured
        return list(self.texts) or list(self.others)

    def contents(self) -> Iterator[Any]:
        """Yield all values at which a path may start: the structured content, then the texts.

        Servers also send JSON as text, even within structured content, and may wrap everything in
        ``result``. So each is yielded as it is, parsed, and unwrapped.
        """
        if self.structured is not None:
            parsed = _parse_texts(self.structured)
            yield from (self.structured, parsed)
            if isinstance(parsed, dict) and list(parsed) == ["result"]:
                yield parsed["result"]
        if self.texts:
            parsed = [_parse_texts(text) for text in self.texts]
            yield parsed[0] if len(parsed) == 1 else parsed


def _parse_texts(content: Any, depth: int = 0) -> Any:
    """Return content with each text that is a JSON object or list replaced by its value.

    Texts within such a value stay as they are.
    """
    if depth > _DEEPEST:
        return content
    if isinstance(content, dict):
        return {name: _parse_texts(value, depth + 1) for name, value in content.items()}
    if isinstance(content, list):
        return [_parse_texts(value, depth + 1) for value in content]
    if isinstance(content, str) and content.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):  # Not JSON: the text stays.
            return json.loads(content)
    return content


class ShapeError(Exception):
    """A path does not fit the shape of a value."""


def follow_path(value: Any, path: str) -> list[Any]:
    """Return the values at a path: ``a.b`` goes into objects, and ``[]`` into all items of a list.

    Raises:
        ShapeError: when the value has another shape.
    """
    values = [value]
    for step in _STEP.findall(path):
        if step == "[]":
            if not all(isinstance(value, list) for value in values):
                raise ShapeError(f"no list for [] of {path!r}")
            values = [item for value in values for item in value]
        else:
            if not all(isinstance(value, dict) and step in value for value in values):
                raise ShapeError(f"no {step!r} of {path!r}")
            values = [value[step] for value in values]
    return values
