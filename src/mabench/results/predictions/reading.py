"""Reading result files in whatever installed format they have, as runs with a name each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from mabench.errors import DataError, UsageError
from mabench.formats import (
    FormatKind,
    GivenAnswer,
    GivenRun,
    GivenVerdict,
    Glimpse,
    Recognized,
    ResultFormat,
    named_format,
    recognize,
    refuse_other_kinds,
)
from mabench.formats.result_files import verdict_key
from mabench.userfile import fault_of

_NO_NAME = ""


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

    Runs without a name of their own are one: those of the published code have a file a source. A
    file of verdicts adds them to the answers of the run of the same name in another file.
    ``layout`` names the format of files whose shape does not tell.

    Raises:
        UsageError: when a file fits no format or several, or is no result file.
        DataError: when a file cannot be read, or verdicts fit no answer.
    """
    unnamed, named, verdicts = [], [], []
    for path in paths:
        for found, run in _read(path, layout):
            read = path, found.name, run
            if run.name == _NO_NAME:
                unnamed.append(read)
            elif not run.verdicts_elsewhere:
                named.append(read)
            if run.verdicts_elsewhere:
                verdicts.append(read)
    runs = [
        FileRun(
            name=f"{path.name}, {run.name}",
            format=kind,
            run=run,
            answers_of={path: run.answers},
        )
        for path, kind, run in named
    ]
    runs = [_with_verdicts(one, verdicts) for one in runs]
    if runs:
        runs[0] = _with_unmatched(runs, verdicts)
    if unnamed:
        runs.insert(0, _join(unnamed))
    if not runs:
        raise DataError(f"{paths[0]}: no answers in it; give the file of answers, too")
    return runs


def _read(path: Path, layout: str | None) -> Iterator[tuple[Recognized, GivenRun]]:
    found = _format_of(path, layout)
    for run in cast("ResultFormat", found.format).read(path):
        yield found, run


def _format_of(path: Path, layout: str | None) -> Recognized:
    if layout is not None:
        return Recognized(layout, named_format(layout, FormatKind.RESULTS))
    if (found := recognize(Glimpse(path), FormatKind.RESULTS)) is not None:
        return found
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
        parameter="layout",
    )


def _join(read: Sequence[tuple[Path, str, GivenRun]]) -> FileRun:
    """Return one run of the answers of several files; only a single file's claims are kept."""
    runs = [run for _, _, run in read]
    return FileRun(
        name=", ".join(path.name for path, _, _ in read),
        format=", ".join(dict.fromkeys(kind for _, kind, _ in read)),
        run=GivenRun(
            name=_NO_NAME,
            answers=tuple(answer for run in runs for answer in run.answers),
            claims=runs[0].claims if len(runs) == 1 else (),
        ),
        answers_of={path: run.answers for path, _, run in read},
    )


def _with_unmatched(
    runs: Sequence[FileRun], verdicts: Sequence[tuple[Path, str, GivenRun]]
) -> FileRun:
    """Return the first run, which also names the verdicts on runs that no file has answers of."""
    known = {one.run.name for one in runs}
    unmatched = [
        f"{path}: {run.name}: {' '.join(key.split())}"
        for path, _, run in verdicts
        if run.name not in known
        for key in run.verdicts_elsewhere
    ]
    return replace(runs[0], unmatched_verdicts=(*runs[0].unmatched_verdicts, *unmatched))


def _with_verdicts(one: FileRun, verdicts: Sequence[tuple[Path, str, GivenRun]]) -> FileRun:
    """Return a run with the verdicts that other files have on its answers."""
    answers = list(one.run.answers)
    unmatched = []
    for path, _, run in verdicts:
        if run.name != one.run.name:
            continue
        given = dict(run.verdicts_elsewhere)
        answers = [_with_verdict(answer, given) for answer in answers]
        unmatched += [f"{path}: {' '.join(key.split())}" for key in given]
    run = replace(one.run, answers=tuple(answers))
    [path] = one.answers_of
    return replace(
        one, run=run, answers_of={path: run.answers}, unmatched_verdicts=tuple(unmatched)
    )


def _with_verdict(answer: GivenAnswer, given: dict[str, GivenVerdict]) -> GivenAnswer:
    """Return an answer with its verdict, which is taken out of those ``given``."""
    verdict = given.pop(verdict_key(answer), None)
    return answer if verdict is None else replace(answer, verdicts=(*answer.verdicts, verdict))
