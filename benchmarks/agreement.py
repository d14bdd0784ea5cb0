"""Are made-up rows as hard as the real ones, and do they rank agents alike?

Cheap agents answer real rows and made-up rows of the same sources, of the same length and with as
many questions. The Markdown tables (``docs/explanation/made-up-rows.md``) show for each source the
score on the real row with its 95 % interval over questions, the mean over the seeds of the
made-up rows with its interval over seeds, and the difference; for each family Spearman's rank
correlation over the agents. ``dense`` and ``hybrid`` take part where
sentence-transformers is installed.

    python benchmarks/agreement.py [--family ruler] [--seeds 10] [--embeddings FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import mabench
from mabench.agents import RetrievalAgent
from mabench.contract import Passage, Query
from mabench.data import BY_NAME, Dataset
from mabench.text import estimate_tokens
from mabench.uncertainty import Interval, quantile
from mabench_floor import FloorAgent
from mabench_floor.labels.skill import demonstrations_in
from mabench_floor.reader import SkillReader
from mabench_floor.recommendation.skill import dialogues_in, learn_titles
from mabench_memories.retrieval import BM25Memory, DenseMemory, HybridMemory
from mabench_memories.retrieval.dense import EMBEDDINGS
from mabench_synthetic import row_specs
from mabench_synthetic.scheme import synthetic_dataset

_SHARED = Path("../shared/data")
_DATA = (_SHARED / "mab-dev", _SHARED / "mab-dev-qa2")
_ENTITIES = "entity2id.json"  # Beside the folder of the real rows.
_MOST_ITEMS = 20
_WIDEST = 8.0  # Points between real and made-up rows beyond which a row is marked.

AgentFactory = Callable[[], object]


class PoorReader:
    """Reads the first half of each passage, so that it misses half of what was found."""

    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        """Answer from the halves."""
        halves = [Passage(passage.text[: len(passage.text) // 2]) for passage in passages]
        return SkillReader().read(query, halves)


class Remembering:
    """Keeps the chunks; what is learnt from them is learnt at the first question."""

    def __init__(self) -> None:
        self._chunks: list[str] = []

    def memorize(self, chunk: str) -> None:
        """Keep the chunk."""
        self._chunks.append(chunk)


class NearestLabel(Remembering):
    """Gives a text the label of the demonstration that shares most words with it."""

    _memory: BM25Memory | None = None

    def answer(self, query: Query) -> str:
        """Return the label of the nearest demonstration."""
        if self._memory is None:
            self._memory = BM25Memory()
            self._labels: dict[str, str] = {}
            for text, label in demonstrations_in("\n".join(self._chunks)):
                self._labels[text] = label
                self._memory.add(text)
        nearest = self._memory.search(query.question, 1)
        return self._labels[nearest[0].text] if nearest else ""


class MostNamed(Remembering):
    """Recommends what was named most, to everybody."""

    _answer: str | None = None

    def answer(self, query: Query) -> str:
        """Return the titles named most, the same ones for every question."""
        del query
        if self._answer is None:
            turns = [turn for one in dialogues_in("\n".join(self._chunks)) for turn in one]
            titles = learn_titles(turns)
            named = Counter(title for turn in turns for title in titles.mentioned(turn))
            best = (titles.written[title] for title, _ in named.most_common(_MOST_ITEMS))
            self._answer = "\n".join(f"{i}. {title}" for i, title in enumerate(best, start=1))
        return self._answer


_FOR_ALL: Mapping[str, AgentFactory | str] = {
    "no-memory": "no-memory",
    "bm25, k = 3": lambda: RetrievalAgent(BM25Memory(), SkillReader(), 3),
    "bm25, k = 10": lambda: RetrievalAgent(BM25Memory(), SkillReader(), 10),
    "bm25, poor reader": lambda: RetrievalAgent(BM25Memory(), PoorReader(), 10),
    "floor": FloorAgent,
}
_FOR_FAMILY: Mapping[str, Mapping[str, AgentFactory]] = {
    "icl": {"nearest label": NearestLabel},
    "recsys": {"most named": MostNamed},
}


def agents_of(family: str, embeddings: str | None) -> dict[str, AgentFactory | str]:
    """Return the agents that apply to a family, by name."""
    agents = {**_FOR_ALL, **_FOR_FAMILY.get(family, {})}
    if embeddings:
        agents["dense"] = lambda: RetrievalAgent(DenseMemory(embeddings), SkillReader(), 10)
        agents["hybrid"] = lambda: RetrievalAgent(HybridMemory(embeddings), SkillReader(), 10)
    return agents


class Job(NamedTuple):
    """A real row, and which row to answer: itself (no seed) or a made-up one like it.

    ``tokens`` is the length of the real row by the estimate, by which chunks are cut. ``names``
    limits the agents; all that apply when it is empty.
    """

    data: Path
    source: str
    tokens: int
    questions: int
    seed: int | None
    embeddings: str | None
    names: tuple[str, ...]


class Score(NamedTuple):
    """A score from 0 to 100 and its interval."""

    value: float
    interval: Interval


def answered(job: Job) -> dict[str, Score]:
    """Return the official score of each agent."""
    dataset = mabench.load(job.data) if job.seed is None else made_like(job, job.seed)
    real_titles = job.seed is None and BY_NAME[job.source].family == "recsys"
    entities = job.data.parent / _ENTITIES if real_titles else None
    scores = {}
    for name, agent in agents_of(BY_NAME[job.source].family, job.embeddings).items():
        if job.names and name not in job.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            run = mabench.run(
                agent,
                mabench.DataSpec(data=dataset, entities=entities),
                sources=job.source,
                out=out,
            )
            source = run.summary.sources[job.source]
            limits = source.interval.these_histories if source.interval else None
            scores[name] = Score(source.official or 0.0, Interval(*(limits or (0.0, 100.0))))
    return scores


def made_like(job: Job, seed: int) -> Dataset:
    """Return a made-up row of the length of the real one, with as many questions.

    Chunks are cut by the estimate, by which invented names are shorter than in o200k_base, so the
    row is ordered longer until it is as long by the estimate and cut into as many chunks.
    """

    def made(tokens: int) -> Dataset:
        specs = row_specs(job.source, seed, tokens=tokens, questions=job.questions, rows=1)
        return synthetic_dataset("synthetic", specs)

    (first,) = made(job.tokens).rows()
    return made(round(job.tokens**2 / estimate_tokens(first.context)))


def over_seeds(scores: Sequence[float]) -> Score:
    """Return the mean of the scores of several rows, and its interval by Student's t."""
    mean = fmean(scores)
    if len(scores) == 1:
        return Score(mean, Interval(0.0, 100.0))
    half = quantile(len(scores) - 1) * stdev(scores) / sqrt(len(scores))
    return Score(mean, Interval(max(0.0, mean - half), min(100.0, mean + half)))


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


