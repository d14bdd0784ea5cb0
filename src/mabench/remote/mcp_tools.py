"""The tools in a mapping, and how ids and passages are read from their results."""

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

# Characters of a result that an error shows.
_LONGEST = 300


class StrictModel(BaseModel):
    """A part of a mapping; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ServerCommand(StrictModel):
    """How a server that is started by a command is treated."""

    env: dict[str, str] = {}  # Environment variables, added to those of this process.
    starts_empty: bool = False  # It remembers nothing from one session to the next.


class MappedTool(StrictModel):
    """A tool of the server, and the arguments it is called with."""

    tool: str
    arguments: dict[str, Any]


class AddTool(MappedTool):
    """The tool that stores a text."""

    id: str | None = None  # The path of the text's id in the result; None if it has none.

    def read(self, result: ToolResult) -> list[Any]:
        """Return the ids of an added text; empty if the result has none."""
        if self.id is None:
            return []
        for content in result.contents():
            with suppress(ShapeError):
                return follow_path(content, self.id)
        return []


class SearchTool(MappedTool):
    """The tool that searches, and where passages are in its result."""

    # Search for the whole query, or each of its content words.
    each: Literal["query", "words"] = "query"
    results: str | None = None  # The path of the items; None: each block of text is an item.
    text: str | None = None  # The path of the text in an item; None: the item is the text.
    score: str | None = None  # The path of the score in an item.
    split: str | None = None  # What separates items within a block of text.
    # The marks around the text within an item. Items without them are left out.
    between: tuple[str, str] | None = None

    def read(self, result: ToolResult) -> list[Passage]:
        """Return the passages that were found, in order.

        The result is read in each of its forms, until the paths lead to texts.

        Raises:
            AgentError: when they do so in no form; it shows the result.
        """
        problem: ShapeError | None = None
        for list_items in self._ways_to_list(result):
            try:
                pairs = [(self._text(item), self._score(item)) for item in list_items()]
            except ShapeError as error:
                problem = problem or error
                continue
            return [Passage(text, score) for text, score in pairs if text is not None]
        if problem is None:
            return []  # An empty result: nothing was found.
        excerpt = redact(json.dumps(result.shown(), ensure_ascii=False, default=str))[:_LONGEST]
        raise AgentError(
            f"{self.tool}: {problem} in the result; correct the mapping; got: {excerpt}"
        ) from problem

    def _ways_to_list(self, result: ToolResult) -> Iterator[Callable[[], list[Any]]]:
        """Yield functions that return the items of a result, one for each way to read it."""
        if self.results is None:
            yield partial(self._blocks, result)
            return
        for content in result.contents():
            yield partial(follow_path, content, self.results)
        if result.others and result.is_mute:
            yield partial(self._blocks, result)

    def _blocks(self, result: ToolResult) -> list[str]:
        """Return the blocks of text, or their parts.

        Raises:
            ShapeError: when the result has only other content.
        """
        if result.is_mute and result.others:
            raise ShapeError(f"no text, only {', '.join(dict.fromkeys(result.others))},")
        if not result.texts and result.structured:
            raise ShapeError("no text, only structured content (give its path as `results`),")
        blocks = [block.split(self.split) if self.split else [block] for block in result.texts]
        return [item for block in blocks for item in block if item.strip()]

    def _text(self, item: Any) -> str | None:
        """Return the text of an item; None if it lacks the marks around it.

        Raises:
            ShapeError: when there is something else at the path of the text.
        """
        parts = [item] if self.text is None else follow_path(item, self.text)
        if not all(isinstance(part, str) for part in parts):
            raise ShapeError(f"no text at {self.text or self.results!r}")
        text = "\n".join(parts)
        if self.between is None:
            return text
        before, after = self.between
        mark = text.find(before)
        if mark < 0:
            return None
        start, end = mark + len(before), text.rfind(after)
        return text[start:end] if start <= end else None

    def _score(self, item: Any) -> float | None:
        """Return the score of an item; None if it has none."""
        if self.score is None:
            return None
        with suppress(ShapeError, ValueError):
            [score] = follow_path(item, self.score)
            return float(score) if isinstance(score, int | float) else None
        return None
