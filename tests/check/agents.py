"""Agents and memories: first those without a fault, then those with one each."""

import asyncio
import json
import multiprocessing
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from mabench.contract import Query
from tests.runs.agents import Shelf, async_like, failing
from tests.stressing.faulty.calls import OrderChangesByReading


def overlap(one: str, other: str) -> int:
    return len(set(one.lower().strip("?.").split()) & set(other.lower().strip("?.").split()))


class Memory(Shelf):
    """Returns the texts that share most words with the query."""

    def search(self, query: str, k: int) -> list[str]:
        return sorted(self.texts, key=lambda text: -overlap(query, text))[:k]


class Notes:
    """An agent that reports no passages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def memorize(self, chunk: str) -> None:
        self.lines += chunk.splitlines()

    def answer(self, query: Query) -> str:
        return max(self.lines, key=lambda line: overlap(query.search_query, line), default="")


class StartsProcess(Notes):
    """Has a process of its own start with it, as stores that run beside a library do."""

    def __init__(self) -> None:
        super().__init__()
        helper = multiprocessing.get_context("fork").Process(target=str)
        helper.start()
        helper.join()


class Saves(Notes):
    """An agent with a count of what it holds, that can be saved."""

    def stats(self) -> dict[str, int]:
        return {"memories": len(self.lines)}

    def save(self, folder: Path) -> None:
        (folder / "lines.json").write_text(json.dumps(self.lines))

    def load(self, folder: Path) -> None:
        self.lines = json.loads((folder / "lines.json").read_text())


AsyncAgent = async_like(Saves)


class BadHousekeeping(Memory):
    """Remembers well; what it says of itself and how it ends is no matter of scores."""

    def stats(self) -> dict[str, int]:
        raise RuntimeError("no statistics")

    def close(self) -> None:
        raise RuntimeError("already closed")


# Where the memories that share a folder find it: inherited by other processes.
FOLDER = "MABENCH_TEST_FOLDER"


def storing(change: Callable[[str], str | None]) -> type[Memory]:
    """A memory that stores what a function makes of a text, and no text where that is None."""

    class Changes(Memory):
        def add(self, text: str) -> None:
            changed = change(text)
            if changed is not None:
                super().add(changed)

    return Changes


def searching(search: Callable[[Any, str, int], list[str]]) -> type[Memory]:
    """A memory that searches by a function."""
    return type("Searches", (Memory,), {"search": search})


def refusing(refused: Callable[[str], bool], said: str) -> type[Memory]:
    """A memory that raises an error at some texts."""
    fail = failing(ValueError(said))
    return storing(lambda text: fail() if refused(text) else text)


StoresNothing = storing(lambda text: None)
DropsUnicode = storing(lambda text: text.encode("ascii", "ignore").decode())
DropsGreek = storing(lambda text: text if "reads Φ" not in text else None)
CutsShort = storing(lambda text: text[:8000])
DropsLong = storing(lambda text: text if len(text) < 60_000 else None)
FindsFew = storing(lambda text: text if "baker" in text or "weaver" in text else None)
# As many systems do.
Prints = storing(lambda text: (print("adding"), text)[1])
# It raises UnicodeDecodeError.
RefusesUnicode = storing(lambda text: text.encode("utf-16-be").decode("cp1252") and text)
RefusesStrangeCharacters = refusing(lambda text: "\0" in text, "cannot contain NUL (0x00)")
RaisesOnEmpty = refusing(lambda text: not text.strip(), "embedding of an empty text")
RefusesLong = refusing(
    lambda text: len(text) > 60_000,
    "maximum context length is 8192 tokens; sk-abcdefghijkl0123456789",
)
# It returns all that it holds, the best first.
IgnoresK = searching(lambda self, query, k: Memory.search(self, query, len(self.texts)))
# It mutates on search: what was found comes first from then on.
LatestSearchedFirst = OrderChangesByReading
_CHANCE = random.Random(7)
Random = searching(lambda self, query, k: _CHANCE.sample(self.texts, len(self.texts))[:k])


class LeaksBetweenRows(Memory):
    everything: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.texts = self.everything


class WipesOnMaking(Memory):
    stored: ClassVar[dict[int, list[str]]] = {}

    def __init__(self) -> None:
        self.stored.clear()

    @property
    def texts(self) -> list[str]:  # type: ignore[override]
        return self.stored.setdefault(id(self), [])


class StoresQueries(Memory):
    def search(self, query: str, k: int) -> list[str]:
        found = super().search(query, k)
        self.add(query)
        return found


class ForgetsWhatItFinds(Memory):
    def search(self, query: str, k: int) -> list[str]:
        found = super().search(query, 1)
        self.texts = [text for text in self.texts if text not in found]
        return found


class CountsSearches(Memory):
    """Mutates on search where nobody looks but ``stats``."""

    searches = 0

    def search(self, query: str, k: int) -> list[str]:
        self.searches += 1
        return super().search(query, k)

    def stats(self) -> dict[str, int]:
        return {"memories": len(self.texts) + self.searches}


class SharesFolder(Notes):
    """Every process begins to count its rows at 1, in the same folder."""

    rows: ClassVar[Iterator[int]] = iter(range(1, 1000))

    def __init__(self) -> None:
        self.file = Path(os.environ[FOLDER]) / f"row-{next(self.rows)}.txt"

    @property
    def lines(self) -> Any:
        return json.loads(self.file.read_text()) if self.file.exists() else []

    @lines.setter
    def lines(self, lines: list[str]) -> None:
        self.file.write_text(json.dumps(lines))

    def close(self) -> None:
        self.file.unlink(missing_ok=True)


class WipesSharedFolder(SharesFolder):
    """A new process wipes what is in its rows' folder."""

    begun: ClassVar[list[bool]] = []

    def __init__(self) -> None:
        if not self.begun:
            self.begun.append(True)
            for file in Path(os.environ[FOLDER]).iterdir():
                file.unlink()
        self.file = Path(os.environ[FOLDER]) / f"{os.getpid()}-{id(self)}.txt"


