"""Does what a memory keeps grow without end, though what it holds stays the same?"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

from mabench.runs.conversation import Conversation
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.load import talking
from mabench.stress_tests.operations import USERS, Operation
from mabench.stress_tests.report import StressFinding
from mabench.stress_tests.subject import Subject, processes_of
from mabench.tasks.loops import run_to_end

_HELD = 10  # Texts.
_ROUNDS, _TURNS = 4, 25  # In the first round stores and caches settle.
_LONG = 24_000  # Characters of a text or a query.
_SHARE = 0.5  # Of what goes in, that is kept in each round.


def find_growth(subject: Subject, seconds: float) -> list[StressFinding]:
    """Search, then rewrite, over and over; return what grew with each round.

    A finding in files or in what the memory says of itself is a fault; one in the memory of its
    process a note.
    """
    end = time.monotonic() + seconds
    findings: list[StressFinding] = []
    able = subject.abilities
    # Who searches as of a time has to keep what was updated.
    kinds = {*able.kinds} - ({"update"} if "search" in able.timed else set())
    for kind in ("delete", "search", "update"):
        if kind in kinds and not findings:
            findings += run_to_end(_churn(subject, kind, end))
    return findings


async def _churn(subject: Subject, kind: str, end: float) -> list[StressFinding]:
    folder = subject.folder_of_its_own() if subject.factory.takes_folder else None
    elsewhere = subject.killable is not None
    async with talking(subject.converse(folder, elsewhere=elsewhere)) as talk:
        sizes: list[dict[str, float]] = []
        try:
            turn = await _turning(subject, talk, kind)
            for number in range(_ROUNDS * _TURNS):
                if time.monotonic() > end or talk.hung:
                    return []
                await turn(number)
                if number % _TURNS == _TURNS - 1:
                    sizes.append(await _sizes(talk, folder))
        except Exception:  # It fails, which histories show, or is too slow for so long texts.
            return []
    grown = [name for name in sizes[0] if _grows([size.get(name, 0.0) for size in sizes], name)]
    if not grown:
        return []
    first, last = sizes[0][grown[0]], sizes[-1][grown[0]]
    message = (
        f"{grown[0]} grew from {first:,.0f} to {last:,.0f} over {(_ROUNDS - 1) * _TURNS} times "
        f"{kind}, though what it holds stayed the same"
    )
    user = USERS[0] if subject.abilities.by_user else None
    history = [
        Operation(op="add", step=1, fact=0, version=0, count=_HELD, user=user),
        Operation(op=kind, step=2, fact=0, version=1, count=_ROUNDS * _TURNS, user=user),
    ]
    severity = "fault" if grown != [_PROCESS] else "note"
    return [StressFinding("grows", severity, message, history, elsewhere)]


async def _turning(
    subject: Subject, talk: Conversation, kind: str
) -> Callable[[int], Awaitable[None]]:
    """Fill a memory; return what searches it, updates a text, or deletes one and adds it again."""
    given = {"user": USERS[0]}
    prose = "and the keeper of the harbour wrote down what the ships had brought " * (_LONG // 68)
    ids = [
        (await talk.tell(f"{subject.facts.text_of(fact, 0)} {prose}", given))
        for fact in range(_HELD)
    ]

    async def turn(number: int) -> None:
        place = number % _HELD
        text = f"{subject.facts.text_of(place, 1 + number // _HELD % 6)} {number} {prose}"
        if kind == "search":
            await talk.search(f"{number} {subject.facts.query(place)} {prose}", 5, given)
        elif kind == "update":
            await talk.update(ids[place][0], text, given)
        else:
            for name in ids[place]:
                await talk.delete(id=name)
            ids[place] = await talk.tell(text, given)

    return turn


_FILES, _SAYS, _TEXTS, _PROCESS = (
    "its files (bytes)",
    "what stats() says (bytes)",
    "what stats() says (texts)",
    "the memory of its process (bytes)",
)


async def _sizes(talk: Conversation, folder: Path | None) -> dict[str, float]:
    stats = await talk.stats()
    sizes = {_FILES: bytes_in(folder) if folder else None, _SAYS: stats.bytes}
    sizes |= {_TEXTS: stats.memories, _PROCESS: _resident(talk)}
    return {name: float(size) for name, size in sizes.items() if size is not None}


def _resident(talk: Conversation) -> int | None:
    """Return the bytes in memory of a process of the memory's own, where the system tells."""
    pages = 0
    for process in processes_of(talk):
        try:
            pages += int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
        except (OSError, ValueError, IndexError):
            return None
    return pages * os.sysconf("SC_PAGE_SIZE") or None


def _grows(sizes: list[float], name: str) -> bool:
    least = _SHARE * _TURNS * (1 if name == _TEXTS else _LONG)
    return all(after - before >= least for before, after in pairwise(sizes))
