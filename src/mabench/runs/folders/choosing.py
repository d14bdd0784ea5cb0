"""Choosing the folder of a run: the one that was named, or one of ours for the same run."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from mabench.errors import UsageError
from mabench.progress import NoProgress, Progress
from mabench.results import RunFolder, RunRecord
from mabench.runs.folders.names import name_repeats, name_run
from mabench.runs.folders.resuming import doubt_code, name_changes, read_same_run
from mabench.specs import RunSpec

_PARENT = Path("runs")


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
    name = name_run(spec.data, record, repeats)
    # The places with the same run, and how or why its code may differ.
    begun: list[tuple[Path, list[RunFolder], str]] = []
    for number in count(1):
        free = _PARENT / (f"{name}-{number}" if number > 1 else name)
        runs = [run for run in map(RunFolder, name_repeats(free, repeats)) if run.exists()]
        if not runs:
            break
        stored = [run.record() for run in runs]
        differences = [each for one in stored for each in record.differences(one)]
        if all(difference.is_code for difference in differences):
            doubts = dict.fromkeys(doubt_code(spec, record, one) for one in stored)
            changes = name_changes(differences) or "; ".join(filter(None, doubts))
            begun.append((free, runs, changes))
    if spec.retry_errors:
        for place, runs, changes in reversed(begun):
            if not changes and any(sample.error for run in runs for sample in run.samples()):
                return place
        raise UsageError(
            f"no run under {_PARENT} with these settings has errors to retry, given the agent's "
            "present code; name its folder with `out`",
            parameter="retry_errors",
        )
    if spec.fresh:
        return begun[-1][0] if begun else free
    unfinished = ""
    for place, runs, changes in begun:
        if len(runs) == repeats and all(
            sum(1 for _ in run.samples()) >= sum(run.record().questions.values()) for run in runs
        ):
            continue
        if not changes:
            return place
        unfinished = f"{place} is left unfinished: {changes}. The run starts over in {free}."
    if unfinished:
        progress.say(unfinished)
    return free
