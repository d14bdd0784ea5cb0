"""A run on disk: a folder of JSON files, written as it goes and readable at any instant.

``run.json`` says what the run is; ``samples.jsonl`` has a line per question, ``timings.jsonl`` how
long each took, ``memories.jsonl`` a line per row memorized. Timings stand apart so that a
deterministic agent gives the same samples, byte for byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mabench.errors import DataError
from mabench.runs.records.judgments import Judgment
from mabench.runs.records.sample import Key, Sample

SCHEMA = 1


class RunFolder:
    """Reads and writes the files of one run.

    Raises:
        DataError: by every method that meets a file it cannot read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._settings = path / "run.json"
        self._samples = path / "samples.jsonl"
        self._timings = path / "timings.jsonl"
        self._memories = path / "memories.jsonl"
        self._judgments = path / "judgments.jsonl"

    def exists(self) -> bool:
        """Whether a run was begun here."""
        return self._settings.is_file()

    def create(self, settings: dict[str, Any]) -> None:
        """Begin a run: make the folder and write what the run is."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            replace_text(self._settings, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise DataError(f"{self.path}: the run folder cannot be written: {error}") from error

    def settings(self) -> dict[str, Any]:
        """Return what the run is."""
        if not self.exists():
            raise DataError(f"{self.path}: no run here (there is no run.json)")
        try:
            settings: dict[str, Any] = json.loads(self._settings.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"{self._settings}: not readable: {error}") from error
        if settings.get("schema") != SCHEMA:
            raise DataError(
                f"{self._settings}: schema {settings.get('schema')!r}, this version of mabench "
                f"reads {SCHEMA}; use the version that made the run"
            )
        return settings

    def repair(self) -> None:
        """Cut off a last line that was only half written when the run was stopped."""
        for file in (self._samples, self._timings, self._memories, self._judgments):
            if file.is_file():
                _cut_torn_line(file)

    def append_sample(self, sample: Sample, seconds: float) -> None:
        """Add a sample, and how long its answer took; both are on disk on return."""
        place = dict(zip(("split", "row", "question_index"), sample.key, strict=True))
        _append(self._samples, sample.to_json())
        _append(self._timings, json.dumps({**place, "seconds": round(seconds, 6)}))

    def append_memory(self, memory: dict[str, Any]) -> None:
        """Add what is known of one row's memorizing."""
        _append(self._memories, json.dumps(memory, ensure_ascii=False))

    def append_judgment(self, judgment: Judgment) -> None:
        """Add what a judge said of one answer."""
        _append(self._judgments, judgment.to_json())

    def samples(self) -> Iterator[Sample]:
        """Yield the samples, in the order in which they were stored."""
        for number, line in _lines(self._samples):
            try:
                yield Sample(**line)
            except TypeError as error:
                raise DataError(f"{self._samples}: line {number}: {error}") from error

    def judgments(self) -> Iterator[Judgment]:
        """Yield what judges said, in the order in which it was stored."""
        for number, line in _lines(self._judgments):
            try:
                yield Judgment(**line)
            except TypeError as error:
                raise DataError(f"{self._judgments}: line {number}: {error}") from error

    def seconds(self) -> Iterator[tuple[Key, float]]:
        """Yield how long each answer took; a question asked again comes again."""
        for _, line in _lines(self._timings):
            yield (line["split"], line["row"], line["question_index"]), line["seconds"]

    def memories(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Return the memorizing of each row; of a row memorized again, the latest.

        Of one whose memory was loaded, what is known of the telling stands there as well.
        """
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for _, line in _lines(self._memories):
            place = (line["split"], line["row"])
            before = found.get(place, {}) if line.get("loaded") else {}
            found[place] = {**before, **line}
        return found

    def replace_samples(self, samples: Iterable[Sample]) -> None:
        """Write all samples anew, all at once: a stop in the middle leaves the old ones."""
        replace_text(self._samples, "".join(f"{sample.to_json()}\n" for sample in samples))

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write the summary, which is derived from the rest."""
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        replace_text(self.path / "summary.json", text)


def _append(file: Path, line: str) -> None:
    """Add a line; one that is only half written, on a full disk, is cut off on resume.

    Raises:
        DataError: when it cannot be written.
    """
    try:
        with file.open("ab", buffering=0) as stream:
            content = (line + "\n").encode("utf-8", "surrogatepass")
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


def _cut_torn_line(file: Path) -> None:
    with file.open("rb+") as stream:
        content = stream.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            stream.truncate(whole)


def _lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each whole line."""
    if not file.is_file():
        return
    with file.open(encoding="utf-8", newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.endswith("\n"):  # Half written by a run that was stopped, or is running.
                return
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise DataError(f"{file}: line {number}: not JSON: {error}") from error
