"""The calls of models that a run made, by its memories and by its reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mabench.results.records.encoding import IfKnown, Number
from mabench.results.records.measurements import RowPlace

Phase = Literal["preflight", "memorizing", "answering", "late"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord(RowPlace):
    """One call of a model: a line of ``calls.jsonl``.

    A call has a line when it begins and a second one, with the same ``call``, when it has ended. A
    call without the second was under way when the run was killed. A call that is sent again is
    another call.

    Attributes:
        call: names the call.
        by: who called: the memory, or the reader of this package.
        phase: what the row was doing when it was made; late once the row was done. A preflight
            looks before a run whether the server is there; it has the place of the first row.
        question_index: the question that was under way, where there was one.
        path: what was called, such as ``chat/completions``.
        model: the model that was named.
        again: whether the same call had failed before.
        kept: whether a reply that was kept answered it, so that nothing was sent; it costs
            nothing, and its tokens are those that the reply once took.
        reply: the name under which its reply is kept, in a folder of kept replies.
        seconds: from the call to the end of the reply; unknown until it has ended.
        status: the HTTP status of the reply, where there was one.
        error: why there was no whole reply.
        input_tokens, output_tokens: what it took.
        cached_tokens: how many of the input the server had kept.
        estimated: whether the tokens are our estimate, since the server did not count.
        cost: in US dollars; unknown where the price of the model is.
    """

    call: str
    by: Literal["memory", "reader"]
    phase: Phase
    question_index: IfKnown[int | None] = None
    path: str
    model: IfKnown[str | None] = None
    again: IfKnown[bool] = False
    kept: IfKnown[bool] = False
    reply: IfKnown[str | None] = None
    seconds: IfKnown[Number | None] = None
    status: IfKnown[int | None] = None
    error: IfKnown[str | None] = None
    input_tokens: IfKnown[int | None] = None
    output_tokens: IfKnown[int | None] = None
    cached_tokens: IfKnown[int | None] = None
    estimated: IfKnown[bool] = False
    cost: IfKnown[Number | None] = None

    @property
    def ended(self) -> bool:
        """Whether this is the line of the end of a call."""
        return self.seconds is not None

    @property
    def failed(self) -> bool:
        """Whether the call brought no usable reply."""
        return not self.ended or self.error is not None or (self.status or 200) >= 400
