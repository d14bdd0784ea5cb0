"""What is done to a memory from outside, to its models and its disk, and what is seen there."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
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
_READ_BYTES = 1 << 26  # Of each file, when words are looked for.


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
    """Yield each word that is in a file of a folder, or in its name, and where.

    Case does not matter. A file is searched for the word in UTF-8, UTF-16 and UTF-32; nothing is
    unpacked.
    """
    for file in _files_in(folder):
        name = file.relative_to(folder).as_posix()
        yield from ((word, f"in the name of {name}") for word in sorted(words) if word in name)
        with file.open("rb") as stream:
            content = stream.read(_READ_BYTES).lower()
        for word in sorted(words):
            yield from (
                (word, f"in {name}{how}") for how, form in _forms_of(word) if form in content
            )


def _forms_of(word: str) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes that a word may be in a file, each with words for its encoding."""
    small = word.lower()
    yield "", small.encode()
    yield " as UTF-16", small.encode("utf-16-le")
    yield " as UTF-32", small.encode("utf-32-le")


def _files_in(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink()]


def bytes_in(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    return sum(file.stat().st_size for file in _files_in(folder))