def real_rows(folders: Iterable[Path], wanted: Sequence[str]) -> Iterator[Job]:
    """Yield the real rows of the families or sources wanted; all when none is named."""
    for folder in folders:
        for row in mabench.load(folder).rows():
            source = row.metadata["source"]
            if not wanted or source in wanted or BY_NAME[source].family in wanted:
                tokens = estimate_tokens(row.context)
                yield Job(folder, source, tokens, len(row.questions), None, None, ())


# Of each source, for each agent: the score on the real row, and over the made-up rows.
Pairs = Mapping[str, Mapping[str, tuple[Score, Score]]]


def measured(jobs: Sequence[Job], seeds: Sequence[int], processes: int) -> Pairs:
    """Answer every real row and a made-up one like it of each seed."""
    todo = [job._replace(seed=seed) for job in jobs for seed in (None, *seeds)]
    if processes == 1:
        results = list(map(answered, todo))
    else:
        with ProcessPoolExecutor(processes) as pool:
            results = list(pool.map(answered, todo))
    real: dict[str, dict[str, Score]] = {}
    made: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(partial(defaultdict, list))
    for job, scores in zip(todo, results, strict=True):
        if job.seed is None:
            real[job.source] = scores
            continue
        for name, score in scores.items():
            made[job.source][name].append(score.value)
    return {
        source: {name: (score, over_seeds(made[source][name])) for name, score in scores.items()}
        for source, scores in real.items()
    }


def table(pairs: Pairs) -> Iterator[str]:
    """Yield the lines of the Markdown tables: all scores, and the correlations."""
    yield "| source | agent | real | made-up | difference |"
    yield "|---|---|---:|---:|---:|"
    for source, agents in pairs.items():
        for name, (real, made) in agents.items():
            apart = made.value - real.value
            marked = f"**{apart:+.1f}**" if abs(apart) > _WIDEST else f"{apart:+.1f}"
            yield f"| {source} | {name} | {_shown(real)} | {_shown(made)} | {marked} |"
    yield ""
    yield "| family or source | Spearman's rho | widest difference |"
    yield "|---|---:|---:|"
    by_family: defaultdict[str, list[str]] = defaultdict(list)
    for source in pairs:
        by_family[BY_NAME[source].family].append(source)
    for family, sources in by_family.items():
        for label, group in ((family, sources), *((source, [source]) for source in sources)):
            widest = max(abs(a - b) for s in group for a, b in _values(pairs[s].values()))
            yield f"| {label} | {spearman(*_means(pairs, group)):.2f} | {widest:.1f} |"


def _means(pairs: Pairs, sources: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return the scores of each agent on real and on made-up rows, as means over sources."""
    by_source = [_values(pairs[source].values()) for source in sources]
    means = [tuple(map(fmean, zip(*agent, strict=True))) for agent in zip(*by_source, strict=True)]
    return [real for real, _ in means], [made for _, made in means]


def _values(scores: Iterable[tuple[Score, Score]]) -> list[tuple[float, float]]:
    return [(real.value, made.value) for real, made in scores]


def _shown(score: Score) -> str:
    low, high = score.interval
    return f"{score.value:.1f} ({low:.0f} to {high:.0f})"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", type=Path, default=_DATA, help="real rows")
    parser.add_argument("--family", nargs="*", default=(), help="families or sources")
    parser.add_argument("--agents", nargs="*", default=(), help="names as in the table")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0, help="made-up rows are of this one on")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--embeddings", help="a sentence-transformers model, by folder or name")
    arguments = parser.parse_args()
    embeddings = None
    if find_spec("sentence_transformers"):
        embeddings = arguments.embeddings or EMBEDDINGS
    names = tuple(arguments.agents)
    jobs = [
        job._replace(embeddings=embeddings, names=names)
        for job in real_rows(arguments.data, arguments.family)
    ]
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    print("\n".join(table(measured(jobs, seeds, arguments.processes))))


if __name__ == "__main__":
    main()
