"""Trying a memory out: what can be done with it, how soon it finds a text, and how long calls take.

What cannot be judged is not looked into, and said.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from mabench.contract import Passage
from mabench.contract.answers import describe_in_a_line
from mabench.errors import MabenchError, UsageError
from mabench.runs.conversation import Conversation
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.measuring import percentiles
from mabench.stress_tests.operations import TIMES, USERS
from mabench.stress_tests.programs import Abilities
from mabench.stress_tests.report import Readiness
from mabench.stress_tests.subject import Subject

_TEXTS, _SECONDS = 10, 30.0  # That are added, if they take no longer.
_PAUSE = 0.01
# Seconds within which no call hangs: the first may load a model, and later ones do not. Clients of
# models try again, and wait between.
_FIRST, _LEAST_HANG, _LEAST_WITH_FAULTS = 120.0, 3.0, 30.0
_SHORT = 0.05  # Seconds within which a text is found at once.
_LATE = 5.0


def try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    """Set what can be done with a memory; return how soon texts are found, and what is not tried.

    A UsageError says that it cannot be made, or cannot be told anything.
    """
    subject.least_hang = _FIRST
    try:
        return subject.run(_try_out(subject))
    except MabenchError:
        raise
    except Exception as error:
        message = f"{subject.factory.name} cannot be stressed: {describe_in_a_line(error)}"
        raise UsageError(message, parameter="agent") from error


async def _try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    name, facts = subject.factory.name, subject.facts
    async with subject.talking() as talk:
        if not talk.searches:
            raise UsageError(
                f"{name} is an agent, not a memory: stress takes what has add(text) and "
                "search(query, k)",
                parameter="agent",
            )
        subject.takes = talk.takes
        ids, lags = await _add_and_search(subject, talk)
    stores = talk.folder is not None and bytes_in(talk.folder) > 0
    async with subject.talking() as talk:
        passages: list[Passage] = []
        with suppress(Exception):  # Some cannot search what is empty; histories show it.
            passages = await talk.search(facts.query(0), 5 * _TEXTS, {"user": USERS[0]})
        if any((0, 0) in facts.versions_in(passage.text) for passage in passages):
            raise UsageError(
                f"{name}: a fresh memory knows what another was told, so that nothing can be "
                "judged; `mabench check` says more",
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
    not_tried = _find_abilities(subject, ids, stores)
    return Readiness(declared, len(lags), *percentiles(lags)) if lags else None, not_tried


async def _add_and_search(subject: Subject, talk: Conversation) -> tuple[list[str], list[float]]:
    """Return ids of a text, and the seconds until each text was found; set how long calls take."""
    facts, user, begun = subject.facts, {"user": USERS[0]}, time.monotonic()
    ids: list[str] = []
    lags: list[float] = []
    for fact in range(_TEXTS):
        if fact and time.monotonic() > begun + _SECONDS:
            break
        start = time.perf_counter()
        ids = await talk.tell(facts.text(fact), {**user, "time": TIMES[0]})
        added = time.perf_counter()
        subject.longest = max(subject.longest, added - start)
        await talk.ready()
        while True:
            asked = time.perf_counter()
            passages = await talk.search(facts.query(fact), 5 * _TEXTS, user)
            now = time.perf_counter()
            subject.longest = max(subject.longest, now - asked)
            if any((fact, 0) in facts.versions_in(passage.text) for passage in passages):
                break
            # One that is not found at all is looked into by histories.
            if now - added > min(subject.patience, _LATE):
                return ids, lags
            await asyncio.sleep(_PAUSE)
        lags.append(round(asked - added, 4))
    return ids, lags


def _find_abilities(subject: Subject, ids: list[str], stores: bool) -> list[str]:
    """Set what can be done with a memory that gave a text these ids, and has files or none.

    Returns what is not tried, and why.
    """
    takes = subject.takes
    methods, fields, deletes = takes.methods, takes.fields, takes.fields.get("delete", frozenset())
    by_user = "user" in takes.told & takes.asked
    timed = {name for name in ("add", "update", "search") if "time" in fields.get(name, ())}
    can = {
        "add": True,
        "search": True,
        "update": len(ids) == 1 and "update" in methods,
        "delete": bool(ids) and "id" in deletes,
        "delete-user": by_user and "user" in deletes,
        "list": "list" in methods and (not by_user or "user" in fields.get("list", ())),
        "ready": "ready" in methods,
        "reopen": stores or {"save", "load"} <= methods,
        "kill": stores and subject.killable is not None,
    }
    subject.abilities = able = Abilities(
        frozenset(kind for kind in can if can[kind]),
        frozenset(timed if "add" in timed else ()),
        by_user,
        exact=len(ids) <= 1,
    )
    no_id, takes_one = "add returns no id", subject.factory.takes_folder
    not_updated = no_id if "update" in methods else "it has no update(id, text)"
    not_deleted = no_id if "delete" in methods else "it has no delete"
    no_files = "it stores nothing in its folder" if takes_one else "what makes it takes no folder"
    no_process = "it cannot be made in a process of its own; name it module:factory"
    reasons = [
        (can["update"], "stale values after an update", not_updated),
        (can["delete"] or can["delete-user"], "what is left after a deletion", not_deleted),
        (by_user, "other users' texts", "add and search take no user"),
        ("search" in able.timed, "as-of searches", "add and search take no time"),
        (stores, "what is left in files, and after kill -9", no_files),
        (can["kill"] or not stores, "kill -9", no_process),
    ]
    return [f"{what}: {why}" for tried, what, why in reasons if not tried]
