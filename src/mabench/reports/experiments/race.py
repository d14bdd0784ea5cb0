"""The report of a race: its agents, its pairs, and what was shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from mabench.printable import write_count, write_points
from mabench.races import Race
from mabench.reports.brief.race import brief_race, describe_place, race_warnings
from mabench.reports.failures import failure_remarks
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, record_table, retitle, tabulate, titles_of
from mabench.results import RacePair


def show_race(race: Race, layout: str, console: Console, *, full: bool = False) -> None:
    """Print a race; on a terminal its conclusion and one table, or all of it if ``full``.

    Raises:
        UsageError: when the layout is unknown.
    """
    report, titles = race_report(race)
    result, is_brief = race.result, layout == "table" and not full
    if is_brief:
        report = brief_race(race, report)
    else:
        conclusion, *findings = report.remarks
        first = [*report.first, conclusion]
        report = retitle(report._replace(first=first, remarks=findings), titles)
    show_reports([report], result.as_dict, layout, console, lambda: record_table(result.pairs))


def race_report(race: Race) -> tuple[Report, Mapping[str, str]]:
    """Return the report of a race, and the titles of its sources."""
    titles = titles_of(run.summary for run in race.runs)
    sources = "; ".join(titles.get(name, name) for name in race.plan.sources)
    scores = {name: 100 * float(own.mean()) for name, own in race.scores.items() if len(own)}
    agents: tuple[Column[str], ...] = (
        Column("Agent", str),
        Column("Histories", lambda name: len(race.scores[name]), ""),
        Column("Score", scores.get, ".1f"),
        Column("Standing", lambda name: describe_place(race, name)),
    )
    tables = [tabulate(agents, race.scores), pairs_table(race.pairs)]
    findings = [race.conclusion]
    if any(pair.beaten for pair in race.pairs):
        findings.append(say("stopped_early"))
    for pair in race.pairs:
        if pair.beaten and len(race.scores) > 2:
            better = pair.a if pair.beaten == pair.b else pair.b
            after = write_count(pair.histories, "history")
            beats = "is more often better than" if pair.is_by_signs else "has beaten"
            findings.append(f"{better} {beats} {pair.beaten} after {after}.")
        elif pair in race.pairs_left:
            apart = f"{pair.a} - {pair.b} lies within {pair.interval} points"
            findings.append(f"The true difference {apart}.")
    title = f"Race of {', '.join(race.scores)} on {sources}"
    failures = [
        f"{run.summary.agent}: {sentence}"
        for run in race.runs
        for sentence in failure_remarks(run.summary)
    ]
    notes = [*_race_notes(race), *race_warnings(race)]
    return Report(title, tables, findings, notes, failures), titles


def _race_notes(race: Race) -> Iterator[str]:
    plan, pairs = race.plan, len(race.pairs)
    of_pairs = "" if pairs == 1 else f" of all {pairs} pairs"
    equal = f", equal within {write_points(plan.equal_within)}" if plan.equal_within else ""
    builds = f", {plan.builds} builds of each history" if plan.builds > 1 else ""
    hold = "hold after every history, so you may look at any time."
    yield f"In 95 % of races, the intervals{of_pairs} {hold}"
    yield f"Plan {plan.hash[:12]}, seed {plan.seed}{equal}{builds}."


def pairs_table(pairs: Sequence[RacePair]) -> Table:
    """Return a table with a row for each pair of agents."""
    return tabulate(_PAIRS, pairs)


def _describe_decision(pair: RacePair) -> str:
    words = _SHOWN[pair.decision]
    return words.replace("is better", "is more often better") if pair.is_by_signs else words


_SHOWN = {"a": "A is better", "b": "B is better", "equal": "equal", "undecided": "not decided"}
_PAIRS: tuple[Column[RacePair], ...] = (
    Column("A", lambda pair: pair.a, key=True),
    Column("B", lambda pair: pair.b, key=True),
    Column("A - B", lambda pair: pair.difference, "+.1f"),
    Column("95 % interval", lambda pair: pair.interval, ""),
    Column("Histories", lambda pair: pair.histories, ""),
    Column("Shown", _describe_decision),
)
