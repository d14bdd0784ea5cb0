"""Is a memory the same once it is loaded or made again, and how slow does it get as it grows?"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from mabench.check.facts import Fact, Facts, are_alike, too_few
from mabench.check.findings import Check, Verdict, failed, passed, skipped, warning
from mabench.check.instances import CheckedAgent, Instance

_SAVED_FACTS = 10
_SIZES = (50, 100, 200, 400)
_SEARCHES = 5
_PROSE = 300  # Characters.
_BUDGET = 60.0  # Seconds for all of it; a slow memory is measured on fewer texts.
_STEEP = 1.5  # Beyond this exponent a row of many chunks takes longer than anyone waits.
_NOISE = 0.05  # Below so many seconds a growth is noise.


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
    Check("save and load", _saved_memory_comes_back),
    Check("deterministic", _instances_answer_alike, invalidates=False, needs_found=False),
    Check("growth", _add_and_search_grow, invalidates=False, needs_found=False),
)
