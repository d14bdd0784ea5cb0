"""A trial: a row of a run that is run, metered, and what it says of the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from mabench.data import Dataset
from mabench.errors import MabenchError, UsageError
from mabench.loading import load
from mabench.lookup import capabilities_of
from mabench.progress import Progress
from mabench.runs.execution import execute
from mabench.runs.records.measurements import Place
from mabench.runs.records.store import RunFolder
from mabench.runs.results.calls import added, calls_summary, scaled
from mabench.runs.results.run import Run
from mabench.runs.results.summaries import CallsSummary, CallTotals
from mabench.runs.spec import RunSpec
from mabench.text import estimate_tokens

_THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class RowSize:
    """How much there is of a row.

    Attributes:
        source: its source.
        place: its split and its index there.
        tokens: of its history, about.
        questions: how many are asked of it.
    """

    source: str
    place: Place
    tokens: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What rows that were run say of those that are left.

    Attributes:
        run: the run, with what was answered so far.
        measured: the rows that were run.
        calls: what the calls of these took.
        errors: how many of their questions failed.
        left: the rows that have questions without an answer; they will be memorized.
        questions: how many questions are left.
        memorizing, answering: the calls that are left, by model.
        seconds_memorize: by the clock, per 1,000 tokens of history.
        seconds_answer: by the clock, per question.
        hours: of what is left, with as many rows and questions at a time as the run has.
    """

    run: Run
    measured: tuple[RowSize, ...]
    calls: CallsSummary
    errors: int
    left: tuple[RowSize, ...]
    questions: int
    memorizing: Mapping[str, CallTotals]
    answering: Mapping[str, CallTotals]
    seconds_memorize: float
    seconds_answer: float
    hours: float

    @property
    def so_far(self) -> CallTotals:
        """All calls of the run so far, those of rows that are not finished included."""
        calls = self.run.summary.calls
        return added([calls.by_memory, calls.by_reader] if calls else [])

    @property
    def to_come(self) -> CallTotals:
        """All calls that are left."""
        return added([*self.memorizing.values(), *self.answering.values()])


def estimate_by_row(spec: RunSpec, progress: Progress | None = None) -> Trial:
    """Run a row, and say what the rest of the run would take.

    It is the row with the shortest history, so that it costs little. It is part of the run: the
    folder keeps it, and the run resumes after it. All its questions are asked, since a row with
    open questions would be memorized again. Where the folder holds rows that were run and metered
    before, nothing is run, and all of them count.

    Raises:
        UsageError: when no call could be seen, or the agent shows whole histories.
        MabenchError: when the row failed, and as ``execute`` raises it.
    """
    _check(spec)
    dataset = load(spec.data.data, offline=spec.data.offline)
    spec = replace(spec, data=replace(spec.data, data=dataset))
    sizes: list[RowSize] = []

    def chosen(folder: RunFolder, dataset: Dataset) -> set[Place]:
        sizes.extend(
            RowSize(row.source, (row.split, row.index), estimate_tokens(row.context), len(asked))
            for row, asked in spec.data.selected(dataset)
        )
        answered = _answered(folder, but_errors=spec.retry_errors)
        if _measured(folder, sizes, answered):
            return set()
        left = [size for size in sizes if answered[size.place] < size.questions]
        return {min(left, key=lambda size: size.tokens).place} if left else set()

    run = execute(spec, progress, chosen=chosen)
    return _trial(spec, run, sizes)


def _check(spec: RunSpec) -> None:
    """Refuse a trial that could say nothing."""
    if spec.agent.model is None and spec.agent.meter is None:
        raise UsageError(
            "a row says what models cost only where their calls are seen: name the model that "
            "reads with `model`, or the server that the memory calls with `meter`",
            parameter="by_row",
        )
    if capabilities_of(spec.agent.agent).shows_history:
        raise UsageError(
            f"{spec.agent.agent} shows a whole history with every question, so that a row says "
            "little of longer ones; `estimate` knows what that takes, and asks nothing",
            parameter="by_row",
        )


def _answered(folder: RunFolder, *, but_errors: bool = False) -> Counter[Place]:
    """Return how many questions of each row are answered, or failed."""
    samples = (one for one in folder.samples() if not (but_errors and one.error is not None))
    return Counter((one.split, one.row) for one in samples)


def _measured(
    folder: RunFolder, sizes: Sequence[RowSize], answered: Counter[Place]
) -> list[RowSize]:
    """Return the rows that are finished and of which calls were seen, or looked for."""
    memories = folder.memories()
    called = {call.place for call in folder.calls() if call.phase != "preflight"}
    found = []
    for size in sizes:
        memory = memories.get(size.place)
        if memory is None or memory.error is not None or not memory.tokens:
            continue
        if answered[size.place] >= size.questions and (memory.metered or size.place in called):
            found.append(size)
    return found


def _trial(spec: RunSpec, run: Run, sizes: Sequence[RowSize]) -> Trial:
    folder = RunFolder(run.folder)
    answered = _answered(folder)
    measured = _measured(folder, sizes, answered)
    places = {size.place for size in measured}
    errors = [one for one in folder.samples() if one.error is not None]
    if not measured:
        why = f": {errors[0].error}" if errors else ""
        raise MabenchError(
            f"the row that was run says nothing of the others{why}; mend that, and run it again "
            "with `retry_errors`"
        )
    memories = [memory for place, memory in folder.memories().items() if place in places]
    tokens = sum(memory.tokens or 0 for memory in memories)
    asked = sum(size.questions for size in measured)
    calls = calls_summary(
        (call for call in folder.calls() if call.place in places),
        tokens,
        asked,
        metered=any(memory.metered for memory in memories),
    )
    assert calls is not None  # noqa: S101 - a row that was measured has calls, or was metered
    left = tuple(size for size in sizes if answered[size.place] < size.questions)
    questions = sum(size.questions - answered[size.place] for size in left)
    per_token = sum(memory.seconds for memory in memories) / tokens
    per_question = _seconds_asked(folder, places) / asked
    tokens_left = sum(size.tokens for size in left)
    at_a_time = min(spec.rows_in_parallel, len(left)) or 1
    seconds = per_token * tokens_left + per_question * questions / spec.limits.questions
    return Trial(
        run=run,
        measured=tuple(measured),
        calls=calls,
        errors=sum((one.split, one.row) in places for one in errors),
        left=left,
        questions=questions,
        memorizing=scaled(calls.memorizing.models, tokens_left / tokens),
        answering=scaled(calls.answering.models, questions / asked),
        seconds_memorize=per_token * _THOUSAND,
        seconds_answer=per_question,
        hours=seconds / at_a_time / 3600,
    )


def _seconds_asked(folder: RunFolder, places: Collection[Place]) -> float:
    return sum(one.seconds for one in folder.timings() if (one.split, one.row) in places)
