"""What is done to a memory from outside, and what is seen of it there.

- Its own Python code pauses for a moment at random lines, so that threads meet in it: calls often
  take microseconds and hardly ever overlap. A memory that is right whatever the threads do is right
  with pauses.
- A meter, as in runs, stands before the server of models that it calls, and misbehaves now and
  then: slow, refusing, cut off, or nonsense. A seed says what is spoiled, and how.
- Its processes can write no more, as on a full disk.
- Its folder is searched for planted words, also packed ones.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import re
import sys
import sysconfig
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from itertools import islice
from pathlib import Path
from random import Random
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from mabench.agents import RetrievalAgent
from mabench.errors import require
from mabench.metering import Meter
from mabench.models import ModelAddress
from mabench.remote.channel import Remote
from mabench.remote.keeper import started_by
from mabench.runs.conversation import Conversation

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

_SHARES = (0.3, 0.1, 0.03)  # Of the lines: drawn for each call.
_PAUSES, _SECONDS = 8, 2e-4  # At most, in a call; each so long.
_NOT_OURS = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_SLOW_SECONDS = 0.5
_WAYS = ("slow", "429", "500", "cut off", "nonsense")
_NONSENSE = (
    b'{"choices": [{"message": {"content": "\\ud83d lorem }}{"}}], "data": [{"embedding": []}'
)
_MOST = 1 << 26  # Bytes of a file that are read, and of what is unpacked from it.
_PACKED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")
_MOST_PACKED = 2000  # Places in a file at which something packed may begin.
_EITHER = 32 + zlib.MAX_WBITS  # gzip and zlib.


class PausedMemory:
    """A memory whose sync methods pause at random lines of its own code, when it ``pauses``."""

    def __init__(self, memory: object, pauses: Callable[[], bool]) -> None:
        self._memory, self._pauses, self._rng = memory, pauses, Random(0)  # noqa: S311

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._memory, name)
        if not self._pauses() or not callable(method) or inspect.iscoroutinefunction(method):
            return method

        @wraps(method)
        def call(*arguments: object, **fields: object) -> object:
            before = sys.gettrace()
            sys.settrace(self._tracer())
            try:
                return method(*arguments, **fields)
            finally:
                sys.settrace(before)

        return call

    def _tracer(self) -> Any:
        share, left = self._rng.choice(_SHARES), _PAUSES

        def trace(frame: FrameType, event: str, value: object) -> Any:
            nonlocal left
            if not left or frame.f_code.co_filename.startswith(("<frozen", *_NOT_OURS)):
                return None
            if event == "line" and self._rng.random() < share:
                left -= 1
                time.sleep(_SECONDS)
            return trace

        return trace


class SpoilingMeter(Meter):
    """Spoils calls for a while, at a rate; a memory finds it at its ``address``."""

    address: ModelAddress

    def __init__(self, address: ModelAddress, rate: float, seed: int) -> None:
        super().__init__(address, prices={})
        self._rate, self._seed = rate, seed
        self._rng: Random | None = None

    def __enter__(self) -> Self:
        """Listen, or raise a ``MabenchError`` where no port of loopback can be had."""
        super().__enter__()
        self.address = self.endpoint(lambda call: None).address
        return self

    def spoil(self, number: int | None) -> None:
        """Spoil calls from now on, the same of each number; none more for None."""
        self._rng = None if number is None else Random(f"{self._seed} {number}")  # noqa: S311

    async def _answer(self, http: BaseRequest) -> StreamResponse:
        web, rng = require("aiohttp.web", "openai"), self._rng
        way = rng.choice(_WAYS) if rng and rng.random() < self._rate else None
        match way:
            case "429" | "500":
                error = {"error": {"message": "a fault of mabench stress"}}
                return web.json_response(error, status=int(way))  # type: ignore[no-any-return]
            case "nonsense":
                return web.Response(body=_NONSENSE, content_type="application/json")  # type: ignore[no-any-return]
            case "slow":
                await asyncio.sleep(_SLOW_SECONDS)
        response = await super()._answer(http)
        if way == "cut off" and http.transport:
            body = b"" if response.prepared else getattr(response, "body", b"")
            if body:
                response = web.StreamResponse(
                    status=response.status, headers={"Content-Length": str(len(body))}
                )
                await response.prepare(http)
                await response.write(body[: len(body) // 2])
            http.transport.close()
        return response


def remote_memory(talk: Conversation) -> Remote | None:
    """Return the memory that is talked with, if it does not live in this process."""
    memory: object = talk.agent.memory if isinstance(talk.agent, RetrievalAgent) else None
    return memory if isinstance(memory, Remote) else None


def processes_of(talk: Conversation) -> list[int]:
    """Return the processes of a memory that does not live in this one."""
    memory = remote_memory(talk)
    return [*started_by(memory.process)] if memory and memory.process else []


def limit_files(talk: Conversation, folder: Path | None) -> None:
    """Let no file of a process grow beyond the largest in a folder, or again without a limit.

    To a program, that is a full disk: what it writes fails.
    """
    import resource  # Windows has none.

    sizes = [file.stat().st_size for file in _files_in(folder)] if folder else []
    for process in processes_of(talk) if sys.platform == "linux" else ():
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        limit = max(sizes, default=0) if folder else hard
        resource.prlimit(process, resource.RLIMIT_FSIZE, (limit, hard))


def traces_in(folder: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that stands in a file of a folder, or in its name, and where and how."""
    sought = sorted(words)
    for file in _files_in(folder):
        name = file.relative_to(folder).as_posix()
        yield from ((word, f"in the name of {name}") for word in sought if word in name)
        with file.open("rb") as stream:
            content = stream.read(_MOST)
        for part, packing in _parts_of(content):
            lower = part.lower()
            for word in sought:
                for how, form in _forms_of(word):
                    if form in (part if how == "in base64" else lower):
                        yield word, f"in {name} {how}{packing}"


def _parts_of(content: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield what a file holds, and what is packed in it."""
    yield content, ""
    for match in islice(_PACKED.finditer(content), _MOST_PACKED):
        with suppress(zlib.error):
            packed = memoryview(content)[match.start() :]
            yield zlib.decompressobj(_EITHER).decompress(packed, _MOST), ", compressed"


def _forms_of(word: str) -> Iterator[tuple[str, bytes]]:
    small = word.lower()
    yield "as text", small.encode()
    yield "as UTF-16", small.encode("utf-16-le")
    yield "as UTF-32", small.encode("utf-32-le")
    yield "in hexadecimal", small.encode().hex().encode()
    # What surely stands in base64 of a text with this word, by where the word begins.
    for before, first in enumerate((0, 2, 3)):
        coded = base64.b64encode(b"\0" * before + word.encode())
        yield "in base64", coded[first : (before + len(word)) * 8 // 6]


def _files_in(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink()]


def bytes_in(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    return sum(file.stat().st_size for file in _files_in(folder))
