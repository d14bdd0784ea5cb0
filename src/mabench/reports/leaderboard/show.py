"""Printing the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from rich.console import Console

from mabench.data.inventory import CATEGORIES
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard.figure import published_figures
from mabench.reports.leaderboard.own_figures import figures_of, shortfalls
from mabench.reports.leaderboard.standings import Entry, figures_by_system, group_systems
from mabench.reports.report import Report
from mabench.reports.run_tables import LIMITS
from mabench.reports.tables import Column, Table, Value, plain_table, tabulate
from mabench.results import Run, refuse_repeated_paths

# The columns of the paper's table, the category after its columns, and the mean of all.
_PLACES = (
    *(place for category in CATEGORIES for place in (*category.columns, category.name)),
    "Overall",
)
# The first two categories, so that a table fits on a terminal of 80 columns.
_HALF = _PLACES.index("TTL") + 1
# What a program reads of a figure, before and behind its score.
_ABOUT = ("system", "version", "reader", "embedder", "judge", "on", "metric", "asked", "answered")
_OTHERS = ("published", "read", "party", "unlike")


def show_leaderboard(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print the published figures by reader and judge, or those that runs can be compared with.

    Raises ``UsageError`` where a run is given twice.
    """
    refuse_repeated_paths(run.folder for run in runs)
    own = [score for run in runs for score in figures_of(run).values()]
    shown = [place for place in _PLACES if not runs or any(one.on == place for one in own)]
    scores = [*published_figures(), *own]

    def reports() -> Iterator[Report]:
        remarks = [why for run in runs for why in shortfalls(run)]
        for group, listed in group_systems(one for one in scores if not one.unlike).items():
            parties = {one.party for _, of in listed for one in of.values()}
            if runs and "own" not in parties:
                continue
            reader = f"Reader {group[0]}" if group[0] else "Reader unknown or missing"
            title = f"{reader}, {f'judge {group[1]}' if group[1] else 'no judge'}"
            if parties == {"own"}:
                remarks.append(f"{title}: no figures have been published for these.")
            yield Report.of(title, _tables(listed, shown))
        if shown:
            claims = figures_by_system(one for one in scores if one.unlike)
            title = "Claims of another kind, not comparable with the figures above"
            yield Report(title, _tables([*claims.items()], shown, claims=True))
            remarks.append("Do not rank scores across tables: readers and judges differ.")
        yield Report(remarks=remarks)

    def tidy() -> Table:
        about, others = attrgetter(*_ABOUT), attrgetter(*_OTHERS)
        rows = ([*about(one), *one.measure.spread_out(), *others(one)] for one in scores)
        return plain_table((*_ABOUT, "score", *LIMITS, *_OTHERS), rows)

    def content() -> object:
        table = tidy()
        listed = [dict(zip(table.headers, row, strict=True)) for row in table.values]
        return {"schema": 1, "figures": listed}

    show_reports(reports(), content, layout, console, tidy)


def _tables(listed: Sequence[Entry], shown: Sequence[str], *, claims: bool = False) -> list[Table]:
    """Return the figures at some places, in two tables where there are many."""

    def score(place: str) -> Column[Entry]:
        def value(row: Entry) -> Value:
            return row[1][place].measure if place in row[1] else None

        return Column(place, value, "", when="known")

    def why(row: Entry) -> str:
        figures = [figure for place, figure in row[1].items() if place in shown]
        second = ["second-hand"] * any(figure.read == "second-hand" for figure in figures)
        return "; ".join(dict.fromkeys([*(figure.unlike for figure in figures), *second]))

    about: list[Column[Entry]] = [Column("System", lambda row: row[0].name)]
    if claims:
        about += [Column("Reader", lambda row: row[0].reader), Column("Why", why)]
    tables = list[Table]()
    for places in [shown] if len(shown) <= _HALF else [shown[:_HALF], shown[_HALF:]]:
        rows = [row for row in listed if not row[1].keys().isdisjoint(places)]
        tables += [tabulate([*about, *map(score, places)], rows)] if rows else []
    return tables
