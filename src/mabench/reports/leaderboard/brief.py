"""The short leaderboard: the systems that compare with most others, and runs of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.printable import write_count
from mabench.reports.leaderboard.figure import Figure
from mabench.reports.leaderboard.standings import BoardRow, compared_most
from mabench.reports.tables import Column, Table, Value, tabulate

NO_RANKS = "Do not rank scores of different readers or judges."
# Rows of a short table without runs, and with them: every run has one, even if they are more.
_MOST_ROWS = 17
_MOST_ROWS_BESIDE_RUNS = 13
# If fewer systems compare, those of other readers and judges are shown, too.
_FEWEST_COMPARED = 5
# Columns of scores if runs have some: their intervals need room.
_MOST_WITH_INTERVALS = 2
# Characters to which the name of a system may be cut.
_SHORTEST_NAME = 16


def brief_table(rows: Sequence[BoardRow], columns: Sequence[str]) -> tuple[Table, list[str]]:
    """Return a table of the systems that compare with most others and of runs, and what it lacks.

    Args:
        rows: those of the full table.
        columns: what the full table has scores on; the last one that is shown orders the systems.
    """
    own = [row for row in rows if _is_own(row)]
    shown = _choose_columns(own, columns)
    by = shown[-1]
    most = _MOST_ROWS_BESIDE_RUNS - len(own) if own else _MOST_ROWS
    compared = compared_most(rows, by)
    others = [row for row in _in_order(compared, by) if not _is_own(row)]
    if len(compared) < _FEWEST_COMPARED:
        others += [row for row in rows if not (row in compared or _is_own(row) or _is_unlike(row))]
    others = others[: max(0, most)]
    # Systems with another reader or judge come below, since they do not compare.
    above = _in_order([row for row in (*own, *others) if row in compared], by)
    below = [row for row in (*own, *others) if row not in compared]
    table = tabulate([*_about_system(), *map(_score_column, shown)], [*above, *below])
    left_out = len(rows) - len(own) - len(others), len(columns) - len(shown)
    return table, [*_remarks(*left_out), *([NO_RANKS] if below else [])]


def _remarks(systems: int, columns: int) -> Iterator[str]:
    counts = [
        write_count(number, noun)
        for number, noun in ((systems, "system"), (columns, "column"))
        if number
    ]
    if counts:
        yield f"Left out: {' and '.join(counts)}; the full report has all."


def _is_own(row: BoardRow) -> bool:
    return any(figure.party == "own" for figure in row.figures.values())


def _is_unlike(row: BoardRow) -> bool:
    return any(figure.unlike for figure in row.figures.values())


def _in_order(rows: Sequence[BoardRow], column: str) -> list[BoardRow]:
    """Return the rows, the highest score on a column first, those without one last."""

    def rank(row: BoardRow) -> float:
        figure = row.figures.get(column)
        return -figure.score if figure else 1.0

    return sorted(rows, key=rank)


def _choose_columns(own: Sequence[BoardRow], columns: Sequence[str]) -> list[str]:
    """Return the columns that are shown: with scores of runs only theirs, the last ones."""
    of_runs = [name for name in columns if any(name in row.figures for row in own)]
    return of_runs[-_MOST_WITH_INTERVALS:] if of_runs else [*columns]


def _about_system() -> list[Column[BoardRow]]:
    return [
        Column("System", lambda row: row.system.name, least=_SHORTEST_NAME),
        Column("Reader", lambda row: row.group[0], key=True, when="several"),
        Column("Judge", lambda row: row.group[1], key=True, when="several"),
    ]


def _score_column(name: str) -> Column[BoardRow]:
    def value(row: BoardRow) -> Value:
        figure: Figure | None = row.figures.get(name)
        return figure.measure if figure else None

    return Column(name, value, "")
