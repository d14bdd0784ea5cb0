"""Printing the leaderboard: a sentence, and one table of the categories or of one column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from rich.console import Console

from mabench.data.inventory import CATEGORIES
from mabench.errors import UsageError, unknown
from mabench.printable import write_count
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard.brief import NO_RANKS, brief_table
from mabench.reports.leaderboard.figure import Figure, published_figures
from mabench.reports.leaderboard.own_figures import figures_of, list_shortfalls
from mabench.reports.leaderboard.standings import BoardRow, compared_most, list_rows
from mabench.reports.program_tables import LIMITS
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value, plain_table, tabulate
from mabench.results import Run, refuse_repeated_paths

_MEANS = (*(category.name for category in CATEGORIES), "Overall")
# What a program reads of a figure, before and after its score.
_ABOUT = ("system", "version", "reader", "embedder", "judge", "on", "metric", "asked", "answered")
_OTHERS = ("published", "read", "party", "unlike")
# Sentences on runs before a short table.
_MOST_SENTENCES = 3


def show_leaderboard(
    runs: Sequence[Run],
    layout: str,
    console: Console,
    column: str | None = None,
    *,
    full: bool = False,
) -> None:
    """Print the published figures and those of runs, in one table.

    Args:
        runs: runs to add.
        layout: as for ``show_reports``.
        console: where to print.
        column: prints all figures on this source, column or category; by default those on the
            categories and on all of them.
        full: prints all systems in the layout ``table``, too, not only those that compare with
            most others.

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
        rows = _rows_of_means(figures) if column is None else _rows_of_column(figures)
        shown = _MEANS if column is None else (column,)
        first = [*_first_sentences(runs, figures, rows, shown[-1])]
        if layout == "table" and not full:
            table, remarks = brief_table(rows, shown)
            remarks = first_remarks([*remarks, *_run_remarks(runs)])
            yield Report.of("", [table], remarks)._replace(first=first[: 1 + _MOST_SENTENCES])
        else:
            table = _means_table(rows) if column is None else _column_table(rows, column)
            yield Report.of("", [table], [*_run_remarks(runs), NO_RANKS])._replace(first=first)

    def tidy() -> Table:
        about, others = attrgetter(*_ABOUT), attrgetter(*_OTHERS)
        rows = ([*about(one), *one.measure.spread_out(), *others(one)] for one in figures)
        return plain_table((*_ABOUT, "score", *LIMITS, *_OTHERS), rows)

    def content() -> object:
        table = tidy()
        listed = [dict(zip(table.headers, row, strict=True)) for row in table.values]
        return {"schema": 1, "figures": listed}

    show_reports(reports(), content, layout, console, tidy)


def _first_sentences(
    runs: Sequence[Run], figures: Sequence[Figure], rows: Sequence[BoardRow], column: str
) -> Iterator[str]:
    """Yield who leads on a column among the most systems that compare, and how the runs score."""
    compared = compared_most(rows, column)
    if len(compared) > 1:
        group = compared[0].group
        systems = write_count(len(compared), "system")
        within = [f"{what} {name}" for what, name in zip(("reader", "judge"), group, strict=True)]
        best = max(compared, key=lambda row: row.figures[column].score)
        known = ", ".join(part for part, name in zip(within, group, strict=True) if name)
        figure = best.figures[column]
        unsure = "" if figure.interval else " (no interval is known)"
        yield (
            f"Of {systems} that compare{f' ({known})' if known else ''}, {best.system.name} has "
            f"the highest score on {column}: {figure.measure}{unsure}."
        )
    else:
        yield f"No two systems have scores on {column} by the same reader and judge."
    own = [one for one in figures if one.party == "own" and one.on == column]
    for one in own:
        yield f"{one.system} ({one.published}) scores {one.measure} on {column}."
    without = [str(run.folder) for run in runs if str(run.folder) not in {o.published for o in own}]
    if without:
        have = "has" if len(without) == 1 else "have"
        yield f"{' and '.join(without)} {have} no score on {column}."


def _rows_of_means(figures: Iterable[Figure]) -> list[BoardRow]:
    """Return a row for each system with figures on categories or on all of them."""
    return list_rows(one for one in figures if not one.unlike and one.on in _MEANS)


def _rows_of_column(figures: Sequence[Figure]) -> list[BoardRow]:
    """Return a row for each figure on a column, first those that can be compared."""
    claims = list_rows(one for one in figures if one.unlike)
    return [*list_rows(one for one in figures if not one.unlike), *claims]


def _means_table(rows: Sequence[BoardRow]) -> Table:
    def score(name: str) -> Column[BoardRow]:
        def value(row: BoardRow) -> Value:
            figure = row.figures.get(name)
            return figure.measure if figure else None

        return Column(name, value, "")

    return tabulate([*_about_system(), *map(score, _MEANS)], rows)


def _column_table(rows: Sequence[BoardRow], column: str) -> Table:
    def note(row: BoardRow) -> str | None:
        figure = row.figures[column]
        second = "second-hand" if figure.read == "second-hand" else ""
        return "; ".join(filter(None, [figure.unlike, second])) or None

    columns: list[Column[BoardRow]] = [
        *_about_system(),
        Column(column, lambda row: row.figures[column].measure, ""),
        Column("Note", note, when="known"),
    ]
    return tabulate(columns, rows)


def _about_system() -> list[Column[BoardRow]]:
    return [
        Column("System", lambda row: row.system.name),
        Column("Reader", lambda row: row.group[0], key=True),
        Column("Judge", lambda row: row.group[1]),
    ]


def _run_remarks(runs: Sequence[Run]) -> Iterator[str]:
    """Yield which columns each run completes, and what it lacks for others."""
    for run in runs:
        if names := [name for name in figures_of(run) if name not in _MEANS]:
            yield f"{run.folder} completes {', '.join(names)}: see the table of each column."
        yield from list_shortfalls(run)
