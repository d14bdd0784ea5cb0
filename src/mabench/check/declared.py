"""Checks whether an agent does what it declares: fields, editing, saving and loading."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.answers import too_few
from mabench.check.findings import Verdict, failed, passed, skipped, warning
from mabench.check.instance import Instance

_FACTS = 6  # Of each user and time.
_SAVED_FACTS = 10
_EDITING = ("update", "delete", "list", "ready")  # The methods that are checked.
_MARCH, _MAY, _JULY = (datetime(2024, month, 1, 12, tzinfo=UTC) for month in (3, 5, 7))
# One name begins with the other, which a careless filter takes for the same.
_USER, _OTHER_USER = "ada", "adam"
_FIELDS = {"time": _MARCH, "speaker": "Ada", "role": "user", "session": "s1", "user": _USER}
_FIELDS_OF_OTHER = {**_FIELDS, "user": _OTHER_USER}


async def fields_are_obeyed(agent: CheckedAgent) -> Verdict:
    """Tell facts of two users and two times, with all fields; ask for one user, and as of May."""
    facts = agent.facts("fields")
    early, late, foreign = (facts.take(_FACTS) for _ in range(3))
    async with agent.fresh() as instance:
        takes = instance.takes
        missed = warning("; ".join(takes.misses)) if takes.misses else None
        if not takes.told | takes.asked:
            return missed or skipped("no fields are declared")
        await instance.tell_facts(early, **_FIELDS)
        await instance.tell_facts(late, **_FIELDS | {"time": _JULY})
        await instance.tell_facts(foreign, **_FIELDS_OF_OTHER)
        own = await instance.recall([*early, *late], time=_JULY, user=_USER)
        others = await instance.recall(foreign, time=_JULY, user=_USER)
        later = await instance.recall(late, time=_MAY, user=_USER)
    both, names = takes.told & takes.asked, ", ".join(sorted(takes.told | takes.asked))
    seen = f"with {names} passed, it finds {len(own)} of {2 * _FACTS} facts"
    if too_few(own, [*early, *late], agent.found_share):
        return failed(f"{seen}: texts with fields are lost")
    if "user" in both and others:
        return failed(f"one user finds texts of another ({others[0].text!r})")
    if "time" in both and later:
        return warning(
            f"asked as of May, it finds a text from July ({later[0].text!r}): leave out of a "
            "search what is later than the time that it is given, or let it take no time"
        )
    return missed or passed(seen)


async def texts_are_edited(agent: CheckedAgent) -> Verdict:
    """Update a text, delete one by its id and all of a user, and list what is there."""
    facts = agent.facts("editing")
    told, [new], foreign = facts.take(_FACTS), facts.take(1), facts.take(_FACTS)
    async with agent.fresh() as instance:
        if not (offered := [name for name in _EDITING if instance.has(name)]):
            return skipped("it offers none of update, delete, list and ready")
        ids = [await instance.tell(fact.text, _FIELDS) for fact in told]
        await instance.tell_facts(foreign, **_FIELDS_OF_OTHER)
        problems = await _problems_of_listing(instance, told) if "list" in offered else []
        deletes = instance.takes.fields.get("delete", ())
        if not all(ids) and ("update" in offered or "id" in deletes):
            problems.append("add returns no id, which update and delete(id) need")
        elif "update" in offered:
            await instance.update(ids[0][0], new.text, _FIELDS)
            problems += await _problems_of_leftovers(instance, told[:1], "update")
            if agent.found_share == 1 and not await instance.recall([new], user=_USER):
                problems.append("updated text is not found")
        for name in ids[1] if "id" in deletes else ():
            await instance.delete(id=name)
            problems += await _problems_of_leftovers(instance, told[1:2], "delete(id)")
        if "user" in deletes:
            await instance.delete(user=_USER)
            problems += await _problems_of_leftovers(instance, told[2:], "delete(user)")
            left = await instance.recall(foreign, user=_OTHER_USER)
            if too_few(left, foreign, agent.found_share):
                problems.append("delete(user) deletes texts of other users")
    seen = f"no fault found in {', '.join(offered)}"
    return failed("; ".join(problems)) if problems else passed(seen)


async def _problems_of_listing(instance: Instance, told: Sequence[Fact]) -> list[str]:
    """Return a sentence if the list of a user's texts leaves out some."""
    await instance.ready()
    user = _USER if "user" in instance.takes.fields.get("list", ()) else None
    listed = "\n".join(await instance.list_texts(user))
    missing = sum(fact.gold not in listed for fact in told)
    return [f"list leaves out {missing} of {len(told)} texts"] if missing else []


async def _problems_of_leftovers(
    instance: Instance, facts: Sequence[Fact], after: str
) -> list[str]:
    """Return a sentence if any of some facts, which must be gone, is still found."""
    found = await instance.recall(facts, user=_USER)
    return [f"after {after}, the text is still found ({found[0].text!r})"] if found else []


async def saved_memory_comes_back(agent: CheckedAgent) -> Verdict:
    """Save an instance that was told facts, load another from that, and ask both."""
    facts = agent.facts("save and load").take(_SAVED_FACTS)
    with tempfile.TemporaryDirectory(prefix="mabench-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "memory"
        folder.mkdir()
        async with agent.fresh() as saved:
            offered = [method for method in ("save", "load") if saved.has(method)]
            if not offered:
                return skipped("not offered")
            if len(offered) == 1:
                return skipped(f"only {offered[0]} is offered; runs need both")
            await saved.tell_facts(facts)
            await saved.save(folder)
            before = await saved.recall(facts)
        async with agent.fresh() as loaded:
            await loaded.load(folder)
            after = await loaded.recall(facts)
    seen = (
        f"of {_SAVED_FACTS} facts, the saved instance finds {len(before)} and the loaded one "
        f"{len(after)}"
    )
    if too_few(after, facts, len(before) / _SAVED_FACTS):
        return failed(f"{seen}: save and load lose memories")
    return warning(seen) if len(after) < len(before) else passed(seen)
