"""The list of runs and races that ``mabench runs`` prints: a sentence, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from mabench.printable import write_count
from mabench.reports.tables import NONE, Column, Table, tabulate
from mabench.results import ListedRun, State

_RUNS_FOLDER = "runs/"
# The state of a race without a winner, by a part of its verdict.
_OPEN_RACES = {
    "cannot be told apart": "undecided",
    " are equal ": "equal",
    "in a circle": "in a circle",
    "History ": "undecided",
}
# Characters to which the folder of a run is cut where a number names it, too.
_LONGEST_NAME = 14
# Units of time in seconds, the largest first.
_UNITS = (("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
# Characters of an ISO 8601 time up to the minute, such as ``2026-11-30T21:05``.
_MINUTE = 16


def runs_table(runs: Sequence[ListedRun]) -> Table:
    """Return a table with a row for each run or race."""
    return tabulate(_COLUMNS, runs)


def runs_sentence(runs: Sequence[ListedRun]) -> str:
    """Return how many runs and races are listed, and the data if all of them have the same."""
    data = f", all on {runs[0].data}" if _share_data(runs) else ""
    races = sum(run.race is not None for run in runs)
    counts = [(len(runs) - races, "run"), (races, "race")]
    listed = " and ".join(write_count(number, noun) for number, noun in counts if number)
    order = ", the newest first" if len(runs) > 1 else ""
    return f"{listed}{data}{order}."


def describe_state(run: ListedRun) -> str:
    """Return the state of a run or race, with how far it got or what failed."""
    if run.problem:
        return f"damaged: {run.problem}"
    if run.race is not None and run.state == run.race:  # The race itself, not one of its runs.
        return _describe_race(run.race)
    if run.state == State.FAILED:
        return f"{run.errors} failed"
    if run.state == State.COMPLETE:
        return run.state
    return f"{run.state}, {run.asked}/{run.questions}"


def _describe_race(conclusion: str) -> str:
    """Return the conclusion of a race in few words: who has won, or why nobody has yet."""
    verdict, _, _ = conclusion.partition(" after ")
    for part_of_verdict, state in _OPEN_RACES.items():
        if part_of_verdict in verdict:
            return state
    return verdict


def _short_name(run: ListedRun) -> str:
    """Return the folder of a run.

    Where a run has a number, by which commands take it, the folder is without ``runs/`` and a long
    one loses its middle.
    """
    if run.number is None:
        return run.folder
    name = run.folder.removeprefix(_RUNS_FOLDER)
    if len(name) <= _LONGEST_NAME:
        return name
    characters = _LONGEST_NAME - 1  # Besides the mark of what is left out.
    of_end = characters // 2
    of_beginning = characters - of_end
    return f"{name[:of_beginning]}…{name[-of_end:]}"


def _share_data(runs: Sequence[ListedRun]) -> bool:
    """Return whether all runs are on the same known data, which is then said once."""
    return len({run.data for run in runs}) == 1 and runs[0].data is not None


def _sources(run: ListedRun) -> str:
    """Return the source of a run, or how many it has, such as ``3 sources``."""
    return run.sources[0] if len(run.sources) == 1 else write_count(len(run.sources), "source")


def _data(run: ListedRun) -> str:
    """Return the data of a run with its source, or with how many sources it has."""
    if run.data is None:
        return NONE
    if len(run.sources) == 1:
        source = run.sources[0]
        # The data of a single source are often called after it.
        return run.data if run.data.endswith(source) else f"{run.data}, {source}"
    return f"{run.data}, {len(run.sources)} sources" if run.sources else run.data


def _age(run: ListedRun) -> str | None:
    """Return how long ago a run began, as 3 days, 5 h, 20 min or 40 s; None if unknown."""
    if run.date is None:
        return None
    try:
        began = datetime.fromisoformat(run.date)
    except ValueError:
        return None
    began_with_zone = began.replace(tzinfo=began.tzinfo or UTC)
    seconds = max((datetime.now(UTC) - began_with_zone).total_seconds(), 0.0)
    for unit, length in _UNITS:
        if seconds > 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _beginning(run: ListedRun) -> str:
    """Return when a run began, such as ``2026-11-30 21:05``."""
    return (run.date or NONE)[:_MINUTE].replace("T", " ")


_COLUMNS: tuple[Column[ListedRun], ...] = (
    Column("No.", lambda run: run.number, spec="", when="known"),
    # Often it is all that two runs differ in, so the table never cuts it or leaves it out.
    Column("Run", _short_name, key=True, formats=["table"]),
    Column("Run", lambda run: run.folder, key=True, formats=["markdown", "latex", "csv"]),
    Column("Agent", lambda run: run.agent or NONE, least=8),
    Column("Sources", _sources, formats=["table"], when=_share_data, least=11),
    Column("Data", _data, when=lambda runs: not _share_data(runs), formats=["table"], least=11),
    Column("Data", _data, formats=["markdown", "latex", "csv"]),
    Column("Score", lambda run: run.score, spec=".1f"),
    Column("State", describe_state, least=9),
    Column("Race", lambda run: run.race, formats=["markdown", "csv"], when="known"),
    Column("Age", _age, formats=["table"], least=6),
    Column("Began, UTC", _beginning, formats=["markdown", "csv"]),
)
