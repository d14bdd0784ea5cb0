"""What was measured while an agent memorized rows and answered questions: time, memory, calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.models import Call
from mabench.results.records.sample import QuestionPlace

Place = tuple[str, int]

# What is measured while a row is memorized, and stays true of a memory that is loaded later.
_LASTING = (
    *("chunks", "characters", "tokens", "memories", "bytes", "chunks_without_memory"),
    *("adds", "add_seconds", "ready_seconds"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing(QuestionPlace):
    """How long one answer took, and what was paid for it: a line of ``timings.jsonl``.

    A question that is asked again has a line for each time; one that was given up when the run
    stopped may have a line, too.

    Attributes:
        seconds: from the call to the answer, or to the failure.
        paid: US dollars that the model's replies really cost: kept ones nothing, those of no use
            what they cost; unknown where no model with a price was asked.
        wasted: the part of it for replies of no use.
        search_seconds: how long the search took, apart from reading; unknown where the agent is no
            memory with a reader, and where it failed.
    """

    seconds: Number
    paid: IfKnown[Number | None] = None
    wasted: IfKnown[Number | None] = None
    search_seconds: IfKnown[Number | None] = None


@dataclass(frozen=True, kw_only=True)
class RowPlace(JsonRecord):
    """What is known of one row begins with its place.

    Attributes:
        split, row: the place of the row.
        source: the source of the row.
    """

    split: str
    row: int
    source: str

    @property
    def place(self) -> Place:
        """What names the row within its data set."""
        return (self.split, self.row)


@dataclass(frozen=True, kw_only=True)
class MemoryRecord(RowPlace):
    """What is known of the memory of one row: a line of ``memories.jsonl``.

    Attributes:
        loaded: true where a saved memory was loaded; it may have been told more since.
        chunks: how many chunks the agent was given.
        characters: their length.
        tokens: their length in tokens, estimated.
        memories: how many memories are stored in the end, by the memory's own count.
        bytes: their size, by the memory's own count.
        chunks_without_memory: after how many chunks there were no more memories than before.
        seconds: how long memorizing or loading took, waiting until it was ready included.
        adds: how many calls that add a text took so many seconds; the seconds, which are the names,
            have two significant digits.
        add_seconds: how long these calls took together.
        ready_seconds: how long after the last of them everything could be found; unknown where the
            memory does not say.
        metered: true where the memory was told of an address at which its model calls are counted.
        error: why the row could not be memorized; null when it was.
        load_error: why a saved memory could not be loaded, so that the row was memorized again.
        save_error: why the memory could not be saved.
    """

    loaded: IfKnown[bool] = False
    chunks: IfKnown[int | None] = None
    characters: IfKnown[int | None] = None
    tokens: IfKnown[int | None] = None
    memories: IfKnown[int | None] = None
    bytes: IfKnown[int | None] = None
    chunks_without_memory: IfKnown[int | None] = None
    metered: IfKnown[bool] = False
    seconds: Number
    adds: IfKnown[Mapping[float, int] | None] = None
    add_seconds: IfKnown[Number | None] = None
    ready_seconds: IfKnown[Number | None] = None
    error: str | None = None
    load_error: IfKnown[str | None] = None
    save_error: IfKnown[str | None] = None

    def after(self, earlier: MemoryRecord | None) -> Self:
        """Return the record of a loaded memory with what an earlier one knows of it."""
        unknown = [name for name in _LASTING if getattr(self, name) is None]
        fields: dict[str, Any] = {name: getattr(earlier, name, None) for name in unknown}
        if self.adds is not None:  # Of texts that were told after it was loaded.
            before = None if earlier is None else earlier.adds
            fields["adds"] = None if before is None else Counter(before) + Counter(self.adds)
            fields["add_seconds"] = earlier and (earlier.add_seconds or 0) + (self.add_seconds or 0)
        return replace(self, **fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord(RowPlace):
    """One call of a model: a line of ``calls.jsonl``.

    A call has a line when it begins and a second one, with the same ``call``, when it has ended. A
    call without the second was under way when the run was killed. A call that is sent again is
    another call.

    Attributes:
        call: names the call.
        by: who called: the memory, the reader of this package, or a judge of answers.
        phase: what the row was doing when it was made; late once the row was done, judging when
            its answers are judged. A preflight looks before a run whether the server is there; it
            has the place of the first row.
        question_index: the question that was under way, or judged, where there was one.
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
    by: Literal["memory", "reader", "judge"]
    phase: Literal["preflight", "memorizing", "answering", "late", "judging"]
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

    @classmethod
    def of(cls, by: Literal["memory", "reader", "judge"], call: Call, **place: Any) -> Self:
        """Return what a call of somebody becomes; ``place`` has the fields of a ``RowPlace``."""
        usage = call.usage._asdict() if call.usage else {}
        return cls(
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

    @property
    def ended(self) -> bool:
        """Whether this is the line of the end of a call."""
        return self.seconds is not None

    @property
    def failed(self) -> bool:
        """Whether the call brought no usable reply."""
        return not self.ended or self.error is not None or (self.status or 200) >= 400
