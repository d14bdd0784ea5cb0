"""A run on disk: a folder of JSON files, written as it goes and readable at any instant.

``run.json`` says what the run is; ``samples.jsonl`` has a line per question, ``timings.jsonl`` how
long each took, ``memories.jsonl`` a line per row memorized, ``calls.jsonl`` the calls of models,
``stages.jsonl`` what was seen of the support of questions in the memory, ``marks.jsonl`` what
people say of golds and verdicts.
Timings are kept apart so that a deterministic agent gives the same samples, byte for byte.

A line that cannot be read, since it was torn or edited, hides nothing else: it is passed over and
named. Who writes in the folder first moves it, as it is, to a file beside the one that held it;
``damaged.jsonl`` lists such lines.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mabench.data import BY_NAME, Source
from mabench.errors import DataError, UsageError, reason
from mabench.json_text import JsonRecord, parse, record_of
from mabench.results.records import marks, owning
from mabench.results.records.files import DamagedLine, LineFile, OwnFile
from mabench.results.records.fitness import FitnessCheck, FitnessRules
from mabench.results.records.lines import (
    CallRecord,
    Judgment,
    MemoryRecord,
    Place,
    Sample,
    StageRecord,
    Timing,
)
from mabench.results.records.marks import Mark, latest_marks
from mabench.results.records.memories import LatestMemories
from mabench.results.records.prompts import PromptFile
from mabench.results.records.record import SCHEMA, RunRecord, TakesRecord
from mabench.userfile import read_json_file

if TYPE_CHECKING:
    from mabench.families import Family

_REMEDY = "restore a copy of it (the answers in samples.jsonl are intact)"
_ASIDE = "set-aside-"
_LISTED = 5  # Runs that a folder holds.


class LineReader(Protocol):
    """Takes the lines of a run's files one by one."""

    def add_timing(self, timing: Timing) -> None:
        """Take in how long an answer took."""

    def add_memory(self, memory: MemoryRecord) -> None:
        """Take in what is known of the memory of a row."""

    def add_call(self, call: CallRecord) -> None:
        """Take in that a call of a model began, or how it ended."""

    def add_sample(self, sample: Sample) -> None:
        """Take in the answer to a question."""


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
        self._stages = LineFile(path / "stages.jsonl", StageRecord, *common)
        self._marks = LineFile(path / marks.FILE_NAME, Mark, *common)
        measured = (self._timings, self._memories, self._calls, self._stages)
        self._lines = (self._samples, *measured, self._judgments, self._marks)
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
            self._fitness_rules = FitnessRules(record, self._known_sources(), metrics)
        return self._fitness_rules

    def exists(self) -> bool:
        """Return whether a run was begun here."""
        return self._parsed is not None or self._record.is_there()

    def create(self, record: RunRecord) -> None:
        """Begin a run: make the folder and write what the run is."""
        text = record.to_json(2)
        # As it will be read: a field may come back as another type than it was given as.
        read_back = parse(RunRecord, text)
        self._record.write_text(text)
        self._keep_record(read_back)

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
            return self._keep_record(record_of(RunRecord, content))
        except ValueError as error:
            raise DataError(f"{file}: {error}; {_REMEDY}") from error

    def _keep_record(self, record: RunRecord) -> RunRecord:
        """Keep what the run is, and forget what was derived from what it was before."""
        self._parsed, self._families, self._fitness_rules = record, {}, None
        return record

    def families(self) -> Mapping[str, Family]:
        """Return the family of each source of the run; a UsageError where one is unknown."""
        from mabench.families import family_of  # They bring scoring, which no list needs.

        record = self.record()
        if not self._families:
            known = self._known_sources()
            self._families = {n: family_of(known.get(n, n), known) for n in record.questions}
        return self._families

    def _known_sources(self) -> Mapping[str, Source]:
        """Return the sources of the benchmark and those that the run declares, by name."""
        record = self.record()
        return record.all_sources if record.sources else BY_NAME

    def holds_lines(self) -> bool:
        """Return whether there is a file with what came of the run, or with damaged lines."""
        return any(os.path.lexists(file.path) for file in (*self._lines, self._register))

    def repair(self) -> list[DamagedLine]:
        """Make the files fit to be written on, and return the damaged lines that were set aside."""
        self._register.end_line()
        return [line for file in self._lines for line in file.repair(self._register)]

    def append_sample(
        self, sample: Sample, timing: Timing, prompt: str | None = None
    ) -> Sample | None:
        """Write a sample and its timing to disk, and the prompt once, which the sample names.

        Returns the sample as it was written; None if it will not count when it is read again.
        """
        if prompt is not None:
            sample = replace(sample, prompt=self._prompts.keep(prompt))
        counts = True
        if self.exists():
            rules = self._rules()
            sample = replace(sample, run=rules.mark)
            counts = FitnessCheck(rules).accepts(sample)
        self._samples.append(sample)
        self._timings.append(timing)
        return sample if counts else None

    def append_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample."""
        self._timings.append(timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of a row's memory."""
        self._memories.append(memory)

    def append_stage(self, stage: StageRecord) -> None:
        """Add what was seen of the support of a question."""
        self._stages.append(stage)

    def append_call(self, call: CallRecord) -> None:
        """Add that a call of a model began, or how it ended; safe from any thread."""
        self._calls.append(call)

    def append_judgment(self, judgment: Judgment) -> None:
        """Add a judge's verdict."""
        self._judgments.append(judgment)

    def read(self, *readers: LineReader, every_sample: bool = False) -> None:
        """Pass each line of the files to all readers, the samples last; each line is read once.

        Of a question the readers get the latest sample, or ``every_sample``; of equal lines they
        get one. Calls of judges are no part of the run, and verdicts of judges have a method of
        their own.
        """
        for timing in self.timings():
            for reader in readers:
                reader.add_timing(timing)
        for memory in self._memories.records():
            for reader in readers:
                reader.add_memory(memory)
        for call in self._calls.distinct():
            for reader in readers if call.by != "judge" else ():
                reader.add_call(call)
        for sample in self.samples(every=every_sample):
            for reader in readers:
                reader.add_sample(sample)

    def samples(self, *, every: bool = False) -> Iterator[Sample]:
        """Yield the latest sample of each question, or ``every`` one, in the order stored."""
        return self._samples.latest(every=every)

    def replace_samples(self, samples: Iterable[Sample]) -> None:
        """Write all samples anew in one step; a stop in the middle leaves the old ones."""
        self._samples.replace(samples)

    def timings(self) -> Iterator[Timing]:
        """Yield how long answers took, in the order stored, one for each time of asking."""
        return self._timings.distinct()

    def stages(self) -> Iterator[StageRecord]:
        """Yield what was seen of the support of each question, the latest of each."""
        return self._stages.latest()

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order stored."""
        return self._judgments.distinct()

    def marks(self) -> list[Mark]:
        """Return what people say of golds and verdicts, the latest of each kind of a question."""
        return latest_marks(self._marks.records())

    def append_mark(self, mark: Mark) -> None:
        """Add what a person says; it takes no ownership, since a run may go on meanwhile."""
        self._marks.end_line()
        self._marks.append(mark)

    def is_judged(self) -> bool:
        """Return whether a judge gave a verdict on any answer of the run."""
        return next(self.judgments(), None) is not None

    def prompts(self, names: Collection[str]) -> dict[str, str]:
        """Return what models were shown, by the hashes that samples have."""
        return self._prompts.read(names)

    def write_summary(self, summary: JsonRecord) -> None:
        """Write the summary, which is derived from the other files."""
        self._summary.write_text(summary.to_json(2))

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

    def memories(self) -> Mapping[Place, MemoryRecord]:
        """Return the latest memory of each row; a loaded one with what its making measured."""
        memories = LatestMemories()
        for memory in self._memories.records():
            memories.add(memory)
        return memories.by_place

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
        for name in owning.LOCK_FILES:
            (self.path / name).unlink(missing_ok=True)
        if self._saved.name not in others:
            shutil.rmtree(self._saved, ignore_errors=True)

    def own(self) -> AbstractContextManager[None]:
        """Own the folder within a block; raises as ``owning.own``."""
        return owning.own(self.path)

    def is_owned(self) -> bool:
        """Return whether a process is writing in the folder; False where that cannot be told."""
        return owning.is_owned(self.path)
