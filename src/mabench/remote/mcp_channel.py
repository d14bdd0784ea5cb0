"""Memories behind an MCP server: one of its tools adds, another searches."""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mabench.contract.interfaces import Passage
from mabench.errors import UsageError, require
from mabench.redact import redact
from mabench.remote.mcp_mapping import ToolMap, filled, is_url, mapping_for, shipped
from mabench.remote.mcp_results import passages_in
from mabench.remote.mcp_session import McpSession
from mabench.text.stems import is_function_word, tokens

_LOG = "stderr.txt"


def mcp_factory(target: str, mapping: str | None) -> Callable[[], object]:
    """Return a factory of memories on an MCP server.

    Args:
        target: ``mcp:COMMAND ARGUMENTS`` for a server that is started for each memory and speaks
            over stdio, or ``mcp:http://...`` for one that runs; ``mcp:`` can be left out.
        mapping: a TOML file, or the name of a shipped mapping. When None, the shipped one of
            which the name occurs in ``target``.

    Raises:
        MissingPackageError: when the package mcp is not installed.
        UsageError: when there is no such mapping, or it does not fit; the message of a server
            that needs one lists its tools. The factory raises it when the server does not start
            or lacks a tool.
    """
    target = target.removeprefix("mcp:").strip()
    require("mcp.client.client", "mcp")
    if not target:
        raise UsageError("mcp: names no server; write mcp:COMMAND or mcp:http://HOST:PORT/mcp")
    try:
        shlex.split(target)
    except ValueError as error:
        raise UsageError(f"{redact(target)} is no command line: {error}") from error
    tool_map = mapping_for(target, mapping)
    if tool_map is None:
        raise UsageError(_what_to_write(target))
    return partial(_opened, target, tool_map)


def _opened(target: str, tool_map: ToolMap) -> McpMemory:
    """A memory on an MCP server."""
    return McpMemory(target, tool_map)


class McpMemory:
    """A memory on an MCP server of its own, or in a session of its own with a shared one.

    Args:
        target: a command line, or a URL.
        tool_map: which tools are used, and how.

    Raises:
        UsageError: when the server does not start, or lacks a tool.
    """

    def __init__(self, target: str, tool_map: ToolMap) -> None:
        self._search = tool_map.search
        self._add = tool_map.add
        self._added = 0
        self._home = tempfile.TemporaryDirectory(prefix="mabench-mcp-")
        home = Path(self._home.name)
        (home / "data").mkdir()
        self._places = {"folder": str(home / "data"), "session": home.name}
        try:
            self._server = _started(target, self._places, tool_map.server.env, home / _LOG)
        except BaseException:
            self._home.cleanup()
            raise
        missing = [one for one in (self._add.tool, self._search.tool) if not self._has(one)]
        if missing:
            has = ", ".join(self._server.tools) or "none"
            self._end()
            raise UsageError(f"{redact(target)} has no tool {missing[0]!r}; it has: {has}")

    async def add(self, text: str) -> None:
        """Store a text.

        Raises:
            McpError: when the tool fails.
        """
        self._added += 1
        values: dict[str, str | int] = {**self._places, "text": text, "n": self._added}
        await self._server.call(self._add.tool, filled(self._add.arguments, values))

    async def search(self, query: str, k: int) -> list[Passage]:
        """Return at most ``k`` passages, the best first.

        Raises:
            McpError: when the tool fails.
            AgentError: when its result has not the shape that the mapping says.
        """
        if self._search.each == "query":
            return (await self._found(query, k))[:k]
        words = dict.fromkeys(word for word in tokens(query) if not is_function_word(word))
        lists = [await self._found(word, k) for word in words or [query]]
        return _merged(lists)[:k]

    async def close(self) -> None:
        """Stop the server and remove what it stored."""
        await asyncio.to_thread(self._end)

    async def _found(self, query: str, k: int) -> list[Passage]:
        values: dict[str, str | int] = {**self._places, "query": query, "k": k}
        result = await self._server.call(self._search.tool, filled(self._search.arguments, values))
        return passages_in(result, self._search)

    def _has(self, tool: str) -> bool:
        return tool in self._server.tools

    def _end(self) -> None:
        self._server.end()
        self._home.cleanup()


def _merged(lists: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return the passages of several searches, those that most of them found first."""
    hits = Counter(passage.text for found in lists for passage in found)
    return [Passage(text, float(count)) for text, count in hits.most_common()]


def _started(
    target: str, places: Mapping[str, Any], env: Mapping[str, str], log: Path
) -> McpSession:
    command = target if is_url(target) else shlex.join(filled(shlex.split(target), places))
    return McpSession(command, filled(dict(env), places), log)


def _what_to_write(target: str) -> str:
    """Say how to map a server for which there is no mapping, naming its tools."""
    with tempfile.TemporaryDirectory(prefix="mabench-mcp-") as home:
        places = {"folder": home, "session": Path(home).name}
        server = _started(target, places, {}, Path(home) / _LOG)
        server.end()
    tools = ", ".join(f"{name}({', '.join(takes)})" for name, takes in server.tools.items())
    return (
        f"no mapping for {redact(target)}: give --mcp-map a TOML file with the tools that add and "
        f"search (see docs/remote.md), or one of: {', '.join(shipped())}; the server's tools: "
        f"{tools or 'none'}"
    )
