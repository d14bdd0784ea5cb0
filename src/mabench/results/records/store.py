"""A run on disk: a folder of JSON files, written as it goes and readable at any instant.

``run.json`` says what the run is; ``samples.jsonl`` has a line per question, ``timings.jsonl`` how
long each took, ``memories.jsonl`` a line per row memorized, ``calls.jsonl`` the calls of models.
Timings stand apart so that a deterministic agent gives the same samples, byte for byte.

A line that cannot be read, since it was torn or edited, hides nothing else: it is passed over and
named. Who writes in the folder first moves it, as it is, to a file beside the one that held it;
``damaged.jsonl`` lists such lines.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TypeVar

from mabench.errors import DataError, reason
from mabench.json_text import to_json
from mabench.results.records.calls import CallRecord
from mabench.results.records.encoding import JsonRecord, record_of
from mabench.results.records.files import (
    DamagedLine,
    Line,
    append_bytes,
    append_line,
    is_there,
    lines_of,
    records_in,
    repeated,
    replace_content,
    set_aside,
)
from mabench.results.records.judgments import Judgment
from mabench.results.records.lock import LOCK_FILES
from mabench.results.records.measurements import MemoryRecord, Place, Timing
from mabench.results.records.prompts import Prompts
from mabench.results.records.record import SCHEMA, RunRecord
from mabench.results.records.sample import Key, Sample, SampleScores
from mabench.userfile import read_json_file

R = TypeVar("R", bound=JsonRecord)

_REMEDY = "put back a copy of it (the answers in samples.jsonl are unharmed)"
_ASIDE = "set-aside-"
_A_FOLDER = "give a folder of `mabench run`"


class RunFolder:
    """Reads and writes the files of one run.

    Raises:
        DataError: by every method that meets a file it cannot read or write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._record = path / "run.json"
        self._samples = path / "samples.jsonl"
        self._timings = path / "timings.jsonl"
        self._memories = path / "memories.jsonl"
        self._calls = path / "calls.jsonl"
        self._judgments = path / "judgments.jsonl"
        self._prompts = Prompts(path / "prompts.jsonl.gz")
        self._summary = path / "summary.json"
        self._saved = path / "memories"
        self._register = path / "damaged.jsonl"
        self._damaged: dict[tuple[str, int], DamagedLine] = {}
        self._parsed: RunRecord | None = None

    def exists(self) -> bool:
        """Return whether a run was begun here."""
        return self._parsed is not None or is_there(self._record)

    def create(self, record: RunRecord) -> None:
        """Begin a run: make the folder and write what the run is."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            replace_content(self._record, [_indented(record)])
        except OSError as error:
            raise DataError(
                f"{self.path}: the run folder cannot be written: {reason(error)}"
            ) from error
        self._parsed = None  # A field may be read back as another type than it was given as.

    def record(self) -> RunRecord:
        """Return what the run is; the file is read once."""
        if self._parsed is not None:
            return self._parsed
        if not self.exists():
            raise DataError(f"{self.path}: no run here (there is no run.json); {self._elsewhere()}")
        try:
            content = read_json_file(self._record)
        except (OSError, ValueError) as error:
            raise DataError(f"{self._record}: not readable: {reason(error)}; {_REMEDY}") from error
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema != SCHEMA:
            raise DataError(
                f"{self._record}: schema {schema!r}, this version of mabench reads {SCHEMA}; use "
                f"the version that made the run, or {_REMEDY}"
            )
        try:
            self._parsed = record_of(RunRecord, content)
        except ValueError as error:
            raise DataError(f"{self._record}: {error}; {_REMEDY}") from error
        return self._parsed

    def _elsewhere(self) -> str:
        """Return where a run may be instead: in the folders of a repeated run."""
        repeats = sorted(file.parent.name for file in self.path.glob("repeat-*/run.json"))
        return f"give one of {', '.join(repeats)} in it" if repeats else _A_FOLDER

    def repair(self) -> list[DamagedLine]:
        """Make the files fit to be written on, and return the lines that were set aside.

        A last line that was only half written when the run was stopped is moved as well, but
        that is no damage.
        """
        if any(not line.is_whole for line in lines_of(self._register)):
            append_bytes(self._register, b"\n")
        kinds: dict[Path, type[JsonRecord]] = {
            self._samples: Sample,
            self._timings: Timing,
            self._memories: MemoryRecord,
            self._calls: CallRecord,
            self._judgments: Judgment,
        }
        return [line for file, kind in kinds.items() for line in self._repair(file, kind)]

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Add a sample, what its answer took, and what a model was shown.

        All of it is on disk on return.
        """
        if prompt is not None:
            sample = replace(sample, prompt=self._prompts.keep(prompt))
        append_line(self._samples, sample)
        append_line(self._timings, timing)

    def append_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample yet."""
        append_line(self._timings, timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of one row's memory."""
        append_line(self._memories, memory)

    def append_call(self, call: CallRecord) -> None:
        """Add that a call of a model began, or how it ended; from any thread."""
        append_line(self._calls, call)

    def append_judgment(self, judgment: Judgment) -> None:
        """Add a judge's verdict on one answer."""
        append_line(self._judgments, judgment)

    def samples(self, *, every: bool = False) -> Iterator[Sample]:
        """Yield the samples in the order in which they were stored.

        Args:
            every: whether to yield those, too, of whose question there is a later one.
        """
        earlier = frozenset() if every else repeated(self._samples, self._sample_keys)
        for line, sample in self._records(self._samples, Sample):
            if line.number not in earlier:
                yield sample

    def scores(self) -> Iterator[SampleScores]:
        """Yield the scores of the samples, as ``samples`` yields these."""
        earlier = repeated(self._samples, self._sample_keys)
        for line, scores in self._records(self._samples, SampleScores):
            if line.number not in earlier:
                yield scores

    def prompts(self, names: Collection[str]) -> dict[str, str]:
        """Return what models were shown, by the hash that samples have."""
        return self._prompts.read(names)

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were stored."""
        return self._distinct(self._judgments, Judgment)

    def timings(self) -> Iterator[Timing]:
        """Yield how long each answer took; a question asked again comes again."""
        return self._distinct(self._timings, Timing)

    def calls(self) -> Iterator[CallRecord]:
        """Yield each call of a model once: how it ended, or that it began if it never did."""
        begun: dict[str, CallRecord] = {}
        for call in self._distinct(self._calls, CallRecord):
            if call.ended:
                begun.pop(call.call, None)
                yield call
            else:
                begun[call.call] = call
        yield from begun.values()

    def memories(self) -> dict[Place, MemoryRecord]:
        """Return the memory of each row; of a row memorized again, the latest.

        One that was loaded keeps what was measured while it was made.
        """
        memories: dict[Place, MemoryRecord] = {}
        for _, memory in self._records(self._memories, MemoryRecord):
            memories[memory.place] = memory.after(memories.get(memory.place))
        return memories

    def damaged(self) -> list[DamagedLine]:
        """Return the lines that could not be read so far, and those that were set aside."""
        moved = [line for _, line in self._records(self._register, DamagedLine)]
        return [*moved, *self._damaged.values()]

    def replace_samples(self, samples: Iterable[Sample]) -> None:
        """Write all samples anew, all at once: a stop in the middle leaves the old ones."""
        replace_content(self._samples, (f"{sample.to_json()}\n".encode() for sample in samples))

    def is_worth_keeping(self) -> bool:
        """Whether there is anything that a resumed run would not have to do again."""
        kept = next(self.samples(), None) is not None or any(self._saved.glob("[!.]*"))
        return kept or any(call.cost for call in self.calls() if call.phase != "preflight")

    def set_aside(self) -> Path:
        """Move the run into a new folder within its own, and return that."""
        places = (self.path / f"{_ASIDE}{number}" for number in count(1))
        place = next(place for place in places if not place.exists())
        measured = (self._timings, self._memories, self._calls, self._judgments, self._register)
        try:
            place.mkdir()
            # Stopped half-way, what was moved is with a record, and what was not still is.
            shutil.copyfile(self._record, place / self._record.name)
            damaged = self.path.glob("*.damaged")
            for file in (
                *(self._samples, self._prompts.file, self._summary, self._saved),
                *measured,
                *damaged,
            ):
                if file.exists():
                    file.rename(place / file.name)
            self._parsed = None
            self._record.unlink()
        except OSError as error:
            raise DataError(f"{self.path}: cannot be set aside: {reason(error)}") from error
        return place

    def holds_others(self) -> Path | None:
        """Return a run within the folder that is not one that was set aside; None if none is."""
        within = (file.parent for file in self.path.glob("*/run.json"))
        return next((path for path in within if not path.name.startswith(_ASIDE)), None)

    def remove(self, others: Collection[str]) -> None:
        """Remove the run from its folder; other files there stay.

        Args:
            others: the names of files that were there before the run, which stay as well.

        Raises:
            OSError: when a file cannot be removed.
        """
        self._parsed = None
        measured = (self._timings, self._memories, self._calls, self._prompts.file)
        for file in (self._record, self._samples, *measured, self._summary):
            if file.name not in others:
                file.unlink(missing_ok=True)
        for name in LOCK_FILES:
            (self.path / name).unlink(missing_ok=True)
        if self._saved.name not in others:
            shutil.rmtree(self._saved, ignore_errors=True)

    def write_summary(self, summary: JsonRecord) -> None:
        """Write the summary, which is derived from the rest."""
        replace_content(self._summary, [_indented(summary)])

    def _records(self, file: Path, kind: type[R]) -> Iterator[tuple[Line, R]]:
        """Yield what can be read of a file, and remember what cannot."""
        sources = self.record().questions if self.exists() else None

        def remember(line: DamagedLine) -> None:
            self._damaged[line.file, line.line] = line

        return records_in(file, kind, sources, remember)

    def _distinct(self, file: Path, kind: type[R]) -> Iterator[R]:
        """Yield what can be read of a file, but nothing for the copy of a line."""
        seen: set[int] = set()
        for line, record in self._records(file, kind):
            name = hash(line.content.strip())
            if name not in seen:
                seen.add(name)
                yield record

    def _sample_keys(self) -> Iterator[tuple[int, Key]]:
        return ((line.number, sample.key) for line, sample in self._records(self._samples, Sample))

    def _repair(self, file: Path, kind: type[JsonRecord]) -> list[DamagedLine]:
        """Set aside what cannot be read of a file, and let its last line be whole."""
        read = {line.number for line, _ in self._records(file, kind)}
        if all(line.is_whole and line.number in read for line in lines_of(file)):
            return []
        moved = []
        for line in lines_of(file):
            if line.number not in read:
                place = set_aside(file, line.ended)
                damaged = replace(self._damaged.pop((file.name, line.number)), set_aside=place)
                if not line.is_cut:
                    append_line(self._register, damaged)
                    moved.append(damaged)
        replace_content(file, (line.ended for line in lines_of(file) if line.number in read))
        return moved


def _indented(record: JsonRecord) -> bytes:
    return f"{to_json(record.as_dict(), indent=2)}\n".encode()
