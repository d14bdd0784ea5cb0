"""``Remote``, an agent or a memory elsewhere, and ``Channel``, which carries its calls.

To the engine it is like any other agent. Each transport has a channel in a module of its own.
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

# Bytes: 32 MiB.
LONGEST_REPLY = 1 << 25
# The name of a conversation's session in protocols in which ``session`` is that of a row.
CONVERSATION = "conversation"
_FOLDER = "mabench-"


class RemoteError(MabenchError):
    """The other side raised an error, sent an invalid reply, is gone or cannot be reached."""


class Channel(Protocol):
    """Carries the calls of one agent or memory to the other side."""

    @property
    def takes(self) -> Takes:
        """The methods of the other side, and the arguments that they take."""

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Call a method on the other side; return its result as it was sent.

        Raises:
            RemoteError: when there is no result.
        """

    async def close(self) -> None:
        """Close the other side."""


class Remote:
    """An agent or a memory at the other end of a channel; it has the methods of the other side.

    It saves to and loads from temporary folders: the path of the run's folder would lead to golds.
    """

    def __init__(self, channel: Channel, kind: str) -> None:
        self._channel = channel
        self._folders = ExitStack()
        self.takes = channel.takes
        # Each method is a call of the channel, apart from those that need a folder.
        with_folder = {"save": self._save, "load": self._load}
        for name in (*KINDS[kind], *self.takes.methods):
            setattr(self, name, with_folder.get(name, partial(self._call, name)))

    async def _call(self, method: str, *arguments: object, **fields: object) -> Any:
        """Call a method, with its arguments as values that JSON can hold."""
        params = dict(zip(METHODS[method], arguments, strict=True)) | fields
        time = params.get("time")
        if isinstance(time, datetime):
            params["time"] = time.isoformat()
        if method == "answer":
            query = params.pop("query")
            params["prompt"] = str(query)
            params |= {name: getattr(query, name) for name in FIELDS["query"]}
        return await self._channel.call(method, params)

    async def close(self) -> None:
        """Close the other side, and remove its folders."""
        with self._folders:
            await self._channel.close()

    async def kill(self) -> None:
        """Kill its process, as ``kill -9`` does; do nothing if we started no process for it."""
        if self.process is not None:
            channel: Any = self._channel
            channel.kill("it was killed")
            await asyncio.to_thread(channel.end)

    @property
    def process(self) -> int | None:
        """The id of the process that we started for it; None if there is none."""
        return getattr(self._channel, "process", None)

    async def _save(self, folder: Path) -> None:
        """Let the other side save into a temporary folder, and copy that to ``folder``."""
        with TemporaryDirectory(prefix=_FOLDER) as there:
            await self._channel.call("save", {"folder": there})
            await asyncio.to_thread(shutil.copytree, there, folder, dirs_exist_ok=True)

    async def _load(self, folder: Path) -> None:
        """Let the other side load from a copy of ``folder``."""
        # The other side may read the files at any later time: the copy stays until it is closed.
        there = self._folders.enter_context(TemporaryDirectory(prefix=_FOLDER))
        await asyncio.to_thread(shutil.copytree, folder, there, dirs_exist_ok=True)
        await self._channel.call("load", {"folder": there})
