"""Checks whether an agent does what its methods declare: fields, editing, saving and loading.

A method declares a field, such as ``time`` or ``user``, by an argument of that name.
``instance.takes`` says which fields are declared: ``told`` for texts, ``asked`` for questions.
"""

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
from mabench.contract.methods import Takes

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
    invented = agent.facts("fields")
    of_march, of_july = invented.take(_FACTS), invented.take(_FACTS)
    of_other_user = invented.take(_FACTS)
    async with agent.fresh() as instance:
        takes = instance.takes
        declared = takes.told | takes.asked
        if not declared:
            return _warning_of_misses(takes) or skipped("no fields are declared")
        await instance.tell_facts(of_march, **_FIELDS)
        await instance.tell_facts(of_july, **{**_FIELDS, "time": _JULY})
        await instance.tell_facts(of_other_user, **_FIELDS_OF_OTHER)
        known_own = await instance.recall([*of_march, *of_july], time=_JULY, user=_USER)
        known_foreign = await instance.recall(of_other_user, time=_JULY, user=_USER)
        known_later = await instance.recall(of_july, time=_MAY, user=_USER)
    obeyable = takes.told & takes.asked  # A field must be known of texts and of questions.
    message = (
        f"with {', '.join(sorted(declared))} passed, it finds {len(known_own)} of {2 * _FACTS} "
        "facts"
    )
    if too_few(known_own, [*of_march, *of_july], expected=agent.found_share):
        return failed(f"{message}: texts with fields are lost")
    if "user" in obeyable and known_foreign:
        return failed(f"one user finds texts of another ({known_foreign[0].text!r})")
    if "time" in obeyable and known_later:
        return warning(
            f"asked as of May, it finds a text from July ({known_later[0].text!r}): leave out of a "
            "search what is later than the time that it is given, or let it take no time"
        )
    return _warning_of_misses(takes) or passed(message)


def _warning_of_misses(takes: Takes) -> Verdict | None:
    """Return a warning about what the agent's methods seem to declare wrongly; None if nothing."""
    return warning("; ".join(takes.misses)) if takes.misses else None


async def texts_are_edited(agent: CheckedAgent) -> Verdict:
    """Update a text, delete one by its id and all of a user, and list what is there.

    Only what the agent offers of this is checked.
    """
    invented = agent.facts("editing")
    own, [new_fact], of_other_user = invented.take(_FACTS), invented.take(1), invented.take(_FACTS)
    async with agent.fresh() as instance:
        offered = [name for name in _EDITING if instance.has(name)]
        if not offered:
            return skipped("it offers none of update, delete, list and ready")
        ids = [await instance.tell(fact.text, _FIELDS) for fact in own]  # A list for each text.
        await instance.tell_facts(of_other_user, **_FIELDS_OF_OTHER)
        problems: list[str] = []
        if "list" in offered:
            problems += await _problems_of_listing(instance, own)
        deletes_by = instance.takes.fields.get("delete", ())  # Of ``id`` and ``user``.
        needs_ids = "update" in offered or "id" in deletes_by
        if needs_ids and not all(ids):
            problems.append("add returns no id, which update and delete(id) need")
        elif "update" in offered:
            await instance.update(ids[0][0], new_fact.text, _FIELDS)
            problems += await _problems_of_leftovers(instance, own[:1], "update")
            if agent.found_share == 1 and not await instance.recall([new_fact], user=_USER):
                problems.append("updated text is not found")
        if "id" in deletes_by:
            for text_id in ids[1]:
                await instance.delete(id=text_id)
                problems += await _problems_of_leftovers(instance, own[1:2], "delete(id)")
        if "user" in deletes_by:
            await instance.delete(user=_USER)
            problems += await _problems_of_leftovers(instance, own[2:], "delete(user)")
            left = await instance.recall(of_other_user, user=_OTHER_USER)
            if too_few(left, of_other_user, expected=agent.found_share):
                problems.append("delete(user) deletes texts of other users")
    if problems:
        return failed("; ".join(problems))
    return passed(f"no fault found in {', '.join(offered)}")


async def _problems_of_listing(instance: Instance, own: Sequence[Fact]) -> list[str]:
    """Return a sentence if the list of a user's texts leaves out some; else an empty list."""
    await instance.ready()
    user = _USER if "user" in instance.takes.fields.get("list", ()) else None
    listed = "\n".join(await instance.list_texts(user))
    missing = [fact for fact in own if fact.gold not in listed]
    return [f"list leaves out {len(missing)} of {len(own)} texts"] if missing else []


async def _problems_of_leftovers(
    instance: Instance, facts: Sequence[Fact], after: str
) -> list[str]:
    """Return a sentence if any of some facts, which must be gone, is still found; else no sentence.

    ``after`` names the call that should have removed them.
    """
    found = await instance.recall(facts, user=_USER)
    return [f"after {after}, the text is still found ({found[0].text!r})"] if found else []


async def saved_memory_comes_back(agent: CheckedAgent) -> Verdict:
    """Save an instance that was told facts, load another from that, and ask both."""
    facts = agent.facts("save and load").take(_SAVED_FACTS)
    with tempfile.TemporaryDirectory(prefix="mabench-check-", ignore_cleanup_errors=True) as parent:
        folder = Path(parent) / "memory"
        folder.mkdir()
        async with agent.fresh() as saved:
            offered = [method for method in ("save", "load") if saved.has(method)]
            if not offered:
                return skipped("not offered")
            if len(offered) == 1:
                return skipped(f"only {offered[0]} is offered; runs need both")
            await saved.tell_facts(facts)
            await saved.save(folder)
            known_before = await saved.recall(facts)
        async with agent.fresh() as loaded:
            await loaded.load(folder)
            known_after = await loaded.recall(facts)
    message = (
        f"of {_SAVED_FACTS} facts, the saved instance finds {len(known_before)} and the loaded one "
        f"{len(known_after)}"
    )
    if too_few(known_after, facts, expected=len(known_before) / _SAVED_FACTS):
        return failed(f"{message}: save and load lose memories")
    if len(known_after) < len(known_before):
        return warning(message)
    return passed(message)
