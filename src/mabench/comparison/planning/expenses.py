"""What a run spends on a source: tokens, money and time, by history, question and build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import nan
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.comparison.entries import RunEntry
from mabench.results import CallRecord, MemoryRecord, Run, Sample
from mabench.uncertainty import Floats, Grouped

# The rows and the columns of an array of expenses, in shape (3, 4). What is unknown is NaN.
HISTORY, QUESTION, BUILD = range(3)
TOKENS, MODEL_TOKENS, DOLLARS, HOURS = range(4)
_SECONDS_PER_HOUR = 3600


def measure_expenses(entry: RunEntry, source: str, grouped: Grouped) -> Floats:
    """Return what a history, a question and a build take, in the mean over builds.

    The first answer of a history opens its memory, and the first answer of a run loads what
    answers. What they take longer than other answers counts with the history, and with the build.

    Args:
        entry: a run, or several builds of one.
        source: the source.
        grouped: its questions by history.

    Returns:
        Tokens memorized, tokens of models, US dollars and hours, in shape (3, 4), as the constants
        of this module number them.
    """
    spent = np.zeros((3, 4))
    for run in entry.runs:
        memories = _read_memories(run, source)
        tokens = [memory.tokens or nan for memory in memories.values()]
        spent[HISTORY, TOKENS] += sum(tokens) if len(tokens) == grouped.groups else nan
        spent[:, HOURS] += _measure_hours(run, memories)
        for call in _list_paid_calls(run, source):
            spent[call.spender, MODEL_TOKENS] += call.tokens
            spent[call.spender, DOLLARS] += call.dollars
    if not spent[:BUILD, MODEL_TOKENS].any():  # No model was used.
        spent[:BUILD, [MODEL_TOKENS, DOLLARS]] = nan
    # The rows of the array: histories, questions and builds.
    counts_of_a_run = np.array([[grouped.groups], [grouped.n], [1]])
    return np.asarray(spent / (len(entry.runs) * counts_of_a_run))


def _read_memories(run: Run, source: str) -> dict[tuple[str, int], MemoryRecord]:
    """Return what was memorized of each row of a source, by split and row."""
    memories = run.store.memories()
    return {place: memory for place, memory in memories.items() if memory.source == source}


def _measure_hours(run: Run, memories: Mapping[tuple[str, int], MemoryRecord]) -> Floats:
    """Return the hours of memorizing, of answering and of starting, in shape (3,)."""
    times = defaultdict[tuple[str, int], list[float]](list)  # Seconds of the answers of a history.
    for timing in run.store.timings():
        place = (timing.split, timing.row)
        if place in memories:
            times[place].append(timing.seconds)
    # How much longer the first answer of each history took, than its others did on average.
    opening = [max(0.0, first - fmean(rest)) for first, *rest in times.values() if rest]
    # How much longer the first history took to open than others; with one, all of it is the start.
    start = sum(opening)
    if len(opening) > 1:
        start = max(0.0, opening[0] - fmean(opening[1:]))
    memorizing = sum(memory.seconds for memory in memories.values()) + sum(opening) - start
    answering = sum(map(sum, times.values())) - sum(opening)
    return np.array([memorizing, answering, start]) / _SECONDS_PER_HOUR


class _PaidCall(NamedTuple):
    """What a call of a model took, by the memory or for an answer."""

    spender: int  # The row of the array that it counts in, ``HISTORY`` or ``QUESTION``.
    tokens: int
    dollars: float  # NaN if unknown.


def _list_paid_calls(run: Run, source: str) -> Iterator[_PaidCall]:
    """Yield the calls on a source that took tokens: of the memory, then of each answer.

    Replies that were kept from earlier calls took none.
    """
    calls = (call for call in run.store.calls() if call.by == "memory" and not call.kept)
    paid: list[CallRecord | Sample] = [*calls, *run.samples()]
    for record in paid:
        tokens = (record.input_tokens or 0) + (record.output_tokens or 0)
        if not tokens or record.source != source:
            continue
        at_answer = isinstance(record, Sample) or record.phase == "answering"
        yield _PaidCall(
            spender=QUESTION if at_answer else HISTORY,
            tokens=tokens,
            dollars=nan if record.cost is None else record.cost,
        )
