"""Does an agent do what it declares: are fields heeded, texts replaced, forgotten and listed?"""

from __future__ import annotations

from datetime import UTC, datetime

from mabench.check.facts import Fact, Facts, too_few
from mabench.check.findings import Check, Verdict, failed, passed, skipped, warning
from mabench.check.instances import CheckedAgent
from mabench.contract.methods import EDITING

_FACTS = 6
_MARCH, _MAY, _JULY = (datetime(2024, month, 1, 12, tzinfo=UTC) for month in (3, 5, 7))
# One name begins with the other, which a careless filter takes for the same.
_USER, _OTHER = "ada", "adam"
_FIELDS = {"time": _MARCH, "speaker": "Ada", "role": "user", "session": "s1", "user": _USER}


async def _fields_are_heeded(agent: CheckedAgent) -> Verdict:
    """Tell facts of two users and two times, with all fields; ask for one user, and as of May."""
    facts = Facts("fields")
    early, late, foreign = (facts.take(_FACTS) for _ in range(3))
    async with agent.fresh() as instance:
        takes = instance.takes
        if not takes.told | takes.asked:
            return (
                warning("; ".join(takes.misses))
                if takes.misses
                else skipped("no fields are declared")
            )
        await instance.tell_facts(early, **_FIELDS)
        await instance.tell_facts(late, **_FIELDS | {"time": _JULY})
        await instance.tell_facts(foreign, **_FIELDS | {"user": _OTHER})
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
    return warning("; ".join(takes.misses)) if takes.misses else passed(seen)


async def _texts_are_edited(agent: CheckedAgent) -> Verdict:
    """List what was told; replace a text, forget one, and forget a user."""
    facts, problems = Facts("editing"), list[str]()
    first, second, *rest = told = facts.take(_FACTS)
    [new], foreign = facts.take(1), facts.take(_FACTS)
    async with agent.fresh() as instance:
        if not (offered := [name for name in EDITING if instance.has(name)]):
            return skipped("it offers none of update, delete, list and ready")
        ids = [await instance.tell(fact.text, _FIELDS) for fact in told]
        await instance.tell_facts(foreign, **_FIELDS | {"user": _OTHER})
        deletes = instance.takes.fields.get("delete", frozenset())

        async def expect_gone(facts: list[Fact], after: str) -> None:
            for fact in (await instance.recall(facts, user=_USER))[:1]:
                problems.append(f"after {after}, the text is still found ({fact.text!r})")

        if "list" in offered:
            listed = "\n".join(await instance.list_texts())
            missing = sum(fact.gold not in listed for fact in told)
            problems += [f"list leaves out {missing} of {len(told)} texts"] * (missing > 0)
        if not all(ids) and ("update" in offered or "id" in deletes):
            problems.append("add returns no id, which update and delete(id) need")
        elif "update" in offered:
            await instance.update(ids[0][0], new.text, _FIELDS)
            await expect_gone([first], "update")
            if agent.found_share == 1 and not await instance.recall([new], user=_USER):
                problems.append("updated text is not found")
        for name in ids[1] if "id" in deletes else ():
            await instance.delete(id=name)
            await expect_gone([second], "delete(id)")
        if "user" in deletes:
            await instance.delete(user=_USER)
            await expect_gone(rest, "delete(user)")
            left = await instance.recall(foreign, user=_OTHER)
            if too_few(left, foreign, agent.found_share):
                problems.append("delete(user) deletes texts of other users")
    seen = f"no fault found in {', '.join(offered)}"
    return failed("; ".join(problems)) if problems else passed(seen)


CHECKS = (
    Check("fields", _fields_are_heeded),
    Check("editing", _texts_are_edited, invalidates=False),
)
