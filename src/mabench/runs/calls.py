"""The model calls of a row, from who makes them to the run folder."""

from __future__ import annotations

from typing import Any

from mabench.errors import DataError
from mabench.metering import RowEndpoint
from mabench.models import Call, CallLog, CallPhase, ModelAddress, Price
from mabench.printable import printable
from mabench.redact import redact
from mabench.results import CallRecord
from mabench.runs.context import RunContext


class RowCalls:
    """The model calls of a row, by its memory and by the reader, on their way to the run folder."""

    def __init__(self, context: RunContext, split: str, row: int, source: str) -> None:
        self.missing: str | None = None  # Names the first reply that is needed and not cached.
        self._run = context
        # The row in words, without secrets.
        self.row_name = printable(redact(f"{source} row {row}"))
        self._place: dict[str, Any] = {"split": split, "row": row, "source": source}
        # Where the row's memory calls its model; without a meter, an endpoint that nobody calls.
        if context.meter is not None:
            self.endpoint = context.meter.endpoint(self._store, self._miss)
        else:
            nowhere = ModelAddress(None)
            self.endpoint = RowEndpoint(nowhere, self._store, self._miss)

    def log(self, phase: CallPhase) -> CallLog:
        """Return a log that stores the calls of the reader, or of a memory's embedder."""
        return CallLog(self._store, phase)

    def place(self, phase: CallPhase) -> str:
        """Return in words where a call was made."""
        place = phase.name if phase.question is None else f"question {phase.question}"
        return f"{self._place['source']}, row {self._place['row']}, {place}"

    def _miss(self, what: str) -> None:
        """Stop the run because a reply is not cached; called in the thread of the meter."""
        self.missing = self.missing or f"{self.place(self.endpoint.phase)}: {what}"
        self._run.stop.ask(self.missing)

    def _store(self, call: Call) -> None:
        """Store a call, with its cost if its price is known; called from any thread.

        The run stops if the call cannot be stored.
        """
        if call.by == "memory" and call.usage and call.cost is None:
            price = Price.of(call.model or "", self._run.inputs.prices)
            if price is not None:
                call = call._replace(cost=price.cost(call.usage))
        try:
            self._run.store.append_call(CallRecord.of(call, **self._place))
        except DataError as error:
            self._run.stop.ask(str(error))
