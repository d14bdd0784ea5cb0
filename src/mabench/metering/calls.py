"""What is known of one call of a model: it is told twice, when it begins and when it has ended."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mabench.metering.usage import Usage

Phase = Literal["memorizing", "answering", "late"]


class Moment(NamedTuple):
    """When a call was made, as far as the row is concerned.

    Attributes:
        phase: what the row is doing; late once it is done.
        question: the index of the question that is under way; None for none, or for several.
    """

    phase: Phase
    question: int | None = None


class Call(NamedTuple):
    """One call that went out to a model's server.

    Attributes:
        name: the same when it begins and when it has ended; no other call has it.
        moment: when it was made.
        path: what was called, such as ``chat/completions``.
        model: the model that was named, if any.
        again: whether the same call had failed before.
        ended: whether it has ended; what follows is not known before.
        status: the status of the reply; None where there was none.
        error: why there was no whole reply, in words; None where there was.
        usage: the tokens that it took; None where it took none that anybody knows.
        cost: US dollars; None where the price is unknown.
        seconds: from the call to the end of the reply.
        kept: whether a kept reply answered it, so that nothing went out and it costs nothing.
        reply: the name under which its reply is kept; None where it is not.
    """

    name: str
    moment: Moment
    path: str
    model: str | None
    again: bool
    ended: bool = False
    status: int | None = None
    error: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    kept: bool = False
    reply: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the call has ended without the whole of a good reply."""
        return self.error is not None or self.status is None or self.status >= 400
