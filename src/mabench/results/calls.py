"""The calls of models that a run made, added up by phase, model and caller."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.records.lines import CallRecord, MemoryRecord

_THOUSAND = 1000
_NO_MODEL = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTotals(JsonRecord):
    """Calls of models that were sent, added up."""

    calls: int  # How many; each attempt counts.
    failed: int  # How many got no usable reply.
    retried: int  # How many repeat a failed call.
    kept: int  # How many were answered from the cache, not sent; no other field counts them.
    # What they took.
    input_tokens: int
    output_tokens: int
    cached_tokens: int  # How many input tokens the server had cached.
    estimated: int  # For how many calls the tokens are our estimate.
    cost: Number | None  # In US dollars; null if the price of a model is unknown.
    seconds: Number  # How long they took, each from the call to the end of its reply.

    @classmethod
    def of(cls, calls: Collection[CallRecord]) -> Self:
        """Add up calls."""
        sent = [call for call in calls if not call.kept]
        names = ("failed", "estimated", "input_tokens", "output_tokens", "cached_tokens")
        priced = all(call.cost is not None or call.input_tokens is None for call in sent)
        return cls(
            **{name: sum(getattr(call, name) or 0 for call in sent) for name in names},
            calls=len(sent),
            retried=sum(call.again for call in sent),
            kept=len(calls) - len(sent),
            cost=sum((call.cost or 0.0 for call in sent), 0.0) if priced else None,
            seconds=round(sum((call.seconds or 0.0 for call in sent), 0.0), 6),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsEach(JsonRecord):
    """Calls per 1,000 tokens of history, or per question."""

    calls: float  # How many.
    tokens: float  # Of input and output together.
    cost: float | None  # In US dollars; null if the price of a model is unknown.
    seconds: float  # How long they took.


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseCalls(JsonRecord):
    """The calls of memorizing, or of answering."""

    totals: CallTotals  # All of them.
    each: CallsEach | None  # Per 1,000 tokens of history, or per question; null without any.
    models: Mapping[str, CallTotals]  # The totals by model, as it was named in the call.
    # What ``each`` says, by model; left out likewise.
    each_model: IfKnown[Mapping[str, CallsEach] | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsSummary(JsonRecord):
    """The calls of models that a run made.

    What was asked again, or memorized again after a stop, counts each time.
    """

    memorizing: PhaseCalls  # While histories were memorized.
    answering: PhaseCalls  # While questions were answered, by the memory or its reader.
    late: CallTotals  # After a row was done; part of neither.
    # Before the run, to see whether the server is there; part of neither. Left out for none.
    preflight: IfKnown[CallTotals | None] = None
    by_memory: CallTotals  # Those of the memories, of all phases.
    by_reader: CallTotals  # Those of the reader of this package.
    history_tokens: int | None  # Tokens of what was memorized, estimated; null if unknown.
    questions: int  # How many were asked.
    # Whether a memory was told of an address at which its calls are counted. If so, and
    # ``by_memory`` has none, it calls no model, or another address.
    metered: bool

    @classmethod
    def of(
        cls, memories: Collection[MemoryRecord], calls: Iterable[CallRecord], questions: int
    ) -> CallsSummary:
        """Return what the calls of runs came to, with what their memories and questions were."""
        # By phase and model, all models of a phase, and who called.
        groups: dict[tuple[str, str | None], list[CallRecord]] = defaultdict(list)
        for call in calls:
            for key in ((call.phase, call.model or _NO_MODEL), (call.phase, None), (call.by, None)):
                groups[key].append(call)

        def add_up(name: str) -> CallTotals:
            return CallTotals.of(groups.get((name, None), ()))

        def summarize_phase(name: str, units: float) -> PhaseCalls:
            totals = add_up(name)
            names = sorted(model for phase, model in groups if phase == name and model)
            models = {model: CallTotals.of(groups[name, model]) for model in names}
            each = {model: _each(one, units) for model, one in models.items() if units}
            return PhaseCalls(
                totals=totals,
                each=_each(totals, units) if units else None,
                models=models,
                each_model=each if units else None,
            )

        tokens = [row.tokens for row in memories if row.tokens is not None]
        history_tokens = sum(tokens) if len(tokens) == len(memories) else None
        return cls(
            memorizing=summarize_phase("memorizing", (history_tokens or 0) / _THOUSAND),
            answering=summarize_phase("answering", questions),
            late=add_up("late"),
            preflight=add_up("preflight") if ("preflight", None) in groups else None,
            by_memory=add_up("memory"),
            by_reader=add_up("reader"),
            history_tokens=history_tokens,
            questions=questions,
            metered=any(row.metered for row in memories),
        )


def _each(totals: CallTotals, units: float) -> CallsEach:
    return CallsEach(
        calls=totals.calls / units,
        tokens=(totals.input_tokens + totals.output_tokens) / units,
        cost=None if totals.cost is None else totals.cost / units,
        seconds=totals.seconds / units,
    )
