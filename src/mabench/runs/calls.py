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
        self.missing: str | None = None  # The reply that would have to be kept, in words.
        self._run = context
        # The row in words, without secrets.
        self.row_name = printable(redact(f"{source} row {row}"))
        self._place: dict[str, Any] = {"split": split, "row": row, "source": source}
        # Where the row's memory calls its model, if there is a meter; else nobody calls there.
        meter, told = context.meter, (self._store, self._miss)
        nowhere = ModelAddress(None)
        self.endpoint = meter.endpoint(*told) if meter else RowEndpoint(nowhere, *told)

    def log(self, phase: CallPhase) -> CallLog:
        """Return what is told of the calls of the reader, and of the embedder of a memory."""
        return CallLog(self._store, phase)

    def place(self, phase: CallPhase) -> str:
        """Return in words where a call was made."""
        place = phase.name if phase.question is None else f"question {phase.question}"
        return f"{self._place['source']}, row {self._place['row']}, {place}"

    def _miss(self, what: str) -> None:  # In the thread of the meter.
        self.missing = self.missing or f"{self.place(self.endpoint.phase)}: {what}"
        self._run.stop.ask(self.missing)

    def _store(self, call: Call) -> None:  # From any thread.
        if call.by == "memory" and call.usage and call.cost is None:
            price = Price.of(call.model or "", self._run.inputs.prices)
            call = call._replace(cost=price and price.cost(call.usage))
        try:
            self._run.store.append_call(CallRecord.of(call, **self._place))
        except DataError as error:
            self._run.stop.ask(str(error))
