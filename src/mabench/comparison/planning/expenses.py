"""What a run spends on a source: tokens, money and time, by history, question and build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import nan
from statistics import fmean

import numpy as np

from mabench.comparison.entries import RunEntry
from mabench.results import CallRecord, MemoryRecord, Run, Sample
from mabench.uncertainty import Floats, Grouped

# The rows and the columns of an array of expenses, in shape (3, 4). What is unknown is NaN.
HISTORY, QUESTION, BUILD = range(3)
TOKENS, MODEL_TOKENS, DOLLARS, HOURS = range(4)


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
        told = [memory.tokens or nan for memory in memories.values()]
        spent[HISTORY, TOKENS] += sum(told) if len(told) == grouped.groups else nan
        spent[:, HOURS] += _measure_hours(run, memories)
        for phase, tokens, cost in _list_calls(run, source):
            spent[phase, MODEL_TOKENS] += tokens
            spent[phase, DOLLARS] += cost
    if not spent[:BUILD, MODEL_TOKENS].any():  # No model was used.
        spent[:BUILD, [MODEL_TOKENS, DOLLARS]] = nan
    return np.asarray(spent / (len(entry.runs) * np.array([[grouped.groups], [grouped.n], [1]])))


def _read_memories(run: Run, source: str) -> dict[tuple[str, int], MemoryRecord]:
    """Return what was memorized of each row of a source, by split and row."""
    memories = run.store.memories()
    return {place: memory for place, memory in memories.items() if memory.source == source}


def _measure_hours(run: Run, memories: Mapping[tuple[str, int], MemoryRecord]) -> Floats:
    """Return the hours of memorizing, of answering and of starting, in shape (3,)."""
    times = defaultdict[tuple[str, int], list[float]](list)
    for time in run.store.timings():
        if (place := (time.split, time.row)) in memories:
            times[place].append(time.seconds)
    # How much longer the first answer of each history took.
    opening = [max(0.0, first - fmean(rest)) for first, *rest in times.values() if rest]
    start = max(0.0, opening[0] - fmean(opening[1:])) if opening[1:] else sum(opening)
    memorizing = sum(memory.seconds for memory in memories.values()) + sum(opening) - start
    answering = sum(map(sum, times.values())) - sum(opening)
    return np.array([memorizing, answering, start]) / 3600


def _list_calls(run: Run, source: str) -> Iterator[tuple[int, int, float]]:
    """Yield the row of the array, the tokens and the dollars of each paid call of a model."""
    calls = (call for call in run.store.calls() if call.by == "memory" and not call.kept)
    paid: list[CallRecord | Sample] = [*calls, *run.samples()]
    for each in paid:
        tokens = (each.input_tokens or 0) + (each.output_tokens or 0)
        if tokens and each.source == source:
            at_answer = isinstance(each, Sample) or each.phase == "answering"
            cost = nan if each.cost is None else each.cost
            yield QUESTION if at_answer else HISTORY, tokens, cost
