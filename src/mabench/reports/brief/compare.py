"""The short report of a comparison: who leads, whether that is shown, at what cost, and one table.

A pair is two of the compared runs. A difference is *shown* if its p, adjusted for all that is
tested, is below 0.05. A compared run may be of several builds: runs with the same settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from mabench.comparison import ComparedRun, Comparison, MeanDifference, Pair
from mabench.reports.brief.remarks import first_remarks, shared_title
from mabench.reports.brief.run import LossShares, loss_shares, sources_with_causes
from mabench.reports.comparison.findings import (
    describe_findings,
    describe_headline,
    write_difference,
)
from mabench.reports.comparison.remarks import left_out_remarks
from mabench.reports.comparison.standings import standings_report
from mabench.reports.costs.questions import QuestionCosts, cost_columns
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, Value, retitle, tabulate, titles_of

# A table has a column for each source, up to this many.
_MOST_SOURCE_COLUMNS = 3
# A sentence lists at most this many agents.
_MOST_NAMES = 3


class _ReportLine(NamedTuple):
    """A line of the table of two runs: their scores on a source, or what both cost."""

    title: str
    a: str  # The cells of the two runs.
    b: str
    difference: MeanDifference | None = None  # None for a cost.


def brief_comparison(comparison: Comparison) -> Report:
    """Return the short report of a comparison; all findings on pairs are in the full one."""
    summaries = [summary for run in comparison.runs for summary in run.summaries]
    # What all titles of sources say, such as ``made up``, is said once; tables have the rest.
    shared, titles = shared_title(titles_of(summaries))
    standings = standings_report(comparison)
    verdict, *more = _findings(comparison, _of_what(comparison, shared), standings)
    is_pair = len(comparison.pairs) == 1
    # The first note says what intervals mean; of a pair, the verdict says it.
    notes = [] if is_pair else standings.notes[:1]
    report = Report(
        first=[*standings.first, verdict, *_loss_sentence(comparison)],
        tables=[_pair_table(comparison) if is_pair else _runs_table(comparison)],
        remarks=first_remarks([*left_out_remarks(comparison), *more]),
        notes=notes,
    )
    return retitle(report, titles)


def _of_what(comparison: Comparison, shared: str) -> str:
    """Return what the scores are of, as the beginning of a sentence.

    ``shared`` is what the titles of all sources say, such as ``made up``; empty if nothing.
    """
    sources = [*comparison.runs[0].sources]
    made_up = f" ({shared})" if shared else ""
    if comparison.pairs[0].overall:
        return f"Overall{made_up}"
    if len(sources) > 1:
        return f"On average over {len(sources)} sources{made_up}"
    return f"On {sources[0]}{made_up}"


def _findings(comparison: Comparison, on: str, standings: Report) -> Sequence[str]:
    """Return what was found, the verdict first.

    ``on`` says what the scores are of, and ``standings`` is the full report of all runs.
    """
    if len(comparison.pairs) == 1:
        pair = comparison.pairs[0]
        a, b = _pair_names(comparison, pair)
        # The full report begins with a verdict that says nothing of costs.
        _, *others = describe_findings(pair, a, b, comparison.equal_within)
        return [*_pair_verdict(comparison, pair, on), *others]
    # Only where every pair was compared, scores have letters; else each run is beside a baseline.
    has_baseline = not comparison.runs[0].headline.letters
    return standings.remarks if has_baseline else _ranking(comparison, on, standings)


def _ranking(comparison: Comparison, on: str, standings: Report) -> Sequence[str]:
    """Return who leads whom by how much, and what is shown of the others, in one text; then more.

    ``on`` says what the scores are of, and ``standings`` is the full report of all runs.
    """
    best, second, *others = comparison.runs
    [pair] = [pair for pair in comparison.pairs if {pair.a, pair.b} == {best.run, second.run}]
    verdict, *more = _pair_verdict(comparison, pair, on)
    names = comparison.names
    alike = [names[run.run] for run in others if run.among_best]
    worse = [names[run.run] for run in others if not run.among_best]
    sentences = [verdict]
    if alike:
        sentences.append(f"{_subject(alike)} not shown to differ from {names[best.run]}, either.")
    if worse:
        subject = _subject(worse) if len(worse) <= _MOST_NAMES else "The other agents are"
        sentences.append(f"{subject} shown to be worse than {names[best.run]}.")
    return [" ".join(sentences), *standings.remarks[1:], *more]


def _subject(names: Sequence[str]) -> str:
    """Return names as the beginning of a sentence, with its verb: ``a and b are``."""
    *others, last = names
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"


def _pair_verdict(comparison: Comparison, pair: Pair, on: str) -> Iterator[str]:
    """Yield who leads by how much, whether that is shown, and at what cost.

    If it is not shown, a second sentence says which difference would be. ``on`` says what the
    scores are of.
    """
    a, b = _pair_names(comparison, pair)
    mean = pair.headline
    if mean.interval is None or mean.is_equal:
        yield describe_headline(pair, a, b, comparison.equal_within, on)
        return
    costs = {run.run: _costs(run) for run in comparison.runs}
    if mean.difference >= 0:
        better, worse, measure = a, b, mean.measure
        beside_costs = costs[pair.a].against(costs[pair.b])
    else:
        better, worse, measure = b, a, mean.measure.opposite()
        beside_costs = costs[pair.b].against(costs[pair.a])
    if mean.difference == 0:
        yield say("same_score", on=on, better=better, worse=worse, costs=beside_costs)
        return
    parts: dict[str, object] = {
        "on": on,
        "better": better,
        "worse": worse,
        "points": write_difference(measure.value),
        "builds": ", of these two builds" if pair.builds_may_differ else "",
        "costs": beside_costs,
    }
    if mean.is_shown:
        histories = "new histories too" if mean.of_new_histories else "these histories"
        yield say("ahead", interval=measure.range(".1f"), histories=histories, **parts)
        return
    yield say("leads", interval=measure.range("+.1f"), **parts)
    if mean.detectable is not None:
        yield say("would_show", detectable=mean.detectable)


def _pair_names(comparison: Comparison, pair: Pair) -> tuple[str, str]:
    """Return the agents of a pair, or the folders of the runs if both are of one agent."""
    agents = {run.run: run.agent for run in comparison.runs}
    if agents[pair.a] == agents[pair.b]:
        return pair.a, pair.b
    return agents[pair.a], agents[pair.b]


def _costs(run: ComparedRun) -> QuestionCosts:
    """Return what 1,000 questions of a run cost."""
    return QuestionCosts.of(run.summaries, run.memory)


def _pair_table(comparison: Comparison) -> Table:
    """Return a table of two runs: a line for each source, one for all, and one for each cost."""
    pair = comparison.pairs[0]
    a, b = _pair_names(comparison, pair)
    columns: Sequence[Column[_ReportLine]] = (
        Column("Source", lambda line: line.title),
        Column(a, lambda line: line.a, spec=""),
        # It may be left out of a wide table: the difference says it.
        Column(b, lambda line: line.b, spec="", drop_rank=lambda _: 1),
        Column("Difference (95 %)", _write_interval, spec="", missing=""),
    )
    return tabulate(columns, [*_score_lines(pair), *_cost_lines(comparison, pair)])


def _score_lines(pair: Pair) -> Iterator[_ReportLine]:
    """Yield a line for each source of two runs, and one for the mean if there are several."""
    differences: dict[str, MeanDifference] = {**pair.sources}
    if pair.overall:
        differences["Overall"] = pair.headline
    elif len(pair.sources) > 1:
        differences["All"] = pair.headline
    score: Column[object] = Column(
        "", lambda _: None, spec=".1f"
    )  # Only to write scores as tables do.
    for name, difference in differences.items():
        yield _ReportLine(name, score.text(difference.a), score.text(difference.b), difference)


def _cost_lines(comparison: Comparison, pair: Pair) -> Iterator[_ReportLine]:
    """Yield a line for each cost that is worth mentioning, with what it is in both runs."""
    runs = {run.run: run for run in comparison.runs}
    table = tabulate(cost_columns(_costs), [runs[pair.a], runs[pair.b]])
    costs_of_a, costs_of_b = table.rows
    for column, of_a, of_b in zip(table.columns, costs_of_a, costs_of_b, strict=True):
        yield _ReportLine(column.title, of_a, of_b)


def _write_interval(line: _ReportLine) -> Value:
    """Return a difference with its interval; None for a cost."""
    if line.difference is None:
        return None
    measure = line.difference.measure
    interval = f" ({measure.range('+.1f')})" if measure.limits else ""
    return f"{measure:+.1f}{interval}"


def _runs_table(comparison: Comparison) -> Table:
    """Return a line for each run, the best first, with its mean and what it cost."""
    names, losses = comparison.names, _losses(comparison)

    def missed(run: ComparedRun) -> Value:
        """Return how many of 100 questions the memory of a run missed; None if unknown."""
        return losses[run.run].missed if run.run in losses else None

    def misread(run: ComparedRun) -> Value:
        """Return how many of 100 questions the reader of a run misread; None if unknown."""
        return losses[run.run].misread if run.run in losses else None

    columns: Sequence[Column[ComparedRun]] = (
        Column("Agent", lambda run: names[run.run], least=18),
        Column(comparison.headline, lambda run: run.headline.measure, spec=""),
        *_source_columns(comparison),
        Column("Missed", missed, spec=".0f", when="known"),
        Column("Misread", misread, spec=".0f", when="known"),
        *cost_columns(_costs),
    )
    return tabulate(columns, comparison.runs)


def _losses(comparison: Comparison) -> dict[str, LossShares]:
    """Return where each run lost points, by its folder; without runs of which too little is known.

    So that they can be compared, the shares are of sources on which every one of these runs tells
    causes. Those of several builds are their means.
    """
    sources_by_run: dict[str, list[set[str]]] = {}
    for run in comparison.runs:
        of_builds = [sources_with_causes(summary) for summary in run.summaries]
        if of_builds and all(of_builds):
            sources_by_run[run.run] = of_builds
    common = set(comparison.runs[0].sources)
    for of_builds in sources_by_run.values():
        common.intersection_update(*of_builds)
    losses = {}
    for run in comparison.runs:
        if run.run in sources_by_run:
            shares = [loss_shares(summary, common) for summary in run.summaries]
            known = [share for share in shares if share is not None]
            if known:
                missed = fmean(share.missed for share in known)
                misread = fmean(share.misread for share in known)
                losses[run.run] = LossShares(missed, misread)
    return losses


def _loss_sentence(comparison: Comparison) -> Iterator[str]:
    """Yield where the two best of the runs whose lost points are known lost them."""
    losses, names = _losses(comparison), comparison.names
    known = [run.run for run in comparison.runs if run.run in losses]
    if len(known) >= 2:
        best, second = known[:2]
        of_best, of_second = losses[best].words(explained=True), losses[second].words()
        yield f"With {names[best]}, {of_best}; with {names[second]}, {of_second}."


def _source_columns(comparison: Comparison) -> list[Column[ComparedRun]]:
    """Return a column for each source if there are several, but few of them."""
    sources = [*comparison.runs[0].sources]
    if len(sources) == 1 or len(sources) > _MOST_SOURCE_COLUMNS:
        return []
    return [_source_column(source) for source in sources]


def _source_column(source: str) -> Column[ComparedRun]:
    """Return the column of a source's scores; the full report has it if it does not fit here."""
    return Column(source, lambda run: run.sources[source].measure, spec="", drop_rank=lambda _: 2)
