"""Trying a memory out: what can be done with it, how soon it finds a text, and how long calls take.

What cannot be judged is not looked into, and said.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from mabench.errors import MabenchError, UsageError
from mabench.runs.conversation import Conversation
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.load import percentiles
from mabench.stress_tests.operations import TIMES, USERS
from mabench.stress_tests.playing import LoopBlockedError
from mabench.stress_tests.programs import Abilities
from mabench.stress_tests.report import Readiness
from mabench.stress_tests.subject import Subject, in_a_line

_TEXTS = 10
_PAUSE = 0.01
# Seconds within which no call hangs; clients of models try again, and wait between.
_LEAST_HANG, _LEAST_WITH_FAULTS = 3.0, 30.0
_SHORT = 0.05  # Seconds within which a text is found at once.
_GRACE = 20.0
_LATE = 5.0


def try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    """Set what can be done with a memory; return how soon texts are found, and what is not tried.

    A UsageError says that it cannot be made, or cannot be told anything.
    """
    begun = time.monotonic()
    limit = subject.hang() * 2 + subject.patience + _GRACE

    def watch() -> None:
        if time.monotonic() - begun > limit:
            raise LoopBlockedError

    try:
        return subject.run(_try_out(subject), watch)
    except LoopBlockedError as error:
        message = f"{subject.name} hangs: nothing came back within {limit:.0f} s"
        raise UsageError(message, parameter="agent") from error
    except MabenchError:
        raise
    except Exception as error:
        message = f"{subject.name} cannot be stressed: {in_a_line(error)}"
        raise UsageError(message, parameter="agent") from error


async def _try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    async with subject.talking() as talk:
        if not talk.searches:
            raise UsageError(
                f"{subject.name} is an agent, not a memory: stress takes what has add(text) and "
                "search(query, k)",
                parameter="agent",
            )
        subject.takes = talk.takes
        ids, lags = await _add_and_search(subject, talk)
    stores = subject.factory.takes_folder and talk.folder is not None and bytes_in(talk.folder) > 0
    facts, given = subject.facts, {"user": USERS[0]}
    async with subject.talking() as talk:
        try:
            passages = await talk.search(facts.query(0), 5 * _TEXTS, given)
        except Exception:  # Some cannot search what is empty; histories show it.
            passages = []
        if any((0, 0) in facts.versions_in(passage.text) for passage in passages):
            raise UsageError(
                f"{subject.name}: a fresh memory knows what another was told, so that nothing can "
                "be judged; `mabench check` says more",
                parameter="agent",
            )
    if subject.killable is not subject.factory:
        try:
            async with subject.talking(elsewhere=True):
                pass
        except Exception:  # It cannot be made in a process of its own.
            subject.killable = None
    subject.least_hang = _LEAST_WITH_FAULTS if subject.model_faults else _LEAST_HANG
    declared = "ready" in subject.takes.methods
    if not declared and lags and max(lags) > _SHORT:
        subject.lag = max(lags)
    subject.abilities = _abilities_of(subject, ids, stores)
    readiness = Readiness(declared, len(lags), *percentiles(lags)) if lags else None
    return readiness, [*_not_tried(subject, ids, stores)]


async def _add_and_search(subject: Subject, talk: Conversation) -> tuple[list[str], list[float]]:
    """Return ids of a text, and the seconds until each text was found; set how long calls take."""
    facts, user = subject.facts, {"user": USERS[0]}
    ids: list[str] = []
    lags: list[float] = []
    for fact in range(_TEXTS):
        start = time.perf_counter()
        ids = await talk.tell(facts.text(fact), {**user, "time": TIMES[0]})
        added = now = time.perf_counter()
        subject.longest = max(subject.longest, added - start)
        await talk.ready()
        while True:
            begun = time.perf_counter()
            passages = await talk.search(facts.query(fact), 5 * _TEXTS, user)
            now = time.perf_counter()
            subject.longest = max(subject.longest, now - begun)
            if any((fact, 0) in facts.versions_in(passage.text) for passage in passages):
                break
            # One that is not found at all is looked into by histories.
            if now - added > min(subject.patience, _LATE):
                return ids, lags
            await asyncio.sleep(_PAUSE)
        lags.append(round(begun - added, 4))
    return ids, lags


def _abilities_of(subject: Subject, ids: list[str], stores: bool) -> Abilities:
    """Return what can be done with a memory that gave a text these ids, and has files or none."""
    takes = subject.takes
    deletes = takes.fields.get("delete", frozenset())
    by_user = {"user"} <= takes.told and {"user"} <= takes.asked
    able = {
        "add": True,
        "search": True,
        "update": len(ids) == 1 and "update" in takes.methods,
        "delete": bool(ids) and "id" in deletes,
        "delete-user": by_user and "user" in deletes,
        "list": "list" in takes.methods and (not by_user or "user" in takes.fields.get("list", ())),
        "ready": "ready" in takes.methods,
        "reopen": stores or {"save", "load"} <= takes.methods,
        "kill": stores and subject.killable is not None,
    }
    timed = {name for name in ("add", "update", "search") if "time" in takes.fields.get(name, ())}
    return Abilities(
        frozenset(kind for kind, can in able.items() if can),
        frozenset(timed if "add" in timed else ()),
        by_user,
        exact=len(ids) <= 1,
    )


def _not_tried(subject: Subject, ids: list[str], stores: bool) -> Iterator[str]:
    methods, kinds = subject.takes.methods, subject.abilities.kinds
    if "update" not in kinds:
        lacks = "add returns no id" if "update" in methods else "it has no update(id, text)"
        yield f"stale values after an update: {lacks}"
    if not {"delete", "delete-user"} & kinds:
        lacks = "add returns no id" if "delete" in methods else "it has no delete"
        yield f"what is left after a deletion: {lacks}"
    if not subject.abilities.by_user:
        yield "other users' texts: add and search take no user"
    if "search" not in subject.abilities.timed:
        yield "as-of searches: add and search take no time"
    if not stores:
        takes_one = subject.factory.takes_folder
        why = "it stores nothing in its folder" if takes_one else "what makes it takes no folder"
        yield f"what is left in files, and after kill -9: {why}"
    elif "kill" not in kinds:
        yield "kill -9: it cannot be made in a process of its own; name it module:factory"
