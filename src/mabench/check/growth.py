"""The check of how the times of adding and searching grow with the number of texts.

It passes or warns, and never fails an agent: how fast one is depends on the machine.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from mabench.bench.clock import TimeBudget
from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.findings import Verdict, passed, warning
from mabench.check.instance import Instance

_SIZES = (50, 100, 200, 400)  # Numbers of texts at which times are taken.
_SEARCHES = 5  # At each of them.
_PROSE_CHARACTERS = 300  # Of each text, beside its fact.
_BUDGET_SECONDS = 60.0  # For all of it; a slow memory is measured on fewer texts.
_STEEP_EXPONENT = 1.5  # Beyond it, a history of many chunks takes longer than anyone waits.
_NOISE_SECONDS = 0.05  # Below it, growth is noise.
_LEAST_SECONDS = 1e-9  # Times are taken to be at least this long, since logarithms need it.


class _Times(NamedTuple):
    """What calls took, in seconds, once there were a number of texts."""

    texts: int
    adds: float  # All adds up to here together.
    first_search: float  # The first search after an add, which may build an index.
    usual_search: float  # The median of some searches.


async def add_and_search_stay_fast(agent: CheckedAgent) -> Verdict:
    """Time adds and searches at 50, 100, 200 and 400 texts, and see how the times grow."""
    invented = agent.facts("growth")
    facts, prose = invented.take(_SIZES[-1]), " ".join(invented.prose(_PROSE_CHARACTERS))
    async with agent.fresh() as instance:
        call = "a search" if instance.searches else "an answer"
        budget = agent.subject.clock.budget(_BUDGET_SECONDS)
        times = await _measure(instance, facts, prose, budget)
    last = times[-1]
    message = (
        f"at {last.texts} texts an add takes {_in_words(last.adds / last.texts)} on average and "
        f"{call} {_in_words(last.usual_search)} (the first {_in_words(last.first_search)})"
    )
    if last.texts < _SIZES[-1]:
        message += f"; stopped there after {_BUDGET_SECONDS:.0f} s"
    if len(times) < 2:
        return warning(f"{message}: too few to see how it grows")
    sizes = [each.texts for each in times]
    adds_exponent = growth_exponent(sizes, [each.adds for each in times])
    search_exponent = growth_exponent(sizes, [each.usual_search for each in times])
    message += f"; all adds grow as n^{adds_exponent:.1f}, a search as n^{search_exponent:.1f}"
    slow = []
    if _will_be_slow(adds_exponent, last.adds):
        slow.append("add")
    if _will_be_slow(search_exponent, last.usual_search):
        slow.append("search")
    if slow:
        return warning(f"{message}: {' and '.join(slow)} will be slow on long histories")
    return passed(message)


def _will_be_slow(exponent: float, seconds: float) -> bool:
    """Return whether calls that took so long in the end grow too steeply for long histories."""
    return exponent > _STEEP_EXPONENT and seconds > _NOISE_SECONDS


async def _measure(
    instance: Instance, facts: Sequence[Fact], prose: str, budget: TimeBudget
) -> list[_Times]:
    """Add facts one by one, each with prose, and return the times at each size.

    When the budget is over, the last times are those at the number of texts that there are then.
    """
    times: list[_Times] = []
    adding_seconds = 0.0
    for text_count, fact in enumerate(facts, start=1):
        start = time.perf_counter()
        await instance.tell(f"{fact.text} {prose}")
        adding_seconds += time.perf_counter() - start
        is_over = budget.is_over()
        if text_count in _SIZES or is_over:
            searches = await _time_searches(instance, facts[:text_count])
            median = statistics.median(searches)
            times.append(_Times(text_count, adding_seconds, searches[0], median))
        if is_over:
            break
    return times


async def _time_searches(instance: Instance, known_facts: Sequence[Fact]) -> list[float]:
    """Search for some of the facts, evenly spread, and return the seconds of each search."""
    seconds = []
    for number in range(_SEARCHES):
        fact = known_facts[number * len(known_facts) // _SEARCHES]
        start = time.perf_counter()
        await instance.search_or_answer(fact.question)
        seconds.append(time.perf_counter() - start)
    return seconds


def growth_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the exponent b where seconds grow as size to the power of b.

    It is the slope of the line that fits the logarithms of both best (least squares).
    """
    log_sizes = [math.log(size) for size in sizes]
    log_seconds = [math.log(max(value, _LEAST_SECONDS)) for value in seconds]
    return statistics.linear_regression(log_sizes, log_seconds).slope


def _in_words(seconds: float) -> str:
    """Return a time with three digits and its unit: milliseconds below a second."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
