"""What is done to a memory from outside, to its models and its disk, and what is seen there."""

from __future__ import annotations

import asyncio
import base64
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.metering import Meter
from mabench.models import ModelAddress

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

_SLOW_SECONDS = 0.5
_WAYS = ("slow", "429", "500", "cut off", "nonsense")
_NONSENSE = (
    b'{"choices": [{"message": {"content": "\\ud83d lorem }}{"}}], "data": [{"embedding": []}'
)
_MOST = 1 << 26  # Bytes of a file that are read, and of what is unpacked from it.
_PACKED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")
_MOST_PACKED = 2000  # Places in a file at which something packed may begin.
_EITHER = 32 + zlib.MAX_WBITS  # gzip and zlib.


class SpoilingMeter(Meter):
    """Stands before a server of models, and spoils calls for a while: a seed says which, and how.

    They are slow, refused, cut off or answered with nonsense.
    """

    def __init__(self, address: ModelAddress, rate: float, seed: int) -> None:
        super().__init__(address, prices={})
        self._rate, self._seed = rate, seed
        self._rng: Random | None = None

    @cached_property
    def address(self) -> ModelAddress:
        """Where a memory finds it, once it listens."""
        return self.endpoint(lambda call: None).address

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


def limit_files(processes: Iterable[int], folder: Path | None) -> None:
    """Let no file of processes grow beyond the largest in a folder, or again without a limit.

    To a program, that is a full disk: what it writes fails.
    """
    import resource  # Windows has none.

    sizes = [file.stat().st_size for file in _files_in(folder)] if folder else []
    for process in processes if sys.platform == "linux" else ():
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        limits = max(sizes, default=0) if folder else hard, hard
        resource.prlimit(process, resource.RLIMIT_FSIZE, limits)


def traces_in(folder: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that stands in a file of a folder, or in its name, and where and how."""
    forms = [(word, *form) for word in sorted(words) for form in _forms_of(word)]
    for file in _files_in(folder):
        name = file.relative_to(folder).as_posix()
        yield from ((word, f"in the name of {name}") for word in sorted(words) if word in name)
        with file.open("rb") as stream:
            content = stream.read(_MOST)
        for part, packing in _parts_of(content):
            lower = part.lower()
            for word, how, form in forms:
                if form in (part if how == "in base64" else lower):
                    yield word, f"in {name} {how}{packing}"


def _parts_of(content: bytes) -> Iterator[tuple[bytes, str]]:
    yield content, ""
    for match in islice(_PACKED.finditer(content), _MOST_PACKED):
        with suppress(zlib.error):
            packed = memoryview(content)[match.start() :]
            yield zlib.decompressobj(_EITHER).decompress(packed, _MOST), ", compressed"


def _forms_of(word: str) -> Iterator[tuple[str, bytes]]:
    small = word.lower()
    for how, coding in (("text", "utf-8"), ("UTF-16", "utf-16-le"), ("UTF-32", "utf-32-le")):
        yield f"as {how}", small.encode(coding)
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
