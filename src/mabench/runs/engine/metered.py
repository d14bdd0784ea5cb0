"""The model calls of one row, by its memory and by the reader, on their way to the run folder."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

from mabench.data import Row
from mabench.errors import DataError, UsageError
from mabench.lookup import AgentFactory
from mabench.metering import Bounds, Call, Keeper, Meter, Moment
from mabench.models import (
    Attempt,
    ModelAddress,
    ReadingModel,
    Reply,
    ResponseCache,
    load_prices,
)
from mabench.results.records.measurements import CallRecord
from mabench.runs.engine.context import RunContext
from mabench.specs import AgentSpec
from mabench.tasks.stopping import Stop

_READERS_PATH = "chat/completions"
_NO_KEY = "none"
_OF_A_SERVER = "openai/"


@contextmanager
def metering(
    spec: AgentSpec, agent: AgentFactory, model: ReadingModel | None, stop: Stop
) -> Iterator[Meter | None]:
    """Listen for the calls of memories, where they can be told of the address; else do nothing.

    Raises:
        MissingPackageError: when aiohttp is not installed.
        UsageError: when a server was named whose calls cannot be metered.
        DataError: when kept replies cannot be read.
    """
    if spec.replayed and not agent.takes_address:
        _refuse_servers(spec)
    address = _server(spec, model)
    if spec.meter and not agent.takes_address:
        raise UsageError(
            f"{agent.name} cannot be told where to call a model; `meter` is for programs and "
            "servers on this machine and for interpreters (`python`), and in this process `model` "
            "for what takes an argument of that name",
            parameter="meter",
        )
    if address is None or not agent.takes_address:
        yield None
        return
    prices = spec.model.prices if spec.model else spec.prices
    retry = spec.model.retry if spec.model else None
    bounds = Bounds(model.limit if model else None, retry, gone=stop.ask)
    with Meter(address, load_prices(prices), bounds, _keeper(spec, address.base_url)) as meter:
        yield meter


def _refuse_servers(spec: AgentSpec) -> None:
    """Refuse to replay a memory of ours that calls a server by itself, past the meter.

    Raises:
        UsageError: when it does.
    """
    for name, value in spec.settings.items():
        if isinstance(value, str) and value.startswith(_OF_A_SERVER):
            raise UsageError(
                f"{name}={value} is asked past the meter, so that its replies are not kept and "
                "cannot be replayed; give the folder of a model, or run the memory with `python`",
                parameter="replay",
            )


def _keeper(spec: AgentSpec, server: str) -> Keeper | None:
    """Return what keeps the replies to the calls of memories, where that is wanted."""
    if spec.replayed:
        return Keeper(ResponseCache(spec.replayed, reads_only=True), server, sends=False)
    return Keeper(ResponseCache(), server) if spec.keeps_calls else None


def _server(spec: AgentSpec, model: ReadingModel | None) -> ModelAddress | None:
    """Return the server of the models that memories call, with the real key; None if unknown."""
    if spec.meter is not None:
        name = spec.model.name_on_server if spec.model else None
        return ModelAddress(name, spec.meter, os.environ.get("OPENAI_API_KEY") or _NO_KEY)
    return model.address() if model is not None and model.has_address else None


class RowCalls:
    """The calls of one row; a ``Watch`` of those of the reader.

    Args:
        context: the run.
        row: the row.

    Attributes:
        missing: which reply would have to be kept and is not; None for none.
    """

    def __init__(self, context: RunContext, row: Row) -> None:
        self.missing: str | None = None
        self._run = context
        self._place: dict[str, Any] = {
            "split": row.split,
            "row": row.index,
            "source": row.source,
        }
        self._seat = None
        if context.meter is not None:
            self._seat = context.meter.seat(self._told, self._missed)

    @property
    def address(self) -> ModelAddress | None:
        """Where the row's memory calls its model; None where it is not metered."""
        if self._run.meter is None or self._seat is None:
            return None
        return self._run.meter.address(self._seat)

    @property
    def refused(self) -> bool:
        """Whether a call of the memory was refused because the run stops."""
        return self._seat is not None and self._seat.refused > 0

    def answering(self, question: int | None = None) -> None:
        """Note that questions are asked now, and which, where they are asked one at a time."""
        self._now(Moment("answering", question))

    def done(self) -> None:
        """Note that the row is done, so that further calls of its memory come late."""
        self._now(Moment("late"))

    def of_question(self, question: int) -> ReaderCalls:
        """Return what is told of the reader's calls for a question."""
        place = {**self._place, "phase": "answering", "question_index": question}
        return ReaderCalls(self._store, place)

    def _now(self, moment: Moment) -> None:
        if self._seat is not None:
            self._seat.moment = moment

    def place(self, moment: Moment) -> str:
        """Return in words where a call was made."""
        known = f"question {moment.question}" if moment.question is not None else moment.phase
        return f"{self._place['source']}, row {self._place['row']}, {known}"

    def _missed(self, what: str) -> None:
        """Stop the run where a reply to the memory is not kept; in the thread of the meter."""
        moment = self._seat.moment if self._seat else Moment("late")
        self.missing = self.missing or f"{self.place(moment)}: {what}"
        self._run.stop.ask(self.missing)

    def _told(self, call: Call) -> None:
        """Store a call of the memory; in the thread of the meter."""
        record = CallRecord(
            **self._place,
            call=call.name,
            by="memory",
            phase=call.moment.phase,
            question_index=call.moment.question,
            path=call.path,
            model=call.model,
            again=call.again,
            kept=call.kept,
            reply=call.reply,
        )
        if call.ended:
            record = replace(
                record,
                seconds=round(call.seconds, 6),
                status=call.status,
                error=call.error,
                cost=call.cost,
            )
        if usage := call.usage:
            record = replace(
                record,
                input_tokens=usage.input,
                output_tokens=usage.output,
                cached_tokens=usage.cached,
                estimated=usage.estimated,
            )
        self._store(record)

    def _store(self, record: CallRecord) -> None:
        try:
            self._run.store.append_call(record)
        except DataError as error:
            self._run.stop.ask(str(error))
        self._run.spending.add(record)


class ReaderCalls:
    """The reader's calls for one question, or before the run: a ``Watch``."""

    def __init__(self, store: Callable[[CallRecord], None], place: dict[str, Any]) -> None:
        self._store = store
        self._place = place
        self._names = (f"{secrets.token_hex(6)}-{number}" for number in count(1))

    def begin(self, model: str, again: bool) -> Callable[[Attempt], None]:
        """Store that a request is sent; return what stores its end."""
        record = self._record(model, again=again)
        self._store(record)

        def end(attempt: Attempt) -> None:
            ended = replace(record, seconds=round(attempt.seconds, 6), error=attempt.error)
            self._store(replace(ended, cost=attempt.cost, **_tokens(attempt.reply)))

        return end

    def kept(self, model: str, reply: Reply) -> None:
        """Store that a kept reply was read."""
        self._store(self._record(model, kept=True, seconds=0.0, cost=0.0, **_tokens(reply)))

    def _record(self, model: str, **known: Any) -> CallRecord:
        return CallRecord(
            **self._place,
            call=next(self._names),
            by="reader",
            path=_READERS_PATH,
            model=model,
            **known,
        )


def _tokens(reply: Reply | None) -> dict[str, Any]:
    if reply is None:
        return {}
    return {
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cached_tokens": reply.cached_tokens,
        "estimated": reply.estimated,
        "reply": reply.kept_as,
    }
