"""Reads result files in any installed format, as runs: the answers of one system in one trial.

Verdicts of judges may be in another file than the answers that they are on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

from mabench.errors import DataError, UsageError
from mabench.formats import (
    FormatKind,
    GivenAnswer,
    GivenRun,
    Glimpse,
    Recognized,
    ResultFormat,
    named_format,
    recognize,
    refuse_other_kinds,
)
from mabench.formats.result_files import verdict_key
from mabench.userfile import fault_of

_NO_NAME = ""  # Of a run to which its file gives none.


@dataclass(frozen=True, kw_only=True)
class FileRun:
    """The run of one system and trial, as one or several files have it."""

    name: str  # The names of the files, then that of the run in them.
    format: str  # The name of the format.
    run: GivenRun
    answers_of: Mapping[Path, Sequence[GivenAnswer]]  # The answers of the run by file.
    unmatched_verdicts: tuple[str, ...] = ()  # On questions that the answers do not have.


def read_result_files(paths: Sequence[Path], layout: str | None = None) -> list[FileRun]:
    """Return the runs that result files hold.

    Runs without a name of their own are joined into one: the published code writes a file for each
    source. The verdicts of a file without answers are added to the answers of the run of the same
    name in another file. ``layout`` names the format of files whose shape does not tell it.

    Raises:
        UsageError: when a file fits no format or several, or is no result file.
        DataError: when a file cannot be read, or verdicts fit no answer.
    """
    unnamed: list[_ReadRun] = []
    named: list[_ReadRun] = []
    verdicts: list[_ReadRun] = []  # Runs with verdicts on the answers of others.
    for path in paths:
        for read in _read(path, layout):
            if read.run.name == _NO_NAME:
                unnamed.append(read)
            elif not read.run.verdicts_elsewhere:
                named.append(read)
            if read.run.verdicts_elsewhere:
                verdicts.append(read)
    runs = [_with_verdicts(_as_file_run(read), verdicts) for read in named]
    if runs:
        runs[0] = _with_unmatched(runs, verdicts)
    if unnamed:
        runs.insert(0, _join(unnamed))
    if not runs:
        raise DataError(f"{paths[0]}: no answers in it; give the file of answers, too")
    return runs


class _ReadRun(NamedTuple):
    """A run of one file."""

    path: Path
    format: str  # The name of the format.
    run: GivenRun


def _as_file_run(read: _ReadRun) -> FileRun:
    """Return a run of one file as a run of its own, with its answers."""
    return FileRun(
        name=f"{read.path.name}, {read.run.name}",
        format=read.format,
        run=read.run,
        answers_of={read.path: read.run.answers},
    )


def _read(path: Path, layout: str | None) -> Iterator[_ReadRun]:
    """Yield the runs of a file."""
    recognized = _format_of(path, layout)
    for run in cast("ResultFormat", recognized.format).read(path):
        yield _ReadRun(path, recognized.name, run)


def _format_of(path: Path, layout: str | None) -> Recognized:
    """Return the format of a file, which ``layout`` may name.

    Raises ``UsageError`` or ``DataError`` for a file that has no format of result files.
    """
    if layout is not None:
        return Recognized(layout, named_format(layout, FormatKind.RESULTS))
    recognized = recognize(Glimpse(path), FormatKind.RESULTS)
    if recognized is not None:
        return recognized
    try:
        fault = fault_of(path.stat())
    except OSError as error:
        raise DataError(f"{path}: not readable: {error.strerror}; give a result file") from error
    refuse_other_kinds(path, FormatKind.RESULTS)
    if fault:
        raise DataError(f"{path}: {fault}; give a result file")
    if not Glimpse(path).is_json:
        raise DataError(f"{path}, line 1: not JSON; give a result file")
    raise UsageError(
        f"{path}: no result file of a known format; name its format with `file_layout` (the guide "
        "*Score answers made elsewhere* lists what is read)",
        parameter="file_layout",
    )


def _join(read_runs: Sequence[_ReadRun]) -> FileRun:
    """Return one run with the answers of several files, which give it no name.

    The claims of a file are kept if it is the only one.
    """
    runs = [read.run for read in read_runs]
    formats = dict.fromkeys(read.format for read in read_runs)
    return FileRun(
        name=", ".join(read.path.name for read in read_runs),
        format=", ".join(formats),
        run=GivenRun(
            name=_NO_NAME,
            answers=tuple(answer for run in runs for answer in run.answers),
            claims=runs[0].claims if len(runs) == 1 else (),
        ),
        answers_of={read.path: read.run.answers for read in read_runs},
    )


def _with_unmatched(runs: Sequence[FileRun], verdicts: Sequence[_ReadRun]) -> FileRun:
    """Return the first run, which also names the verdicts on runs that no file has answers of."""
    known_names = {file_run.run.name for file_run in runs}
    unmatched = list(runs[0].unmatched_verdicts)
    for read in verdicts:
        if read.run.name not in known_names:
            keys = read.run.verdicts_elsewhere
            unmatched += [f"{read.path}: {read.run.name}: {_in_one_line(key)}" for key in keys]
    return replace(runs[0], unmatched_verdicts=tuple(unmatched))


def _with_verdicts(file_run: FileRun, verdicts: Sequence[_ReadRun]) -> FileRun:
    """Return a run with the verdicts that other files have on its answers.

    Verdicts of a run of the same name that fit none of its answers are named.
    """
    answers = list(file_run.run.answers)
    unmatched = []
    for read in verdicts:
        if read.run.name != file_run.run.name:
            continue
        left = dict(read.run.verdicts_elsewhere)  # The verdicts that were not added yet, by key.
        for place, answer in enumerate(answers):
            verdict = left.pop(verdict_key(answer), None)
            if verdict is not None:
                answers[place] = replace(answer, verdicts=(*answer.verdicts, verdict))
        unmatched += [f"{read.path}: {_in_one_line(key)}" for key in left]
    run = replace(file_run.run, answers=tuple(answers))
    [path] = file_run.answers_of
    return replace(
        file_run, run=run, answers_of={path: run.answers}, unmatched_verdicts=tuple(unmatched)
    )


def _in_one_line(key: str) -> str:
    """Return what names a question in a file of verdicts, on one line."""
    return " ".join(key.split())
