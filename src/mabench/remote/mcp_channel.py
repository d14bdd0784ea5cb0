"""Memories behind an MCP server: one of its tools adds, another searches."""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from mabench.contract.interfaces import Passage
from mabench.errors import UsageError, require
from mabench.redact import redact
from mabench.remote.channel import RemoteMemory
from mabench.remote.mcp_mapping import (
    Add,
    Search,
    Server,
    ToolMap,
    filled,
    is_url,
    mapping_for,
    shipped,
)
from mabench.remote.mcp_results import ToolResult, passages_in
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
        raise UsageError(_mapping_needed(target), parameter="mcp_map")
    return partial(_open, target, tool_map)


def _open(target: str, tool_map: ToolMap) -> RemoteMemory:
    """Start a server, or a session with a shared one, for one memory.

    Raises:
        UsageError: when the server does not start, or lacks a tool.
    """
    home = _Home(target, tool_map.server)
    tools = home.session.tools
    missing = [one for one in (tool_map.add.tool, tool_map.search.tool) if one not in tools]
    if missing:
        home.remove()
        has = ", ".join(tools) or "none"
        raise UsageError(f"{redact(target)} has no tool {missing[0]!r}; it has: {has}")
    return RemoteMemory(_McpChannel(home, tool_map))


class _Home:
    """A session with a server, and the temporary folder that is the server's own.

    Attributes:
        session: the session.
        places: what ``{folder}`` and ``{session}`` of a mapping stand for.
    """

    def __init__(self, target: str, server: Server) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mabench-mcp-")
        home = Path(self._folder.name)
        (home / "data").mkdir()
        self.places = {"folder": str(home / "data"), "session": home.name}
        command = target
        if not is_url(target):
            command = shlex.join(filled(shlex.split(target), self.places))
        try:
            self.session = McpSession(command, filled(server.env, self.places), home / _LOG)
        except BaseException:
            self._folder.cleanup()
            raise

    def remove(self) -> None:
        """Stop the server and remove what it stored."""
        self.session.end()
        self._folder.cleanup()


class _McpChannel:
    """The calls of one memory, each made with the tool that the mapping names."""

    optional = ()

    def __init__(self, home: _Home, tool_map: ToolMap) -> None:
        self._home = home
        self._add = tool_map.add
        self._search = tool_map.search
        self._texts = 0

    async def call(
        self, method: str, params: Mapping[str, Any], *, repeatable: bool = False
    ) -> list[Passage] | None:
        if method == "search":
            return await self._passages(params["query"], params["k"])
        self._texts += 1
        await self._use(self._add, {"text": params["text"], "n": self._texts})
        return None

    async def close(self) -> None:
        await asyncio.to_thread(self._home.remove)

    async def _passages(self, query: str, k: int) -> list[Passage]:
        if self._search.each == "query":
            return (await self._search_for(query, k))[:k]
        words = dict.fromkeys(word for word in tokens(query) if not is_function_word(word))
        lists = [await self._search_for(word, k) for word in words or [query]]
        # The passages that the searches for most words found come first.
        hits = Counter(passage.text for passages in lists for passage in passages)
        return [Passage(text, float(count)) for text, count in hits.most_common()[:k]]

    async def _search_for(self, query: str, k: int) -> list[Passage]:
        return passages_in(await self._use(self._search, {"query": query, "k": k}), self._search)

    async def _use(self, tool: Add | Search, values: Mapping[str, str | int]) -> ToolResult:
        arguments = filled(tool.arguments, {**self._home.places, **values})
        return await self._home.session.call(tool.tool, arguments)


def _mapping_needed(target: str) -> str:
    """Say how to map a server for which there is no mapping, naming its tools."""
    home = _Home(target, Server())
    home.remove()
    tools = ", ".join(f"{name}({', '.join(args)})" for name, args in home.session.tools.items())
    return (
        f"no mapping for {redact(target)}: give `mcp_map` a TOML file with the tools that add and "
        f"search (see docs/remote.md), or one of: {', '.join(shipped())}; the server's tools: "
        f"{tools or 'none'}"
    )
