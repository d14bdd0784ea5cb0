"""Which runs there are beneath a folder: how far each came, and what it scored.

Nothing in such a folder is trusted: what cannot be read is listed as damaged, with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mabench.errors import DataError, MabenchError, UsageError, reason
from mabench.json_text import JsonRecord
from mabench.results.numbering import number_folders
from mabench.results.records.files import OwnFile
from mabench.results.records.race_file import RaceFile
from mabench.results.records.store import RunFolder
from mabench.results.summaries import RunSummary

# Where runs are written, and whose runs have numbers.
_RUNS = Path("runs")
_SAMPLES, _SUMMARY = "samples.jsonl", "summary.json"
_FILES = {"run.json", _SAMPLES}
_LISTED = 5  # How many runs are listed that a part of a name fits; of more, it says how many.
_DEEPEST = 8  # Folders beneath each other; a sweep of repeated runs has three.


class State(StrEnum):
    """How far a run came."""

    COMPLETE = "complete"
    FAILED = "failed"  # Every question was asked, and some answers failed.
    INTERRUPTED = "interrupted"
    RUNNING = "running"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun(JsonRecord):
    """A run folder in a list; what cannot be read is null."""

    folder: str
    # By what commands take it, of those in ``runs``; of a run of a race, the number of the race.
    number: int | None = None
    agent: str | None = None  # Its name, with its settings.
    data: str | None = None
    sources: tuple[str, ...] = ()  # The sources that it asks.
    date: str | None = None  # When the run began, in UTC.
    finished: str | None = None  # Null while questions are open.
    score: float | None = None  # Overall; the mean over its sources where there is none.
    state: str
    asked: int = 0  # How many questions were asked, of how many that it has.
    questions: int = 0
    errors: int = 0  # How many answers failed.
    problem: str | None = None  # What is damaged.
    race: str | None = None  # The state of the race that it is a run of.
    race_folder: str | None = None  # The folder of that race.


class _RaceAbove(NamedTuple):
    """The race that a run is of."""

    folder: Path
    state: str


def list_runs(place: Path | None = None) -> list[ListedRun]:
    """Return the runs in a folder that can be read and beneath it, the newest first.

    Links are not followed, and a run folder is not searched. Runs in ``runs`` have numbers; that
    is searched without a place, and may be missing.
    """
    if place is None and not _RUNS.exists():
        return []
    folders = _find_runs(place or _RUNS)
    races = _find_races(folders)
    runs = [_read_run(folder, races.get(folder.path)) for folder in folders]
    if (place or _RUNS) == _RUNS:
        numbers = _number_runs(folders, races)
        runs = [replace(run, number=numbers[Path(run.race_folder or run.folder)]) for run in runs]
    return runs[::-1]


def merge_races(runs: Iterable[ListedRun]) -> list[ListedRun]:
    """Return runs with one in place of those of a race, whose state is that of the race."""
    merged: dict[str, list[ListedRun]] = {}
    for run in runs:
        merged.setdefault(run.race_folder or run.folder, []).append(run)
    return [_merge(folder, own) if own[0].race else own[0] for folder, own in merged.items()]


def _merge(folder: str, runs: Sequence[ListedRun]) -> ListedRun:
    """Return one run in place of those of a race, the newest first; it has no score."""
    first = runs[-1]  # The newest come first.
    agents = dict.fromkeys(run.agent or "" for run in reversed(runs))
    problems = [run.problem for run in runs if run.problem]
    return replace(
        first,
        folder=folder,
        agent=", ".join(filter(None, agents)) or None,
        score=None,
        state=first.race or first.state,
        asked=sum(run.asked for run in runs),
        questions=sum(run.questions for run in runs),
        errors=sum(run.errors for run in runs),
        problem=problems[0] if problems else None,
    )


def find_folder(name: str) -> Path:
    """Return the folder that a user means by a name.

    In this order: a path to a file or to a folder with runs; the number of a run in ``runs``; the
    name of a folder there, with or without runs of its own; a part of such a name. Any other name
    is returned as a path.

    Raises:
        UsageError: when no run has the number, or several folders have the name.
    """
    path = Path(name)
    # A sweep has two folders above its runs.
    patterns = ("run.json", "*/run.json", "*/*/run.json")
    holds_runs = any(next(path.glob(pattern), None) for pattern in patterns)
    if path.is_file() or holds_runs or not name or not _RUNS.is_dir():
        return path
    found_runs = _find_runs(_RUNS)
    runs = [folder.path for folder in found_runs]
    if name.isdecimal():
        numbers = _number_runs(found_runs, _find_races(found_runs))
        for folder, number in numbers.items():
            if number == int(name):
                return folder
        raise UsageError(f"no run has the number {name}: `mabench runs` lists {len(numbers)}")
    inside = (parent for run in runs for parent in (run, *run.parents))
    folders = [folder for folder in dict.fromkeys(inside) if _RUNS in folder.parents]
    whole = [folder for folder in folders if folder.name == name]
    found = whole or [folder for folder in folders if name in folder.name]
    if len(found) > 1:
        more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        listed = ", ".join(map(str, found[:_LISTED]))
        raise UsageError(f"{name!r} matches several names: {listed}{more}; give one of these")
    return found[0] if found else path


def _find_runs(place: Path) -> list[RunFolder]:
    """Return the run folders in a folder and beneath it, the oldest first."""
    try:
        next(os.scandir(place), None)
    except OSError as error:
        raise DataError(f"{place}: not readable: {reason(error)}; give a folder of runs") from error
    folders = []
    for name, inner, files in os.walk(place):
        folder = Path(name)
        is_run = not _FILES.isdisjoint((*files, *inner))
        if is_run:
            folders.append(RunFolder(folder))
        if is_run or len(folder.relative_to(place).parts) >= _DEEPEST:
            inner.clear()  # So that ``os.walk`` goes no deeper.
    return sorted(folders, key=_age)


def _age(folder: RunFolder) -> tuple[str, str]:
    """Return what sorts runs by their beginning; those where it cannot be read come first."""
    with suppress(MabenchError, OSError, RecursionError):
        return folder.record().date or "", str(folder.path)
    return "", str(folder.path)


def _number_runs(folders: Iterable[RunFolder], races: Mapping[Path, _RaceAbove]) -> dict[Path, int]:
    """Return the numbers of runs, and of races in place of their runs, by folder; oldest first."""
    numbered = dict.fromkeys(
        races[run.path].folder if run.path in races else run.path for run in folders
    )
    names = {folder: folder.relative_to(_RUNS).as_posix() for folder in numbered}
    numbers = number_folders(_RUNS, names.values())
    return {folder: numbers[name] for folder, name in names.items()}


def _find_races(folders: Iterable[RunFolder]) -> dict[Path, _RaceAbove]:
    """Return the race that each run is of, as far as it can be read, by the folder of the run."""
    state_of = cache(_race_state)  # Runs of a race have one folder above them.
    found = {}
    for run in folders:
        for above in (run.path.parent, run.path.parent.parent):  # Builds have a folder between.
            if (state := state_of(above)) is not None:
                found[run.path] = _RaceAbove(above, state)
                break
    return found


def _race_state(folder: Path) -> str | None:
    """Return the state of the race in a folder; None if there is none to be read."""
    with suppress(MabenchError):
        if file := RaceFile.read(folder):
            return file.state
    return None


def _read_run(folder: RunFolder, race: _RaceAbove | None) -> ListedRun:
    """Return what a run is and how far it came; of one that cannot be read, why not."""
    path = folder.path
    run = ListedRun(
        folder=str(path),
        state=State.DAMAGED,
        race=race and race.state,
        race_folder=race and str(race.folder),
    )
    try:
        record = folder.record()
        run = replace(
            run,
            agent=record.agent,
            data=record.data.name,
            sources=tuple(record.questions),
            date=record.date,
            finished=record.finished,
            questions=sum(record.questions.values()),
        )
        return _with_answers(run, folder)
    except (MabenchError, OSError, RecursionError) as error:
        problem = reason(error).replace(f"{path}{os.sep}", "").replace(f"{path}: ", "")
        return replace(run, problem=problem)


def _with_answers(run: ListedRun, folder: RunFolder) -> ListedRun:
    """Return a run with what became of its questions; its answers are read only if need be."""
    summary = _read_summary(folder)
    asked = errors = 0
    if summary is not None and _says_all(summary, folder):
        asked, errors = summary.spent.n, summary.spent.errors
    else:
        for sample in folder.samples():
            asked += 1
            errors += sample.error is not None
    state = State.FAILED if errors else State.COMPLETE
    if folder.is_owned():
        state = State.RUNNING
    elif asked < run.questions:
        state = State.INTERRUPTED
    damaged = folder.damaged()
    return replace(
        run,
        # A summary of other samples than there are says nothing of these.
        score=summary.headline if summary is not None and summary.spent.n == asked else None,
        state=State.DAMAGED if damaged else state,
        asked=asked,
        errors=errors,
        problem=str(damaged[0]) if damaged else None,
    )


def _read_summary(folder: RunFolder) -> RunSummary | None:
    """Return the summary of a run; None if there is none that can be read."""
    file = OwnFile(folder.path / _SUMMARY)
    if file.is_there():
        with suppress(DataError):
            return file.read_record(RunSummary)
    return None


def _says_all(summary: RunSummary, folder: RunFolder) -> bool:
    """Return whether a summary says what the samples do.

    It does if it is of the run that ``run.json`` describes, was written after the samples, and no
    line was damaged then.
    """
    record = folder.record()
    expected = {name: source.expected for name, source in summary.sources.items()}
    summarized = (summary.agent, summary.data, summary.protocol, expected)
    if summarized != (record.agent, record.data.name, record.protocol, record.questions):
        return False
    try:
        samples_written = (folder.path / _SAMPLES).stat().st_mtime_ns
        summary_written = (folder.path / _SUMMARY).stat().st_mtime_ns
    except OSError:
        return False
    return samples_written < summary_written and not summary.damaged
