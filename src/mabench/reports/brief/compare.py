"""The short report of a comparison: who leads, whether that is shown, by what, and one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from mabench.comparison import ComparedRun, Comparison, MeanDifference, Pair
from mabench.reports.brief.run import loss_shares, short_titles
from mabench.reports.comparison.findings import describe_findings
from mabench.reports.comparison.remarks import left_out_remarks
from mabench.reports.comparison.standings import standings_report
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value, retitle, tabulate
from mabench.results import Measure

# Remarks that a short report has at most.
_MOST_REMARKS = 3


class _Difference(NamedTuple):
    """A line of the table of two runs."""

    title: str
    difference: MeanDifference


def brief_comparison(comparison: Comparison) -> Report:
    """Return the short report of a comparison; findings on pairs and costs are in the full one."""
    titles = short_titles(summary for run in comparison.runs for summary in run.summaries)
    standings = standings_report(comparison)
    first, *more = _findings(comparison, standings)
    costs = _cost_sentence(comparison)
    is_pair = len(comparison.pairs) == 1
    table = _pair_table(comparison) if is_pair else _runs_table(comparison)
    report = Report(
        first=[*standings.first, first, *([costs] if costs else [])],
        tables=[table],
        remarks=[*left_out_remarks(comparison), *more][:_MOST_REMARKS],
        notes=[] if is_pair else standings.notes[:1],
    )
    return retitle(report, titles)


def _findings(comparison: Comparison, standings: Report) -> Sequence[str]:
    """Return what was found, the verdict first."""
    if len(comparison.pairs) > 1:
        return standings.remarks
    [pair] = comparison.pairs
    return [*describe_findings(pair, *_pair_names(comparison, pair), comparison.equal_within)]


def _pair_names(comparison: Comparison, pair: Pair) -> tuple[str, str]:
    """Return the agents of a pair, or the folders of the runs where both are one agent's."""
    agents = {run.run: run.agent for run in comparison.runs}
    if agents[pair.a] == agents[pair.b]:
        return pair.a, pair.b
    return agents[pair.a], agents[pair.b]


def _cost_sentence(comparison: Comparison) -> str | None:
    """Return what the answers of each run cost; None where nothing is known to have been paid."""
    costs = [(run.agent, dollars) for run in comparison.runs if (dollars := run.mean_dollars())]
    if not costs:
        return None
    listed = ", ".join(f"{agent} ${dollars:.4f}" for agent, dollars in costs)
    return f"Paid for a run: {listed}."


def _pair_table(comparison: Comparison) -> Table:
    [pair] = comparison.pairs
    a, b = _pair_names(comparison, pair)
    rows = [_Difference(name, difference) for name, difference in pair.sources.items()]
    if pair.overall or len(pair.sources) > 1:
        rows.append(_Difference("Overall" if pair.overall else "All", pair.headline))

    def interval(row: _Difference) -> str:
        return row.difference.measure.range("+.1f")

    columns: Sequence[Column[_Difference]] = (
        Column("Source", lambda row: row.title),
        Column(a, lambda row: row.difference.a, ".1f"),
        Column(b, lambda row: row.difference.b, ".1f"),
        Column("Difference", lambda row: row.difference.measure, "+.1f"),
        Column("95 % interval", interval, ""),
    )
    return tabulate(columns, rows)


def _runs_table(comparison: Comparison) -> Table:
    """Return a line for each run, the best first, with its mean and what it took."""
    names = comparison.names

    def mean(run: ComparedRun) -> Measure:
        return run.headline.measure

    def seconds(run: ComparedRun) -> Value:
        return run.mean_seconds()

    columns: Sequence[Column[ComparedRun]] = (
        Column("Agent", lambda run: names[run.run], least=18),
        Column(comparison.headline, mean, ""),
        *_source_columns(comparison),
        Column("Missed", lambda run: _mean_share(run, "missed"), ".0f", when="known"),
        Column("Misread", lambda run: _mean_share(run, "misread"), ".0f", when="known"),
        Column("Dollars", ComparedRun.mean_dollars, ".4f", when="known"),
        Column("Seconds", seconds, ".0f", when="known"),
    )
    return tabulate(columns, comparison.runs)


def _mean_share(run: ComparedRun, part: str) -> Value:
    """Return how many of 100 questions are missed or misread; None where causes are not known."""
    shares = [loss for summary in run.summaries if (loss := loss_shares(summary)) is not None]
    if not shares:
        return None
    values = [share.missed if part == "missed" else share.misread for share in shares]
    return fmean(values)


def _source_columns(comparison: Comparison) -> Iterator[Column[ComparedRun]]:
    """Yield a column for each source where there are few of them."""
    sources = [*comparison.runs[0].sources]
    if not 1 < len(sources) <= _MOST_REMARKS:
        return
    yield from map(_source_column, sources)


def _source_column(name: str) -> Column[ComparedRun]:
    # Left out where the table would be too wide; the full report has it.
    return Column(name, lambda run: run.sources[name].measure, "", drop_rank=lambda _: 2)
