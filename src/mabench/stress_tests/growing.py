"""Does what a memory keeps grow without end, though what it holds stays the same?"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from mabench.runs.conversation import Conversation
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.operations import USERS, Operation
from mabench.stress_tests.report import Severity, StressFinding
from mabench.stress_tests.subject import Subject, processes_of

_HELD = 10  # Texts.
_ROUNDS, _TURNS = 4, 25  # In the first round stores and caches settle.
_LONG = 24_000  # Characters of a text or a query.
_SHARE = 0.5  # Of what goes in, that is kept in each round.
_PROSE = "and the keeper of the harbour wrote down what the ships had brought " * (_LONG // 68)
_FILES, _SAYS, _TEXTS, _PROCESS = (
    "its files (bytes)",
    "what stats() says (bytes)",
    "what stats() says (texts)",
    "the memory of its process (bytes)",
)


def find_growth(subject: Subject, seconds: float) -> list[StressFinding]:
    """Search, then rewrite, over and over; return what grew with each round.

    A finding in files or in what the memory says of itself is a fault; one in the memory of its
    process a note.
    """
    end = time.monotonic() + seconds
    able = subject.abilities
    # Who searches as of a time has to keep what was updated.
    kinds = {*able.kinds} - ({"update"} if "search" in able.timed else set())
    elsewhere = subject.killable is not None
    for kind in [kind for kind in ("delete", "search", "update") if kind in kinds]:
        sizes = subject.run(_churn(subject, kind, end, elsewhere))
        grown = {name: growth for name, growth in sizes.items() if _grows(growth, name)}
        if not grown:
            continue
        what, (first, *_, last) = next(iter(grown.items()))
        message = (
            f"{what} grew from {first:,.0f} to {last:,.0f} over {(_ROUNDS - 1) * _TURNS} times "
            f"{kind}, though what it holds stayed the same"
        )
        user = USERS[0] if able.by_user else None
        turns = _ROUNDS * _TURNS
        history = [
            Operation(op="add", step=1, fact=0, version=0, count=_HELD, user=user),
            Operation(op=kind, step=2, fact=0, version=1, count=turns, user=user),
        ]
        severity: Severity = "note" if [*grown] == [_PROCESS] else "fault"
        return [StressFinding("grows", severity, message, subject.facts.told(history), elsewhere)]
    return []


async def _churn(
    subject: Subject, kind: str, end: float, elsewhere: bool
) -> dict[str, list[float]]:
    """Fill a memory, and search it, update its texts, or delete and add them, round by round.

    Returns each size after each round; none where there is no time, or it fails, which histories
    show.
    """
    facts, given = subject.facts, {"user": USERS[0]}
    sizes: dict[str, list[float]] = {}
    with suppress(Exception):
        async with subject.talking(elsewhere=elsewhere) as talk:
            ids = [await talk.tell(f"{facts.text(fact)} {_PROSE}", given) for fact in range(_HELD)]
            for number in range(_ROUNDS * _TURNS):
                if subject.is_over(end):
                    return {}
                place = number % _HELD
                text = f"{facts.text(place, 1 + number // _HELD % 6)} {number} {_PROSE}"
                if kind == "search":
                    query = f"{number} {facts.query(place)} {_PROSE}"
                    await talk.search(query, 5, given)
                elif kind == "update":
                    await talk.update(ids[place][0], text, given)
                else:
                    for name in ids[place]:
                        await talk.delete(id=name)
                    ids[place] = await talk.tell(text, given)
                if number % _TURNS == _TURNS - 1:
                    for name, size in (await _sizes(talk)).items():
                        sizes.setdefault(name, []).append(float(size or 0))
            return sizes
    return {}


async def _sizes(talk: Conversation) -> dict[str, int | None]:
    stats = await talk.stats()
    resident = 0
    with suppress(OSError, ValueError, IndexError):  # Where the system tells.
        for process in processes_of(talk):
            pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
            resident += int(pages) * os.sysconf("SC_PAGE_SIZE")
    files = bytes_in(talk.folder) if talk.folder else None
    return {_FILES: files, _SAYS: stats.bytes, _TEXTS: stats.memories, _PROCESS: resident}


def _grows(sizes: list[float], name: str) -> bool:
    least = _SHARE * _TURNS * (1 if name == _TEXTS else _LONG)
    return all(after - before >= least for before, after in pairwise(sizes))
