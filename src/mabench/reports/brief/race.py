"""The short report of a race: who is better, by how much, at what cost, and one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.printable import write_number
from mabench.races import Race
from mabench.reports.brief.remarks import first_remarks, shared_title
from mabench.reports.costs.questions import QuestionCosts, cost_columns
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, retitle, tabulate, titles_of
from mabench.results import RacePair


def brief_race(race: Race, full: Report) -> Report:
    """Return the short report of a race; ``full`` is the long one."""
    shared, titles = shared_title(titles_of(run.summary for run in race.runs))
    costs = {
        run.summary.agent: QuestionCosts.of([run.summary], run.summary.memory) for run in race.runs
    }
    scores = {name: 100 * float(own.mean()) for name, own in race.scores.items() if len(own)}
    ranked = sorted(race.scores, key=lambda name: -scores.get(name, -1.0))
    of_costs: list[Column[str]] = cost_columns(lambda name: costs.get(name, QuestionCosts()))
    columns: Sequence[Column[str]] = (
        Column("Agent", str),
        Column("Score", scores.get, ".1f"),
        Column("Histories", lambda name: len(race.scores[name]), ""),
        Column("Standing", lambda name: describe_place(race, name)),
        *of_costs,
    )
    conclusion, *findings = full.remarks
    sources = "; ".join(race.plan.sources)
    made_up = f" ({shared})" if shared else ""
    warnings = [*race_warnings(race)]
    notes = [note for note in full.notes if note not in warnings]
    data = f"Raced on {sources}{made_up}."
    report = Report(
        first=[*full.first, " ".join([conclusion, *_lead(ranked, race, costs)])],
        tables=[tabulate(columns, ranked)],
        remarks=first_remarks([*warnings, *findings, data, *notes]),
    )
    return retitle(report, titles)


def race_warnings(race: Race) -> Iterator[str]:
    """Yield what makes the result of a race say less than it seems to."""
    if any(pair.is_by_signs for pair in race.pairs):
        yield "An interval that ends at 0 shows which agent is more often better, not by how much."
    whole = [
        run.summary.agent
        for run in race.runs
        if (of := [source.retrieval for source in run.summary.sources.values()])
        and all(retrieval and retrieval.is_exhaustive for retrieval in of)
    ]
    if whole[1:]:
        yield say("no_search", agents=", ".join(whole[:-1]), last=whole[-1])


def describe_place(race: Race, name: str) -> str:
    """Return the place of an agent in a race, in words."""
    if name not in race.left:
        return "beaten"
    if any(pair.beaten for pair in race.pairs_left):
        return "beaten by another that it beats in a circle"
    return "tied with the best" if race.left[1:] else "best"


def _lead(ranked: Sequence[str], race: Race, costs: dict[str, QuestionCosts]) -> Iterator[str]:
    """Yield by how much the first agent leads the second, whether that is shown, at what cost."""
    first, second, *_ = ranked
    pair = next((one for one in race.pairs if {one.a, one.b} == {first, second}), None)
    if pair is None or not pair.difference or pair.decision == "equal":
        return
    better, worse = (pair.a, pair.b) if pair.difference > 0 else (pair.b, pair.a)
    is_shown = pair.beaten == worse
    leads, shown = ("beats", "") if is_shown else ("leads", ", not shown")
    points = write_number(abs(pair.difference), ".1f")
    against = costs.get(better, QuestionCosts()).against(costs.get(worse, QuestionCosts()))
    yield f"{better} {leads} {worse} by {points} points{shown} ({_interval(pair)}){against}."


def _interval(pair: RacePair) -> str:
    """Return the interval of the difference as the leading agent has it."""
    ends = (pair.low, pair.high) if (pair.difference or 0.0) > 0 else (-pair.high, -pair.low)
    low, high = (write_number(end, "+.1f") for end in ends)
    return f"95 % interval {low} to {high}"
