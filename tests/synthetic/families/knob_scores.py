"""What an agent scores on made-up rows as a knob is turned."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import mabench
from mabench.agents import RetrievalAgent
from mabench.agents.memories import BM25Memory
from mabench_floor.agent import FloorAgent
from mabench_floor.reader import SkillReader
from mabench_synthetic import row_specs
from mabench_synthetic.scheme import synthetic_dataset

_HELD = "substring_exact_match"


class Turned(NamedTuple):
    """Settings of the knobs of a source, the easiest first, and what can tell them apart.

    That is BM25 at a depth, or the floor where there is none.
    """

    source: str
    settings: Sequence[Mapping[str, float]]
    depth: int | None
    tokens: int = 8_000
    questions: int = 40


def score(turned: Turned, knobs: Mapping[str, float], seeds: Sequence[int]) -> float:
    """Return the mean score of an agent over one row of each seed.

    It is the official one, or without a judge how many of 100 answers hold the gold.
    """
    size: dict[str, Any] = {"rows": 1, "tokens": turned.tokens, "questions": turned.questions}
    specs = [
        spec._replace(row=seed)
        for seed in seeds
        for spec in row_specs(turned.source, seed, **size, knobs=knobs)
    ]
    with TemporaryDirectory() as folder:
        data = synthetic_dataset("turned", specs)
        run = mabench.run(lambda: _agent(turned.depth), data, out=Path(folder) / "run")
        found = run.summary.sources[turned.source]
        return found.official if found.official is not None else found.metrics[_HELD]


def _agent(depth: int | None) -> FloorAgent | RetrievalAgent:
    return RetrievalAgent(BM25Memory(), SkillReader(), depth) if depth else FloorAgent()
