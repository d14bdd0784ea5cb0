"""A run on disk: a folder of JSON files, written as it goes and readable at any instant.

``run.json`` says what the run is; ``samples.jsonl`` has a line per question, ``timings.jsonl`` how
long each took, ``memories.jsonl`` a line per row memorized, ``calls.jsonl`` the calls of models,
``stages.jsonl`` what was seen of the support of questions in the memory, ``marks.jsonl`` what
people say of golds and verdicts.
Timings are kept apart so that a deterministic agent gives the same samples, byte for byte.

A line that cannot be read, since it was torn or edited, hides nothing else: it is left out and
named. Whoever is about to write in the folder first moves such lines, as they are, to a file beside
their own; ``damaged.jsonl`` lists them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import UTC, datetime
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
_ASIDE = "set-aside-"  # So begin the names of folders with runs that were set aside.
_MOST_LISTED = 5  # How many runs in a folder are named in a message.


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
    """Reads and writes the files of one run.

    A file that cannot be read or written is a ``DataError``.
    """

    def __init__(self, path: Path) -> None:
        """Name the folder, which need not be there yet; nothing is read."""
        self.path = path
        self._record = OwnFile(path / "run.json")
        self._summary = OwnFile(path / "summary.json")
        self._saved_memories = path / "memories"
        self._damaged: dict[tuple[str, int], DamagedLine] = {}  # By file and line.
        common = self._damaged, self._begin_check  # Arguments of all files of lines.
        self._samples = LineFile(path / "samples.jsonl", Sample, *common)
        self._timings = LineFile(path / "timings.jsonl", Timing, *common)
        self._memories = LineFile(path / "memories.jsonl", MemoryRecord, *common)
        self._calls = LineFile(path / "calls.jsonl", CallRecord, *common)
        self._judgments = LineFile(path / "judgments.jsonl", Judgment, *common)
        self._stages = LineFile(path / "stages.jsonl", StageRecord, *common)
        self._marks = LineFile(path / marks.FILE_NAME, Mark, *common)
        measured = (self._timings, self._memories, self._calls, self._stages)
        self._line_files = (self._samples, *measured, self._judgments, self._marks)
        # The lines of other files that were damaged and set aside.
        self._register = LineFile(path / "damaged.jsonl", DamagedLine, self._damaged, lambda: None)
        self._prompts = PromptFile(path / "prompts.jsonl.gz")
        # All files but the record.
        self._files = (*self._line_files, self._register, self._prompts, self._summary)
        self._parsed: RunRecord | None = None  # The record, once it was read.
        # What was derived from the record.
        self._fitness_rules: FitnessRules | None = None
        self._families: dict[str, Family] = {}

    def _begin_check(self) -> Callable[[JsonRecord], None] | None:
        """Return a function that checks the lines of one file; None if no run was begun here.

        It raises ``ValueError`` for a line that may not count.
        """
        return FitnessCheck(self._rules()).check if self.exists() else None

    def _rules(self) -> FitnessRules:
        """Return the rules by which lines of this run's files may count."""
        record = self.record()
        if self._fitness_rules is None:
            metrics: dict[str, str] = {}
            with suppress(UsageError):  # Whoever reports the run says which family is unknown.
                metrics = {name: family.metric for name, family in self.families().items()}
            self._fitness_rules = FitnessRules(
                record, record.mark(), self._known_sources(), metrics
            )
        return self._fitness_rules

    def exists(self) -> bool:
        """Return whether a run was begun here."""
        return self._parsed is not None or self._record.is_there()

    def create(self, record: RunRecord) -> None:
        """Begin a run: make the folder and write what the run is."""
        text = record.to_json(indent=2)
        # Kept as it will be read: a field may be read as another type than it was given as.
        read_back = parse(RunRecord, text)
        self._record.write_text(text)
        self._keep_record(read_back)

    def end(self, *, complete: bool) -> None:
        """Note in the record that the run was finished now; or that it was not, if not complete."""
        finished = datetime.now(UTC).isoformat(timespec="seconds") if complete else None
        ended = replace(self.record(), finished=finished)
        if ended != self.record():
            self.create(ended)

    def note_takes(self, takes: TakesRecord) -> None:
        """Note in the record which fields the agent receives.

        Raises ``UsageError`` if answers in the folder are of an agent that received others.
        """
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
        """Return what the run is; the file is read once.

        Raises ``UsageError`` if there is no run, and ``DataError`` for one that cannot be read.
        """
        if self._parsed is not None:
            return self._parsed
        if not self.exists():
            remedy = "`mabench runs` lists the runs"
            runs_within = sorted(self.runs_within())[:_MOST_LISTED]
            if runs_within:
                remedy = f"give what is in it: {', '.join(map(str, runs_within))}"
            raise UsageError(f"{self.path}: no run here (there is no run.json); {remedy}")
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
        """Keep the record that was read or written, and forget what was derived from another."""
        self._parsed = record
        self._families, self._fitness_rules = {}, None
        return record

    def families(self) -> Mapping[str, Family]:
        """Return the family of each source of the run, by name.

        Raises ``UsageError`` if one is unknown.
        """
        # Loaded here: families bring scoring, which takes long, and a list of runs needs none.
        from mabench.families import family_of

        record = self.record()
        if not self._families:
            sources = self._known_sources()
            self._families = {
                name: family_of(sources.get(name, name), sources) for name in record.questions
            }
        return self._families

    def _known_sources(self) -> Mapping[str, Source]:
        """Return the sources of the benchmark and those that the run declares, by name."""
        record = self.record()
        return record.all_sources if record.sources else BY_NAME

    def holds_lines(self) -> bool:
        """Return whether there is a file of lines of the run, or of its damaged lines."""
        files = (*self._line_files, self._register)
        return any(os.path.lexists(file.path) for file in files)

    def repair(self) -> list[DamagedLine]:
        """Make the files fit to be added to, and return the damaged lines that were set aside."""
        self._register.end_line()
        damaged: list[DamagedLine] = []
        for file in self._line_files:
            damaged += file.repair(self._register)
        return damaged

    def append_sample(
        self, sample: Sample, timing: Timing, prompt: str | None = None
    ) -> Sample | None:
        """Add a sample and its timing, and the prompt that its model was shown unless it is kept.

        Returns the sample as it was written, with the names of its prompt and its run; None if it
        will not count when it is read again.
        """
        written = sample
        if prompt is not None:
            written = replace(written, prompt=self._prompts.keep(prompt))
        may_count = True
        if self.exists():
            rules = self._rules()
            written = replace(written, run=rules.mark)
            may_count = FitnessCheck(rules).accepts(written)
        self._samples.append(written)
        self._timings.append(timing)
        return written if may_count else None

    def append_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample."""
        self._timings.append(timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add a line on the memory of a row."""
        self._memories.append(memory)

    def append_stage(self, stage: StageRecord) -> None:
        """Add a line on what the memory did with what supports a question."""
        self._stages.append(stage)

    def append_call(self, call: CallRecord) -> None:
        """Add that a call of a model began, or how it ended; safe from any thread."""
        self._calls.append(call)

    def append_judgment(self, judgment: Judgment) -> None:
        """Add a judge's verdict on an answer."""
        self._judgments.append(judgment)

    def read(self, *readers: LineReader, every_sample: bool = False) -> None:
        """Pass each line of the files to all readers, the samples last; each line is read once.

        Of a question the readers get the latest sample, or ``every_sample``; of equal lines they
        get one. They get no calls of judges, which are no part of the run, and no verdicts of
        judges: ``judgments`` returns those.
        """
        for timing in self.timings():
            for reader in readers:
                reader.add_timing(timing)
        for memory in self._memories.records():
            for reader in readers:
                reader.add_memory(memory)
        for call in self._calls_of_run():
            for reader in readers:
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
        """Yield what the memory did with what supports each question, the latest of each."""
        return self._stages.latest()

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges on answers, in the order stored."""
        return self._judgments.distinct()

    def marks(self) -> list[Mark]:
        """Return what people say is wrong, the latest mark of each kind of a question."""
        return latest_marks(self._marks.records())

    def append_mark(self, mark: Mark) -> None:
        """Add what a person says is wrong.

        The folder need not be owned for this, since a run may go on in it meanwhile.
        """
        self._marks.end_line()
        self._marks.append(mark)

    def is_judged(self) -> bool:
        """Return whether a judge gave a verdict on any answer of the run."""
        return next(self.judgments(), None) is not None

    def prompts(self, names: Collection[str]) -> dict[str, str]:
        """Return the prompts with these names, which samples have, as far as they can be read."""
        return self._prompts.read(names)

    def write_summary(self, summary: JsonRecord) -> None:
        """Write the summary, which is derived from the other files."""
        self._summary.write_text(summary.to_json(indent=2))

    def calls(self) -> Iterator[CallRecord]:
        """Yield each call of a model once: how it ended, or that it began if it never did.

        Calls of judges are left out.
        """
        unfinished: dict[str, CallRecord] = {}  # By the name of the call.
        for call in self._calls_of_run():
            if call.ended:
                unfinished.pop(call.call, None)
                yield call
            else:
                unfinished[call.call] = call
        yield from unfinished.values()

    def _calls_of_run(self) -> Iterator[CallRecord]:
        """Yield the lines of calls, but not those of judges, which are no part of the run."""
        return (call for call in self._calls.distinct() if call.by != "judge")

    def memories(self) -> Mapping[Place, MemoryRecord]:
        """Return what is known of the latest memory of each row, by the row's place.

        Of a memory that was loaded, this includes what was measured when it was made.
        """
        memories = LatestMemories()
        for memory in self._memories.records():
            memories.add(memory)
        return memories.by_place

    def damaged(self) -> list[DamagedLine]:
        """Return the lines that were set aside, and those that could not be read so far."""
        return [*self._register.records(), *self._damaged.values()]

    def is_worth_keeping(self) -> bool:
        """Return whether there is anything that a resumed run would not have to do again.

        That is an answer, a saved memory, or a call that was paid for.
        """
        has_sample = next(self.samples(), None) is not None
        has_memory = any(self._saved_memories.glob("[!.]*"))
        if has_sample or has_memory:
            return True
        return any(call.cost for call in self.calls() if call.phase != "preflight")

    def set_aside(self) -> Path:
        """Move the run into a new folder within its own, and return that folder."""
        aside = self._unused_folder()
        paths = [*(file.path for file in self._files), self._saved_memories]
        try:
            aside.mkdir()
            paths += self.path.glob("*.damaged")
            # The record is copied first and removed last: if this is stopped half-way, both folders
            # have it.
            shutil.copyfile(self._record.path, aside / self._record.path.name)
            for path in paths:
                if path.exists():
                    path.rename(aside / path.name)
            self._parsed = None
            self._record.path.unlink()
        except OSError as error:
            raise DataError(f"{self.path}: cannot be set aside: {reason(error)}") from error
        return aside

    def _unused_folder(self) -> Path:
        """Return the first of ``set-aside-1``, ``set-aside-2`` and so on that is not there."""
        number = 1
        while (self.path / f"{_ASIDE}{number}").exists():
            number += 1
        return self.path / f"{_ASIDE}{number}"

    def runs_within(self) -> set[Path]:
        """Return the folders in this one with a run or the repeats of one, but none set aside."""
        records = [*self.path.glob("*/run.json"), *self.path.glob("*/repeat-1/run.json")]
        names = {record.relative_to(self.path).parts[0] for record in records}
        return {self.path / name for name in names if not name.startswith(_ASIDE)}

    def remove(self, others: Collection[str]) -> None:
        """Remove the files of the run from its folder.

        Files whose names are in ``others`` remain: they were there before the run.
        """
        self._parsed = None
        for file in (self._record, *self._files):
            if file.path.name not in others:
                file.path.unlink(missing_ok=True)
        for name in owning.LOCK_FILES:
            (self.path / name).unlink(missing_ok=True)
        if self._saved_memories.name not in others:
            shutil.rmtree(self._saved_memories, ignore_errors=True)

    def own(self) -> AbstractContextManager[None]:
        """Own the folder within a block, so that nobody else writes in it.

        Raises ``UsageError`` if another process owns it, and ``DataError`` if it cannot be written.
        """
        return owning.own(self.path)

    def is_owned(self) -> bool:
        """Return whether a process is writing in the folder; False where that cannot be told."""
        return owning.is_owned(self.path)
