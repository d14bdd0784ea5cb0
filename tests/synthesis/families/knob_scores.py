"""What an agent scores on made-up rows as a knob is turned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import mabench
from mabench.agents import RetrievalAgent
from mabench.agents.memories.bm25 import BM25Memory
from mabench.agents.readers import SkillReader
from mabench.loading import synthetic_dataset
from mabench.synthesis import row_specs


class Turned(NamedTuple):
    """Settings of the knobs of a source, the easiest first, and what can tell them apart."""

    source: str
    settings: Sequence[Mapping[str, float]]
    depth: int
    tokens: int = 8_000
    questions: int = 40


def score(turned: Turned, knobs: Mapping[str, float], seeds: Sequence[int]) -> float:
    """Return the mean official score of BM25 at a depth over one row of each seed."""
    specs = [
        spec._replace(row=seed)
        for seed in seeds
        for spec in row_specs(
            turned.source,
            seed,
            rows=1,
            tokens=turned.tokens,
            questions=turned.questions,
            knobs=knobs,
        )
    ]
    with TemporaryDirectory() as folder:
        run = mabench.run(
            lambda: RetrievalAgent(BM25Memory(), SkillReader(), turned.depth),
            synthetic_dataset("turned", specs),
            out=Path(folder) / "run",
        )
        return run.summary.sources[turned.source].official or 0.0
