"""Baselines that are run once: each in a folder named after all that its scores depend on."""

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

_DIGITS = 12  # Of the hash in the name of a folder.
# The fields of a record on which scores depend.
_DEPENDS_ON = (
    *("mabench", "agent", "code", "questions", "protocol", "chunk_tokens", "prompts", "model"),
    *("rows", "limit_questions", "packages"),
)


def run_baseline(spec: RunSpec, builds: int, folder: Path, progress: Progress) -> list[Run]:
    """Return the runs of a baseline; those in ``folder`` are used again.

    Rows, settings and code must be the same. Where the code of an agent is unknown, it is run anew.
    Processes wait for each other, so that one of them runs it.

    Raises:
        MabenchError: as ``run`` does.
    """
    record = describe_run(spec)
    folder.mkdir(parents=True, exist_ok=True)
    is_unknown = bool(record.code and record.code.unknown) and not spec.agent.same_code
    place = folder / f"{_readable(record.agent)}-{_hash(record, builds)}"
    with FileLock(folder / f".{place.name}.lock"):
        kept = [] if is_unknown else _find_complete(place)
        if len(kept) == builds:
            progress.say(f"Baseline: kept in {place}")
            return kept
        if is_unknown:
            progress.say(f"{record.agent} runs anew: {'; '.join(record.code.unknown)}.")  # type: ignore[union-attr]
        return run_repeatedly(
            replace(spec, out=place, fresh=is_unknown and place.exists()), builds, progress
        )


def _find_complete(place: Path) -> list[Run]:
    """Return the runs in a folder that asked all and had no errors."""
    files = [place / "run.json", *sorted(place.glob("repeat-*/run.json"))]
    runs = [Run(file.parent) for file in files if file.is_file()]
    return [
        run
        for run in runs
        if run.summary.spent.n >= sum(run.record.questions.values())
        and not run.summary.spent.errors
    ]


def _readable(name: str) -> str:
    return "".join(each if each.isalnum() or each in "._" else "-" for each in name)[:40].strip("-")


def _hash(record: RunRecord, builds: int) -> str:
    """Return a hash of all that the scores of a run depend on."""
    fields = asdict(record)
    known = {name: fields[name] for name in _DEPENDS_ON}
    content = [known, record.data.fingerprint, builds]
    return hashlib.sha256(to_json(content).encode()).hexdigest()[:_DIGITS]
