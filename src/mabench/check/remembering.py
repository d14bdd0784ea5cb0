"""Does a memory keep what it declares and was told, the same in each instance, and how fast?"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from mabench.check.facts import Fact, Facts, are_alike, too_few
from mabench.check.findings import Check, Verdict, failed, passed, skipped, warning
from mabench.check.instances import CheckedAgent, Instance
from mabench.contract.methods import EDITING

_FACTS = 6
_MARCH, _MAY, _JULY = (datetime(2024, month, 1, 12, tzinfo=UTC) for month in (3, 5, 7))
# One name begins with the other, which a careless filter takes for the same.
_USER, _OTHER = "ada", "adam"
_FIELDS = {"time": _MARCH, "speaker": "Ada", "role": "user", "session": "s1", "user": _USER}
_SAVED_FACTS = 10
_SIZES = (50, 100, 200, 400)
_SEARCHES = 5
_PROSE = 300  # Characters.
_BUDGET = 60.0  # Seconds for all of it; a slow memory is measured on fewer texts.
_STEEP = 1.5  # Beyond this exponent a row of many chunks takes longer than anyone waits.
_NOISE = 0.05  # Below so many seconds a growth is noise.


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


class _Point(NamedTuple):
    """Seconds that the first ``texts`` texts took to add, and that searches took then."""

    texts: int
    adding: float
    first: float  # After the last add, which may build an index.
    search: float  # The usual one.


async def _saved_memory_comes_back(agent: CheckedAgent) -> Verdict:
    """Save an instance, close it, and ask a fresh one that has loaded what was saved."""
    facts = Facts("save and load").take(_SAVED_FACTS)
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


async def _instances_answer_alike(agent: CheckedAgent) -> Verdict:
    """Tell two instances the same and ask them the same."""
    facts = Facts("deterministic").take(10)
    answers = []
    for _ in range(2):
        async with agent.fresh(facts) as instance:
            answers.append(await instance.answer_all(facts))
    different = sum(
        not are_alike([first], [second]) for first, second in zip(*answers, strict=True)
    )
    if different:
        return warning(
            f"two instances with the same history answer {different} of {len(facts)} questions "
            "differently: a run cannot be reproduced; `repeat` shows the spread"
        )
    return passed("two instances with the same history give the same answers")


async def _add_and_search_grow(agent: CheckedAgent) -> Verdict:
    """Time adds and searches at 50, 100, 200 and 400 texts."""
    invented = Facts("growth")
    facts = invented.take(_SIZES[-1])
    async with agent.fresh() as instance:
        what = "a search" if instance.searches else "an answer"
        points = await _measure(instance, facts, " ".join(invented.prose(_PROSE)))
    last = points[-1]
    seen = (
        f"at {last.texts} texts an add takes {_time(last.adding / last.texts)} on average and "
        f"{what} {_time(last.search)} (the first {_time(last.first)})"
    )
    if last.texts < _SIZES[-1]:
        seen += f"; stopped there after {_BUDGET:.0f} s"
    if len(points) < 2:
        return warning(f"{seen}: too few to see how it grows")
    adding = _exponent([(point.texts, point.adding) for point in points])
    search = _exponent([(point.texts, point.search) for point in points])
    seen += f"; all adds grow as n^{adding:.1f}, a search as n^{search:.1f}"
    powers = (("add", adding, last.adding), ("search", search, last.search))
    steep = [name for name, power, time in powers if power > _STEEP and time > _NOISE]
    if steep:
        return warning(f"{seen}: {' and '.join(steep)} will be slow on long histories")
    return passed(seen)


async def _measure(instance: Instance, facts: list[Fact], prose: str) -> list[_Point]:
    points: list[_Point] = []
    adding = 0.0
    start = time.monotonic()
    for number, fact in enumerate(facts, start=1):
        began = time.perf_counter()
        await instance.tell(f"{fact.text} {prose}")
        adding += time.perf_counter() - began
        late = time.monotonic() - start > _BUDGET
        if number in _SIZES or late:
            searches = []
            for i in range(_SEARCHES):
                began = time.perf_counter()
                await instance.look_up(facts[i * number // _SEARCHES].question)
                searches.append(time.perf_counter() - began)
            points.append(_Point(number, adding, searches[0], statistics.median(searches)))
        if late:
            break
    return points


def _exponent(points: list[tuple[int, float]]) -> float:
    """Return the power of the size with which seconds grow: least squares on logarithms."""
    sizes = [math.log(size) for size, _ in points]
    seconds = [math.log(max(value, 1e-9)) for _, value in points]
    return statistics.linear_regression(sizes, seconds).slope


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


CHECKS = (
    Check("fields", _fields_are_heeded),
    Check("editing", _texts_are_edited, invalidates=False),
    Check("save and load", _saved_memory_comes_back),
    Check("deterministic", _instances_answer_alike, invalidates=False, needs_found=False),
    Check("growth", _add_and_search_grow, invalidates=False, needs_found=False),
)
