"""Memories behind an MCP server: one of its tools adds, another searches."""

from __future__ import annotations

import asyncio
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mabench.contract.interfaces import Passage
from mabench.errors import UsageError, require
from mabench.models.spec import ModelAddress
from mabench.redact import redact
from mabench.remote.channel import RemoteMemory
from mabench.remote.environment import environment
from mabench.remote.mcp_mapping import (
    Server,
    ToolMap,
    is_url,
    mapping_for,
    passages_in,
    shipped,
)
from mabench.remote.mcp_session import McpSession
from mabench.text.stems import is_function_word, tokens


def mcp_factory(
    target: str, mapping: str | None, env: Sequence[str] = ()
) -> Callable[..., RemoteMemory]:
    """Return a factory of memories on an MCP server, which may be given a ``ModelAddress``.

    Args:
        target: ``mcp:COMMAND ARGUMENTS`` for a server that is started for each memory and speaks
            over stdio, or ``mcp:http://...`` for one that runs; ``mcp:`` can be left out.
        mapping: a TOML file, or the name of a shipped mapping. When None, the shipped one of
            which the name occurs in ``target``.
        env: the names of the environment variables that are passed on to a command.

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
    if env and is_url(target):
        raise UsageError("`env` is for servers that are started by a command", parameter="env")
    environment(env)  # Refuses what is not set before anything is started.
    tool_map = mapping_for(target, mapping)
    if tool_map is None:
        raise UsageError(_mapping_needed(target, env), parameter="mcp_map")
    return partial(_open, target, tool_map, env)


def _open(
    target: str, tool_map: ToolMap, env: Sequence[str], address: ModelAddress | None = None
) -> RemoteMemory:
    session = McpSession(target, tool_map.server, env, address)
    missing = [one for one in (tool_map.add.tool, tool_map.search.tool) if one not in session.tools]
    if missing:
        session.end()
        has = ", ".join(session.tools) or "none"
        raise UsageError(f"{redact(target)} has no tool {missing[0]!r}; it has: {has}")
    return RemoteMemory(_McpChannel(session, tool_map))


class _McpChannel:
    """The calls of one memory, each made with the tool that the mapping names."""

    optional = ()

    def __init__(self, session: McpSession, tool_map: ToolMap) -> None:
        self._session = session
        self._add = tool_map.add
        self._search = tool_map.search
        self._texts = 0

    async def call(
        self, method: str, params: Mapping[str, Any], *, repeatable: bool = False
    ) -> list[Passage] | None:
        if method == "search":
            return await self._passages(params["query"], params["k"])
        self._texts += 1
        await self._session.call(self._add, {"text": params["text"], "n": self._texts})
        return None

    async def close(self) -> None:
        await asyncio.to_thread(self._session.end)

    async def _passages(self, query: str, k: int) -> list[Passage]:
        if self._search.each == "query":
            return (await self._search_for(query, k))[:k]
        words = dict.fromkeys(word for word in tokens(query) if not is_function_word(word))
        lists = [await self._search_for(word, k) for word in words or [query]]
        # The passages that the searches for most words found come first.
        hits = Counter(passage.text for passages in lists for passage in passages)
        return [Passage(text, float(count)) for text, count in hits.most_common()[:k]]

    async def _search_for(self, query: str, k: int) -> list[Passage]:
        result = await self._session.call(self._search, {"query": query, "k": k})
        return passages_in(result, self._search)


def _mapping_needed(target: str, env: Sequence[str]) -> str:
    """Say how to map a server for which there is no mapping, naming its tools."""
    session = McpSession(target, Server(), env)
    session.end()
    tools = ", ".join(f"{name}({', '.join(args)})" for name, args in session.tools.items())
    return (
        f"no mapping for {redact(target)}: give `mcp_map` a TOML file with the tools that add and "
        f"search (see docs/guides/remote-memories.md), or one of: {', '.join(shipped())}; "
        f"the server's tools: {tools or 'none'}"
    )
