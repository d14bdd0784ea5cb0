"""The published figures as tables, with runs of one's own among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from mabench.leaderboard import (
    PLACES,
    Figure,
    LeaderboardEntry,
    ReaderAndJudge,
    best_by_column,
    figures,
    standings,
)
from mabench.reports.layout import (
    NONE,
    Layout,
    Report,
    Table,
    interval_cell,
    interval_remark,
    print_json,
    print_report,
    score_cell,
)
from mabench.results import Json, Run, RunSummary

if TYPE_CHECKING:
    from rich.console import Console

# The first two categories, so that a table fits on a terminal of 80 columns.
_HALF = PLACES.index("TTL") + 1


def show_leaderboard(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print the published figures by reader and judge, and those of runs among them.

    Args:
        runs: runs of one's own.
        layout: ``table``, ``markdown`` or ``json``.
        console: where to print.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there is no such format.
    """
    form = Layout.named(layout)
    if form is Layout.JSON:
        groups = standings(figures(), runs)
        print_json({"schema": 1, "groups": [_group(*item) for item in groups.items()]}, console)
        return
    remarks: list[str] = []
    for group, listed in standings(figures(), runs).items():
        tables = [
            table
            for places in (PLACES[:_HALF], PLACES[_HALF:])
            if (table := _table(listed, places))
        ]
        remarks += interval_remark(tables)
        print_report(Report(_title(group), tables, []), form, console)
    remarks += [
        f"{run.folder} is not among them: "
        + (
            "none of its columns is complete."
            if run.summary.columns
            else "its rows feed no column."
        )
        for run in runs
        if not any(mean.complete for mean in run.summary.columns.values())
    ]
    remarks.append("Scores are not to be ranked across tables: readers and judges differ.")
    print_report(Report("", [], list(dict.fromkeys(remarks))), form, console)


def _title(group: ReaderAndJudge) -> str:
    reader = f"Reader {group.reader}" if group.reader else "Reader unknown, or none"
    return f"{reader}, judge {group.judge}" if group.judge else f"{reader}, nothing judged"


def _table(listed: Sequence[LeaderboardEntry], places: Sequence[str]) -> Table | None:
    """Return one row for each system; None when none has a score of any of the places."""
    shown = [place for place in places if any(place in one.scores for one in listed)]
    if not shown:
        return None
    rows = [
        (
            f"{one.system} ({one.published})" if one.own else one.system,
            *(interval_cell(one.scores.get(place), one.intervals.get(place)) for place in shown),
        )
        for one in listed
        if any(place in one.scores for place in shown)
    ]
    return Table(("System", *shown), rows, (False, *[True] * len(shown)))


def _group(group: ReaderAndJudge, listed: Sequence[LeaderboardEntry]) -> dict[str, object]:
    return {
        **group._asdict(),
        "systems": [
            {
                "system": one.system,
                "published": one.published,
                "own": one.own,
                "scores": dict(one.scores),
                "intervals": {
                    name: interval.as_dict() if interval else None
                    for name, interval in one.intervals.items()
                    if name in one.scores
                },
            }
            for one in listed
        ],
    }


def published_table(summary: RunSummary) -> Table:
    """Return the best published figure of each of the paper's columns beside a run's."""
    best = best_by_column(figures())
    columns: Mapping[str, float | None] = {
        name: mean.official for name, mean in summary.columns.items()
    }
    rows = [(name, score_cell(score), *_best(best.get(name))) for name, score in columns.items()]
    rows.append(("Overall", score_cell(summary.overall), *_best(best.get("Overall"))))
    headers = ("Column", "Official", "Best published", "System", "Reader")
    return Table(headers, rows, (False, True, True, False, False))


def _best(figure: Figure | None) -> tuple[str, str, str]:
    if figure is None:
        return NONE, NONE, NONE
    return f"{figure.score:.1f}", figure.system, figure.reader or "unknown"


def published_json(summary: RunSummary) -> dict[str, Json]:
    """Return the best published figure of each of the paper's columns that a run touches."""
    best = best_by_column(figures())
    return {name: asdict(best[name]) for name in (*summary.columns, "Overall") if name in best}
