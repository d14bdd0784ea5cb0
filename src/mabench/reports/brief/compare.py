"""The short report of a comparison: who leads, whether that is shown, by what, and one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
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
from mabench.results import Measure

# A table has a column for each source, up to this many.
_MOST_SOURCE_COLUMNS = 3
# A sentence lists at most this many agents.
_MOST_NAMES = 3


class _ReportLine(NamedTuple):
    """A line of the table of two runs: a source, or what both cost."""

    title: str
    a: str
    b: str
    difference: MeanDifference | None = None


def brief_comparison(comparison: Comparison) -> Report:
    """Return the short report of a comparison; findings on pairs and costs are in the full one."""
    summaries = [summary for run in comparison.runs for summary in run.summaries]
    shared, titles = shared_title(titles_of(summaries))
    standings = standings_report(comparison)
    first, *more = _findings(comparison, _of_what(comparison, shared), standings)
    is_pair = len(comparison.pairs) == 1
    table = _pair_table(comparison) if is_pair else _runs_table(comparison)
    report = Report(
        first=[*standings.first, first, *_loss_sentence(comparison)],
        tables=[table],
        remarks=first_remarks([*left_out_remarks(comparison), *more]),
        notes=[] if is_pair else standings.notes[:1],
    )
    return retitle(report, titles)


def _of_what(comparison: Comparison, shared: str) -> str:
    """Return what a score is of, as the beginning of a sentence."""
    sources = [*comparison.runs[0].sources]
    made_up = f" ({shared})" if shared else ""
    if comparison.pairs[0].overall:
        return f"Overall{made_up}"
    if len(sources) > 1:
        return f"On average over {len(sources)} sources{made_up}"
    return f"On {sources[0]}{made_up}"


def _findings(comparison: Comparison, on: str, standings: Report) -> Sequence[str]:
    """Return what was found, the verdict first."""
    if not comparison.runs[0].headline.letters and len(comparison.pairs) > 1:
        return standings.remarks  # Each run against a baseline.
    if len(comparison.pairs) > 1:
        return _ranking(comparison, on, standings)
    [pair] = comparison.pairs
    _, *more = describe_findings(pair, *_pair_names(comparison, pair), comparison.equal_within)
    return [*_pair_verdict(comparison, pair, on), *more]


def _ranking(comparison: Comparison, on: str, standings: Report) -> Sequence[str]:
    """Return who leads whom by how much, and what is shown of the others."""
    best, second, *others = comparison.runs
    [pair] = [pair for pair in comparison.pairs if {pair.a, pair.b} == {best.run, second.run}]
    verdict, *more = _pair_verdict(comparison, pair, on)
    names = comparison.names
    alike = [names[run.run] for run in others if run.among_best]
    worse = [names[run.run] for run in others if not run.among_best]
    said = [verdict]
    if alike:
        said.append(f"{_list(alike)} not shown to differ from {names[best.run]}, either.")
    if worse:
        rest = _list(worse) if len(worse) <= _MOST_NAMES else "The other agents are"
        said.append(f"{rest} shown to be worse than {names[best.run]}.")
    return [" ".join(said), *standings.remarks[1:], *more]


def _list(names: Sequence[str]) -> str:
    """Return names as the beginning of a sentence, with its verb."""
    *others, last = names
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"


def _pair_verdict(comparison: Comparison, pair: Pair, on: str) -> Iterator[str]:
    """Yield who leads by how much, whether that is shown, and at what cost; then what would be."""
    a, b = _pair_names(comparison, pair)
    mean = pair.headline
    if mean.interval is None or mean.is_equal:
        yield describe_headline(pair, a, b, comparison.equal_within, on)
        return
    costs = {run.run: _costs(run) for run in comparison.runs}
    (better, best), (worse, other) = (a, costs[pair.a]), (b, costs[pair.b])
    measure = mean.measure
    if mean.difference < 0:
        better, best, worse, other = worse, other, better, best
        measure = measure.opposite()
    parts: dict[str, object] = {"on": on, "better": better, "worse": worse}
    parts["costs"] = best.against(other)
    if not mean.difference:
        yield say("same_score", **parts)
        return
    parts["builds"] = ", of these two builds" if pair.builds_may_differ else ""
    parts["points"] = write_difference(measure.value)
    if mean.is_shown:
        histories = "new histories too" if mean.of_new_histories else "these histories"
        yield say("ahead", interval=measure.range(".1f"), histories=histories, **parts)
        return
    yield say("leads", interval=measure.range("+.1f"), **parts)
    if mean.detectable is not None:
        yield say("would_show", detectable=mean.detectable)


def _pair_names(comparison: Comparison, pair: Pair) -> tuple[str, str]:
    """Return the agents of a pair, or the folders of the runs where both are one agent's."""
    agents = {run.run: run.agent for run in comparison.runs}
    if agents[pair.a] == agents[pair.b]:
        return pair.a, pair.b
    return agents[pair.a], agents[pair.b]


