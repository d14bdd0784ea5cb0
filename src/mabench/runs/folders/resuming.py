"""Resuming a run: only in a folder that holds the same run, with the same code of its agent."""

from __future__ import annotations

from collections.abc import Iterable

from mabench.errors import UsageError
from mabench.results import RecordDifference, RunFolder, RunRecord
from mabench.specs import RunSpec


def read_same_run(folder: RunFolder, spec: RunSpec, record: RunRecord) -> RunRecord:
    """Return the record of a folder; refuse another run, other code, or a run that asks more.

    Code that is unknown, now or then, may be other code; only ``same_code`` says that it is not.
    """
    stored = folder.record()
    differences = record.differences(stored)
    for difference in differences:
        if not (difference.is_selection or difference.is_code):
            raise UsageError(
                f"{folder.path} holds another run: {difference}; give another `out`",
                parameter="out",
            )
    if changes := name_changes(differences):
        raise UsageError(
            f"{folder.path} holds answers of different code: {changes}. `fresh` sets them aside "
            "and starts over; or give another `out`",
            parameter="fresh",
        )
    if doubts := doubt_code(spec, record, stored):
        raise UsageError(
            f"{folder.path} holds answers of code that may differ: {doubts}. `same_code` resumes "
            "the run if the code is the same, `fresh` starts over; or give another `out`",
            parameter="fresh",
        )
    if left_out := record.left_out(stored):
        raise UsageError(
            f"{folder.path} holds a run with more questions: {'; '.join(left_out)}. A run can be "
            "extended, not narrowed: include all of these, or give another `out`",
            parameter="out",
        )
    return stored


def doubt_code(spec: RunSpec, here: RunRecord, there: RunRecord) -> str:
    """Return why nobody can check that the code of two runs is the same; empty for no reason."""
    if spec.agent.same_code:
        return ""
    reasons: list[str] = []
    for run in (here, there):
        if run.code is not None:
            reasons += run.code.unknown
    return "; ".join(dict.fromkeys(reasons))


def name_changes(differences: Iterable[RecordDifference]) -> str:
    """Return which files and packages of an agent have changed, in words; empty for none."""
    return ", ".join(_name_change(difference) for difference in differences if difference.is_code)


def _name_change(difference: RecordDifference) -> str:
    """Return how a file or package of the stored run's agent differs from what is here now."""
    if difference.there is None:
        return f"{difference.what} is new"
    if difference.here is None:
        return f"{difference.what} is no longer part of it"
    return f"{difference.what} has changed"
