"""Choosing the folder of a run: the one that was named, or one of ours for the same run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.progress import NoProgress, Progress
from mabench.results import RunFolder, RunRecord
from mabench.runs.folders.names import name_repeats, name_run
from mabench.runs.folders.resuming import doubt_code, name_changes, read_same_run
from mabench.specs import RunSpec

_PARENT = Path("runs")


class _Begun(NamedTuple):
    """A place under ``runs`` that holds the same run, or its repeats."""

    place: Path
    runs: list[RunFolder]
    changes: str  # How the code of the agent differs, or why it may; empty if it is the same.

    def has_errors(self) -> bool:
        """Return whether any answer is an error."""
        return any(sample.error for run in self.runs for sample in run.samples())

    def is_finished(self, repeats: int) -> bool:
        """Return whether all questions of all repeats are answered."""
        return len(self.runs) == repeats and all(map(_is_answered, self.runs))


def find_run(spec: RunSpec, record: RunRecord) -> RunFolder | None:
    """Return the folder that a run resumes or extends, if any; raises as ``own_folder``."""
    if spec.fresh:
        return None
    folder = RunFolder(choose_folder(spec, record, 1, NoProgress()))
    if not folder.exists():
        return None
    read_same_run(folder, spec, record)
    return folder


def choose_folder(spec: RunSpec, record: RunRecord, repeats: int, progress: Progress) -> Path:
    """Return the folder of a run, or the one above its repeats; its path is absolute.

    Raises:
        UsageError: when errors are to be retried and no run of ours has any.
    """
    return (spec.out or _choose_default(spec, record, repeats, progress)).absolute()


def _choose_default(spec: RunSpec, record: RunRecord, repeats: int, progress: Progress) -> Path:
    """Return the first place that is free, or holds the same run, unfinished.

    To retry errors, it is the newest with the same run and errors; for a run anew, the newest with
    the same run, of whatever code.
    """
    begun, free = _search_places(spec, record, repeats)
    if spec.retry_errors:
        for candidate in reversed(begun):
            if not candidate.changes and candidate.has_errors():
                return candidate.place
        raise UsageError(
            f"no run under {_PARENT} with these settings has errors to retry, given the agent's "
            "present code; name its folder with `out`",
            parameter="retry_errors",
        )
    if spec.fresh:
        return begun[-1].place if begun else free
    left_unfinished = ""
    for candidate in begun:
        if candidate.is_finished(repeats):
            continue
        place, changes = candidate.place, candidate.changes
        if not changes:
            return place
        left_unfinished = f"{place} is left unfinished: {changes}. The run starts over in {free}."
    if left_unfinished:
        progress.say(left_unfinished)
    return free


def _search_places(spec: RunSpec, record: RunRecord, repeats: int) -> tuple[list[_Begun], Path]:
    """Return the places that hold the same run, the oldest first, and the first that is free.

    The places of a run are ``NAME``, ``NAME-2``, ``NAME-3`` and so on; other runs may have some.
    """
    name = name_run(spec.data, record, repeats)
    begun: list[_Begun] = []
    for number in count(1):
        place = _PARENT / (f"{name}-{number}" if number > 1 else name)
        runs = [run for run in map(RunFolder, name_repeats(place, repeats)) if run.exists()]
        if not runs:
            break
        stored = [run.record() for run in runs]
        differences = [
            difference for earlier in stored for difference in record.differences(earlier)
        ]
        if all(difference.is_code for difference in differences):
            changes = name_changes(differences) or _list_doubts(spec, record, stored)
            begun.append(_Begun(place, runs, changes))
    return begun, place


def _list_doubts(spec: RunSpec, record: RunRecord, stored: Sequence[RunRecord]) -> str:
    """Return why the code of stored runs may differ from that of ``record``; empty if it cannot."""
    doubts = dict.fromkeys(doubt_code(spec, record, earlier) for earlier in stored)
    return "; ".join(filter(None, doubts))


def _is_answered(run: RunFolder) -> bool:
    """Return whether a run holds an answer to each of its questions."""
    answers = sum(1 for _ in run.samples())
    return answers >= sum(run.record().questions.values())
