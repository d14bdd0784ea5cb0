"""The list of runs: its sentence and its table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from mabench.printable import write_count
from mabench.reports.tables import NONE, Column, Table, tabulate
from mabench.results import ListedRun, State

_RUNS_FOLDER = "runs/"
# The state of a race without a winner, by what its verdict says.
_OPEN_RACES = {
    "cannot be told apart": "undecided",
    " are equal ": "equal",
    "in a circle": "in a circle",
    "History ": "undecided",
}
# Characters of a folder in a list of runs with numbers.
_LONGEST_NAME = 14
# Units of time in seconds, the largest first.
_UNITS = (("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
# The length of an ISO 8601 time up to the minute.
_MINUTE = 16


def runs_table(runs: Sequence[ListedRun]) -> Table:
    """Return a table with a row for each run or race."""
    return tabulate(_COLUMNS, runs)


def runs_sentence(runs: Sequence[ListedRun]) -> str:
    """Return how many runs or races are listed, and the data that all of them have."""
    data = f", all on {runs[0].data}" if _share_data(runs) else ""
    races = sum(run.race is not None for run in runs)
    counted = [(len(runs) - races, "run"), (races, "race")]
    listed = " and ".join(write_count(number, noun) for number, noun in counted if number)
    return f"{listed}{data}{', the newest first' if len(runs) > 1 else ''}."


def describe_state(run: ListedRun) -> str:
    """Return the state of a run, with how far it got or what failed."""
    if run.problem:
        return f"damaged: {run.problem}"
    if run.race is not None and run.state == run.race:
        verdict = run.race.partition(" after ")[0]
        words = (word for said, word in _OPEN_RACES.items() if said in verdict)
        return next(words, verdict)
    if run.state == State.FAILED:
        return f"{run.errors} failed"
    if run.state == State.COMPLETE:
        return run.state
    return f"{run.state}, {run.asked}/{run.questions}"


def _short_name(run: ListedRun) -> str:
    """Return the folder of a run; where it has a number, by its name, and cut in the middle."""
    name = run.folder
    if run.number is None:
        return name
    name = name.removeprefix(_RUNS_FOLDER)
    if len(name) <= _LONGEST_NAME:
        return name
    end = (_LONGEST_NAME - 1) // 2
    return f"{name[: _LONGEST_NAME - 1 - end]}…{name[-end:]}"


def _share_data(runs: Sequence[ListedRun]) -> bool:
    """Return whether all runs are on the same data, which is then said once."""
    return len({run.data for run in runs}) == 1 and runs[0].data is not None


def _sources(run: ListedRun) -> str:
    """Return the source of a run, or of several how many."""
    return run.sources[0] if len(run.sources) == 1 else write_count(len(run.sources), "source")


def _data(run: ListedRun) -> str:
    """Return the data of a run and its sources: their names, or of several how many."""
    if run.data is None:
        return NONE
    if len(run.sources) == 1 and run.data.endswith(run.sources[0]):
        return run.data
    if len(run.sources) == 1:
        return f"{run.data}, {run.sources[0]}"
    return f"{run.data}, {len(run.sources)} sources" if run.sources else run.data


def _age(run: ListedRun) -> str | None:
    """Return how long ago a run began, as 3 days, 5 h, 20 min or 40 s."""
    if run.date is None:
        return None
    try:
        began = datetime.fromisoformat(run.date)
    except ValueError:
        return None
    seconds = (datetime.now(UTC) - began.replace(tzinfo=began.tzinfo or UTC)).total_seconds()
    for unit, length in _UNITS:
        if seconds > 2 * length or unit == "s":
            break
    return f"{max(seconds, 0) / length:.0f} {unit}"


_COLUMNS: tuple[Column[ListedRun], ...] = (
    Column("No.", lambda run: run.number, "", when="known"),
    # Never cut or left out: often it is all that two runs differ in.
    Column("Run", _short_name, key=True, formats=["table"]),
    Column("Run", lambda run: run.folder, key=True, formats=["markdown", "latex", "csv"]),
    Column("Agent", lambda run: run.agent or NONE, least=8),
    Column("Sources", _sources, formats=["table"], when=_share_data, least=11),
    Column("Data", _data, when=lambda runs: not _share_data(runs), formats=["table"], least=11),
    Column("Data", _data, formats=["markdown", "latex", "csv"]),
    Column("Score", lambda run: run.score, ".1f"),
    Column("State", describe_state, least=9),
    Column("Race", lambda run: run.race, formats=["markdown", "csv"], when="known"),
    Column("Age", _age, formats=["table"], least=6),
    Column(
        "Began, UTC",
        lambda run: (run.date or NONE)[:_MINUTE].replace("T", " "),
        formats=["markdown", "csv"],
    ),
)
