"""Designs of a comparison: the cheapest that detects a difference, or the best for a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import comb, inf, isnan, nan

import numpy as np

from mabench.comparison.planning.expenses import BUILD, DOLLARS, HOURS, MODEL_TOKENS, TOKENS
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

# The questions of a history, and the builds, of the designs that are tried.
_QUESTIONS_TRIED, _BUILDS_TRIED = (5, 10, 20, 50, 100), (1, 2, 3, 5)
# The questions of designs that are shown if nothing says which is cheapest.
_QUESTIONS_UNPRICED = (10, 20, 50)
# How likely chi-squared is above what gives the low end, and the high end, of a variance's 95 %
# interval.
_LOW_END, _HIGH_END = 0.025, 0.975


def cheapest_design(base: Design, pilot: Pilot, variation: Variation) -> list[Design]:
    """Return the design that detects a difference for the least dollars, or else hours.

    If neither is known, a few designs are returned.

    Args:
        base: has the difference to detect, and the power.
        pilot: what it costs.
        variation: what differences vary by.
    """
    from scipy.special import chdtri

    # The variances at the ends of the 95 % interval: the pilot's times its degrees of freedom, by a
    # quantile of chi-squared.
    freedom = variation.freedom
    least = Variation(variation.kind.times(freedom / float(chdtri(freedom, _LOW_END))))
    most = Variation(variation.kind.times(freedom / float(chdtri(freedom, _HIGH_END))))
    difference, power = (base.difference or 0.0) / 100, base.power / 100
    priced = []
    for shape in _list_shapes(base, pilot, variation):
        size = _size_of(shape)
        needed = histories_needed(variation, difference, power, size)
        low = histories_needed(least, difference, power, size)
        high = histories_needed(most, difference, power, size)
        # With less variance fewer questions differ, and ten must, so that more may be needed.
        if low is not None and needed is not None:
            low = min(low, needed)
        priced.append(_add_price(replace(shape, histories=needed, low=low, high=high), pilot))
    # An amount is None where no number of histories is enough: such designs come last.
    if pilot.costs[:BUILD, DOLLARS].sum() > 0:
        return [min(priced, key=lambda design: inf if design.cost is None else design.cost)]
    if pilot.costs[:BUILD, HOURS].sum() > 0:
        return [min(priced, key=lambda design: inf if design.hours is None else design.hours)]
    return [design for design in priced if design.questions in _QUESTIONS_UNPRICED]


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
    for shape in _list_shapes(best, pilot, variation):
        count = _affordable_histories(shape, pilot, limits)
        if count < MIN_HISTORIES:
            continue
        design = add_detectable(replace(shape, histories=count), variation)
        if (design.difference or inf) < (best.difference or inf):
            best = _add_price(design, pilot)
    return best


def _affordable_histories(design: Design, pilot: Pilot, limits: Mapping[int, float]) -> int:
    """Return how many histories all limits pay for, at most ``MOST_HISTORIES``.

    ``limits`` are by the columns of ``pilot.costs``.
    """
    # Its rows, of all builds.
    per_history, per_question, per_build = design.builds * pilot.costs
    with_questions = per_history + design.questions * per_question
    affordable: float = MOST_HISTORIES
    for unit, limit in limits.items():
        if with_questions[unit]:
            affordable = min(affordable, (limit - per_build[unit]) / with_questions[unit])
    return int(affordable)


def add_detectable(design: Design, variation: Variation) -> Design:
    """Return a design with the least difference that it detects, if it detects any."""
    size = _size_of(design)
    least = detectable_difference(variation, design.histories or 0, design.power / 100, size)
    return replace(design, difference=None if least is None else 100 * least)


def _list_shapes(base: Design, pilot: Pilot, variation: Variation) -> list[Design]:
    """Return designs by questions and builds; several builds if runs show what they vary by."""
    builds = (1,) if variation.kind.build is None else _BUILDS_TRIED
    shapes = product(sorted({pilot.asked, *_QUESTIONS_TRIED}), builds)
    return [replace(base, questions=questions, builds=count) for questions, count in shapes]


def _size_of(design: Design) -> ComparisonSize:
    """Return how large the comparison of a design is; every pair of its agents is tested."""
    pairs = comb(design.agents, 2)
    return ComparisonSize(questions=design.questions, builds=design.builds, tests=pairs)


def _add_price(design: Design, pilot: Pilot) -> Design:
    """Return a design with the amounts that it takes in all; None for what is not known."""
    histories = design.builds * (design.histories or nan)
    # In the order of the rows of ``pilot.costs``: histories, questions, builds.
    counts = np.array([histories, histories * design.questions, design.builds])
    amounts = [None if isnan(amount) else float(amount) for amount in counts @ pilot.costs]
    return replace(
        design,
        tokens=amounts[TOKENS],
        model_tokens=amounts[MODEL_TOKENS],
        cost=amounts[DOLLARS],
        hours=amounts[HOURS],
    )
