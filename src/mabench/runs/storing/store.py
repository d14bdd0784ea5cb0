"""The store of a run: its folder as rows see it, whose results are counted as they come."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mabench.errors import DataError
from mabench.printable import write_count
from mabench.progress import Progress
from mabench.results import (
    CallRecord,
    DamagedLine,
    Key,
    MemoryRecord,
    Place,
    Run,
    RunFolder,
    RunTally,
    RunVerdicts,
    Sample,
    StageRecord,
    TakesRecord,
    Timing,
)
from mabench.runs.storing.cost_limit import CostLimit
from mabench.runs.storing.error_limit import ErrorLimit
from mabench.specs import RunSpec
from mabench.tasks.stopping import Stop


class CountingStore:
    """Stores results in the run folder, shows how many there are, and tells the limits of them.

    What earlier sittings stored is read once, when the store is made; the files are then repaired.
    Each result is added to a tally when it is written, so that the summary at the end needs no
    second reading. Where the tally cannot be sure to say what the files say, it is given up, and
    the summary is read from the files.
    """

    def __init__(self, spec: RunSpec, folder: RunFolder, stop: Stop, progress: Progress) -> None:
        self.path = folder.path
        self.done: set[Key] = set()  # The questions that are not asked again.
        self.cost = CostLimit(spec.max_cost, stop)
        self._folder, self._progress = folder, progress
        self._errors = ErrorLimit(spec.limits, stop, progress)
        self._tokens = 0  # In this sitting.
        self._retries_errors = spec.retry_errors
        # The rows of stored answers whose support was perhaps not looked for.
        self._perhaps_not_looked_at: set[Place] = set()
        self._lock = threading.Lock()  # Of the calls, which come from any thread.
        self._tally: RunTally | None = None  # None if results change what earlier ones count.
        self.repaired: Sequence[DamagedLine] = ()  # The damaged lines that were set aside.
        if folder.holds_lines():
            self._read_earlier_sittings()
            self.repaired = folder.repair()
        else:
            self._tally = self._begin_tally()

    def _begin_tally(self, seen: Mapping[Key, StageRecord] | None = None) -> RunTally:
        """Return what adds up the run; ``seen`` is what earlier sittings saw of support."""
        questions = self._folder.record().questions
        return RunTally(questions, RunVerdicts(self._folder.families(), seen=seen or {}))

    def _read_earlier_sittings(self) -> None:
        folder, retries_errors = self._folder, self._retries_errors
        # A judge whose verdicts are on every answer counts, so each new answer can change which.
        if not (retries_errors or folder.is_judged()):
            self._tally = self._begin_tally({stage.key: stage for stage in folder.stages()})
        earlier = _EarlierSittings(self.done, self.cost, self._errors, retries_errors)
        readers = [earlier, self._tally] if self._tally else [earlier]
        folder.read(*readers, every_sample=retries_errors)
        looked_at = {stage.key for stage in folder.stages()}
        self._perhaps_not_looked_at = {
            (split, row) for split, row, index in self.done if (split, row, index) not in looked_at
        }

    def remove_errors(self) -> None:
        """Remove the answers that failed, which are asked again."""
        every = self._folder.samples(every=True)
        self._folder.replace_samples(sample for sample in every if sample.error is None)

    def summarize(self) -> Run:
        """Write the summary of the run, and return the run."""
        return Run.summarize(self._folder, self._tally)

    def note_takes(self, takes: TakesRecord) -> None:
        """Note what the agent takes beside texts; a UsageError if it has taken something else."""
        self._folder.note_takes(takes)

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Store a sample, show it in the totals, and stop the run if it is one too many."""
        with self._giving_up_tally():
            stored = self._folder.append_sample(sample, timing, prompt)
        if stored is None:  # Nor will it count.
            self._tally = None
        elif self._tally:
            self._tally.add_sample(stored)
            self._tally.add_timing(timing)
        self._perhaps_not_looked_at.add(sample.place)
        self.cost.add_answer(sample, timing)
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self._errors.count(sample)
        self._progress.advance("questions", self._describe_totals())
        # What took no time was not asked.
        self._errors.check(sample, was_asked=bool(timing.seconds))
        self.cost.check()

    def append_timing(self, timing: Timing) -> None:
        """Store how long a question took that has no sample, and what it cost."""
        with self._giving_up_tally():
            self._folder.append_timing(timing)
        if self._tally:
            self._tally.add_timing(timing)
        self.cost.add_timing(timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        """Store what is known of the memory of a row."""
        with self._giving_up_tally():
            self._folder.append_memory(memory)
        if self._tally:
            self._tally.add_memory(memory)

    def append_stage(self, stage: StageRecord) -> None:
        """Store what was seen of the support of a question, once that was answered."""
        with self._giving_up_tally():
            self._folder.append_stage(stage)
        if self._tally:
            self._tally.see(stage)

    def answers_not_looked_at(self, place: Place) -> list[Sample]:
        """Return the row's stored answers whose support was not looked for.

        Not those that failed, of which there is nothing to explain, nor those whose reader cut off
        what it was shown: nobody knows any more whether it saw the support.
        """
        if place not in self._perhaps_not_looked_at:
            return []
        looked_at = {stage.key for stage in self._folder.stages() if stage.place == place}
        return [
            sample
            for sample in self._folder.samples()
            if sample.place == place
            and sample.key not in looked_at
            and sample.error is None
            and not sample.dropped_tokens
        ]

    def append_call(self, call: CallRecord) -> None:
        """Store a call of a model, and add what it cost; from any thread."""
        with self._lock:
            with self._giving_up_tally():
                self._folder.append_call(call)
            if self._tally:
                self._tally.add_call(call)
        self.cost.add_call(call)

    @contextmanager
    def _giving_up_tally(self) -> Iterator[None]:
        """Give the tally up if something cannot be written: the file may hold a part of it."""
        try:
            yield
        except DataError:
            self._tally = None
            raise

    def _describe_totals(self) -> str:
        dollars, errors = self.cost.answers, self._errors.errors
        parts = [f"{self._tokens:,} tokens, ${dollars:.2f}"] if self._tokens or dollars else []
        parts += [write_count(errors, "error")] if errors else []
        return ", ".join(parts)


class _EarlierSittings:
    """Tells the limits of a run what its earlier sittings stored, and notes what is done."""

    def __init__(
        self, done: set[Key], cost: CostLimit, errors: ErrorLimit, retries_errors: bool
    ) -> None:
        self._done, self._cost, self._errors = done, cost, errors
        self._retries_errors = retries_errors

    def add_timing(self, timing: Timing) -> None:
        self._cost.add_earlier_timing(timing)

    def add_memory(self, memory: MemoryRecord) -> None:
        pass  # It cost nothing but its calls.

    def add_call(self, call: CallRecord) -> None:
        self._cost.add_earlier_call(call)

    def add_sample(self, sample: Sample) -> None:
        if sample.error is None:
            self._errors.note_answer(sample)
        elif self._retries_errors:  # It is removed before anything is asked.
            return
        self._done.add(sample.key)
        self._cost.add_earlier(sample)
