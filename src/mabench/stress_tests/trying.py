"""Trying a memory out: what can be done with it, how soon it finds a text, and how long calls take.

What cannot be judged is not looked into, and said.
"""

from __future__ import annotations

import asyncio
import time

from mabench.contract.takes import Takes
from mabench.errors import MabenchError, UsageError
from mabench.runs.conversation import Conversation
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.load import percentiles
from mabench.stress_tests.operations import TIMES, USERS
from mabench.stress_tests.playing import LoopBlockedError
from mabench.stress_tests.programs import Abilities
from mabench.stress_tests.report import Readiness
from mabench.stress_tests.subject import SLOWNESS, Subject, in_a_line
from mabench.tasks.loops import run_to_end

_TEXTS = 10
_PAUSE = 0.01
_LEAST_HANG = 3.0
_SHORT = 0.05  # Seconds within which a text is found at once.
_GRACE = 20.0
_LATE = 5.0


def try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    """Set what can be done with a memory; return how soon texts are found, and what is not tried.

    A UsageError says that it cannot be made, or cannot be told anything.
    """
    begun = time.monotonic()
    limit = subject.hang * 2 + subject.patience + _GRACE

    def watch() -> None:
        if time.monotonic() - begun > limit:
            raise LoopBlockedError

    try:
        return run_to_end(_try_out(subject), watch)
    except LoopBlockedError as error:
        message = f"{subject.name} hangs: nothing came back within {limit:.0f} s"
        raise UsageError(message, parameter="agent") from error
    except MabenchError:
        raise
    except Exception as error:
        message = f"{subject.name} cannot be stressed: {in_a_line(error)}"
        raise UsageError(message, parameter="agent") from error


async def _try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    folder = subject.folder_of_its_own() if subject.factory.takes_folder else None
    talk = subject.converse(folder)
    await talk.make()
    try:
        if not talk.searches:
            raise UsageError(
                f"{subject.name} is an agent, not a memory: stress takes what has add(text) and "
                "search(query, k)",
                parameter="agent",
            )
        subject.takes = talk.takes
        ids, lags, longest = await _add_and_search(subject, talk)
        stores = folder is not None and bytes_in(folder) > 0
    finally:
        await _close(talk)
    if folder is not None and not stores:
        stores = bytes_in(folder) > 0
    await _check_fresh(subject)
    await _check_killable(subject)
    subject.longest, subject.hang = longest, max(_LEAST_HANG, SLOWNESS * longest)
    declared = "ready" in subject.takes.methods
    if not declared and lags and max(lags) > _SHORT:
        subject.lag = max(lags)
    subject.abilities = abilities_of(subject, ids, stores)
    readiness = Readiness(declared, len(lags), *percentiles(lags)) if lags else None
    return readiness, [*_not_tried(subject, ids, stores)]


async def _add_and_search(
    subject: Subject, talk: Conversation
) -> tuple[list[str], list[float], float]:
    """Return ids of a text, the seconds until each text was found, and of the longest call."""
    facts, longest = subject.facts, 0.0
    lags: list[float] = []
    given = {"user": USERS[0], "time": TIMES[0]}
    ids: list[str] = []
    for fact in range(_TEXTS):
        start = time.perf_counter()
        ids = await talk.tell(facts.text_of(fact, 0), given)
        added = time.perf_counter()
        await talk.ready()
        longest = max(longest, added - start)
        begun = now = added
        shown = False
        while not shown:
            begun = time.perf_counter()
            passages = await talk.search(facts.query(fact), 5 * _TEXTS, {"user": USERS[0]})
            now = time.perf_counter()
            longest = max(longest, now - begun)
            shown = any((fact, 0) in facts.versions_in(passage.text) for passage in passages)
            # One that is not found at all is looked into by histories.
            if not shown and now - added > min(subject.patience, _LATE):
                return ids, lags, longest
            await asyncio.sleep(0 if shown else _PAUSE)
        lags.append(round(begun - added, 4))
    return ids, lags, longest


async def _check_fresh(subject: Subject) -> None:
    """Raise a UsageError if a fresh memory knows what another was told."""
    folder = subject.folder_of_its_own() if subject.factory.takes_folder else None
    talk = subject.converse(folder)
    await talk.make()
    try:
        try:
            passages = await talk.search(subject.facts.query(0), 5 * _TEXTS, {"user": USERS[0]})
        except Exception:  # Some cannot search what is empty; histories show it.
            return
        if any((0, 0) in subject.facts.versions_in(passage.text) for passage in passages):
            raise UsageError(
                f"{subject.name}: a fresh memory knows what another was told, so that nothing can "
                "be judged; `mabench check` says more",
                parameter="agent",
            )
    finally:
        await _close(talk)


async def _check_killable(subject: Subject) -> None:
    """Leave out a process of the memory's own where it cannot be made in one."""
    if subject.killable is None or subject.killable is subject.factory:
        return
    folder = subject.folder_of_its_own() if subject.factory.takes_folder else None
    talk = subject.converse(folder, elsewhere=True)
    try:
        await talk.make()
    except Exception:
        subject.killable = None
    else:
        await _close(talk)


async def _close(talk: Conversation) -> None:
    if talk.hung:
        talk.abandon()
        return
    try:
        await talk.close()
    except Exception:
        talk.abandon()


def abilities_of(subject: Subject, ids: list[str], stores: bool) -> Abilities:
    """Return what can be done with a memory that gave a text these ids, and has files or none."""
    takes: Takes = subject.takes
    kinds = {"add", "search"}
    deletes = takes.fields.get("delete", frozenset())
    by_user = {"user"} <= takes.told and {"user"} <= takes.asked
    if ids and "update" in takes.methods and len(ids) == 1:
        kinds.add("update")
    if ids and "id" in deletes:
        kinds.add("delete")
    if by_user and "user" in deletes:
        kinds.add("delete-user")
    if "list" in takes.methods and (not by_user or "user" in takes.fields.get("list", ())):
        kinds.add("list")
    if "ready" in takes.methods:
        kinds.add("ready")
    if stores or {"save", "load"} <= takes.methods:
        kinds.add("reopen")
    if stores and subject.killable:
        kinds.add("kill")
    timed = {name for name in ("add", "update", "search") if "time" in takes.fields.get(name, ())}
    if "add" not in timed:
        timed = set()
    return Abilities(frozenset(kinds), frozenset(timed), by_user, len(ids) <= 1, "ready" in kinds)


def _not_tried(subject: Subject, ids: list[str], stores: bool) -> list[str]:
    takes, kinds = subject.takes, subject.abilities.kinds
    said = []
    if "update" not in kinds:
        lacks = "add returns no id" if "update" in takes.methods else "it has no update(id, text)"
        said.append(f"stale values after an update: {lacks}")
    if not {"delete", "delete-user"} & kinds:
        lacks = "add returns no id" if "delete" in takes.methods else "it has no delete"
        said.append(f"what is left after a deletion: {lacks}")
    if not subject.abilities.by_user:
        said.append("other users' texts: add and search take no user")
    if "search" not in subject.abilities.timed:
        said.append("as-of searches: add and search take no time")
    if not stores:
        why = (
            "it stores nothing in its folder"
            if subject.factory.takes_folder
            else ("what makes it takes no folder")
        )
        said.append(f"what is left in files, and after kill -9: {why}")
    elif "kill" not in kinds:
        said.append("kill -9: it cannot be made in a process of its own; name it module:factory")
    return said
