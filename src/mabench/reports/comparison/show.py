"""Prints a comparison of runs, in short or in full, in any format.

A pair is two of the compared runs; a flip is a question that the two of a pair score differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from rich.console import Console

from mabench.comparison import ComparedRun, Comparison, Flip
from mabench.reports.brief.compare import brief_comparison
from mabench.reports.brief.remarks import shared_title
from mabench.reports.comparison.pairs import pair_report
from mabench.reports.comparison.remarks import (
    comparison_remarks,
    left_out_remarks,
    not_compared_remarks,
    run_remarks,
)
from mabench.reports.comparison.standings import standings_report
from mabench.reports.costs.calls import cost_tables
from mabench.reports.formats import show_reports
from mabench.reports.program_tables import compared_table
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, retitle, tabulate, titles_of

_FLIPS: tuple[Column[Flip], ...] = (
    Column("Source", lambda flip: flip.source),
    Column("Row", lambda flip: flip.row, spec=""),
    Column("Question", lambda flip: flip.question_index, spec=""),
    Column("A", lambda flip: flip.a, spec=".2g"),
    Column("B", lambda flip: flip.b, spec=".2g"),
    Column("Text", lambda flip: flip.question),
)


# The questions on which the two runs of a pair differ, by the folders of these runs.
Flips = Mapping[tuple[str, str], Sequence[Flip]]


class Detail(Enum):
    """How much of a comparison is printed."""

    BRIEF = "brief"  # The verdict, one table and the first remarks.
    FULL = "full"  # All tables of runs, and all remarks; of a single pair, its tables, too.
    EVERY_PAIR = "every pair"  # The tables of every pair as well.


def show_comparison(
    comparison: Comparison,
    layout: str,
    console: Console,
    flips: Flips | None = None,
    advice: str = "",
    *,
    detail: Detail = Detail.BRIEF,
) -> None:
    """Print a comparison.

    Args:
        comparison: what is printed.
        layout: as for ``show_reports``.
        console: where to print.
        flips: the questions on which the runs of each pair differ; None leaves them out.
        advice: how to make more histories: a command after a colon, or nothing.
        detail: how much is printed on a terminal; other layouts have all of it.

    Raises:
        UsageError: when the layout is unknown.
    """
    shown = _ShownComparison(comparison, flips, advice, detail)
    is_brief = layout == "table" and detail is Detail.BRIEF and flips is None
    reports = [brief_comparison(comparison)] if is_brief else shown.full_reports(layout)
    tidy = partial(compared_table, comparison, pairs=shown.with_pairs)
    show_reports(reports, shown.content, layout, console, tidy)


@dataclass(frozen=True, slots=True)
class _ShownComparison:
    """A comparison that is printed; the attributes are arguments of ``show_comparison``."""

    comparison: Comparison
    flips: Flips | None
    advice: str
    detail: Detail

    @property
    def with_pairs(self) -> bool:
        """Whether the tables of pairs are printed."""
        return self.detail is Detail.EVERY_PAIR or len(self.comparison.pairs) == 1

    def content(self) -> object:
        """Return what JSON has of the comparison."""
        fields = self.comparison.as_dict()
        if self.flips is not None:
            fields["flipped"] = [
                {"a": a, "b": b, "questions": [flip.as_dict() for flip in flips_of_pair]}
                for (a, b), flips_of_pair in self.flips.items()
            ]
        return fields

    def full_reports(self, layout: str) -> Iterator[Report]:
        """Yield the report of all runs, those of pairs, and the sentences on both.

        They have the titles of sources of made-up rows in place of their names.
        """
        runs = self.comparison.runs
        summaries = [summary for run in runs for summary in run.summaries]
        shared, titles = shared_title(titles_of(summaries))
        reports = (
            self._report_on_runs(layout, shared),
            *self._reports_on_pairs(),
            Report(remarks=self._last_remarks()),
        )
        for report in reports:
            yield retitle(report, titles)

    def _report_on_runs(self, layout: str, shared: str) -> Report:
        """Return the report of all runs; ``shared`` is what the titles of all sources say."""
        standings = standings_report(self.comparison)
        verdict, *remarks = [*standings.remarks, *left_out_remarks(self.comparison)]
        # Papers seldom have a table of memories.
        is_for_paper = layout == "latex" and self.detail is Detail.BRIEF
        return standings._replace(
            title=f"{standings.title} ({shared})" if shared else standings.title,
            tables=standings.tables[:1] if is_for_paper else standings.tables,
            remarks=remarks,
            first=[*standings.first, verdict],
        )

    def _reports_on_pairs(self) -> Iterator[Report]:
        """Yield a report for each pair of which a table is printed."""
        runs = {run.run: run for run in self.comparison.runs}
        for pair in self.comparison.pairs:
            a, b = runs[pair.a], runs[pair.b]
            report = pair_report(pair, equal_within=self.comparison.equal_within)
            tables: list[Table] = []
            if self.with_pairs:
                tables += [*report.tables, *cost_tables([a, b], ["A", "B"])]
            if self.flips is not None:
                tables.append(tabulate(_FLIPS, self.flips[pair.a, pair.b]))
            if tables:
                title = f"{_describe_run('A', a)}\n{_describe_run('B', b)}"
                yield report._replace(title=title, tables=tables)

    def _last_remarks(self) -> list[str]:
        """Return the sentences on each run, and on all pairs if these are printed."""
        on_runs = [
            remark
            for run in self.comparison.runs
            for remark in run_remarks(run, with_diagnosis=self.with_pairs)
        ]
        if self.with_pairs:
            return [*on_runs, *comparison_remarks(self.comparison, self.advice)]
        return [*on_runs, *not_compared_remarks(self.comparison)]


def _describe_run(letter: str, run: ComparedRun) -> str:
    """Return what a letter stands for in the tables of a pair, with the spread of its builds."""
    if run.builds == 1:
        return f"{letter}: {run.agent} ({run.run})"
    deviation = f"SD of the mean {run.build_deviation or 0:.1f}"
    return f"{letter}: {run.agent} ({run.run}), {run.builds} builds, {deviation}"
