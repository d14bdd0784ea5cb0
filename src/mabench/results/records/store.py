"""A run on disk: a folder of JSON files, written as it goes and readable at any instant.

``run.json`` says what the run is; ``samples.jsonl`` has a line per question, ``timings.jsonl`` how
long each took, ``memories.jsonl`` a line per row memorized, ``calls.jsonl`` the calls of models.
Timings are kept apart so that a deterministic agent gives the same samples, byte for byte.

A line that cannot be read, since it was torn or edited, hides nothing else: it is passed over and
named. Who writes in the folder first moves it, as it is, to a file beside the one that held it;
``damaged.jsonl`` lists such lines.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mabench.data import BY_NAME, read_declarations
from mabench.errors import DataError, UsageError, reason
from mabench.families import Family, family_of
from mabench.json_text import JsonRecord, record_of
from mabench.results.records.files import DamagedLine, LineFile, OwnFile
from mabench.results.records.fitness import FitnessCheck, FitnessRules
from mabench.results.records.lines import CallRecord, Judgment, MemoryRecord, Place, Sample, Timing
from mabench.results.records.prompts import PromptFile
from mabench.results.records.record import SCHEMA, RunRecord, TakesRecord
from mabench.userfile import read_json_file

_REMEDY = "restore a copy of it (the answers in samples.jsonl are intact)"
_ASIDE = "set-aside-"
_LISTED = 5  # Runs that a folder holds.
_LOCK, _OWNER = ".lock", ".owner"
# What is measured while a row is memorized, and stays true of a memory that is loaded later.
_LASTING = (
    *("chunks", "characters", "tokens", "memories", "bytes", "chunks_without_memory"),
    *("adds", "add_seconds", "ready_seconds"),
)


class RunFolder:
    """Reads and writes the files of one run; a file that it cannot gives a DataError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._record = OwnFile(path / "run.json")
        self._summary = OwnFile(path / "summary.json")
        self._saved = path / "memories"
        self._damaged: dict[tuple[str, int], DamagedLine] = {}
        common = self._damaged, self._begin_check
        self._samples = LineFile(path / "samples.jsonl", Sample, *common)
        self._timings = LineFile(path / "timings.jsonl", Timing, *common)
        self._memories = LineFile(path / "memories.jsonl", MemoryRecord, *common)
        self._calls = LineFile(path / "calls.jsonl", CallRecord, *common)
        self._judgments = LineFile(path / "judgments.jsonl", Judgment, *common)
        self._lines = (self._samples, self._timings, self._memories, self._calls, self._judgments)
        self._register = LineFile(path / "damaged.jsonl", DamagedLine, self._damaged, lambda: None)
        self._prompts = PromptFile(path / "prompts.jsonl.gz")
        self._files = (*self._lines, self._register, self._prompts, self._summary)
        self._parsed: RunRecord | None = None
        self._fitness_rules: FitnessRules | None = None  # Of what was parsed.
        self._families: dict[str, Family] = {}

    def _begin_check(self) -> Callable[[JsonRecord], None] | None:
        """Return what checks the lines of a file of the run; None if no run was begun."""
        return FitnessCheck(self._rules()).check if self.exists() else None

    def _rules(self) -> FitnessRules:
        """Return what the lines of this run's files must be like."""
        record = self.record()
        if self._fitness_rules is None:
            metrics: dict[str, str] = {}
            with suppress(UsageError):  # Whoever reports the run says which family is unknown.
                metrics = {name: family.metric for name, family in self.families().items()}
            self._fitness_rules = FitnessRules(record, metrics)
        return self._fitness_rules

    def exists(self) -> bool:
        """Return whether a run was begun here."""
        return self._parsed is not None or self._record.is_there()

    def create(self, record: RunRecord) -> None:
        """Begin a run: make the folder and write what the run is."""
        self._record.write_record(record)
        self._parsed = None  # A field may be read back as another type than it was given as.

    def end(self, *, complete: bool) -> None:
        """Note in the record when the run was finished, now, or that it is not."""
        now = datetime.now(UTC).isoformat(timespec="seconds") if complete else None
        if (ended := replace(self.record(), finished=now)) != self.record():
            self.create(ended)

    def note_takes(self, takes: TakesRecord) -> None:
        """Note what the agent takes beside texts; a UsageError if it has taken something else."""
        record = self.record()
        if record.takes is None:
            self.create(replace(record, takes=takes))
        elif record.takes != takes:
            raise UsageError(
                f"{self.path} holds answers of an agent that was {record.takes}. Here it is "
                f"{takes}. `fresh` sets them aside and starts over; or give another `out`",
                parameter="fresh",
            )

    def record(self) -> RunRecord:
        """Return what the run is; the file is read once."""
        if self._parsed is not None:
            return self._parsed
        if not self.exists():
            within = sorted(self.runs_within())[:_LISTED]
            there = f"give what is in it: {', '.join(map(str, within))}" if within else ""
            raise UsageError(
                f"{self.path}: no run here (there is no run.json); "
                f"{there or '`mabench runs` lists the runs'}"
            )
        file = self._record.path
        try:
            content = read_json_file(file)
        except (OSError, ValueError) as error:
            raise DataError(f"{file}: not readable: {reason(error)}; {_REMEDY}") from error
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema != SCHEMA:
            raise DataError(
                f"{file}: schema {schema!r}, this version of mabench reads {SCHEMA}; use "
                f"the version that made the run, or {_REMEDY}"
            )
        try:
            self._parsed, self._families = record_of(RunRecord, content), {}
            self._fitness_rules = None
        except ValueError as error:
            raise DataError(f"{file}: {error}; {_REMEDY}") from error
        return self._parsed

    def families(self) -> Mapping[str, Family]:
        """Return the family of each source of the run; a UsageError where one is unknown."""
        record = self.record()
        if not self._families:
            own = read_declarations(record.sources) if record.sources else BY_NAME
            self._families = {n: family_of(own.get(n, n), own) for n in record.questions}
        return self._families

    def repair(self) -> list[DamagedLine]:
        """Make the files fit to be written on, and return the damaged lines that were set aside."""
        self._register.end_line()
        return [line for file in self._lines for line in file.repair(self._register)]

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Write a sample and its timing to disk, and the prompt once, which the sample names."""
        if prompt is not None:
            sample = replace(sample, prompt=self._prompts.keep(prompt))
        if self.exists():
            sample = replace(sample, run=self._rules().mark)
        self._samples.append(sample)
        self._timings.append(timing)

    def append_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample."""
        self._timings.append(timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of a row's memory."""
        self._memories.append(memory)

    def append_call(self, call: CallRecord) -> None:
        """Add that a call of a model began, or how it ended; safe from any thread."""
        self._calls.append(call)

    def append_judgment(self, judgment: Judgment) -> None:
        """Add a judge's verdict."""
        self._judgments.append(judgment)

    def samples(self, *, every: bool = False) -> Iterator[Sample]:
        """Yield the latest sample of each question, or ``every`` one, in the order stored."""
        return self._samples.latest(every=every)

    def replace_samples(self, samples: Iterable[Sample]) -> None:
        """Write all samples anew in one step; a stop in the middle leaves the old ones."""
        self._samples.replace(samples)

    def timings(self) -> Iterator[Timing]:
        """Yield how long answers took, in the order stored, one for each time of asking."""
        return self._timings.distinct()

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order stored."""
        return self._judgments.distinct()

    def prompts(self, names: Collection[str]) -> dict[str, str]:
        """Return what models were shown, by the hashes that samples have."""
        return self._prompts.read(names)

    def write_summary(self, summary: JsonRecord) -> None:
        """Write the summary, which is derived from the other files."""
        self._summary.write_record(summary)

    def calls(self) -> Iterator[CallRecord]:
        """Yield each call of a model once: how it ended, or that it began if it never did.

        Those of judges are no part of what the run took.
        """
        begun: dict[str, CallRecord] = {}
        for call in self._calls.distinct():
            if call.by == "judge":
                continue
            if call.ended:
                begun.pop(call.call, None)
                yield call
            else:
                begun[call.call] = call
        yield from begun.values()

    def memories(self) -> dict[Place, MemoryRecord]:
        """Return the latest memory of each row; a loaded one with what its making measured."""
        memories: dict[Place, MemoryRecord] = {}
        saved: dict[Place, MemoryRecord | None] = {}  # What was known when it was last loaded.
        for memory in self._memories.records():
            place = memory.split, memory.row
            if memory.loaded and memory.adds is None:
                saved[place] = memories.get(place)
            memories[place] = _recall(memory, saved.get(place)) if memory.loaded else memory
        return memories

    def damaged(self) -> list[DamagedLine]:
        """Return the lines that could not be read so far, and those that were set aside."""
        return [*self._register.records(), *self._damaged.values()]

    def is_worth_keeping(self) -> bool:
        """Return whether there is anything that a resumed run would not have to do again."""
        kept = next(self.samples(), None) is not None or any(self._saved.glob("[!.]*"))
        return kept or any(call.cost for call in self.calls() if call.phase != "preflight")

    def set_aside(self) -> Path:
        """Move the run into a new folder within its own, and return that."""
        places = (self.path / f"{_ASIDE}{number}" for number in count(1))
        place = next(place for place in places if not place.exists())
        files = [*(file.path for file in self._files), self._saved]
        try:
            place.mkdir()
            # Stopped half-way, what was moved is with a record, and what was not still is.
            shutil.copyfile(self._record.path, place / self._record.path.name)
            for file in (*files, *self.path.glob("*.damaged")):
                if file.exists():
                    file.rename(place / file.name)
            self._parsed = None
            self._record.path.unlink()
        except OSError as error:
            raise DataError(f"{self.path}: cannot be set aside: {reason(error)}") from error
        return place

    def runs_within(self) -> set[Path]:
        """Return the folders in it that hold runs, or repeats of one, but none set aside."""
        files = {*self.path.glob("*/run.json"), *self.path.glob("*/repeat-1/run.json")}
        within = {self.path / file.relative_to(self.path).parts[0] for file in files}
        return {path for path in within if not path.name.startswith(_ASIDE)}

    def remove(self, others: Collection[str]) -> None:
        """Remove the run from its folder, but no ``others``: files there before it, by name."""
        self._parsed = None
        for file in (self._record, *self._files):
            if file.path.name not in others:
                file.path.unlink(missing_ok=True)
        for name in (_LOCK, _OWNER):
            (self.path / name).unlink(missing_ok=True)
        if self._saved.name not in others:
            shutil.rmtree(self._saved, ignore_errors=True)

    @contextmanager
    def own(self) -> Iterator[None]:
        """Own the folder, which is made; the system frees the lock of a process that died.

        Raises:
            UsageError: when another process owns it, naming that.
            DataError: when it cannot be written, or has a link in it, naming that.
        """
        for name in (_LOCK, _OWNER):
            OwnFile(self.path / name).is_there()
        lock, owner = FileLock(self.path / _LOCK, timeout=0), OwnFile(self.path / _OWNER)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for link in filter(Path.is_symlink, sorted(self.path.iterdir())):
                raise DataError(
                    f"{link}: a link, and link targets are not written; remove it, or replace it "
                    "with a copy of the file"
                )
            lock.acquire()
            with owner.open("wb") as stream:
                stream.write(f"{os.getpid()}\n".encode())
        except Timeout as error:
            try:
                process = owner.path.read_text(encoding="ascii").strip()
            except OSError:
                process = "(unknown)"
            raise UsageError(
                f"{self.path} is in use by process {process}; wait until that ends"
            ) from error
        except OSError as error:
            lock.release()
            why = f"the run folder cannot be written: {reason(error)}; give another `out`"
            raise DataError(f"{self.path}: {why}") from error
        try:
            yield
        finally:
            lock.release()

    def is_owned(self) -> bool:
        """Return whether a process is writing in the folder; False where that cannot be told."""
        try:
            import fcntl
        except ImportError:  # Windows.
            return False
        try:
            lock = os.open(self.path / _LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(lock)
        return False


def _recall(loaded: MemoryRecord, earlier: MemoryRecord | None) -> MemoryRecord:
    """Return the record of a loaded memory with what an earlier one knows of it."""
    unknown = [name for name in _LASTING if getattr(loaded, name) is None]
    fields: dict[str, Any] = {name: getattr(earlier, name, None) for name in unknown}
    if loaded.adds is not None:  # Of texts that were told after it was loaded.
        before = None if earlier is None else earlier.adds
        fields["adds"] = None if before is None else Counter(before) + Counter(loaded.adds)
        fields["add_seconds"] = earlier and (earlier.add_seconds or 0) + (loaded.add_seconds or 0)
    return replace(loaded, **fields)
