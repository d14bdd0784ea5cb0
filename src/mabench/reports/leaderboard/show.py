"""Prints the leaderboard of published figures and own runs: a sentence, and one table.

The table has the figures on the categories of the paper and their mean, or those on one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console

from mabench.data.inventory import CATEGORIES
from mabench.errors import UsageError, unknown
from mabench.printable import write_count
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard.brief import NO_RANKS, brief_table, score_column
from mabench.reports.leaderboard.figure import Figure, published_figures
from mabench.reports.leaderboard.own_figures import figures_of, list_shortfalls
from mabench.reports.leaderboard.standings import BoardRow, compared_most, list_rows
from mabench.reports.program_tables import LIMITS
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value, plain_table, tabulate
from mabench.results import Run, refuse_repeated_paths

# The categories of the paper, and the mean over these.
_MEANS = (*(category.name for category in CATEGORIES), "Overall")
# The fields of a figure that programs read, before and after its score.
_ABOUT = ("system", "version", "reader", "embedder", "judge", "on", "metric", "asked", "answered")
_OTHERS = ("published", "read", "party", "unlike")
# How many sentences on runs come before a short table.
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
    is_brief = layout == "table" and not full
    report = _make_report(runs, figures, column, is_brief=is_brief)
    show_reports(
        [report],
        lambda: _list_content(figures),
        layout,
        console,
        lambda: _list_figures(figures),
    )


def _make_report(
    runs: Sequence[Run], figures: Sequence[Figure], column: str | None, *, is_brief: bool
) -> Report:
    """Return the leaderboard, in short or in full; ``figures`` are those of runs as well.

    It has the figures on one ``column``; those on the means of the paper if that is None.
    """
    rows = _rows_of_means(figures) if column is None else _rows_of_column(figures)
    scores_on = _MEANS if column is None else (column,)
    sentences = [*_first_sentences(runs, figures, rows, scores_on[-1])]
    if is_brief:
        table, remarks = brief_table(rows, scores_on)
        remarks = first_remarks([*remarks, *_run_remarks(runs)])
        return Report.of("", [table], remarks)._replace(first=sentences[: 1 + _MOST_SENTENCES])
    table = _means_table(rows) if column is None else _column_table(rows, column)
    return Report.of("", [table], [*_run_remarks(runs), NO_RANKS])._replace(first=sentences)


def _list_figures(figures: Sequence[Figure]) -> Table:
    """Return the table that programs have of the leaderboard: a line for each figure."""
    rows: list[list[Value]] = []
    for figure in figures:
        before_score = [getattr(figure, field) for field in _ABOUT]
        after_score = [getattr(figure, field) for field in _OTHERS]
        rows.append([*before_score, *figure.measure.spread_out(), *after_score])
    return plain_table((*_ABOUT, "score", *LIMITS, *_OTHERS), rows)


def _list_content(figures: Sequence[Figure]) -> object:
    """Return what JSON has of the leaderboard: the lines of the table for programs as objects."""
    table = _list_figures(figures)
    listed = [dict(zip(table.headers, row, strict=True)) for row in table.values]
    return {"schema": 1, "figures": listed}


def _first_sentences(
    runs: Sequence[Run], figures: Sequence[Figure], rows: Sequence[BoardRow], column: str
) -> Iterator[str]:
    """Yield who leads on a column among the most systems that compare, and how the runs score."""
    compared = compared_most(rows, column)
    if len(compared) > 1:
        yield _best_sentence(compared, column)
    else:
        yield f"No two systems have scores on {column} by the same reader and judge."
    own = [figure for figure in figures if figure.party == "own" and figure.on == column]
    for figure in own:
        yield f"{figure.system} ({figure.published}) scores {figure.measure} on {column}."
    with_score = {figure.published for figure in own}
    without_score = [str(run.folder) for run in runs if str(run.folder) not in with_score]
    if without_score:
        have = "has" if len(without_score) == 1 else "have"
        yield f"{' and '.join(without_score)} {have} no score on {column}."


def _best_sentence(compared: Sequence[BoardRow], column: str) -> str:
    """Return which of the systems that compare has the highest score on a column."""
    systems = write_count(len(compared), "system")
    reader, judge = compared[0].group  # The same of all.
    known = []
    if reader:
        known.append(f"reader {reader}")
    if judge:
        known.append(f"judge {judge}")
    alike = f" ({', '.join(known)})" if known else ""
    best = max(compared, key=lambda row: row.figures[column].score)
    figure = best.figures[column]
    unsure = "" if figure.interval else " (no interval is known)"
    return (
        f"Of {systems} that compare{alike}, {best.system.name} has the highest score on {column}: "
        f"{figure.measure}{unsure}."
    )


def _rows_of_means(figures: Iterable[Figure]) -> list[BoardRow]:
    """Return a row for each system with figures on categories or on all of them."""
    return list_rows(figure for figure in figures if not figure.unlike and figure.on in _MEANS)


def _rows_of_column(figures: Sequence[Figure]) -> list[BoardRow]:
    """Return a row for each figure on a column, first those that can be compared."""
    comparable = list_rows(figure for figure in figures if not figure.unlike)
    others = list_rows(figure for figure in figures if figure.unlike)
    return [*comparable, *others]


def _means_table(rows: Sequence[BoardRow]) -> Table:
    """Return a table with a column for each category, and one for the mean over these."""
    return tabulate([*_SYSTEM_COLUMNS, *(score_column(name) for name in _MEANS)], rows)


def _column_table(rows: Sequence[BoardRow], column: str) -> Table:
    """Return a table of the scores on one column, with notes on those that cannot be compared."""
    columns: list[Column[BoardRow]] = [
        *_SYSTEM_COLUMNS,
        score_column(column),
        Column("Note", lambda row: _describe_doubt(row.figures[column]), when="known"),
    ]
    return tabulate(columns, rows)


def _describe_doubt(figure: Figure) -> str | None:
    """Return why a figure may mislead: it compares with none, or is only quoted by others.

    None if neither holds.
    """
    second_hand = "second-hand" if figure.read == "second-hand" else ""
    return "; ".join(doubt for doubt in (figure.unlike, second_hand) if doubt) or None


_SYSTEM_COLUMNS: tuple[Column[BoardRow], ...] = (
    Column("System", lambda row: row.system.name),
    Column("Reader", lambda row: row.group[0], key=True),
    Column("Judge", lambda row: row.group[1]),
)


def _run_remarks(runs: Sequence[Run]) -> Iterator[str]:
    """Yield of each run the columns of the paper that it has figures on, and what it lacks.

    The table of means has none of these figures; there is a table of each column, by its name.
    """
    for run in runs:
        columns = [name for name in figures_of(run) if name not in _MEANS]
        if columns:
            yield f"{run.folder} has figures on {', '.join(columns)}: name a column to see them."
        yield from list_shortfalls(run)
