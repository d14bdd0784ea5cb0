"""The store of a run: its folder as rows see it, whose results are counted as they come."""

from __future__ import annotations

from mabench.printable import write_count
from mabench.results import CallRecord, Key, RunFolder, Sample, Timing
from mabench.runs.context import RunContext
from mabench.runs.storing.cost_limit import CostLimit
from mabench.runs.storing.error_limit import ErrorLimit


class CountingStore:
    """Stores results in the run folder, shows how many there are, and tells the limits of them."""

    def __init__(self, context: RunContext, folder: RunFolder) -> None:
        spec = context.spec
        self._folder, self._progress = folder, context.progress
        self.path = folder.path
        self.append_memory = folder.append_memory
        self.note_takes = folder.note_takes
        self.cost = CostLimit(spec.max_cost, context.stop, folder)
        self._errors = ErrorLimit(spec.limits, context.stop, context.progress)
        self._tokens = 0  # In this sitting.
        self.done: set[Key] = set()
        for sample in folder.samples(every=spec.retry_errors):
            if sample.error is None:
                self._errors.note_answer(sample)
            elif spec.retry_errors:  # It is removed before anything is asked.
                continue
            self.done.add(sample.key)
            self.cost.add_earlier(sample)

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Store a sample, show it in the totals, and stop the run if it is one too many."""
        self._folder.append_sample(sample, timing, prompt)
        self.cost.add_answer(sample, timing)
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self._errors.count(sample)
        self._progress.advance("questions", self._describe_totals())
        # What took no time was not asked.
        self._errors.check(sample, was_asked=bool(timing.seconds))
        self.cost.check()

    def append_timing(self, timing: Timing) -> None:
        """Store how long a question took that has no sample, and what it cost."""
        self._folder.append_timing(timing)
        self.cost.add_timing(timing)

    def append_call(self, call: CallRecord) -> None:
        """Store a call of a model, and add what it cost; from any thread."""
        self._folder.append_call(call)
        self.cost.add_call(call)

    def _describe_totals(self) -> str:
        dollars, errors = self.cost.answers, self._errors.errors
        parts = [f"{self._tokens:,} tokens, ${dollars:.2f}"] if self._tokens or dollars else []
        parts += [write_count(errors, "error")] if errors else []
        return ", ".join(parts)
