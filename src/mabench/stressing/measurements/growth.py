"""Whether a memory grows without end though what it holds stays the same.

What fails here is no finding: histories look into it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from mabench.bench.clock import TimeBudget
from mabench.runs.conversation import Conversation
from mabench.stressing.files import bytes_in
from mabench.stressing.operations import USERS, Operation, spell_out
from mabench.stressing.report import Severity, StressFinding
from mabench.stressing.stressed import StressedMemory

_HELD = 10  # Texts that are there all the time.
_ROUNDS, _CALLS_PER_ROUND = 4, 25  # In the first round stores and caches settle.
_VALUES = 6  # That texts have in turn, beside the first.
_DEPTH = 5  # Results that a search is asked for.
_LONG = 24_000  # Characters of a text or a query.
_SENTENCE = "and the keeper of the harbour wrote down what the ships had brought "
_PROSE = _SENTENCE * (_LONG // len(_SENTENCE))
_FIELDS = {"user": USERS[0]}
_KEPT_SHARE = 0.5  # A memory grows if it keeps this share of what goes in, in each round.
_TRACE_BYTES = 16  # That a search leaves behind each time.
# What is measured.
_FILES = "its files (bytes)"
_REPORTED_BYTES = "what stats() says (bytes)"
_REPORTED_TEXTS = "what stats() says (texts)"
_PROCESS = "the memory of its process (bytes)"


def find_growth(memory: StressedMemory, seconds: float) -> Iterator[StressFinding]:
    """Search, then rewrite, over and over; yield what grew with each round, if anything did.

    What grew in its process, or by little in files while it was searched, is a note; else a fault.
    """
    budget = memory.clock.budget(seconds)
    for kind in ("delete", "search", "update"):
        if not _can_repeat(memory, kind) or budget.is_over():
            continue
        sizes: dict[str, list[float]] = {}
        with suppress(Exception):
            sizes = memory.subject.run(_sizes_by_round(memory, kind, budget))
        for what, by_round in sizes.items():
            if severity := _severity_of_growth(kind, what, by_round):
                yield _finding(memory, kind, what, by_round, severity)
                if severity == "fault":
                    return


def _can_repeat(memory: StressedMemory, kind: str) -> bool:
    """Return whether an operation can be repeated without anything being kept."""
    # A memory that is searched as of a time has to keep what was updated.
    keeps_all = kind == "update" and "search" in memory.abilities.timed
    return kind in memory.abilities.kinds and not keeps_all


def _severity_of_growth(kind: str, what: str, by_round: Sequence[float]) -> Severity | None:
    """Return how bad the growth of a size is; None if it did not grow in each round."""
    least_growth = min(after - before for before, after in pairwise(by_round))
    of_each_call = 1 if what == _REPORTED_TEXTS else _LONG
    if least_growth >= _KEPT_SHARE * _CALLS_PER_ROUND * of_each_call:
        return "note" if what == _PROCESS else "fault"
    leaves_traces = least_growth >= _TRACE_BYTES * _CALLS_PER_ROUND
    return "note" if kind == "search" and what == _FILES and leaves_traces else None


def _finding(
    memory: StressedMemory, kind: str, what: str, by_round: Sequence[float], severity: Severity
) -> StressFinding:
    """Return the finding that a size grew while an operation was repeated."""
    message = (
        f"{what} grew from {by_round[0]:,.0f} to {by_round[-1]:,.0f} over "
        f"{(_ROUNDS - 1) * _CALLS_PER_ROUND} times {kind}, though what it holds stayed the same"
    )
    user = USERS[0] if memory.abilities.by_user else None
    version = None if kind == "search" else 1
    added = Operation(op="add", step=1, fact=0, version=0, count=_HELD, user=user)
    calls = _ROUNDS * _CALLS_PER_ROUND
    repeated: Operation = Operation(
        op=kind,  # type: ignore[arg-type]  # one of three that there are
        step=2,
        fact=0,
        version=version,
        count=calls,
        user=user,
    )
    history = spell_out([added, repeated], memory.facts)
    own_process = memory.subject.process_factory is not None
    return StressFinding("grows", severity, message, history, own_process)


async def _sizes_by_round(
    memory: StressedMemory, kind: str, budget: TimeBudget
) -> dict[str, list[float]]:
    """Fill a memory, and search it, update its texts, or delete and add them, round by round.

    Returns each size after each round, by what was measured, the process last; nothing if there was
    no time for all rounds.
    """
    facts, sizes = memory.facts, dict[str, list[float]]()
    ids: list[list[object]] = []
    own_process = memory.subject.process_factory is not None
    async with memory.subject.fresh(own_process=own_process) as instance:
        for number in range(-_HELD, _ROUNDS * _CALLS_PER_ROUND):
            if budget.is_over():
                return {}
            fact = number % _HELD
            turn = number // _HELD  # All texts get a value in each turn, the first ones in turn -1.
            version = 1 + turn % _VALUES
            text = f"{facts.text(fact, version)} {number} {_PROSE}"
            if number < 0:  # The memory is filled first.
                ids.append(await instance.tell(text, _FIELDS))
            elif kind == "search":
                await instance.search(f"{number} {facts.query(fact)} {_PROSE}", _DEPTH, _FIELDS)
            elif kind == "update":
                await instance.update(ids[fact][0], text, _FIELDS)
            else:
                for name in ids[fact]:
                    await instance.delete(id=name)
                ids[fact] = await instance.tell(text, _FIELDS)
            ends_round = (number + 1) % _CALLS_PER_ROUND == 0
            if number >= 0 and ends_round:
                for what, size in (await _sizes(memory, instance)).items():
                    sizes.setdefault(what, []).append(size)
    return sizes


async def _sizes(memory: StressedMemory, instance: Conversation) -> Mapping[str, float]:
    """Return all sizes of an instance; 0 for what is not known."""
    stats = await instance.stats()
    return {
        _FILES: float(bytes_in(instance.folder) if instance.folder else 0),
        _REPORTED_BYTES: float(stats.bytes or 0),
        _REPORTED_TEXTS: float(stats.memories or 0),
        _PROCESS: float(_resident_bytes(memory.subject.processes_of(instance))),
    }


def _resident_bytes(processes: Sequence[int]) -> int:
    """Return the bytes of memory that processes hold; 0 where the system does not say."""
    resident = 0
    with suppress(OSError, ValueError, IndexError):
        for process in processes:
            pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
            resident += int(pages) * os.sysconf("SC_PAGE_SIZE")
    return resident
