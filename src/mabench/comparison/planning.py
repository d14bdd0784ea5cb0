"""What a comparison will take, from what runs, or other agents, vary by and what runs have cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, isnan, nan
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.comparison.entries import Entry, open_comparable, open_entry
from mabench.data.inventory import BY_NAME
from mabench.errors import UsageError
from mabench.json_text import JsonRecord
from mabench.results import CallRecord, Run, Sample
from mabench.uncertainty import MIN_HISTORIES, Floats, Grouped
from mabench.uncertainty.components import Components, components
from mabench.uncertainty.power import (
    LEAST_HISTORIES,
    MOST_HISTORIES,
    TYPICAL,
    at_difference,
    histories_needed,
    least_difference,
)

AS_RUNS = "as the runs"
_POWERS = (80, 95)
_QUESTIONS, _BUILDS = (5, 10, 20, 50, 100), (1, 2, 3, 5)
_UNPRICED = (10, 20, 50)  # Where no cost says how many questions are best.
UNKNOWN = np.full(4, nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(JsonRecord):
    """A comparison of so many histories; what is not known is None."""

    source: str
    variation: str  # ``as the runs``, or typical: calm, middling, rough.
    power: int  # In percent.
    purpose: str = "difference"  # To tell it, or what a ``budget`` or ``published`` rows tell.
    difference: float | None = None  # In points; None where none can be told.
    histories: int | None = None  # None for more than 10,000, or less than a test takes.
    questions: int  # Of each history.
    builds: int = 1
    low: int | None = None  # Histories at the ends of the 95 % interval of the variance.
    high: int | None = None
    tokens: float | None = None  # Of histories, told to all agents and builds, as all below.
    model_tokens: float | None = None
    cost: float | None = None  # In US dollars.
    hours: float | None = None  # One after the other.


class Pilot(NamedTuple):
    """What is known of a source: what differences vary by, and what is spent on all agents."""

    source: str
    kinds: Mapping[str, Components]  # By variation.
    history: Floats = UNKNOWN  # Tokens told, tokens of models, dollars and hours, in shape (4,).
    question: Floats = UNKNOWN
    start: Floats = np.zeros(4)  # Of each build, whatever comes: the first answer loads a lot.
    asked: int = 20  # Questions of a history.
    histories: int = 0
    seen: float | None = None  # From -1 to 1.


class Plan(NamedTuple):
    """What it takes to tell a difference, and what a budget and the published rows tell."""

    agents: Sequence[str]
    pilots: Sequence[Pilot]
    designs: Sequence[Design]
    titles: Mapping[str, str]

    def as_dict(self) -> dict[str, object]:
        """Return it as JSON has it."""
        sources = {
            pilot.source: {
                "histories": pilot.histories,
                "difference": None if pilot.seen is None else 100 * pilot.seen,
                "variances": {name: kind._asdict() for name, kind in pilot.kinds.items()},
            }
            for pilot in self.pilots
        }
        designs = [design.as_dict() for design in self.designs]
        return {"agents": [*self.agents], "sources": sources, "designs": designs}


def read_pilots(runs: Sequence[Run | Path | str]) -> tuple[list[Pilot], list[str], dict[str, str]]:
    """Return what two runs, or one, say of each source, their agents, and titles of sources.

    Of one run it is taken that the other agent costs and varies as much, with nothing in common.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when runs are unfinished, on other questions or have no score.
    """
    if len(runs) == 1:
        entries = [open_entry(runs[0], "official")]
        sources = [*entries[0].builds[0]]
    else:
        entries, sources = open_comparable(runs, "official")
    if not sources:
        raise UsageError("; ".join(dict.fromkeys(entries[0].without.values())))
    pilots = [_read_pilot(name, entries) for name in sources]
    agents = [entry.record.agent for entry in entries]
    return pilots, agents, dict(entries[0].record.data.titles or {})


def plan(
    pilots: Sequence[Pilot],
    difference: float | None,
    limits: Mapping[int, float],
    agents: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Plan:
    """Return how many histories tell a difference of so many points; None for the one seen.

    ``limits`` are a budget, by the place of what they limit in what a history takes.

    Raises:
        UsageError: when there is no such difference, or what the budget limits is not known.
    """
    designs: list[Design] = []
    if difference is not None and not 0 < difference < 100:
        raise UsageError("must lie between 0 and 100 points", parameter="difference")
    for pilot in pilots:
        wanted = abs(pilot.seen or 0.0) if difference is None else difference / 100
        if not wanted:
            why = f"on {pilot.source} no two runs show one"
            raise UsageError(f"say with `difference` how many points matter: {why}")
        for (name, kind), power in product(pilot.kinds.items(), _POWERS):
            base = Design(source=pilot.source, variation=name, power=power, questions=pilot.asked)
            designs += _tell(base, pilot, at_difference(kind, wanted), wanted)
            designs += [_spend(base, pilot, limits)] if limits else []
            published = _publish(base, pilot)
            designs += [published] if published else []
    return Plan(agents, pilots, designs, titles or {})


def _read_pilot(source: str, entries: Sequence[Entry]) -> Pilot:
    keys, agents = sorted(entries[0].questions(source)), 3 - len(entries)
    scores = [entry.scores(source, keys) for entry in entries]
    count = min(map(len, scores))
    # Builds of A and B are paired as they come.
    builds = scores[0][:count] - (scores[1][:count] if scores[1:] else 0.0)
    grouped = Grouped.of(builds.mean(axis=0), [key[:2] for key in keys])
    if known := components(builds, grouped):
        build = None if known.build is None else agents * known.build
        scaled = (agents * part for part in (known.history, known.question, known.rest))
        history, question, rest = scaled
        kinds = {AS_RUNS: Components(history, build, question, rest)}
    else:  # One history says nothing of others.
        within = agents * float(grouped.values.var())
        kinds = {name: kind._replace(question=within) for name, kind in TYPICAL.items()}
    # Where no question differs, as if one were won and one lost.
    few = 2 / (grouped.n + 2)
    spent = [_expense(entry, source, grouped.groups, len(keys)) for entry in entries]
    history, question, start = agents * np.sum(spent, axis=0)
    return Pilot(
        source,
        {name: kind._replace(question=kind.question or few) for name, kind in kinds.items()},
        history,
        question,
        start,
        asked=round(len(keys) / grouped.groups),
        histories=grouped.groups,
        seen=float(scores[0].mean() - scores[1].mean()) if scores[1:] else None,
    )


def _expense(entry: Entry, source: str, histories: int, questions: int) -> Floats:
    """Return what a history, and what a question took, in the mean over builds, in shape (3, 4).

    Last stands by what a run's first answer took longer than the others.
    """
    spent, used = np.zeros((3, 4)), False
    for run in entry.runs:
        memories = {place: m for place, m in run.store.memories().items() if m.source == source}
        told = [memory.tokens or nan for memory in memories.values()]
        spent[0, 0] += sum(told) if len(told) == histories else nan
        spent[0, 3] += sum(memory.seconds for memory in memories.values()) / 3600
        timings = (time for time in run.store.timings() if (time.split, time.row) in memories)
        times = [time.seconds / 3600 for time in timings]
        begun = max(0.0, times[0] - fmean(times[1:])) if times[1:] else 0.0
        spent[1:, 3] += sum(times) - begun, begun
        calls = (call for call in run.store.calls() if call.by == "memory" and not call.kept)
        paid: list[tuple[bool, CallRecord | Sample]] = [
            *((call.phase == "answering", call) for call in calls if call.source == source),
            *((True, sample) for sample in run.samples() if sample.source == source),
        ]
        for answering, each in paid:
            if tokens := (each.input_tokens or 0) + (each.output_tokens or 0):
                used = True
                spent[int(answering), 1:3] += tokens, nan if each.cost is None else each.cost
    if not used:
        spent[:2, 1:3] = nan
    return np.asarray(
        spent / (len(entry.runs) * np.array([[histories], [questions], [1]])), dtype=np.float64
    )


def _grid(pilot: Pilot, kind: Components) -> list[tuple[int, int]]:
    """Return numbers of questions and builds; what builds help is known where several were made."""
    builds = _BUILDS if kind.build is not None else (1,)
    return [(questions, of) for questions in sorted({pilot.asked, *_QUESTIONS}) for of in builds]


def _price(design: Design, pilot: Pilot) -> Design:
    each = pilot.history + design.questions * pilot.question
    whole = design.builds * ((design.histories or nan) * each + pilot.start)
    values = [float(value) for value in whole]
    tokens, models, cost, hours = (None if isnan(value) else value for value in values)
    return replace(design, tokens=tokens, model_tokens=models, cost=cost, hours=hours)


def _tell(base: Design, pilot: Pilot, kind: Components, wanted: float) -> Iterator[Design]:
    """Yield the cheapest design by dollars, or else by hours; without either, a few."""
    from scipy.special import chdtri

    freedom, power, grid = pilot.histories - 1, base.power / 100, []
    ends = [freedom / float(chdtri(freedom, p)) for p in (0.025, 0.975)] if freedom > 0 else []
    for questions, builds in _grid(pilot, kind):
        variance = kind.variance(questions, builds)
        limits = (histories_needed(wanted, end * variance, power) for end in ends)
        low, high = [*limits] or (None, None)
        needed = histories_needed(wanted, variance, power)
        shape = replace(base, histories=needed, questions=questions, builds=builds)
        grid.append(_price(replace(shape, difference=100 * wanted, low=low, high=high), pilot))
    whole = pilot.history + pilot.question
    unit = next((name for place, name in ((2, "cost"), (3, "hours")) if whole[place] > 0), None)
    if unit is None:
        yield from (design for design in grid if design.questions in _UNPRICED)
    else:
        yield min(grid, key=lambda design: design[unit] if design.histories else inf)


def _spend(base: Design, pilot: Pilot, limits: Mapping[int, float]) -> Design:
    """Return the design that tells the least difference within a budget."""
    best, kind = replace(base, purpose="budget"), pilot.kinds[base.variation]
    for questions, builds in _grid(pilot, kind):
        each = builds * (pilot.history + questions * pilot.question)
        if any(isnan(each[place]) for place in limits):
            raise UsageError(f"what {pilot.source} takes is not known, so no budget can be planned")
        most = min(
            (limit - builds * pilot.start[place]) / each[place] if each[place] else inf
            for place, limit in limits.items()
        )
        if (count := int(min(most, MOST_HISTORIES))) >= LEAST_HISTORIES:
            least = least_difference(kind, count, questions, builds, base.power / 100)
            if least is not None and 100 * least < (best.difference or inf):
                shape = replace(best, histories=count, questions=questions, builds=builds)
                best = _price(replace(shape, difference=100 * least), pilot)
    return best


def _publish(base: Design, pilot: Pilot) -> Design | None:
    """Return what all published rows of a source tell; None if it is not of the inventory."""
    source = BY_NAME.get(pilot.source)
    if source is None:
        return None
    questions, least = round(source.questions / source.rows), None
    if source.rows >= MIN_HISTORIES:
        kind = pilot.kinds[base.variation]
        least = least_difference(kind, source.rows, questions, 1, base.power / 100)
    shape = replace(base, purpose="published", histories=source.rows, questions=questions)
    return replace(shape, difference=None if least is None else 100 * least)
