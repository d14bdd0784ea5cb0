"""Do synthetic rows rank agents as the real rows do?

Cheap agents of different strength answer real rows (``../shared/data/mab-dev``, or DATA)
and synthetic rows of the same families and about the same length. For each family the scores stand
side by side with Spearman's rank correlation over the agents.

    python benchmarks/agreement.py [DATA]
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import mabench
from mabench.agents import RetrievalAgent
from mabench.agents.memories.bm25 import BM25Memory
from mabench.agents.readers import SkillReader
from mabench.contract import Passage
from mabench.data import Dataset
from mabench.loading import synthetic_dataset
from mabench.synthesis import row_specs_named

SOURCES = {
    "factconsolidation": (
        "factconsolidation_mh_6k",
        "factconsolidation_mh_32k",
        "factconsolidation_sh_6k",
        "factconsolidation_sh_32k",
    ),
    "icl": ("icl_banking77_5900shot_balance", "icl_trec_coarse_6600shot_balance"),
    "ruler": ("ruler_qa1_197K",),
}
SEEDS = (0, 1)


class Recent:
    """Remembers the last texts only, whatever is asked."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Store a text."""
        self._texts.append(text)

    def search(self, query: str, k: int) -> Sequence[str | Passage]:
        """Return the last texts, the newest first."""
        return self._texts[: -k - 1 : -1]


class Random:
    """Returns texts picked by a hash of the query."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Store a text."""
        self._texts.append(text)

    def search(self, query: str, k: int) -> Sequence[str | Passage]:
        """Return texts that have nothing to do with the query."""
        picks = (hashlib.sha256(f"{i} {query}".encode()).digest()[:8] for i in range(k))
        return [self._texts[int.from_bytes(pick) % len(self._texts)] for pick in picks]


AGENTS: Mapping[str, str | Callable[[], object]] = {
    "no-memory": "no-memory",
    "random": lambda: RetrievalAgent(Random(), SkillReader(), 3),
    "recent": lambda: RetrievalAgent(Recent(), SkillReader(), 3),
    "bm25 at 1": lambda: RetrievalAgent(BM25Memory(), SkillReader(), 1),
    "bm25 at 3": lambda: RetrievalAgent(BM25Memory(), SkillReader(), 3),
    "bm25 at 10": lambda: RetrievalAgent(BM25Memory(), SkillReader(), 10),
}


def main() -> None:
    """Print a table for each family, and the correlations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", default="../shared/data/mab-dev")
    real = mabench.load(parser.parse_args().data)
    correlations = []
    for family, sources in SOURCES.items():
        orders = [order for seed in SEEDS for order in row_specs_named(sources, seed)]
        made = synthetic_dataset("synthetic", orders)
        scores = {
            name: (_score(agent, real, sources), _score(agent, made, sources))
            for name, agent in AGENTS.items()
        }
        print(f"{family}\n  {'agent':12}{'real':>8}{'synthetic':>11}")
        for name, (here, there) in scores.items():
            print(f"  {name:12}{here:8.1f}{there:11.1f}")
        correlations.append(spearman(*zip(*scores.values(), strict=True)))
        print(f"  Spearman's rho {correlations[-1]:.2f}\n")
    print(f"mean rho {fmean(correlations):.2f} over {len(AGENTS)} agents")


def _score(agent: str | Callable[[], object], dataset: Dataset, sources: Sequence[str]) -> float:
    """Return the mean official score over the sources, from 0 to 100."""
    with tempfile.TemporaryDirectory() as folder:
        run = mabench.run(agent, dataset, sources=sources, out=Path(folder) / "run")
        return fmean(source["official"] for source in run.summary["sources"].values())


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation; equal scores share their mean rank."""
    ranks = [_ranks(one), _ranks(other)]
    means = [fmean(column) for column in ranks]
    deviations = [[r - m for r in column] for column, m in zip(ranks, means, strict=True)]
    product = sum(a * b for a, b in zip(*deviations, strict=True))
    norms = [sum(d * d for d in column) ** 0.5 for column in deviations]
    return float(product / (norms[0] * norms[1])) if all(norms) else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(v) + (ordered.count(v) - 1) / 2 for v in values]


if __name__ == "__main__":
    main()
