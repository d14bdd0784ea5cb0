"""What a run has cost and how often it failed so far, and when that is too much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from mabench.runs.engine.context import RunContext
from mabench.runs.records.measurements import Timing
from mabench.runs.records.sample import Key, Sample
from mabench.runs.records.store import RunFolder


class Tally:
    """Adds up errors, tokens and dollars; stops the run at one failure or dollar too many.

    Dollars are those that were really paid where that is known, else what agents say their
    answers cost.

    Args:
        context: the run.
        folder: what earlier sittings left behind.

    Attributes:
        done: the questions that are answered.
        errors: how many failed in this sitting.
    """

    def __init__(self, context: RunContext, folder: RunFolder) -> None:
        self._context = context
        self.errors = 0
        self._tokens = 0
        self._dollars = 0.0
        paid: dict[Key, float] = defaultdict(float)
        for timing in folder.timings():
            if timing.paid is not None:
                paid[timing.key] += timing.paid
        self.done: set[Key] = set()
        self._dollars_before = sum(paid.values())
        for sample in folder.samples():
            self.done.add(sample.key)
            if sample.key not in paid:
                self._dollars_before += sample.cost or 0.0

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Stop the run at its cost, and say in the end what was really spent."""
        most, model = self._context.spec.max_cost, self._context.model
        if most is None:
            yield
            return
        self._check_cost()
        if model is not None:
            model.limit_spending(most - self._dollars_before, self._stop_for_cost)
        yield
        if self._context.stop.by_cost:
            self._context.stop.reason = self._said()

    def stored(self, sample: Sample | None, timing: Timing) -> None:
        """Count what was stored, and say how far the run is."""
        cost = timing.paid
        if sample is not None and cost is None:
            cost = sample.cost
        self._dollars += cost or 0.0
        if sample is not None:
            self._count(sample)
        self._check_cost()

    def _count(self, sample: Sample) -> None:
        """Count a sample; a failure may stop the run."""
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self.errors += sample.error is not None
        self._context.progress.advance("questions", self._note())
        if sample.error is not None:
            self._context.progress.say(
                f"{sample.source}, row {sample.row}, question {sample.question_index}: "
                f"{sample.error}"
            )
            most = self._context.spec.limits.max_errors
            if most is not None and self.errors >= most:
                self._context.stop.ask(f"{self.errors} failed, the last: {sample.error}")

    def _note(self) -> str:
        parts = []
        if self._tokens or self._dollars:
            parts.append(f"{self._tokens:,} tokens, ${self._dollars:.2f}")
        if self.errors:
            parts.append(f"{self.errors} errors")
        return ", ".join(parts)

    @property
    def _spent(self) -> float:
        model = self._context.model
        return self._dollars_before + self._dollars + (model.unbilled if model else 0.0)

    def _check_cost(self) -> None:
        most = self._context.spec.max_cost
        if most is not None and self._spent >= most:
            self._stop_for_cost()

    def _stop_for_cost(self) -> None:
        stop = self._context.stop
        stop.by_cost = stop.by_cost or stop.reason is None
        stop.ask(self._said())

    def _said(self) -> str:
        return f"${self._spent:.4f} spent of ${self._context.spec.max_cost or 0.0:.4f}"
