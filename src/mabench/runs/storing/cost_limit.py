"""The limit on cost: what a run has spent, and how it stops when that is too much."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mabench.models import ReadingModel
from mabench.results import CallRecord, Key, Sample, Timing
from mabench.tasks.stopping import Stop


class CostLimit:
    """Adds up the dollars that a run spends, in all its sittings, and stops it at the limit.

    Dollars are those that were really paid if that is known, else what agents say their answers
    cost.
    """

    def __init__(self, most: float | None, stop: Stop) -> None:
        self.answers = 0.0  # Dollars for the answers of this sitting.
        self._most, self._stop = most, stop
        self._before = 0.0  # Dollars of earlier sittings.
        self._beside = 0.0  # Dollars for calls of this sitting that are on the bill of no answer.
        self._lock = threading.Lock()
        self._paid: set[Key] = set()  # What earlier sittings asked, if what was paid is known.

    def add_earlier_timing(self, timing: Timing) -> None:
        """Add what an earlier sitting paid for a question."""
        if timing.paid is not None:
            self._paid.add(timing.key)
            self._before += timing.paid

    def add_earlier_call(self, call: CallRecord) -> None:
        """Add what a call of an earlier sitting cost, if that is on the bill of no answer."""
        if call.ended and _is_beside_answers(call):
            self._before += call.cost or 0.0

    def add_earlier(self, sample: Sample) -> None:
        """Add a sample of an earlier sitting, unless its timing said what was paid for it."""
        if sample.key not in self._paid:
            self._before += sample.cost or 0.0

    def add_answer(self, sample: Sample, timing: Timing) -> None:
        """Add what a sample cost; ``check`` is still to be called."""
        self.answers += (sample.cost if timing.paid is None else timing.paid) or 0.0

    def add_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample."""
        self.answers += timing.paid or 0.0
        self.check()

    def add_call(self, call: CallRecord) -> None:
        """Add what a call cost, if that is on the bill of no answer; from any thread."""
        if not call.ended or not _is_beside_answers(call):
            return
        with self._lock:
            self._beside += call.cost or 0.0
        unknown = call.input_tokens is not None and call.cost is None
        if unknown and self._most is not None:
            self._stop.ask(
                f"the price of {call.model}, which the memory calls, is unknown, so its cost "
                "cannot be limited; name a file with it as `prices`"
            )
        self.check()

    def check(self) -> None:
        """Stop the run if it has spent all that it may."""
        if self._most is not None and self._spent >= self._most:
            self._stop_run()

    @contextmanager
    def applied_to(self, model: ReadingModel | None) -> Iterator[None]:
        """Stop the run at the limit of its cost; the reason then says what was really spent."""
        if self._most is None:
            yield
            return
        self.check()
        if model is not None:
            model.limit_spending(self._most - self._before, self._stop_run)
        yield
        if self._stop.by_cost:
            self._stop.reason = self._describe()

    @property
    def _spent(self) -> float:
        return self._before + self.answers + self._beside

    def _stop_run(self) -> None:
        self._stop.by_cost = self._stop.by_cost or self._stop.reason is None
        self._stop.ask(self._describe())

    def _describe(self) -> str:
        return f"${self._spent:.4f} spent of ${self._most or 0.0:.4f}"


def _is_beside_answers(call: CallRecord) -> bool:
    """Return whether a call is on the bill of no answer, as most calls of the reader are."""
    return call.by == "memory" or call.phase == "preflight"
