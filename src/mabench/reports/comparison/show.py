"""Printing a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    Column("Row", lambda flip: flip.row, ""),
    Column("Question", lambda flip: flip.question_index, ""),
    Column("A", lambda flip: flip.a, ".2g"),
    Column("B", lambda flip: flip.b, ".2g"),
    Column("Text", lambda flip: flip.question),
)


class Detail(Enum):
    """How much of a comparison is printed."""

    BRIEF = "brief"  # The verdict, one table and the first remarks.
    FULL = "full"  # All tables of runs, and all remarks; of a single pair, its tables, too.
    EVERY_PAIR = "every pair"  # The tables of every pair as well.


def show_comparison(
    comparison: Comparison,
    layout: str,
    console: Console,
    flips: Mapping[tuple[str, str], Sequence[Flip]] | None = None,
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
        advice: how to make more histories, after a colon.
        detail: how much is printed on a terminal; other layouts have all of it.

    Raises:
        UsageError: when the layout is unknown.
    """
    is_brief = layout == "table" and detail is Detail.BRIEF and flips is None
    pairs = detail is Detail.EVERY_PAIR or len(comparison.pairs) == 1

    def content() -> object:
        fields = comparison.as_dict()
        if flips is not None:
            fields["flipped"] = [
                {"a": a, "b": b, "questions": [flip.as_dict() for flip in listed]}
                for (a, b), listed in flips.items()
            ]
        return fields

    def reports() -> Iterator[Report]:
        runs = {run.run: run for run in comparison.runs}
        standings = standings_report(comparison)
        first, *remarks = [*standings.remarks, *left_out_remarks(comparison)]
        # Papers seldom have a table of memories.
        few = layout == "latex" and detail is Detail.BRIEF
        of_runs = standings.tables[:1] if few else standings.tables
        title = f"{standings.title} ({shared})" if shared else standings.title
        sentences = [*standings.first, first]
        yield standings._replace(title=title, tables=of_runs, remarks=remarks, first=sentences)
        for pair in comparison.pairs:
            sides = [runs[pair.a], runs[pair.b]]
            report, tables = pair_report(pair, equal_within=comparison.equal_within), list[Table]()
            if pairs:
                tables = [*report.tables, *cost_tables(sides, "AB")]
            if flips is not None:
                tables.append(tabulate(_FLIPS, flips[pair.a, pair.b]))
            if tables:
                yield report._replace(title="\n".join(map(_side, "AB", sides)), tables=tables)
        own = [sentence for run in comparison.runs for sentence in run_remarks(run, pairs)]
        on_all = (
            comparison_remarks(comparison, advice) if pairs else not_compared_remarks(comparison)
        )
        yield Report(remarks=[*own, *on_all])

    def brief() -> Iterator[Report]:
        yield brief_comparison(comparison)

    summaries = (summary for run in comparison.runs for summary in run.summaries)
    shared, titles = shared_title(titles_of(summaries))
    titled = brief() if is_brief else (retitle(report, titles) for report in reports())
    tidy = partial(compared_table, comparison, pairs=pairs)
    show_reports(titled, content, layout, console, tidy)


def _side(letter: str, run: ComparedRun) -> str:
    """Return the title of a run in a pair."""
    builds = f", {run.builds} builds, SD of the mean {run.build_deviation or 0:.1f}"
    return f"{letter}: {run.agent} ({run.run}){builds * (run.builds > 1)}"
