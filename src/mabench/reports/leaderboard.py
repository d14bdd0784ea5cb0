"""The published figures as tables, with runs of one's own among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from mabench.json_text import Json
from mabench.leaderboard import (
    PLACES,
    LeaderboardEntry,
    ReaderAndJudge,
    best_by_column,
    figures,
    standings,
)
from mabench.reports.layout import Report, show_reports
from mabench.reports.remarks import interval_remarks
from mabench.reports.tables import Column, Measure, Table, Value, plain_columns, tabulate
from mabench.results import Run, RunSummary

if TYPE_CHECKING:
    from rich.console import Console

# The first two categories, so that a table fits on a terminal of 80 columns.
_HALF = PLACES.index("TTL") + 1


def show_leaderboard(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print the published figures by reader and judge, one's own runs among them."""

    def groups() -> dict[ReaderAndJudge, list[LeaderboardEntry]]:
        return standings(figures(), runs)

    def reports() -> Iterator[Report]:
        remarks: list[str] = []
        for group, listed in groups().items():
            halves = (_table(listed, places) for places in (PLACES[:_HALF], PLACES[_HALF:]))
            tables = [table for table in halves if table.values]
            remarks += interval_remarks(tables)
            reader = f"Reader {group.reader}" if group.reader else "Reader unknown, or none"
            judge = f"judge {group.judge}" if group.judge else "nothing judged"
            yield Report(f"{reader}, {judge}", tables)
        for run in runs:
            columns = run.summary.columns
            if not any(mean.complete for mean in columns.values()):
                why = "none of its columns is complete" if columns else "its rows feed no column"
                remarks.append(f"{run.folder} is not among them: {why}.")
        remarks.append("Scores are not to be ranked across tables: readers and judges differ.")
        yield Report(remarks=list(dict.fromkeys(remarks)))

    def system_json(system: LeaderboardEntry) -> dict[str, object]:
        intervals = {
            name: interval.as_dict() if interval else None
            for name, interval in system.intervals.items()
            if name in system.scores
        }
        return {**asdict(system), "intervals": intervals}

    def content() -> object:
        listed = [
            {**group._asdict(), "systems": [system_json(system) for system in systems]}
            for group, systems in groups().items()
        ]
        return {"schema": 1, "groups": listed}

    show_reports(reports(), content, layout, console)


def _table(listed: Sequence[LeaderboardEntry], places: Sequence[str]) -> Table:
    def score(place: str) -> Column[LeaderboardEntry]:
        def value(system: LeaderboardEntry) -> Value:
            return Measure.of(system.scores.get(place), system.intervals.get(place))

        return Column(place, value, "", when=lambda all_: any(place in one.scores for one in all_))

    def name(system: LeaderboardEntry) -> str:
        return f"{system.system} ({system.published})" if system.own else system.system

    system: Column[LeaderboardEntry] = Column("System", name)
    scored = [one for one in listed if any(place in one.scores for place in places)]
    return tabulate([system, *map(score, places)], scored)


def published_table(summary: RunSummary) -> Table:
    """Return the best published figure of each of the paper's columns beside a run's."""
    best = best_by_column(figures())
    rows: list[Sequence[Value]] = []
    scores = {name: mean.official for name, mean in summary.columns.items()}
    for name, score in {**scores, "Overall": summary.overall}.items():
        published: tuple[Value, ...] = (None, None, None)
        if figure := best.get(name):
            published = (Measure(figure.score), figure.system, figure.reader or "unknown")
        rows.append((name, Measure.of(score, None), *published))
    titles = ("Column", "Official", "Best published", "System", "Reader")
    return tabulate(plain_columns(titles, texts=(0, 3, 4)), rows)


def published_json(summary: RunSummary) -> dict[str, Json]:
    """Return the best published figure of each of the paper's columns that a run touches."""
    best = best_by_column(figures())
    return {name: asdict(best[name]) for name in (*summary.columns, "Overall") if name in best}
