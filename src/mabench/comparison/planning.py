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
from mabench.data.inventory import BY_NAME
from mabench.errors import UsageError, unknown
from mabench.json_text import IfKnown, JsonRecord
from mabench.lookup.names import agent_names
from mabench.results import CallRecord, Run, Sample, find_folder
from mabench.uncertainty import LEAST_HISTORIES, MIN_HISTORIES, Components, Floats, Grouped
from mabench.uncertainty.components import TYPICAL
from mabench.uncertainty.power import MOST_HISTORIES, detectable_difference, histories_needed

_POWERS = (80, 95)
_QUESTIONS, _BUILDS = (5, 10, 20, 50, 100), (1, 2, 3, 5)
_UNPRICED = (10, 20, 50)  # Where no cost says how many questions are best.


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(JsonRecord):
    """A comparison of so many histories; what is not known is None."""

    source: str  # The name of the source.
    variation: str  # How differences vary: ``as the runs``, or typical: calm, middling, rough.
    power: int  # How many of 100 such comparisons detect the difference.
    # To detect the ``difference``, or to show what a ``budget`` or all ``published`` rows detect.
    purpose: str = "difference"
    difference: float | None = None  # In points; None if none can be detected.
    histories: int | None = None  # How many; None if over 10,000, or too few for a test.
    questions: int  # Questions per history.
    builds: int = 1  # Builds of each history's memory.
    # Histories at the ends of the 95 % interval of the variance.
    low: int | None = None
    high: int | None = None
    tokens: float | None = None  # Memorized by all agents and builds, like all amounts.
    model_tokens: float | None = None  # Tokens of models.
    cost: float | None = None  # In US dollars.
    # How long the memories work, one run after the other; the harness adds about 10 ms a question.
    hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlanSource(JsonRecord):
    """What is known of a source."""

    histories: int  # How many the runs have; 0 without runs.
    difference: float | None  # The difference of the runs, in points; None without two.
    # By the name of the variation: the variances of differences from -1 to 1, by ``history``,
    # ``build``, ``question`` and ``rest``; that of builds is None where there is one of each.
    variances: Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(JsonRecord):
    """What it takes to tell a difference, and what a budget and the published rows tell."""

    agents: Sequence[str]  # Their names; with one, the other is assumed to cost and vary as much.
    sources: Mapping[str, _PlanSource]  # What is known of each, by name.
    designs: Sequence[Design]  # Comparisons, by source.
    # The titles of sources of made-up rows, by name.
    titles: IfKnown[Mapping[str, str] | None] = None


class _Pilot(NamedTuple):
    """A source: what differences on it vary by, and what is spent on all agents."""

    source: str
    kinds: Mapping[str, Components]  # By variation.
    # Tokens told, tokens of models, dollars and hours: of a history, of a question, and of each
    # build, whatever comes, since the first answer loads a lot. In shape (3, 4).
    costs: Floats = np.array([[nan] * 4, [nan] * 4, [0.0] * 4])
    asked: int = 20  # Questions of a history.
    histories: int = 0
    seen: float | None = None  # In points.


