"""The model calls of one row, by its memory and by the reader, on their way to the run folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

from mabench.data import Row
from mabench.errors import DataError, UsageError
from mabench.lookup import AgentFactory
from mabench.metering import Meter
from mabench.models import (
    Call,
    CallLog,
    CallPhase,
    ModelAddress,
    ReadingModel,
    ResponseCache,
    Road,
    load_prices,
)
from mabench.results import CallRecord
from mabench.runs.context import RunContext
from mabench.specs import AgentSpec
from mabench.tasks.stopping import Stop

_OF_A_SERVER = "openai/"


@contextmanager
def metering(
    spec: AgentSpec, agent: AgentFactory, model: ReadingModel | None, stop: Stop
) -> Iterator[Meter | None]:
    """Listen for the calls of memories, where they can be told of the address; else do nothing.

    Raises:
        MissingPackageError: when aiohttp is not installed.
        UsageError: when a server was named whose calls cannot be metered, or replies are replayed
            for a memory that calls a server past the meter.
        DataError: when kept replies cannot be read.
    """
    if spec.replayed and not agent.takes_address:
        for name, value in spec.settings.items():
            if isinstance(value, str) and value.startswith(_OF_A_SERVER):
                raise UsageError(
                    f"{name}={value} is asked past the meter, so that its replies are not kept "
                    "and cannot be replayed; give the folder of a model, or run the memory with "
                    "`python`",
                    parameter="replay",
                )
    address = None  # Of the server of the models that memories call, with the real key.
    if spec.meter is not None:
        on_server = spec.model.name_on_server if spec.model else None
        address = ModelAddress.find(on_server, spec.meter)
        if not agent.takes_address:
            raise UsageError(
                f"{agent.name} cannot be told where to call a model; `meter` is for programs and "
                "servers on this machine and for interpreters (`python`), and in this process "
                "`model` for what takes an argument of that name",
                parameter="meter",
            )
    elif model is not None and spec.model is not None and spec.model.speaks_openai:
        address = model.address()
    if address is None or not agent.takes_address:
        yield None
        return
    cache = None
    if spec.replayed or spec.keeps_calls:
        cache = ResponseCache(spec.replayed, reads_only=spec.replayed is not None)
    prices = load_prices(spec.model.prices if spec.model else spec.prices)
    retry = spec.model.retry if spec.model else None
    road = Road(model.road.limit if model else None, retry, "the server that the memory calls")
    with Meter(address, prices, road, cache, stop.ask) as meter:
        yield meter


class RowCalls:
    """The calls of one row; ``missing`` says which reply would have to be kept and is not."""

    def __init__(self, context: RunContext, row: Row) -> None:
        self.missing: str | None = None
        self._run = context
        self._place = {"split": row.split, "row": row.index, "source": row.source}
        self._endpoint = None
        if context.meter is not None:
            self._endpoint = context.meter.endpoint(partial(self._store, "memory"), self._miss)

    @property
    def address(self) -> ModelAddress | None:
        """Where the row's memory calls its model; None without a meter."""
        return self._endpoint.address if self._endpoint else None

    @property
    def refused(self) -> bool:
        """Whether a call of the memory was refused because the run stops."""
        return self._endpoint is not None and self._endpoint.refused > 0

    def enter(self, phase: CallPhase) -> None:
        """Note at what the row's memory is from now on."""
        if self._endpoint is not None:
            self._endpoint.phase = phase

    def log(self, phase: CallPhase) -> CallLog:
        """Return what is told of the reader's calls."""
        return CallLog(partial(self._store, "reader"), phase)

    def place(self, phase: CallPhase) -> str:
        """Return in words where a call was made."""
        place = phase.name if phase.question is None else f"question {phase.question}"
        return f"{self._place['source']}, row {self._place['row']}, {place}"

    def _miss(self, what: str) -> None:  # In the thread of the meter.
        phase = self._endpoint.phase if self._endpoint else CallPhase("late")
        self.missing = self.missing or f"{self.place(phase)}: {what}"
        self._run.stop.ask(self.missing)

    def _store(self, by: Literal["memory", "reader"], call: Call) -> None:
        record = call_record(call, by, self._place)
        try:
            self._run.store.append_call(record)
        except DataError as error:
            self._run.stop.ask(str(error))
        self._run.spending.add(record)


def call_record(
    call: Call, by: Literal["memory", "reader"], place: Mapping[str, Any]
) -> CallRecord:
    """Return a call as it is stored, with the ``place`` of its row."""
    usage = call.usage._asdict() if call.usage else {}
    return CallRecord(
        **place,
        **usage,
        call=call.name,
        by=by,
        phase=call.phase.name,
        question_index=call.phase.question,
        path=call.path,
        model=call.model,
        again=call.again,
        kept=call.kept,
        reply=call.reply,
        seconds=round(call.seconds, 6) if call.ended else None,
        status=call.status,
        error=call.error,
        cost=call.cost,
    )
