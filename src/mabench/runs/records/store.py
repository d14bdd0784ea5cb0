"""A run on disk: a folder of JSON files, written as it goes and readable at any instant.

``run.json`` says what the run is; ``samples.jsonl`` has a line per question, ``timings.jsonl`` how
long each took, ``memories.jsonl`` a line per row memorized. Timings stand apart so that a
deterministic agent gives the same samples, byte for byte.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from mabench.errors import DataError
from mabench.runs.records.encoding import JsonRecord, reader, reason
from mabench.runs.records.judgments import Judgment
from mabench.runs.records.lock import LOCK_FILES
from mabench.runs.records.measurements import MemoryRecord, Place, Timing
from mabench.runs.records.record import SCHEMA, RunRecord
from mabench.runs.records.sample import Sample

R = TypeVar("R", bound=JsonRecord)


class RunFolder:
    """Reads and writes the files of one run.

    Raises:
        DataError: by every method that meets a file it cannot read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._record = path / "run.json"
        self._samples = path / "samples.jsonl"
        self._timings = path / "timings.jsonl"
        self._memories = path / "memories.jsonl"
        self._judgments = path / "judgments.jsonl"
        self._summary = path / "summary.json"
        self._saved = path / "memories"

    def exists(self) -> bool:
        """Whether a run was begun here."""
        return self._record.is_file()

    def create(self, record: RunRecord) -> None:
        """Begin a run: make the folder and write what the run is."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            replace_text(self._record, _indented(record))
        except OSError as error:
            raise DataError(f"{self.path}: the run folder cannot be written: {error}") from error

    def record(self) -> RunRecord:
        """Return what the run is."""
        if not self.exists():
            raise DataError(
                f"{self.path}: no run here (there is no run.json); give a folder of `mabench run`"
            )
        try:
            content = json.loads(self._record.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"{self._record}: not readable: {error}") from error
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema != SCHEMA:
            raise DataError(
                f"{self._record}: schema {schema!r}, this version of mabench reads {SCHEMA}; use "
                "the version that made the run"
            )
        try:
            return reader(RunRecord).validate_python(content)
        except ValidationError as error:
            raise DataError(f"{self._record}: {reason(error)}") from error

    def repair(self) -> None:
        """Cut off a last line that was only half written when the run was stopped."""
        for file in (self._samples, self._timings, self._memories, self._judgments):
            if file.is_file() and not (content := file.read_bytes()).endswith(b"\n"):
                os.truncate(file, content.rfind(b"\n") + 1)

    def append_sample(self, sample: Sample, timing: Timing) -> None:
        """Add a sample, and what its answer took; both are on disk on return."""
        _append(self._samples, sample)
        _append(self._timings, timing)

    def append_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample yet."""
        _append(self._timings, timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of one row's memory."""
        _append(self._memories, memory)

    def append_judgment(self, judgment: Judgment) -> None:
        """Add a judge's verdict on one answer."""
        _append(self._judgments, judgment)

    def samples(self) -> Iterator[Sample]:
        """Yield the samples, in the order in which they were stored."""
        return _lines(self._samples, Sample)

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were stored."""
        return _lines(self._judgments, Judgment)

    def timings(self) -> Iterator[Timing]:
        """Yield how long each answer took; a question asked again comes again."""
        return _lines(self._timings, Timing)

    def memories(self) -> dict[Place, MemoryRecord]:
        """Return the memory of each row; of a row memorized again, the latest.

        One that was loaded keeps what was measured while it was made.
        """
        memories: dict[Place, MemoryRecord] = {}
        for memory in _lines(self._memories, MemoryRecord):
            memories[memory.place] = memory.after(memories.get(memory.place))
        return memories

    def replace_samples(self, samples: Iterable[Sample]) -> None:
        """Write all samples anew, all at once: a stop in the middle leaves the old ones."""
        replace_text(self._samples, "".join(f"{sample.to_json()}\n" for sample in samples))

    def is_worth_keeping(self) -> bool:
        """Whether there is anything that a resumed run would not have to do again."""
        return next(self.samples(), None) is not None or any(self._saved.glob("[!.]*"))

    def remove(self) -> None:
        """Remove the run from its folder; other files there stay.

        Raises:
            OSError: when a file cannot be removed.
        """
        for file in (self._record, self._samples, self._timings, self._memories, self._summary):
            file.unlink(missing_ok=True)
        for name in LOCK_FILES:
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self._saved, ignore_errors=True)

    def write_summary(self, summary: JsonRecord) -> None:
        """Write the summary, which is derived from the rest."""
        replace_text(self._summary, _indented(summary))


def _indented(record: JsonRecord) -> str:
    return json.dumps(record.as_dict(), indent=2, ensure_ascii=False) + "\n"


def _append(file: Path, record: JsonRecord) -> None:
    """Add a line; one that is only half written, on a full disk, is cut off on resume.

    Raises:
        DataError: when it cannot be written.
    """
    try:
        with file.open("ab", buffering=0) as stream:
            content = (record.to_json() + "\n").encode("utf-8", "surrogatepass")
            if stream.write(content) != len(content):
                raise OSError("the disk is full")
    except OSError as error:
        raise DataError(f"{file}: cannot be written: {error}; make room and resume") from error


def replace_text(file: Path, text: str) -> None:
    """Replace a file's text in one step; nothing is lost when it cannot be written.

    Raises:
        DataError: when it cannot be written.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(f"{file}: cannot be written: {error}; make room and resume") from error


def _lines(file: Path, kind: type[R]) -> Iterator[R]:
    """Yield the record of each whole line."""
    if not file.is_file():
        return
    read = reader(kind).validate_json
    with file.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):  # Half written by a run that was stopped, or is running.
                return
            try:
                yield read(line)
            except ValidationError as error:
                raise DataError(f"{file}: line {number}: {reason(error)}") from error