def _costs(run: ComparedRun) -> QuestionCosts:
    return QuestionCosts.of(run.summaries, run.memory)


def _pair_table(comparison: Comparison) -> Table:
    """Return a line for each source, one for all, and one for each cost."""
    [pair] = comparison.pairs
    a, b = _pair_names(comparison, pair)
    differences = dict(pair.sources)
    named: list[tuple[str, MeanDifference]] = [*differences.items()]
    if pair.overall or len(pair.sources) > 1:
        named.append(("Overall" if pair.overall else "All", pair.headline))
    score: Column[object] = Column("", lambda _: None, ".1f")
    rows = [_ReportLine(name, score.text(one.a), score.text(one.b), one) for name, one in named]
    runs = {run.run: run for run in comparison.runs}
    sides = [runs[pair.a], runs[pair.b]]
    costs: list[Column[ComparedRun]] = cost_columns(_costs)
    for column in tabulate(costs, sides).columns:
        cost = next(one for one in costs if one.title == column.title)
        one, other = (cost.text(cost.value(run)) for run in sides)
        rows.append(_ReportLine(cost.title, one, other))

    def difference(row: _ReportLine) -> Value:
        if row.difference is None:
            return None
        measure = row.difference.measure
        interval = f" ({measure.range('+.1f')})" if measure.limits else ""
        return f"{measure:+.1f}{interval}"

    columns: Sequence[Column[_ReportLine]] = (
        Column("Source", lambda row: row.title),
        Column(a, lambda row: row.a, ""),
        # Where the table would be too wide, the difference says it.
        Column(b, lambda row: row.b, "", drop_rank=lambda _: 1),
        Column("Difference (95 %)", difference, "", ""),
    )
    return tabulate(columns, rows)


def _runs_table(comparison: Comparison) -> Table:
    """Return a line for each run, the best first, with its mean and what it cost."""
    names, losses = comparison.names, _losses(comparison)

    def share(run: ComparedRun, part: int) -> Value:
        return losses[run.run][part] if run.run in losses else None

    def mean(run: ComparedRun) -> Measure:
        return run.headline.measure

    columns: Sequence[Column[ComparedRun]] = (
        Column("Agent", lambda run: names[run.run], least=18),
        Column(comparison.headline, mean, ""),
        *_source_columns(comparison),
        Column("Missed", lambda run: share(run, 0), ".0f", when="known"),
        Column("Misread", lambda run: share(run, 1), ".0f", when="known"),
        *cost_columns(_costs),
    )
    return tabulate(columns, comparison.runs)


def _losses(comparison: Comparison) -> dict[str, LossShares]:
    """Return where each run lost points, on the sources where that is known of all that tell it."""
    of_runs = {run.run: [*map(sources_with_causes, run.summaries)] for run in comparison.runs}
    telling = {run: names for run, names in of_runs.items() if names and all(names)}
    if not telling:
        return {}
    common = set(comparison.runs[0].sources).intersection(*chain(*telling.values()))
    losses = {}
    for run in (run for run in comparison.runs if run.run in telling):
        shares = [one for each in run.summaries if (one := loss_shares(each, common))]
        if shares:
            losses[run.run] = LossShares(*map(fmean, zip(*shares, strict=True)))
    return losses


def _loss_sentence(comparison: Comparison) -> Iterator[str]:
    """Yield where the best two runs lost points, as far as both tell it."""
    losses, names = _losses(comparison), comparison.names
    known = [run.run for run in comparison.runs if run.run in losses][:2]
    if len(known) == 2:
        one, other = known
        first, second = losses[one].words(explained=True), losses[other].words()
        yield f"With {names[one]}, {first}; with {names[other]}, {second}."


def _source_columns(comparison: Comparison) -> Iterator[Column[ComparedRun]]:
    """Yield a column for each source where there are few of them."""
    sources = [*comparison.runs[0].sources]
    if not 1 < len(sources) <= _MOST_SOURCE_COLUMNS:
        return
    yield from map(_source_column, sources)


def _source_column(name: str) -> Column[ComparedRun]:
    # Left out where the table would be too wide; the full report has it.
    return Column(name, lambda run: run.sources[name].measure, "", drop_rank=lambda _: 2)
