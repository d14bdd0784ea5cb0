"""Designs of a comparison: the cheapest that detects a difference, or the best for a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import comb, inf, isnan, nan

import numpy as np

from mabench.comparison.planning.expenses import BUILD, DOLLARS, HOURS
from mabench.comparison.planning.pilots import Pilot
from mabench.comparison.planning.plans import Design
from mabench.errors import UsageError
from mabench.uncertainty import MIN_HISTORIES
from mabench.uncertainty.power import (
    MOST_HISTORIES,
    ComparisonSize,
    Variation,
    detectable_difference,
    histories_needed,
)

_QUESTIONS, _BUILDS = (5, 10, 20, 50, 100), (1, 2, 3, 5)
# The questions of designs that are shown if nothing says which is cheapest.
_UNPRICED = (10, 20, 50)


def cheapest_design(base: Design, pilot: Pilot, variation: Variation) -> list[Design]:
    """Return the design that detects a difference for the least dollars, or else hours.

    If neither is known, a few designs are returned.

    Args:
        base: has the difference to detect, and the power.
        pilot: what it costs.
        variation: what differences vary by.
    """
    from scipy.special import chdtri

    freedom, priced = variation.freedom, []
    ends = [freedom / float(chdtri(freedom, p)) for p in (0.025, 0.975)]
    known = [Variation(variation.kind.times(end)) for end in ends]
    wanted = ((base.difference or 0.0) / 100, base.power / 100)
    for each in _list_shapes(base, pilot, variation):
        needed, low, high = (
            histories_needed(one, *wanted, _size_of(each)) for one in (variation, *known)
        )
        # With less variance, the need for ten questions that differ decides.
        low = low and min(low, needed or low)
        priced.append(_add_price(replace(each, histories=needed, low=low, high=high), pilot))
    for unit, place in (("cost", DOLLARS), ("hours", HOURS)):
        if pilot.costs[:BUILD, place].sum() > 0:
            return [min(priced, key=lambda design: design[unit] if design.histories else inf)]
    return [design for design in priced if design.questions in _UNPRICED]


def detectable_with(
    limits: Mapping[int, float], base: Design, pilot: Pilot, variation: Variation
) -> Design:
    """Return the design that detects the least difference with a budget.

    Args:
        limits: the budget, by ``DOLLARS`` or ``HOURS``.
        base: has the power.
        pilot: what it costs.
        variation: what differences vary by.

    Raises:
        UsageError: when the runs do not say what it costs.
    """
    if np.isnan(pilot.costs[:, [*limits]]).any():
        raise UsageError(
            f"the cost or time of {pilot.source} is unknown, so no budget can be planned: plan "
            "from finished runs, for dollars from runs with prices"
        )
    best = replace(base, purpose="budget")
    for each in _list_shapes(best, pilot, variation):
        history, question, build = each.builds * pilot.costs
        takes = history + each.questions * question
        paid = [(limit - build[n]) / takes[n] if takes[n] else inf for n, limit in limits.items()]
        if (count := int(min(*paid, MOST_HISTORIES))) >= MIN_HISTORIES:
            found = add_detectable(replace(each, histories=count), variation)
            if (found.difference or inf) < (best.difference or inf):
                best = _add_price(found, pilot)
    return best


def add_detectable(design: Design, variation: Variation) -> Design:
    """Return a design with the least difference that it detects, if it detects any."""
    size = _size_of(design)
    least = detectable_difference(variation, design.histories or 0, design.power / 100, size)
    return replace(design, difference=least and 100 * least)


def _list_shapes(base: Design, pilot: Pilot, variation: Variation) -> list[Design]:
    """Return designs by questions and builds; several builds if runs show what they vary by."""
    builds = (1,) if variation.kind.build is None else _BUILDS
    shapes = product(sorted({pilot.asked, *_QUESTIONS}), builds)
    return [replace(base, questions=questions, builds=each) for questions, each in shapes]


def _size_of(design: Design) -> ComparisonSize:
    return ComparisonSize(design.questions, design.builds, comb(design.agents, 2))


def _add_price(design: Design, pilot: Pilot) -> Design:
    """Return a design with its total amounts."""
    told = design.builds * (design.histories or nan)
    whole = np.array([told, told * design.questions, design.builds]) @ pilot.costs
    tokens, models, cost, hours = (None if isnan(one) else float(one) for one in whole)
    return replace(design, tokens=tokens, model_tokens=models, cost=cost, hours=hours)