class LocksFolder(Notes):
    """One process at a time can open it, as with many embedded databases."""

    def __init__(self) -> None:
        super().__init__()
        lock = Path(os.environ[FOLDER]) / "lock"
        if lock.exists() and lock.read_text() != str(os.getpid()):
            raise BlockingIOError("already accessed by another instance")
        lock.write_text(str(os.getpid()))


class DiesElsewhere(Notes):
    def __init__(self) -> None:
        super().__init__()
        if multiprocessing.parent_process():
            os._exit(7)


class KnowsPeopleOnly(Notes):
    def answer(self, query: Query) -> str:
        return super().answer(query) if query.question.startswith("Who") else "I do not know."


class OutlivesItsRow(Memory):
    """What closed rows were told is found by later ones, not by those open at the time."""

    closed: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.texts = list(self.closed)

    def close(self) -> None:
        self.closed.extend(text for text in self.texts[-3:] if len(text) < 200)


class RaisesBeforeAdd(Memory):
    def search(self, query: str, k: int) -> list[str]:
        if not self.texts:
            raise LookupError("no collection")
        return super().search(query, k)


class LoadsNothing(AsyncAgent):  # type: ignore[misc, valid-type]
    async def load(self, folder: Path) -> None: ...


class Hangs(Memory):
    def search(self, query: str, k: int) -> list[str]:
        time.sleep(3600)
        return []


class HangsInAdd(AsyncAgent):  # type: ignore[misc, valid-type]
    async def memorize(self, chunk: str) -> None:
        await asyncio.sleep(3600)


class BlocksTheLoop(AsyncAgent):  # type: ignore[misc, valid-type]
    async def memorize(self, chunk: str) -> None:
        time.sleep(3600)


class MixesUpWhenBusy(Memory):
    """A buffer that all instances use while they add."""

    buffer: ClassVar[list[str]] = []

    def add(self, text: str) -> None:
        self.buffer[:] = [text]
        time.sleep(0.001)
        super().add(self.buffer[0])


class LosesWhenBusy(Memory):
    """Drops a text while another instance adds one."""

    busy: ClassVar[threading.Lock] = threading.Lock()

    def add(self, text: str) -> None:
        if self.busy.acquire(blocking=False):
            time.sleep(0.002)
            super().add(text)
            self.busy.release()


class ForgetsWhenAskedAtOnce(Memory):
    """Learns at its first question, and answers others from what it has learnt by then."""

    learnt: list[str] | None = None

    def search(self, query: str, k: int) -> list[str]:
        if self.learnt is None:
            self.learnt = []
            time.sleep(0.05)
            self.learnt = self.texts
        return sorted(self.learnt, key=lambda text: -overlap(query, text))[:k]


class MixesUpQuestions(Memory):
    """Finds everything, in an order that depends on how many are searching."""

    searching = 0

    def search(self, query: str, k: int) -> list[str]:
        self.searching += 1
        time.sleep(0.02)
        texts = super().search(query, k)
        self.searching -= 1
        return texts if not self.searching else texts[::-1]


class BoundToItsThread(Memory):
    def search(self, query: str, k: int) -> list[str]:
        self.thread = getattr(self, "thread", threading.get_ident())
        if self.thread != threading.get_ident():
            raise RuntimeError("made in another thread")
        return super().search(query, k)


class BuildsItsIndexOnce(Memory):
    """Finds nothing any more once it was searched while it was empty."""

    empty = False

    def search(self, query: str, k: int) -> list[str]:
        self.empty = self.empty or not self.texts
        return [] if self.empty else super().search(query, k)


class NoAgent:
    def memorise(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> str:
        return ""


class SlowerAndSlower(Memory):
    def add(self, text: str) -> None:
        super().add(text)
        time.sleep(0.012 * (len(self.texts) / 400) ** 2)
