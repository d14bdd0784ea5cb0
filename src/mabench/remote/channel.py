"""An agent and a memory that live elsewhere, and the channel that carries their calls.

To the engine they are like any other. What a channel runs over, a process, HTTP or MCP, is the
business of a module of its own.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from mabench.contract.methods import FIELDS, KINDS, METHODS, Takes
from mabench.errors import MabenchError

LONGEST_REPLY = 1 << 25  # Bytes; 32 MiB.
# What the session of a conversation is called where a ``session`` is that of a row.
CONVERSATION = "conversation"
_FOLDER = "mabench-"


class RemoteError(MabenchError):
    """The other side raised an error, sent what is no reply, is gone or cannot be reached."""


class Channel(Protocol):
    """Carries the calls of one agent or memory to where it lives."""

    @property
    def takes(self) -> Takes:
        """What the other side says that it takes and has."""

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Return the result of a method as it was sent, or raise a ``RemoteError``."""

    async def close(self) -> None:
        """Let the other side put its things away."""


class Remote:
    """An agent or a memory at the other end of a channel, with the methods that are there.

    It loads and saves in folders of its own: the path of the run's would lead to golds.
    """

    def __init__(self, channel: Channel, kind: str) -> None:
        self._channel = channel
        self._folders = ExitStack()
        self.takes = channel.takes
        for name in (*KINDS[kind], *self.takes.methods):
            setattr(self, name, getattr(self, f"_{name}", partial(self._call, name)))

    async def _call(self, method: str, *arguments: object, **fields: object) -> Any:
        params = dict(zip(METHODS[method], arguments, strict=True)) | fields
        if isinstance(time := params.get("time"), datetime):
            params["time"] = time.isoformat()
        if method == "answer":
            query = params.pop("query")
            params |= {"prompt": str(query), **{n: getattr(query, n) for n in FIELDS["query"]}}
        return await self._channel.call(method, params)

    async def close(self) -> None:
        """Close the other side, and remove its folders."""
        with self._folders:
            await self._channel.close()

    async def kill(self) -> None:
        """End its process at once, as ``kill -9`` does; nothing where it has none of ours."""
        if self.process is not None:
            channel: Any = self._channel
            channel.kill("it was killed")
            await asyncio.to_thread(channel.end)

    @property
    def process(self) -> int | None:
        """The number of the process of ours that it lives in; None without one."""
        return getattr(self._channel, "process", None)

    async def _save(self, folder: Path) -> None:
        with TemporaryDirectory(prefix=_FOLDER) as there:
            await self._channel.call("save", {"folder": there})
            await asyncio.to_thread(shutil.copytree, there, folder, dirs_exist_ok=True)

    async def _load(self, folder: Path) -> None:
        # It may go on reading what it loaded, so its copy lasts as long as it does.
        there = self._folders.enter_context(TemporaryDirectory(prefix=_FOLDER))
        await asyncio.to_thread(shutil.copytree, folder, there, dirs_exist_ok=True)
        await self._channel.call("load", {"folder": there})
