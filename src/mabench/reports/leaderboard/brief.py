"""The short leaderboard: the systems that compare with most others, and a user's own runs.

Systems compare if their figures are by the same reader, the model that answers, and the same judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.printable import write_count
from mabench.reports.leaderboard.standings import BoardRow, compared_most
from mabench.reports.tables import Column, Table, Value, tabulate

NO_RANKS = "Do not rank scores of different readers or judges."
# Rows of a short table without runs, and with them; a run always has one, even if they are more.
_MOST_ROWS = 17
_MOST_ROWS_BESIDE_RUNS = 13
# If fewer systems compare, those of other readers and judges are shown, too.
_FEWEST_COMPARED = 5
# How many columns of scores are shown if runs have some: their intervals need room.
_MOST_WITH_INTERVALS = 2
# Characters to which the name of a system may be cut.
_SHORTEST_NAME = 16


def brief_table(rows: Sequence[BoardRow], columns: Sequence[str]) -> tuple[Table, list[str]]:
    """Return a table of the systems that compare with most others and of runs, and what it lacks.

    Args:
        rows: those of the full table.
        columns: what the full table has scores on; the last one that is shown orders the systems.
    """
    runs = [row for row in rows if _is_own(row)]
    shown_columns = _choose_columns(runs, columns)
    order_by = shown_columns[-1]
    compared = compared_most(rows, order_by)
    systems = _choose_systems(rows, compared, order_by)
    rows_shown = [*runs, *systems]
    # Systems with another reader or judge come below, since they do not compare.
    above = _sort_by_score([row for row in rows_shown if row in compared], order_by)
    below = [row for row in rows_shown if row not in compared]
    score_columns = [score_column(name) for name in shown_columns]
    table = tabulate([*_SYSTEM_COLUMNS, *score_columns], [*above, *below])
    systems_left_out = len(rows) - len(rows_shown)
    columns_left_out = len(columns) - len(shown_columns)
    remarks = [*_left_out_remarks(systems_left_out, columns_left_out)]
    if below:
        remarks.append(NO_RANKS)
    return table, remarks


def _choose_systems(
    rows: Sequence[BoardRow], compared: Sequence[BoardRow], order_by: str
) -> list[BoardRow]:
    """Return the systems that the table has beside runs, as many as fit.

    Those that are ``compared`` come first, by their score on a column. If they are few, systems of
    other readers and judges follow, without those whose figures compare with none.
    """
    runs = [row for row in rows if _is_own(row)]
    systems = [row for row in _sort_by_score(compared, order_by) if not _is_own(row)]
    if len(compared) < _FEWEST_COMPARED:
        systems += [
            row for row in rows if row not in compared and not _is_own(row) and not _is_unlike(row)
        ]
    most = _MOST_ROWS_BESIDE_RUNS - len(runs) if runs else _MOST_ROWS
    return systems[: max(0, most)]


def _left_out_remarks(systems: int, columns: int) -> Iterator[str]:
    """Yield how many systems and columns the table leaves out, if any."""
    counts = ((systems, "system"), (columns, "column"))
    left_out = [write_count(number, noun) for number, noun in counts if number]
    if left_out:
        yield f"Left out: {' and '.join(left_out)}; the full report has all."


def _is_own(row: BoardRow) -> bool:
    """Return whether a row is of a user's own run, and not of a published system."""
    return any(figure.party == "own" for figure in row.figures.values())


def _is_unlike(row: BoardRow) -> bool:
    """Return whether a figure of a row cannot be compared with others for what it measures."""
    return any(figure.unlike for figure in row.figures.values())


def _sort_by_score(rows: Sequence[BoardRow], column: str) -> list[BoardRow]:
    """Return the rows, the highest score on a column first, those without one last."""

    def score(row: BoardRow) -> float:
        """Return the score of a row on the column; below all scores if it has none."""
        figure = row.figures.get(column)
        return figure.score if figure else -1.0

    return sorted(rows, key=score, reverse=True)


def _choose_columns(runs: Sequence[BoardRow], columns: Sequence[str]) -> list[str]:
    """Return the columns that are shown: if runs have scores on any, only the last two of these."""
    of_runs = [name for name in columns if any(name in row.figures for row in runs)]
    return of_runs[-_MOST_WITH_INTERVALS:] if of_runs else [*columns]


_SYSTEM_COLUMNS: tuple[Column[BoardRow], ...] = (
    Column("System", lambda row: row.system.name, least=_SHORTEST_NAME),
    Column("Reader", lambda row: row.group[0], key=True, when="several"),
    Column("Judge", lambda row: row.group[1], key=True, when="several"),
)


def score_column(name: str) -> Column[BoardRow]:
    """Return the column of the scores on a source, column, category or ``Overall``."""

    def score(row: BoardRow) -> Value:
        """Return the score of a row with its interval; None if it has none."""
        figure = row.figures.get(name)
        return figure.measure if figure else None

    return Column(name, score, spec="")
