"""What a comparison will take, from what runs, or other agents, vary by and what runs have cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, isnan, nan
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.comparison.entries import Entry
from mabench.data.inventory import BY_NAME, Source
from mabench.errors import UsageError, unknown
from mabench.json_text import IfKnown, JsonRecord
from mabench.lookup.names import agent_names
from mabench.results import CallRecord, Run, Sample, find_folder
from mabench.uncertainty import MIN_HISTORIES, Floats, Grouped
from mabench.uncertainty.power import LEAST_HISTORIES, MOST_HISTORIES, TYPICAL, Components

_AS_RUNS = "as the runs"
_POWERS = (80, 95)
_QUESTIONS, _BUILDS = (5, 10, 20, 50, 100), (1, 2, 3, 5)
_UNPRICED = (10, 20, 50)  # Where no cost says how many questions are best.


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(JsonRecord):
    """A comparison of so many histories; what is not known is None."""

    source: str  # The name of the source.
    variation: str  # What differences vary by: ``as the runs``, or typical: calm, middling, rough.
    power: int  # How many of 100 such comparisons find the difference.
    # To tell the ``difference``, or what a ``budget`` or all ``published`` rows tell.
    purpose: str = "difference"
    difference: float | None = None  # In points; None where none can be told.
    histories: int | None = None  # How many; None for more than 10,000, or less than a test takes.
    questions: int  # How many of each history.
    builds: int = 1  # How many of the memory, of each history.
    # Histories at the ends of the 95 % interval of the variance.
    low: int | None = None
    high: int | None = None
    tokens: float | None = None  # Of histories, told to all agents and builds, as are all amounts.
    model_tokens: float | None = None  # Those of models.
    cost: float | None = None  # In US dollars.
    # That the memories work, one run after the other; the harness takes some 10 ms a question.
    hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlanSource(JsonRecord):
    """What is known of a source."""

    histories: int  # How many the runs have; 0 without runs.
    difference: float | None  # What the runs show, in points; None without two.
    # By the name of the variation: the variances of differences from -1 to 1, by ``history``,
    # ``build``, ``question`` and ``rest``; that of builds is None where there is one of each.
    variances: Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(JsonRecord):
    """What it takes to tell a difference, and what a budget and the published rows tell."""

    agents: Sequence[str]  # Their names; one where the other is taken to cost and vary as much.
    sources: Mapping[str, _PlanSource]  # What is known of each, by name.
    designs: Sequence[Design]  # Comparisons, by source.
    # What sources of made-up rows are called, by name.
    titles: IfKnown[Mapping[str, str] | None] = None


class _Pilot(NamedTuple):
    """What is known of a source: what differences vary by, and what is spent on all agents."""

    source: str
    kinds: Mapping[str, Components]  # By variation.
    # Tokens told, tokens of models, dollars and hours: of a history, of a question, and of each
    # build, whatever comes, since the first answer loads a lot. In shape (3, 4).
    costs: Floats = np.array([[nan] * 4, [nan] * 4, [0.0] * 4])
    asked: int = 20  # Questions of a history.
    histories: int = 0
    seen: float | None = None  # From -1 to 1.


def plan(
    runs: Sequence[Run | Path | str],
    difference: float | None = None,
    *,
    max_cost: float | None = None,
    max_hours: float | None = None,
) -> Plan:
    """Return how many histories, questions and builds tell a difference, and what that costs.

    Args:
        runs: two runs on the same questions, or one: another agent is then taken to cost and vary
            as much, with nothing in common. Or the names of two agents: typical variances are then
            assumed.
        difference: how many points are to be told; by default what the two runs show.
        max_cost: a budget in US dollars; the plan says what it can detect.
        max_hours: a budget of time.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when runs are unfinished, on other questions or have no score, there is no such
            run or agent or difference, or what the budget limits is not known.
    """
    if not 0 < len(runs) < 3:
        raise UsageError(f"a plan needs two runs or agents, or one run, not {len(runs)}")
    if difference is not None and not 0 < difference < 100:
        raise UsageError("must lie between 0 and 100 points", parameter="difference")
    names = [str(run.folder if isinstance(run, Run) else run) for run in runs]
    pilots, agents, titles = _open(names)
    designs: list[Design] = []
    limits = {place: most for place, most in ((2, max_cost), (3, max_hours)) if most is not None}
    for pilot in pilots:
        wanted = abs(pilot.seen or 0.0) if difference is None else difference / 100
        if not wanted:
            other = f"give two runs that differ on {pilot.source}"
            raise UsageError(f"say with `difference` how many points matter, or {other}")
        for (name, kind), power in product(pilot.kinds.items(), _POWERS):
            base = Design(source=pilot.source, variation=name, power=power, questions=pilot.asked)
            designs += _tell(base, pilot, kind, wanted)
            designs += [_spend(base, pilot, kind, limits)] if limits else []
            if published := BY_NAME.get(pilot.source):
                designs.append(_publish(base, kind, published))
    sources = {
        pilot.source: _PlanSource(
            histories=pilot.histories,
            difference=None if pilot.seen is None else 100 * pilot.seen,
            variances={name: kind._asdict() for name, kind in pilot.kinds.items()},
        )
        for pilot in pilots
    }
    return Plan(agents=agents, sources=sources, designs=designs, titles=titles)


def _open(names: Sequence[str]) -> tuple[list[_Pilot], list[str], Mapping[str, str] | None]:
    """Return what runs, or typical values, say of each source; agents, and titles of sources."""
    known, new = agent_names(), [name for name in names if not Path(name).exists()]
    agents = [name for name in new if ":" in name or name.partition("[")[0] in known]
    if len(agents) == 2:
        return [_Pilot("any source", TYPICAL)], agents, None
    folders = [find_folder(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        if not folder.exists() and name not in agents:
            raise UsageError(unknown("neither a run nor an agent:", name, known))
    if len(folders) == 1:
        if not folders[0].exists():
            raise UsageError(f"name another agent besides {names[0]}, or only a run of it")
        entries = [Entry.open(folders[0], "official")]
        sources = [*entries[0].builds[0]]
    else:
        entries, sources = Entry.open_comparable(folders, "official")
    if not sources:
        raise UsageError("; ".join(dict.fromkeys(entries[0].without.values())))
    pilots = [_read_pilot(name, entries) for name in sources]
    return pilots, [entry.record.agent for entry in entries], entries[0].record.data.titles


def _read_pilot(source: str, entries: Sequence[Entry]) -> _Pilot:
    keys, agents = sorted(entries[0].questions(source)), 3 - len(entries)
    scores = [entry.scores(source, keys) for entry in entries]
    count = min(map(len, scores))
    # Builds of A and B are paired as they come.
    builds = scores[0][:count] - (scores[1][:count] if scores[1:] else 0.0)
    grouped = Grouped.of(builds.mean(axis=0), [key[:2] for key in keys])
    if known := Components.of(builds, grouped):
        kinds = {_AS_RUNS: known.times(agents)}
    else:  # One history says nothing of others.
        within = agents * float(grouped.values.var())
        kinds = {name: kind._replace(question=within) for name, kind in TYPICAL.items()}
    # Where no question differs, as if one were won and one lost.
    few = 2 / (grouped.n + 2)
    spent = [_expense(entry, source, grouped.groups, len(keys)) for entry in entries]
    return _Pilot(
        source,
        {name: kind._replace(question=kind.question or few) for name, kind in kinds.items()},
        agents * np.sum(spent, axis=0),
        asked=round(len(keys) / grouped.groups),
        histories=grouped.groups,
        seen=float(scores[0].mean() - scores[1].mean()) if scores[1:] else None,
    )


def _expense(entry: Entry, source: str, histories: int, questions: int) -> Floats:
    """Return what a history, a question and the start take, in the mean over builds: (3, 4).

    The first answer of a history opens its memory, and that of a run loads what answers: by how
    much they took longer than the others counts with the history, and with the start.
    """
    spent, used = np.zeros((3, 4)), False
    for run in entry.runs:
        memories = {place: m for place, m in run.store.memories().items() if m.source == source}
        told = [memory.tokens or nan for memory in memories.values()]
        spent[0, 0] += sum(told) if len(told) == histories else nan
        times = defaultdict[tuple[str, int], list[float]](list)
        for time in run.store.timings():
            if (place := (time.split, time.row)) in memories:
                times[place].append(time.seconds)
        begun = [max(0.0, first - fmean(rest)) for first, *rest in times.values() if rest]
        start = max(0.0, begun[0] - fmean(begun[1:])) if begun[1:] else sum(begun)
        memorizing = sum(memory.seconds for memory in memories.values()) + sum(begun) - start
        answering = sum(map(sum, times.values())) - sum(begun)
        spent[:, 3] += np.array([memorizing, answering, start]) / 3600
        calls = (call for call in run.store.calls() if call.by == "memory" and not call.kept)
        paid: list[tuple[bool, CallRecord | Sample]] = [
            *((call.phase == "answering", call) for call in calls if call.source == source),
            *((True, sample) for sample in run.samples() if sample.source == source),
        ]
        for at_answer, each in paid:
            if tokens := (each.input_tokens or 0) + (each.output_tokens or 0):
                used = True
                spent[int(at_answer), 1:3] += tokens, nan if each.cost is None else each.cost
    if not used:
        spent[:2, 1:3] = nan
    return np.asarray(spent / (len(entry.runs) * np.array([[histories], [questions], [1]])))


def _grid(base: Design, pilot: _Pilot, kind: Components) -> list[Design]:
    """Return designs by questions and builds: what builds help is known where several were made."""
    builds = (1,) if kind.build is None else _BUILDS
    shapes = product(sorted({pilot.asked, *_QUESTIONS}), builds)
    return [replace(base, questions=questions, builds=each) for questions, each in shapes]


def _price(design: Design, pilot: _Pilot) -> Design:
    told = design.builds * (design.histories or nan)
    whole = np.array([told, told * design.questions, design.builds]) @ pilot.costs
    tokens, models, cost, hours = (None if isnan(one) else float(one) for one in whole)
    return replace(design, tokens=tokens, model_tokens=models, cost=cost, hours=hours)


def _tell(base: Design, pilot: _Pilot, kind: Components, wanted: float) -> list[Design]:
    """Return the cheapest design by dollars, or else by hours; without either, a few."""
    from scipy.special import chdtri

    freedom, power, priced = pilot.histories - 1, base.power / 100, []
    ends = [freedom / float(chdtri(freedom, p)) for p in (0.025, 0.975)] if freedom > 0 else []
    for each in _grid(replace(base, difference=100 * wanted), pilot, kind):
        needed, *limits = (
            kind.times(end).histories_needed(wanted, power, each.questions, each.builds)
            for end in (1.0, *ends)
        )
        low, high = limits or (None, None)
        low = low and min(low, needed or low)  # Where less varies, ten questions that differ rule.
        priced.append(_price(replace(each, histories=needed, low=low, high=high), pilot))
    for unit, place in (("cost", 2), ("hours", 3)):
        if pilot.costs[:2, place].sum() > 0:
            return [min(priced, key=lambda design: design[unit] if design.histories else inf)]
    return [design for design in priced if design.questions in _UNPRICED]


def _spend(base: Design, pilot: _Pilot, kind: Components, limits: Mapping[int, float]) -> Design:
    best = replace(base, purpose="budget")
    for each in _grid(best, pilot, kind):
        history, question, start = each.builds * pilot.costs
        takes = history + each.questions * question
        if any(isnan(takes[place]) for place in limits):
            raise UsageError(
                f"the cost or time of {pilot.source} is unknown, so no budget can be planned: plan "
                "from finished runs, for dollars from runs with prices"
            )
        most = min(
            (limit - start[place]) / takes[place] if takes[place] else inf
            for place, limit in limits.items()
        )
        if (count := int(min(most, MOST_HISTORIES))) >= LEAST_HISTORIES:
            least = kind.least_difference(count, base.power / 100, each.questions, each.builds)
            if least is not None and 100 * least < (best.difference or inf):
                best = _price(replace(each, histories=count, difference=100 * least), pilot)
    return best


def _publish(base: Design, kind: Components, source: Source) -> Design:
    """Return what all published rows of a source tell."""
    questions, least = round(source.questions / source.rows), None
    if source.rows >= MIN_HISTORIES:
        least = kind.least_difference(source.rows, base.power / 100, questions)
    base = replace(base, purpose="published", histories=source.rows, questions=questions)
    return replace(base, difference=None if least is None else 100 * least)
