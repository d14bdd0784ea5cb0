"""Printing the leaderboard: one table, of the categories or of one column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from rich.console import Console

from mabench.data.inventory import CATEGORIES
from mabench.errors import UsageError, unknown
from mabench.printable import write_count
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard.figure import Figure, published_figures
from mabench.reports.leaderboard.own_figures import figures_of, list_shortfalls
from mabench.reports.leaderboard.standings import Entry, Group, group_systems
from mabench.reports.program_tables import LIMITS
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value, plain_table, tabulate
from mabench.results import Run, refuse_repeated_paths

_MEANS = (*(category.name for category in CATEGORIES), "Overall")
# What a program reads of a figure, before and after its score.
_ABOUT = ("system", "version", "reader", "embedder", "judge", "on", "metric", "asked", "answered")
_OTHERS = ("published", "read", "party", "unlike")
# A row of a table: what a system is compared within, and the system with its figures.
_Row = tuple[Group, Entry]


def show_leaderboard(
    runs: Sequence[Run], layout: str, console: Console, column: str | None = None
) -> None:
    """Print the published figures and those of runs, in one table.

    Args:
        runs: runs to add.
        layout: as for ``show_reports``.
        console: where to print.
        column: prints all figures on this source, column or category; by default those on the
            categories and on all of them.

    Raises:
        UsageError: when a run is given twice, or there are no figures on the column.
    """
    refuse_repeated_paths(run.folder for run in runs)
    own = [figure for run in runs for figure in figures_of(run).values()]
    figures = [*published_figures(), *own]
    if column is not None:
        known = dict.fromkeys(figure.on for figure in figures)
        if column not in known:
            raise UsageError(unknown("no figures on", column, known), parameter="column")
        figures = [figure for figure in figures if figure.on == column]

    def reports() -> Iterator[Report]:
        table = _means_table(figures) if column is None else _column_table(figures, column)
        remarks = [*_run_remarks(runs), "Do not rank scores of different readers or judges."]
        first = list(_first_sentences(runs, figures, column or "Overall"))
        yield Report.of("", [table], remarks)._replace(first=first)

    def tidy() -> Table:
        about, others = attrgetter(*_ABOUT), attrgetter(*_OTHERS)
        rows = ([*about(one), *one.measure.spread_out(), *others(one)] for one in figures)
        return plain_table((*_ABOUT, "score", *LIMITS, *_OTHERS), rows)

    def content() -> object:
        table = tidy()
        listed = [dict(zip(table.headers, row, strict=True)) for row in table.values]
        return {"schema": 1, "figures": listed}

    show_reports(reports(), content, layout, console, tidy)


def _first_sentences(runs: Sequence[Run], figures: Sequence[Figure], column: str) -> Iterator[str]:
    """Yield who leads on a column among the most systems that compare, and how the runs score."""
    group, entries = max(
        group_systems(one for one in figures if one.on == column and not one.unlike).items(),
        key=lambda item: len(item[1]),
        default=((None, None), []),
    )
    if len(entries) > 1:
        systems = write_count(len(entries), "system")
        within = [f"{what} {name}" for what, name in zip(("reader", "judge"), group, strict=True)]
        best, of = max(entries, key=lambda entry: entry[1][column].score)
        known = ", ".join(part for part, name in zip(within, group, strict=True) if name)
        figure = of[column]
        unsure = "" if figure.interval else " (no interval is known)"
        yield (
            f"Of {systems} that compare{f' ({known})' if known else ''}, {best.name} has the "
            f"highest score on {column}: {figure.measure}{unsure}."
        )
    own = [one for one in figures if one.party == "own" and one.on == column]
    for one in own:
        yield f"{one.system} ({one.published}) scores {one.measure} on {column}."
    without = [str(run.folder) for run in runs if str(run.folder) not in {o.published for o in own}]
    if without:
        have = "has" if len(without) == 1 else "have"
        yield f"{' and '.join(without)} {have} no score on {column}."


def _means_table(figures: Iterable[Figure]) -> Table:
    """Return a row for each system with figures on categories or on all of them."""

    def score(name: str) -> Column[_Row]:
        def value(row: _Row) -> Value:
            figure = row[1][1].get(name)
            return figure.measure if figure else None

        return Column(name, value, "")

    rows = _list_rows(one for one in figures if not one.unlike and one.on in _MEANS)
    return tabulate([*_about_system(), *map(score, _MEANS)], rows)


def _column_table(figures: Sequence[Figure], column: str) -> Table:
    """Return a row for each figure on a column, first those that can be compared."""

    def figure_of(row: _Row) -> Figure:
        return row[1][1][column]

    def note(row: _Row) -> str | None:
        second = "second-hand" if figure_of(row).read == "second-hand" else ""
        return "; ".join(filter(None, [figure_of(row).unlike, second])) or None

    columns: list[Column[_Row]] = [
        *_about_system(),
        Column(column, lambda row: figure_of(row).measure, ""),
        Column("Note", note, when="known"),
    ]
    rows = _list_rows(one for one in figures if not one.unlike)
    claims = _list_rows(one for one in figures if one.unlike)
    return tabulate(columns, [*rows, *claims])


def _list_rows(figures: Iterable[Figure]) -> list[_Row]:
    return [(group, entry) for group, of in group_systems(figures).items() for entry in of]


def _about_system() -> list[Column[_Row]]:
    return [
        Column("System", lambda row: row[1][0].name),
        Column("Reader", lambda row: row[0][0], key=True),
        Column("Judge", lambda row: row[0][1]),
    ]


def _run_remarks(runs: Sequence[Run]) -> Iterator[str]:
    """Yield which columns each run completes, and what it lacks for others."""
    for run in runs:
        if names := [name for name in figures_of(run) if name not in _MEANS]:
            yield f"{run.folder} completes {', '.join(names)}: see the table of each column."
        yield from list_shortfalls(run)
