"""What a tool of an MCP server returned, and paths into it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

_STEP = re.compile(r"\[\]|[^.\[\]]+")
_DEEPEST = 20  # Levels of structured content in which texts are parsed.


class ToolResult(NamedTuple):
    """What a tool returned."""

    structured: Any = None  # Its structured content; None without any.
    texts: Sequence[str] = ()  # Of its blocks of text and of embedded resources.
    others: Sequence[str] = ()  # The types of blocks without a text, such as ``image``.

    @property
    def is_mute(self) -> bool:
        """Whether there is neither text nor structured content."""
        return self.structured is None and not self.texts

    def shown(self) -> Any:
        """Return what an error shows of it."""
        return list(self.texts) or list(self.others) if self.structured is None else self.structured

    def contents(self) -> Iterator[Any]:
        """Yield what a path may start at: the structured content, then the texts.

        Servers also send JSON as a text, within structured content as well, and wrap what a tool
        returns in ``result``: each form is yielded as it is, parsed, and unwrapped.
        """
        if self.structured is not None:
            parsed = _parse_texts(self.structured)
            yield from (self.structured, parsed)
            if isinstance(parsed, dict) and [*parsed] == ["result"]:
                yield parsed["result"]
        if self.texts:
            parsed = [_parse_texts(text) for text in self.texts]
            yield parsed[0] if len(parsed) == 1 else parsed


def _parse_texts(content: Any, depth: int = 0) -> Any:
    """Return content in which each text that is a JSON object or list is that object or list."""
    if depth > _DEEPEST:
        return content
    if isinstance(content, dict):
        return {name: _parse_texts(value, depth + 1) for name, value in content.items()}
    if isinstance(content, list):
        return [_parse_texts(value, depth + 1) for value in content]
    if isinstance(content, str) and content.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):  # Any other text stays as it is.
            return json.loads(content)
    return content


class ShapeError(Exception):
    """A path leads nowhere."""


def follow_path(value: Any, path: str) -> list[Any]:
    """Return what ``path`` leads to: ``a.b`` goes into objects, ``[]`` into each of a list."""
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
