"""The report of a race: who is left, what is known of each pair, and what the interval means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mabench.race import Race, RacePair
from mabench.reports.layout import Report, Titles, retitle, show_reports
from mabench.reports.tables import Column, Table, Value, plain_columns, tabulate

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = {"a": "A is better", "b": "B is better", "equal": "equal", "undecided": "not decided"}
_SHORT = 12  # Characters of a hash.


def race_report(race: Race) -> tuple[Report, Titles]:
    """Return what a reader sees of a race, and what its sources are called."""
    titles = {k: v for run in race.runs for k, v in (run.record.data.titles or {}).items()}
    sources = "; ".join(titles.get(name, name) for name in race.plan.sources)
    title = f"Race of {', '.join(race.agents)} on {sources}"
    return Report(title, _tables(race), [*_findings(race)], _notes(race)), titles


def show_race(race: Race, layout: str, console: Console) -> None:
    """Print a race; raises ``UsageError`` for an unknown layout."""
    report = retitle(*race_report(race))
    show_reports([report], race.as_dict, layout, console, lambda: _tidy(race))


def name_pair(race: Race, pair: RacePair) -> str:
    """Return a pair as what its difference is of."""
    return f"{race.agents[pair.a]} - {race.agents[pair.b]}"


def look_line(race: Race) -> str:
    """Return how a race stands after a history: the difference so far of its closest pair."""
    if not race.pairs_left:
        return race.conclusion
    pair = min(race.pairs_left, key=lambda pair: abs(pair.means[-1]))
    seen = f"{pair.means[-1]:+.1f} ({_limits(pair)})"
    return f"History {race.histories}: {name_pair(race, pair)} {seen}"


def _limits(pair: RacePair) -> str:
    return "{:+.1f} to {:+.1f}".format(*pair.limits)


def _tidy(race: Race) -> Table:
    titles = ("a", "b", "decision", "difference", "low", "high", "histories")
    rows: list[tuple[Value, ...]] = []
    for pair in race.pairs:
        seen = pair.means[-1] if pair.means else None, *pair.limits, len(pair.means)
        rows.append((race.agents[pair.a], race.agents[pair.b], pair.decision, *seen))
    return tabulate(plain_columns(titles, texts=(0, 1, 2)), rows)


def _tables(race: Race) -> list[Table]:
    """Return a row for each agent, and one for each pair."""
    tied = "tied with the best" if race.left[1:] else "best"

    def score(place: int) -> float | None:
        return 100 * float(race.scores[place].mean()) if len(race.scores[place]) else None

    agents: tuple[Column[int], ...] = (
        Column("Agent", lambda place: race.agents[place]),
        Column("Histories", lambda place: len(race.scores[place]), ""),
        Column("Score", score, ".1f"),
        Column("Standing", lambda place: tied if place in race.left else "beaten"),
    )
    pairs: tuple[Column[RacePair], ...] = (
        Column("A", lambda pair: race.agents[pair.a], key=True),
        Column("B", lambda pair: race.agents[pair.b], key=True),
        Column("A - B", lambda pair: pair.means[-1] if pair.means else None, "+.1f"),
        Column("95 % interval", _limits, ""),
        Column("Histories", lambda pair: len(pair.means), ""),
        Column("Shown", lambda pair: _SHOWN[pair.decision]),
    )
    return [tabulate(agents, range(len(race.agents))), tabulate(pairs, race.pairs)]


def _findings(race: Race) -> Iterator[str]:
    yield race.conclusion
    for pair in race.pairs:
        a, b = race.agents[pair.a], race.agents[pair.b]
        if pair.decision in ("a", "b") and race.agents[2:]:
            worse, better = (b, a) if pair.decision == "a" else (a, b)
            yield f"{better} has beaten {worse} after {len(pair.means)} histories."
        elif pair in race.pairs_left:
            yield f"The true difference of {a} and {b} lies in {_limits(pair)} points."


def _notes(race: Race) -> list[str]:
    plan, pairs = race.plan, len(race.pairs)
    together = "" if pairs == 1 else f" and of all {pairs} pairs"
    margin = f", margin {plan.margin:g} points" if plan.margin else ""
    builds = f", {plan.builds} builds of each history" if plan.builds > 1 else ""
    notes = [
        f"The intervals after all histories{together} hold together in 95 % of races, so one may "
        "look at any time.",
        f"Plan {plan.hash[:_SHORT]}, seed {plan.seed}{margin}{builds}.",
    ]
    if any(0 in pair.limits for pair in race.pairs):
        notes.append("One that ends at 0 was decided by signs: by how much takes more histories.")
    return notes
