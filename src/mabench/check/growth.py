"""The check of how the times of adding and searching grow with the number of texts.

It must never fail an agent: how fast one is depends on the machine.
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
_STEEP_EXPONENT = 1.5  # Beyond it a row of many chunks takes longer than anyone waits.
_NOISE_SECONDS = 0.05  # Below it, growth is noise.
_LEAST_SECONDS = 1e-9  # Times are taken to be at least this long, since logarithms need it.


class _Times(NamedTuple):
    """What calls took, in seconds, once there were a number of texts."""

    texts: int
    adds: float  # All adds up to here.
    first_search: float  # The first after an add, which may build an index,
    usual_search: float  # and the median of some.


async def add_and_search_stay_fast(agent: CheckedAgent) -> Verdict:
    """Time adds and searches at 50, 100, 200 and 400 texts."""
    invented = agent.facts("growth")
    facts, prose = invented.take(_SIZES[-1]), " ".join(invented.prose(_PROSE_CHARACTERS))
    async with agent.fresh() as instance:
        call = "a search" if instance.searches else "an answer"
        budget = agent.subject.clock.budget(_BUDGET_SECONDS)
        measured = await _measure(instance, facts, prose, budget)
    last = measured[-1]
    seen = (
        f"at {last.texts} texts an add takes {_in_words(last.adds / last.texts)} on average and "
        f"{call} {_in_words(last.usual_search)} (the first {_in_words(last.first_search)})"
    )
    if last.texts < _SIZES[-1]:
        seen += f"; stopped there after {_BUDGET_SECONDS:.0f} s"
    if len(measured) < 2:
        return warning(f"{seen}: too few to see how it grows")
    sizes = [each.texts for each in measured]
    of_adds = growth_exponent(sizes, [each.adds for each in measured])
    of_search = growth_exponent(sizes, [each.usual_search for each in measured])
    seen += f"; all adds grow as n^{of_adds:.1f}, a search as n^{of_search:.1f}"
    growing = (("add", of_adds, last.adds), ("search", of_search, last.usual_search))
    steep = [
        name
        for name, exponent, seconds in growing
        if exponent > _STEEP_EXPONENT and seconds > _NOISE_SECONDS
    ]
    if steep:
        return warning(f"{seen}: {' and '.join(steep)} will be slow on long histories")
    return passed(seen)


async def _measure(
    instance: Instance, facts: Sequence[Fact], prose: str, budget: TimeBudget
) -> list[_Times]:
    """Tell facts one by one, each with prose, and return the times at each size.

    When the budget is over, the last times are those of the texts that there are then.
    """
    measured: list[_Times] = []
    adding = 0.0
    for number, fact in enumerate(facts, start=1):
        start = time.perf_counter()
        await instance.tell(f"{fact.text} {prose}")
        adding += time.perf_counter() - start
        is_over = budget.is_over()
        if number in _SIZES or is_over:
            searches = []
            for place in range(_SEARCHES):
                start = time.perf_counter()
                await instance.search_or_answer(facts[place * number // _SEARCHES].question)
                searches.append(time.perf_counter() - start)
            measured.append(_Times(number, adding, searches[0], statistics.median(searches)))
        if is_over:
            break
    return measured


def growth_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the power of the size with which seconds grow: least squares on logarithms."""
    logarithms = [math.log(max(value, _LEAST_SECONDS)) for value in seconds]
    return statistics.linear_regression([*map(math.log, sizes)], logarithms).slope


def _in_words(seconds: float) -> str:
    """Return a time with three digits, below a second in milliseconds."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
