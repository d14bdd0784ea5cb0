"""The tools of an MCP server that a mapping calls, and what each reads from its results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage
from mabench.redact import redact
from mabench.remote.mcp_results import ShapeError, ToolResult, follow_path

_LONGEST = 300  # Characters of a result that an error shows.


class StrictModel(BaseModel):
    """A part of a mapping, which has no other fields than its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ServerCommand(StrictModel):
    """How a server that is started by a command is treated."""

    env: dict[str, str] = {}  # Added to those of this process.
    starts_empty: bool = False  # It remembers nothing from one session to the next.


class MappedTool(StrictModel):
    """A tool of the server, and the arguments it is called with."""

    tool: str
    arguments: dict[str, Any]


class AddTool(MappedTool):
    """The call that stores a text, and where its id is in what it returns, if anywhere."""

    id: str | None = None

    def read(self, result: ToolResult) -> list[Any]:
        """Return the ids of an added text; none if the mapping leads nowhere."""
        for content in result.contents() if self.id else ():
            with suppress(ShapeError):
                return follow_path(content, str(self.id))
        return []


class SearchTool(MappedTool):
    """The call that finds texts, and where they are in what it returns."""

    each: Literal["query", "words"] = "query"  # Called with it, or with each of its content words.
    results: str | None = None  # The path of the items; without it, each block of text is one.
    text: str | None = None  # Its path within an item; without one, the item is the text.
    score: str | None = None  # Its path within an item.
    split: str | None = None  # What is between items in a block of text.
    # Marks before and after the text of an item; an item without them is left out.
    between: tuple[str, str] | None = None

    def read(self, result: ToolResult) -> list[Passage]:
        """Return the passages that were found, in order; ``AgentError`` shows another shape.

        With a path, each form of the result is tried; the first in which the path leads to texts
        counts.
        """
        problem: ShapeError | None = None
        for items in self._ways(result):
            try:
                pairs = [(self._text(item), self._score(item)) for item in items()]
            except ShapeError as error:
                problem = problem or error
                continue
            return [Passage(text, score) for text, score in pairs if text is not None]
        if problem is None:
            return []  # Nothing came back: nothing was found.
        excerpt = redact(json.dumps(result.shown(), ensure_ascii=False, default=str))[:_LONGEST]
        raise AgentError(
            f"{self.tool}: {problem} in the result; correct the mapping; got: {excerpt}"
        ) from problem

    def _ways(self, result: ToolResult) -> Iterator[Callable[[], list[Any]]]:
        """Yield what returns the items of a result, in each form in which it can be read."""
        if self.results is None:
            yield partial(self._blocks, result)
            return
        for content in result.contents():
            yield partial(follow_path, content, self.results)
        if result.others and result.is_mute:
            yield partial(self._blocks, result)

    def _blocks(self, result: ToolResult) -> list[str]:
        """Return the blocks of text, or their parts; raise a ``ShapeError`` without any."""
        if result.is_mute and result.others:
            raise ShapeError(f"no text, only {', '.join(dict.fromkeys(result.others))},")
        if not result.texts and result.structured:
            raise ShapeError("no text, only structured content (give its path as `results`),")
        blocks = [block.split(self.split) if self.split else [block] for block in result.texts]
        return [item for block in blocks for item in block if item.strip()]

    def _text(self, item: Any) -> str | None:
        parts = [item] if self.text is None else follow_path(item, self.text)
        if not all(isinstance(part, str) for part in parts):
            raise ShapeError(f"no text at {self.text or self.results!r}")
        text = "\n".join(parts)
        if self.between is None:
            return text
        before, after = self.between
        start, end = text.find(before), text.rfind(after)
        start += len(before) if start >= 0 else len(text)
        return text[start:end] if start <= end else None

    def _score(self, item: Any) -> float | None:
        with suppress(ShapeError, ValueError):
            [score] = follow_path(item, self.score) if self.score is not None else [None]
            return float(score) if isinstance(score, int | float) else None
        return None