def plan(
    runs: Sequence[Run | Path | str],
    difference: float | None = None,
    *,
    max_cost: float | None = None,
    max_hours: float | None = None,
) -> Plan:
    """Return how many histories, questions and builds detect a difference, and at what cost.

    Args:
        runs: two runs on the same questions, or one: another agent is then taken to cost and vary
            as much, with nothing in common. Or the names of two agents: typical variances are then
            assumed.
        difference: the points to detect; by default the difference of the two runs.
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
        raise UsageError("must be between 0 and 100 points", parameter="difference")
    names = [str(run.folder if isinstance(run, Run) else run) for run in runs]
    pilots, agents, titles = _open(names)
    limits = {place: most for place, most in ((2, max_cost), (3, max_hours)) if most is not None}
    designs, sources = list[Design](), dict[str, _PlanSource]()
    for pilot in pilots:
        if not (wanted := abs(pilot.seen or 0.0) if difference is None else difference):
            other = f"give two runs that differ on {pilot.source}"
            raise UsageError(f"say with `difference` how many points matter, or {other}")
        for (name, kind), power in product(pilot.kinds.items(), _POWERS):
            base = Design(source=pilot.source, variation=name, power=power, questions=pilot.asked)
            designs += _tell(replace(base, difference=wanted), pilot, kind)
            designs += [_spend(base, pilot, kind, limits)] if limits else []
            if source := BY_NAME.get(pilot.source):
                asked = round(source.questions / source.rows)
                rows = replace(base, purpose="published", histories=source.rows, questions=asked)
                designs.append(_detect(rows, kind) if source.rows >= MIN_HISTORIES else rows)
        variances = {name: kind._asdict() for name, kind in pilot.kinds.items()}
        sources[pilot.source] = _PlanSource(
            histories=pilot.histories, difference=pilot.seen, variances=variances
        )
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
    if folders[1:]:
        entries, sources = Entry.open_comparable(folders, "official")
    elif not folders[0].exists():
        raise UsageError(f"name another agent besides {names[0]}, or only a run of it")
    else:
        entries = [Entry.open(folders[0], "official")]
        sources = [*entries[0].builds[0]]
    if not sources:
        raise UsageError("; ".join(dict.fromkeys(entries[0].without.values())))
    pilots = [_read_pilot(name, entries) for name in sources]
    return pilots, [entry.record.agent for entry in entries], entries[0].record.data.titles


def _read_pilot(source: str, entries: Sequence[Entry]) -> _Pilot:
    agents, scores = 3 - len(entries), [entry.table(source).scores for entry in entries]
    count = min(map(len, scores))
    # Builds of A and B are paired as they come.
    builds = scores[0][:count] - (scores[1][:count] if scores[1:] else 0.0)
    grouped = Grouped(builds.mean(axis=0), entries[0].table(source).histories)
    if known := Components.of(builds, grouped):
        kinds = {"as the runs": known.times(agents)}
    else:  # One history says nothing of others.
        within = agents * float(grouped.values.var())
        kinds = {name: kind._replace(question=within) for name, kind in TYPICAL.items()}
    # Where no question differs, as if one were won and one lost.
    few = 2 / (grouped.n + 2)
    spent = [_expense(entry, source, grouped) for entry in entries]
    return _Pilot(
        source,
        {name: kind._replace(question=kind.question or few) for name, kind in kinds.items()},
        agents * np.sum(spent, axis=0),
        asked=round(grouped.n / grouped.groups),
        histories=grouped.groups,
        seen=100 * float(scores[0].mean() - scores[1].mean()) if scores[1:] else None,
    )


def _expense(entry: Entry, source: str, grouped: Grouped) -> Floats:
    """Return what a history, a question and the start take, in the mean over builds: (3, 4).

    The first answer of a history opens its memory, and that of a run loads what answers: by how
    much they took longer than the others counts with the history, and with the start.
    """
    spent = np.zeros((3, 4))
    for run in entry.runs:
        memories = {place: m for place, m in run.store.memories().items() if m.source == source}
        told = [memory.tokens or nan for memory in memories.values()]
        spent[0, 0] += sum(told) if len(told) == grouped.groups else nan
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
        paid: list[CallRecord | Sample] = [*calls, *run.samples()]
        for each in paid:
            tokens = (each.input_tokens or 0) + (each.output_tokens or 0)
            if tokens and each.source == source:
                at_answer = isinstance(each, Sample) or each.phase == "answering"
                spent[int(at_answer), 1:3] += tokens, nan if each.cost is None else each.cost
    if not spent[:2, 1].any():  # No model was used.
        spent[:2, 1:3] = nan
    return np.asarray(spent / (len(entry.runs) * np.array([[grouped.groups], [grouped.n], [1]])))


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


def _tell(base: Design, pilot: _Pilot, kind: Components) -> list[Design]:
    """Return the cheapest design by dollars, or else by hours; without either, a few."""
    from scipy.special import chdtri

    freedom, priced = pilot.histories - 1, []
    ends = [freedom / float(chdtri(freedom, p)) for p in (0.025, 0.975)] if freedom > 0 else []
    wanted = ((base.difference or 0.0) / 100, base.power / 100)
    for each in _grid(base, pilot, kind):
        needed, *limits = (
            histories_needed(kind.times(end), *wanted, each.questions, each.builds)
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
    if np.isnan(pilot.costs[:, [*limits]]).any():
        raise UsageError(
            f"the cost or time of {pilot.source} is unknown, so no budget can be planned: plan "
            "from finished runs, for dollars from runs with prices"
        )
    best = replace(base, purpose="budget")
    for each in _grid(best, pilot, kind):
        history, question, start = each.builds * pilot.costs
        takes = history + each.questions * question
        paid = [(limit - start[n]) / takes[n] if takes[n] else inf for n, limit in limits.items()]
        if (count := int(min(*paid, MOST_HISTORIES))) >= LEAST_HISTORIES:
            told = _detect(replace(each, histories=count), kind)
            if (told.difference or inf) < (best.difference or inf):
                best = _price(told, pilot)
    return best


def _detect(design: Design, kind: Components) -> Design:
    shape = (design.questions, design.builds)
    least = detectable_difference(kind, design.histories or 0, design.power / 100, *shape)
    return replace(design, difference=least and 100 * least)
