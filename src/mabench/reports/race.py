"""The report of a race: who is left, what is known of each pair, and what the interval means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mabench.race import Decision, Race, RacePair
from mabench.reports.layout import Report, retitle, show_reports
from mabench.reports.tables import Column, Table, tabulate
from mabench.uncertainty import Interval

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = {
    Decision.A: "A is better",
    Decision.B: "B is better",
    Decision.EQUAL: "equal",
    Decision.UNDECIDED: "not decided",
}
_SHORT = 12  # Characters of a hash.


def show_race(race: Race, layout: str, console: Console) -> None:
    """Print a race; raises ``UsageError`` for an unknown layout."""
    report = Report(race_title(race), race_tables(race), [*race_findings(race)], race_notes(race))
    report = retitle(report, race.titles)
    show_reports([report], race.as_dict, layout, console, lambda: race_tables(race)[1])


def race_title(race: Race) -> str:
    """Return who races, and over what."""
    sources = [race.titles.get(name, name) for name in race.plan.sources]
    return f"Race of {', '.join(race.agents)} on {'; '.join(sources)}"


def race_tables(race: Race) -> list[Table]:
    """Return a row for each agent, and one for each pair with the interval that counts."""

    def standing(place: int) -> str:
        if place not in race.left:
            return "beaten"
        tied = "tied with the best" if race.left[1:] else "best"
        return tied if race.is_decided or race.left[1:] else "in the race"

    def interval(pair: RacePair) -> str | None:
        low, high = (pair.intervals[-1] if pair.histories else Interval(-1, 1)).percent
        return f"{low:+.1f} to {high:+.1f}"

    agents: tuple[Column[int], ...] = (
        Column("Agent", lambda place: race.agents[place]),
        Column("Histories", lambda place: race.told[place], ""),
        Column("Score", race.score, ".1f"),
        Column("Standing", standing),
    )
    pairs: tuple[Column[RacePair], ...] = (
        Column("A", lambda pair: race.agents[pair.a], key=True),
        Column("B", lambda pair: race.agents[pair.b], key=True),
        Column("A - B", lambda pair: pair.difference, "+.1f"),
        Column("95 % interval", interval, ""),
        Column("Histories", lambda pair: pair.histories, ""),
        Column("Shown", lambda pair: _SHOWN[pair.decision]),
    )
    return [tabulate(agents, range(len(race.agents))), tabulate(pairs, race.pairs)]


def race_findings(race: Race) -> Iterator[str]:
    """Say how the race ended, who dropped out, and what is left between those not told apart."""
    yield f"{race.conclusion}."
    several = len(race.agents) > 2
    for pair in race.pairs:
        a, b = race.agents[pair.a], race.agents[pair.b]
        if several and pair.decision in (Decision.A, Decision.B):
            worse, better = (b, a) if pair.decision == Decision.A else (a, b)
            yield f"{worse} was beaten by {better} after {pair.histories} histories."
        if {pair.a, pair.b} <= {*race.left} and pair.histories:
            low, high = pair.intervals[-1].percent
            yield f"Between {a} and {b}, the true difference is {low:+.1f} to {high:+.1f} points."


def race_notes(race: Race) -> list[str]:
    """Return what the interval is for, and which plan was followed."""
    plan, pairs = race.plan, len(race.pairs)
    together = "" if pairs == 1 else f" and of all {pairs} pairs"
    return [
        f"The intervals of all moments{together} hold together in 95 % of races, so that looking "
        "after each history is no fault.",
        f"Plan {plan.hash[:_SHORT]}, seed {plan.seed}"
        + (f", margin {plan.margin:g} points" if plan.margin is not None else "")
        + (f", {plan.builds} builds of each history" if plan.builds > 1 else "")
        + ".",
    ]


def look_line(race: Race) -> str:
    """Return how the race stands after a history, on one line: its closest open pair."""
    open_pairs = [pair for pair in race.pairs if {pair.a, pair.b} <= {*race.left}]
    if not open_pairs:
        return f"History {race.histories}: {race.conclusion}."
    pair = min(open_pairs, key=lambda pair: abs(pair.difference or 0.0))
    low, high = pair.intervals[-1].percent
    limits = f"({low:+.1f} to {high:+.1f})"
    return f"History {race.histories}: {race.name(pair)} {pair.difference:+.1f} {limits}"
