"""Tells the same conversations to several memories, and compares them without golds.

It can be done with one's own conversations before anybody has written questions and right answers.
"""

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

_DATA_FOLDER = "asked"  # Within ``out``: the rows that all agents are told and asked.
_FEWEST_AGENTS = 2


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

    Args:
        folder: the folder of the imported conversations.
        specs: the settings of each agent's run, whose data are replaced by the conversations.
        asked: which questions the agents are asked.
        out: the folder for the rows, and for a run folder of each agent; what is there already is
            resumed.
        progress: an object that shows how the runs proceed.

    Raises:
        UsageError: when there are no conversations, an agent is missing, given twice or alone, or
            the folder holds something else.
        DataError: when the conversations cannot be read, or the rows cannot be written.
    """
    names = [name_agent(spec.agent) for spec in specs]
    if len(names) < _FEWEST_AGENTS:
        raise UsageError("to observe takes at least two agents, which are told the same")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the agent {name} is given twice")
    data_folder = out / _DATA_FOLDER
    if not data_folder.is_dir():  # If it is there, an observation was begun in this folder.
        refuse_foreign(out)
    for spec in specs:
        open_agent(spec)  # Nothing is told to one if another is missing.
    written = write_observed(folder, data_folder, asked)
    runs: dict[str, Run] = {}  # By the names of the agents.
    for name, spec in zip(names, specs, strict=True):
        data = replace(spec.data, data=data_folder)
        run = execute(replace(spec, data=data, out=out / name_folder([name])), progress)
        runs[run.record.agent] = run
        yield run
    answers = {} if asked is AskedOf.NOBODY else read_answers(runs)
    compared = compare_observed(runs, answers)
    yield Observation(
        conversations=written.rows,
        asked=asked.value,
        questions=written.questions,
        runs=tuple(compared.runs),
        pairs=tuple(compared.pairs),
        differing=find_differing(runs, answers),
    )
