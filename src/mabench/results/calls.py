"""The calls of models: what memorizing and answering took, by model, and which replies are kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from mabench.results.records.calls import CallRecord
from mabench.results.records.measurements import MemoryRecord, Place
from mabench.results.records.sample import Key
from mabench.results.summaries import CallsEach, CallsSummary, CallTotals, PhaseCalls

_THOUSAND = 1000
_NO_MODEL = "none"


class CallTally:
    """Calls that are added up."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = defaultdict(float)
        self._priced = True

    def add(self, call: CallRecord) -> None:
        """Take in a call."""
        sums = self._sums
        if call.kept:
            sums["kept"] += 1
            return
        sums["calls"] += 1
        sums["failed"] += call.failed
        sums["retried"] += call.again
        sums["estimated"] += call.estimated
        sums["seconds"] += call.seconds or 0.0
        for name in ("input_tokens", "output_tokens", "cached_tokens"):
            sums[name] += getattr(call, name) or 0
        sums["cost"] += call.cost or 0.0
        self._priced = self._priced and (call.cost is not None or call.input_tokens is None)

    def totals(self) -> CallTotals:
        """Return the sums."""
        sums = self._sums
        return CallTotals(
            calls=int(sums["calls"]),
            failed=int(sums["failed"]),
            retried=int(sums["retried"]),
            kept=int(sums["kept"]),
            input_tokens=int(sums["input_tokens"]),
            output_tokens=int(sums["output_tokens"]),
            cached_tokens=int(sums["cached_tokens"]),
            estimated=int(sums["estimated"]),
            cost=sums["cost"] if self._priced else None,
            seconds=round(sums["seconds"], 6),
        )


class _Phase:
    def __init__(self) -> None:
        self.all = CallTally()
        self.models: dict[str, CallTally] = defaultdict(CallTally)

    def add(self, call: CallRecord) -> None:
        self.all.add(call)
        self.models[call.model or _NO_MODEL].add(call)

    def summary(self, units: float) -> PhaseCalls:
        totals = self.all.totals()
        models = {name: tally.totals() for name, tally in sorted(self.models.items())}
        each = {name: _each(one, units) for name, one in models.items()} if units else None
        return PhaseCalls(
            totals=totals,
            each=_each(totals, units) if units else None,
            models=models,
            each_model=each,
        )


class QuestionCalls:
    """The calls that were made while questions were answered, by question.

    Args:
        calls: the calls of a run.
    """

    def __init__(self, calls: Iterable[CallRecord]) -> None:
        self._models: dict[Key, dict[str, CallTally]] = defaultdict(lambda: defaultdict(CallTally))
        self._shared: Counter[Place] = Counter()
        self._known = False
        for call in calls:
            self._known = True
            if call.phase != "answering":
                continue
            if call.question_index is None:
                self._shared[call.place] += 1
            else:
                key = (*call.place, call.question_index)
                self._models[key][call.model or _NO_MODEL].add(call)

    def of(self, question: Key) -> dict[str, CallTotals] | None:
        """Return the calls of a question by model; None where the run knows of no calls."""
        if not self._known:
            return None
        models = self._models.get(question, {})
        return {name: tally.totals() for name, tally in sorted(models.items())}

    def shared(self, row: Place) -> int:
        """Return how many calls of a row are of none of its questions alone."""
        return self._shared[row]


def calls_summary(
    memories: Collection[MemoryRecord], calls: Iterable[CallRecord], questions: int
) -> CallsSummary | None:
    """Return what the calls of a run came to; None where there were none and none were looked for.

    Args:
        memories: what is known of the rows' memories.
        calls: the calls, each once.
        questions: how many were asked.
    """
    phases: dict[str, _Phase] = defaultdict(_Phase)
    reader, memory, seen = CallTally(), CallTally(), False
    for call in calls:
        phases[call.phase].add(call)
        (reader if call.by == "reader" else memory).add(call)
        seen = True
    metered = any(row.metered for row in memories)
    if not seen and not metered:
        return None
    tokens = [row.tokens for row in memories if row.tokens is not None]
    history_tokens = sum(tokens) if len(tokens) == len(memories) else None
    return CallsSummary(
        memorizing=phases["memorizing"].summary((history_tokens or 0) / _THOUSAND),
        answering=phases["answering"].summary(questions),
        late=phases["late"].all.totals(),
        preflight=phases["preflight"].all.totals() if "preflight" in phases else None,
        by_memory=memory.totals(),
        by_reader=reader.totals(),
        history_tokens=history_tokens,
        questions=questions,
        metered=metered,
    )


def _each(totals: CallTotals, units: float) -> CallsEach:
    return CallsEach(
        calls=totals.calls / units,
        tokens=(totals.input_tokens + totals.output_tokens) / units,
        cost=None if totals.cost is None else totals.cost / units,
        seconds=totals.seconds / units,
    )
