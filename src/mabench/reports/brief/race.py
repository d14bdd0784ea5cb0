"""The short report of a race: who is better, by how much, at what cost, and one table.

A race asks agents about one history after another, until it is shown which of them is best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mabench.printable import write_number
from mabench.races import Race
from mabench.reports.brief.remarks import first_remarks, shared_title
from mabench.reports.costs.questions import QuestionCosts, cost_columns
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, retitle, tabulate, titles_of
from mabench.results import RacePair, RunSummary


def brief_race(race: Race, full: Report) -> Report:
    """Return the short report of a race; ``full`` is the long one, its conclusion first."""
    shared, titles = shared_title(titles_of(run.summary for run in race.runs))
    scores = mean_scores(race)
    # An agent that was not asked yet has no score, and comes last.
    ranked = sorted(race.scores, key=lambda name: scores.get(name, -1.0), reverse=True)
    of_costs: list[Column[str]] = cost_columns(_costs_by_agent(race).__getitem__)
    columns: Sequence[Column[str]] = (
        Column("Agent", str),
        Column("Score", scores.get, spec=".1f"),
        Column("Histories", lambda name: len(race.scores[name]), spec=""),
        Column("Standing", lambda name: describe_place(race, name)),
        *of_costs,
    )
    conclusion, *findings = full.remarks
    made_up = f" ({shared})" if shared else ""
    data = f"Raced on {'; '.join(race.plan.sources)}{made_up}."
    warnings = [*race_warnings(race)]
    notes = [note for note in full.notes if note not in warnings]
    report = Report(
        first=[*full.first, " ".join([conclusion, *_lead_sentences(race, ranked[0], ranked[1])])],
        tables=[tabulate(columns, ranked)],
        remarks=first_remarks([*warnings, *findings, data, *notes]),
    )
    return retitle(report, titles)


def mean_scores(race: Race) -> dict[str, float]:
    """Return the mean score of each agent that was asked, from 0 to 100."""
    return {
        agent: 100 * float(scores.mean()) for agent, scores in race.scores.items() if len(scores)
    }


def _costs_by_agent(race: Race) -> dict[str, QuestionCosts]:
    """Return what each agent's questions cost; unknown for one without a run."""
    costs = dict.fromkeys(race.scores, QuestionCosts())
    for run in race.runs:
        costs[run.summary.agent] = QuestionCosts.of([run.summary], run.summary.memory)
    return costs


def race_warnings(race: Race) -> Iterator[str]:
    """Yield what makes the result of a race say less than it seems to."""
    if any(pair.is_by_signs for pair in race.pairs):
        yield "An interval that ends at 0 shows which agent is more often better, not by how much."
    exhaustive = [run.summary.agent for run in race.runs if _retrieves_everything(run.summary)]
    if len(exhaustive) > 1:
        *others, last = exhaustive
        yield say("no_search", agents=", ".join(others), last=last)


def _retrieves_everything(summary: RunSummary) -> bool:
    """Return whether every chunk of every history was retrieved in a run."""
    retrievals = [source.retrieval for source in summary.sources.values()]
    return bool(retrievals) and all(
        retrieval is not None and retrieval.is_exhaustive for retrieval in retrievals
    )


def describe_place(race: Race, agent: str) -> str:
    """Return the place of an agent in a race, in words."""
    if agent not in race.left:
        return "beaten"
    if any(pair.beaten for pair in race.pairs_left):
        return "beaten by another that it beats in a circle"
    return "tied with the best" if len(race.left) > 1 else "best"


def _lead_sentences(race: Race, first: str, second: str) -> Iterator[str]:
    """Yield by how much one agent leads another, whether that is shown, and at what cost.

    Nothing is yielded if the two were not paired, or neither leads.
    """
    for pair in race.pairs:
        is_decided_equal = pair.decision == "equal"
        if {pair.a, pair.b} == {first, second} and pair.difference and not is_decided_equal:
            yield _lead_sentence(pair, pair.difference, _costs_by_agent(race))


def _lead_sentence(pair: RacePair, difference: float, costs: Mapping[str, QuestionCosts]) -> str:
    """Return by how much the better agent of a pair leads the other.

    ``difference`` is that of the pair, in points, and not 0; ``costs`` are by agent.
    """
    if difference > 0:
        better, worse, low, high = pair.a, pair.b, pair.low, pair.high
    else:
        better, worse, low, high = pair.b, pair.a, -pair.high, -pair.low
    is_shown = pair.beaten == worse
    points = f"{write_number(abs(difference), '.1f')} points"
    lead = f"beats {worse} by {points}" if is_shown else f"leads {worse} by {points}, not shown"
    interval = f"95 % interval {write_number(low, '+.1f')} to {write_number(high, '+.1f')}"
    return f"{better} {lead} ({interval}){costs[better].against(costs[worse])}."
