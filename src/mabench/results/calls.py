"""The calls of models that a run made, added up by phase, model and caller."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.records.lines import CallRecord, MemoryRecord

_THOUSAND = 1000
_NO_MODEL = "none"
# What of sent calls is added up.
_COUNTED = ("failed", "estimated", "input_tokens", "output_tokens", "cached_tokens")


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
    def of(cls, calls: Iterable[CallRecord]) -> Self:
        """Add up calls."""
        adder = CallAdder()
        for call in calls:
            adder.add(call)
        return cls(**adder.totals())


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
        tally = CallsTally()
        for call in calls:
            tally.add(call)
        return tally.summary(memories, questions)


class CallAdder:
    """Adds up calls; no more than numbers is kept of one."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._kept = self._sent = self._retried = 0
        self._costs, self._seconds = array("d"), array("d")
        self._priced = True  # Whether the cost of every call is known.

    def add(self, call: CallRecord) -> None:
        """Add a call, once it has ended or can no longer end."""
        if call.kept:
            self._kept += 1
            return
        self._sent += 1
        self._retried += call.again
        for name in _COUNTED:
            self._counts[name] += getattr(call, name) or 0
        self._costs.append(call.cost or 0.0)
        self._seconds.append(call.seconds or 0.0)
        self._priced = self._priced and (call.cost is not None or call.input_tokens is None)

    def totals(self) -> dict[str, Any]:
        """Return the sums so far, by the names of the fields of ``CallTotals``."""
        return {
            **{name: self._counts[name] for name in _COUNTED},
            "calls": self._sent,
            "retried": self._retried,
            "kept": self._kept,
            "cost": sum(self._costs, 0.0) if self._priced else None,
            "seconds": round(sum(self._seconds, 0.0), 6),
        }


class CallsTally:
    """What is known so far of the calls that a run made."""

    def __init__(self) -> None:
        # By phase and model, all models of a phase (None), and who called (with None).
        self._groups: defaultdict[tuple[str, str | None], CallAdder] = defaultdict(CallAdder)

    def __bool__(self) -> bool:
        """Whether there was any call."""
        return bool(self._groups)

    def add(self, call: CallRecord) -> None:
        """Add a call, once it has ended or can no longer end."""
        self._groups[call.phase, call.model or _NO_MODEL].add(call)
        self._groups[call.phase, None].add(call)
        self._groups[call.by, None].add(call)

    def summary(self, memories: Collection[MemoryRecord], questions: int) -> CallsSummary:
        """Return what the calls came to, with what the memories and questions of the run were."""
        tokens = [row.tokens for row in memories if row.tokens is not None]
        history_tokens = sum(tokens) if len(tokens) == len(memories) else None
        return CallsSummary(
            memorizing=self._phase("memorizing", (history_tokens or 0) / _THOUSAND),
            answering=self._phase("answering", questions),
            late=self._totals("late"),
            preflight=self._totals("preflight") if ("preflight", None) in self._groups else None,
            by_memory=self._totals("memory"),
            by_reader=self._totals("reader"),
            history_tokens=history_tokens,
            questions=questions,
            metered=any(row.metered for row in memories),
        )

    def _totals(self, name: str, model: str | None = None) -> CallTotals:
        """Return the totals of a phase, or of who called."""
        adder = self._groups.get((name, model)) or CallAdder()  # Of no call, all is zero.
        return CallTotals(**adder.totals())

    def _phase(self, name: str, units: float) -> PhaseCalls:
        """Return the calls of a phase, in all and for each of its units."""
        totals = self._totals(name)
        names = sorted(model for phase, model in self._groups if phase == name and model)
        models = {model: self._totals(name, model) for model in names}
        if not units:
            return PhaseCalls(totals=totals, each=None, models=models)
        return PhaseCalls(
            totals=totals,
            each=_each(totals, units),
            models=models,
            each_model={model: _each(own, units) for model, own in models.items()},
        )


def _each(totals: CallTotals, units: float) -> CallsEach:
    """Return what calls came to for each of ``units``: 1,000 tokens of history, or a question."""
    return CallsEach(
        calls=totals.calls / units,
        tokens=(totals.input_tokens + totals.output_tokens) / units,
        cost=None if totals.cost is None else totals.cost / units,
        seconds=totals.seconds / units,
    )
