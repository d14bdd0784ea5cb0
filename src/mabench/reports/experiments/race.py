"""The report of a race: its agents, its pairs, and what was shown.

A race asks agents about one history after another, until it is shown which of them is best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from mabench.printable import write_count, write_points
from mabench.races import Race
from mabench.reports.brief.race import brief_race, describe_place, mean_scores, race_warnings
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
    full_report, titles = race_report(race)
    if layout == "table" and not full:
        report = brief_race(race, full_report)
    else:
        conclusion, *findings = full_report.remarks
        first = [*full_report.first, conclusion]
        report = retitle(full_report._replace(first=first, remarks=findings), titles)
    result = race.result
    show_reports([report], result.as_dict, layout, console, lambda: record_table(result.pairs))


def race_report(race: Race) -> tuple[Report, Mapping[str, str]]:
    """Return the full report of a race, and the titles of sources of made-up rows, by name.

    The first of its remarks is the conclusion.
    """
    titles = titles_of(run.summary for run in race.runs)
    sources = "; ".join(titles.get(name, name) for name in race.plan.sources)
    report = Report(
        title=f"Race of {', '.join(race.scores)} on {sources}",
        tables=[_agents_table(race), pairs_table(race.pairs)],
        remarks=[race.conclusion, *_pair_findings(race)],
        notes=[*_race_notes(race), *race_warnings(race)],
        first=[
            f"{run.summary.agent}: {sentence}"
            for run in race.runs
            for sentence in failure_remarks(run.summary)
        ],
    )
    return report, titles


def _agents_table(race: Race) -> Table:
    """Return a table with a row for each agent: how far it came, and its place."""
    scores = mean_scores(race)
    columns: tuple[Column[str], ...] = (
        Column("Agent", str),
        Column("Histories", lambda agent: len(race.scores[agent]), spec=""),
        Column("Score", scores.get, spec=".1f"),
        Column("Standing", lambda agent: describe_place(race, agent)),
    )
    return tabulate(columns, race.scores)


def _pair_findings(race: Race) -> Iterator[str]:
    """Yield who has beaten whom, and what is known of the pairs that are still in the race."""
    if any(pair.beaten for pair in race.pairs):
        yield say("stopped_early")
    for pair in race.pairs:
        # Of two agents, the conclusion says it already.
        if pair.beaten and len(race.scores) > 2:
            better = pair.a if pair.beaten == pair.b else pair.b
            # By signs alone, it is not shown by how much.
            beats = "is more often better than" if pair.is_by_signs else "has beaten"
            after = write_count(pair.histories, "history")
            yield f"{better} {beats} {pair.beaten} after {after}."
        elif pair in race.pairs_left:
            yield f"The true difference {pair.a} - {pair.b} lies within {pair.interval} points."


def _race_notes(race: Race) -> Iterator[str]:
    """Yield what the intervals of a race mean, and by which plan it is run."""
    plan, pairs = race.plan, len(race.pairs)
    of_pairs = "" if pairs == 1 else f" of all {pairs} pairs"
    yield (
        f"In 95 % of races, the intervals{of_pairs} hold after every history, so you may look at "
        "any time."
    )
    equal = f", equal within {write_points(plan.equal_within)}" if plan.equal_within else ""
    builds = f", {plan.builds} builds of each history" if plan.builds > 1 else ""
    yield f"Plan {plan.hash[:12]}, seed {plan.seed}{equal}{builds}."


def pairs_table(pairs: Sequence[RacePair]) -> Table:
    """Return a table with a row for each pair of agents."""
    return tabulate(_PAIRS, pairs)


def _describe_decision(pair: RacePair) -> str:
    """Return what is shown of a pair, in words."""
    decision = _DECISIONS[pair.decision]
    if pair.is_by_signs:
        return decision.replace("is better", "is more often better")
    return decision


_DECISIONS = {"a": "A is better", "b": "B is better", "equal": "equal", "undecided": "not decided"}
_PAIRS: tuple[Column[RacePair], ...] = (
    Column("A", lambda pair: pair.a, key=True),
    Column("B", lambda pair: pair.b, key=True),
    Column("A - B", lambda pair: pair.difference, spec="+.1f"),
    Column("95 % interval", lambda pair: pair.interval, spec=""),
    Column("Histories", lambda pair: pair.histories, spec=""),
    Column("Shown", _describe_decision),
)
