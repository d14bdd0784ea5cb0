"""Observing: the same conversations told to several memories, and what needs no golds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mabench.errors import UsageError
from mabench.json_text import JsonRecord
from mabench.observing.answers import DifferingAnswers, find_differing, read_answers
from mabench.observing.asked import AskedOf, write_observed
from mabench.observing.figures import ObservedPair, ObservedRun, compare_observed
from mabench.progress import Progress
from mabench.results import Run
from mabench.runs.execution import execute
from mabench.runs.folders.foreign import refuse_foreign
from mabench.runs.folders.names import name_folder
from mabench.runs.opening import open_agent
from mabench.runs.sweeping import name_agent
from mabench.specs import RunSpec

_ROWS = "asked"  # The folder of the rows that all runs are told.
_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(JsonRecord):
    """What several memories made of the same conversations."""

    conversations: int  # How many histories there are.
    asked: str  # Which questions were asked: ``users``, ``sheet`` or ``nobody``.
    questions: int  # How many.
    runs: tuple[ObservedRun, ...]
    pairs: tuple[ObservedPair, ...]
    # The first questions that a language model answers differently with them; none if none read.
    differing: tuple[DifferingAnswers, ...]


def observe(
    folder: Path,
    specs: Sequence[RunSpec],
    asked: AskedOf,
    out: Path,
    progress: Progress | None = None,
) -> Iterator[Run | Observation]:
    """Tell conversations to agents as they happened; yield each run, and at last the observation.

    The data of ``specs`` are replaced by the conversations. ``out`` holds the rows that were asked,
    and a run folder for each agent; what is there already is resumed.

    Raises:
        UsageError: when there are no conversations, an agent is missing, given twice or alone, or
            the folder holds something else.
        DataError: when the conversations cannot be read, or the rows cannot be written.
    """
    names = [name_agent(spec.agent) for spec in specs]
    if len(names) < _FEWEST:
        raise UsageError("to observe takes at least two agents, which are told the same")
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"the agent {twice} is given twice")
    if not (out / _ROWS).is_dir():  # Else it was stopped before the first run was begun.
        refuse_foreign(out)
    for spec in specs:
        open_agent(spec)  # Nothing is told to one if another is missing.
    conversations, questions = write_observed(folder, out / _ROWS, asked)
    runs: dict[str, Run] = {}
    for name, spec in zip(names, specs, strict=True):
        data = replace(spec.data, data=out / _ROWS)
        run = execute(replace(spec, data=data, out=out / name_folder([name])), progress)
        runs[run.record.agent] = run
        yield run
    answers = {} if asked is AskedOf.NOBODY else read_answers(runs)
    observed, pairs = compare_observed(runs, answers)
    yield Observation(
        conversations=conversations,
        asked=asked.value,
        questions=questions,
        runs=tuple(observed),
        pairs=tuple(pairs),
        differing=find_differing(runs, answers),
    )
