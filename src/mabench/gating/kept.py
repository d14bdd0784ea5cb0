"""Runs a baseline once and keeps its runs, so that later gates use them again.

The name of a baseline's folder has a hash of all that its scores depend on.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from pathlib import Path

from filelock import FileLock

from mabench.json_text import to_json
from mabench.progress import Progress
from mabench.results import Run, RunRecord
from mabench.runs import describe_run, run_repeatedly
from mabench.specs import RunSpec

_HASH_DIGITS = 12  # In the name of a folder.
_LONGEST_NAME = 40  # Characters of an agent's name in the name of a folder.
# The fields of a record on which scores depend.
_DEPENDS_ON = (
    *("mabench", "agent", "code", "questions", "protocol", "chunk_tokens", "prompts", "model"),
    *("rows", "limit_questions", "packages"),
)


def run_baseline(spec: RunSpec, builds: int, folder: Path, progress: Progress) -> list[Run]:
    """Return the runs of a baseline; those in ``folder`` are used again.

    Rows, settings and code must be the same. If some of the agent's code cannot be known, it is run
    anew, unless the user says that it is the same. Processes wait for each other, so that one of
    them runs it. Runs that were stopped are resumed.

    Args:
        spec: the settings of the baseline's run.
        builds: how many runs there must be, each with a memory built anew.
        folder: where baselines are kept, each in a folder of its own.
        progress: shows how the runs proceed.

    Raises:
        MabenchError: as ``run`` does.
    """
    record = describe_run(spec)
    folder.mkdir(parents=True, exist_ok=True)
    why_code_unknown = record.code.unknown if record.code else ()
    runs_anew = bool(why_code_unknown) and not spec.agent.same_code
    own_folder = folder / f"{_as_file_name(record.agent)}-{_hash(record, builds)}"
    with FileLock(folder / f".{own_folder.name}.lock"):
        if runs_anew:
            progress.say(f"{record.agent} runs anew: {'; '.join(why_code_unknown)}.")
        else:
            runs = _find_complete(own_folder)
            if len(runs) == builds:
                progress.say(f"Baseline: kept in {own_folder}")
                return runs
        fresh = runs_anew and own_folder.exists()  # ``fresh`` needs a run to start over.
        return run_repeatedly(replace(spec, out=own_folder, fresh=fresh), builds, progress)


def _find_complete(folder: Path) -> list[Run]:
    """Return the runs in a baseline's folder that asked all questions and had no errors."""
    files = [folder / "run.json", *sorted(folder.glob("repeat-*/run.json"))]
    runs = [Run(file.parent) for file in files if file.is_file()]
    return [run for run in runs if _is_complete(run)]


def _is_complete(run: Run) -> bool:
    asked = run.summary.spent.n
    return asked >= sum(run.record.questions.values()) and not run.summary.spent.errors


def _as_file_name(agent: str) -> str:
    """Return an agent's name with "-" for what not every file system takes, and not too long."""
    characters = [
        character if character.isalnum() or character in "._" else "-" for character in agent
    ]
    return "".join(characters[:_LONGEST_NAME]).strip("-")


def _hash(record: RunRecord, builds: int) -> str:
    """Return a hash of all that the scores of a run depend on, and of the number of builds."""
    fields = asdict(record)
    known = {name: fields[name] for name in _DEPENDS_ON}
    content = [known, record.data.fingerprint, builds]
    return hashlib.sha256(to_json(content).encode()).hexdigest()[:_HASH_DIGITS]
