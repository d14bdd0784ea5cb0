"""Tables of scores whose truth is known, as `mabench compare scores.csv` takes them.

A history has a true score for each agent, from a beta distribution with a mean and a correlation
within histories; questions are right or wrong by it. With builds, part of what a history adds comes
anew with each build. Memories may fail whole histories now and then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mabench.data.inventory import SOURCES
from mabench.uncertainty import Floats

# How questions are shared out among the histories of a source.
EQUAL, VARIED, HALF = "equal", "CV 1", "one half"
# The questions of LoCoMo's ten conversations.
_LOCOMO = (199, 105, 193, 260, 242, 158, 190, 239, 196, 204)


class Source(NamedTuple):
    """A source: the number of questions of each of its histories."""

    name: str
    sizes: Sequence[int]


def layouts() -> dict[str, Sequence[Source]]:
    """Return the layouts of the grid, by name."""
    benchmark = [
        Source(one.name, [one.questions // one.rows] * one.rows) for one in SOURCES if one.questions
    ]
    return {
        "5 x 100": [Source("s", [100] * 5)],
        "20 x 20": [Source("s", [20] * 20)],
        "LoCoMo": [Source("s", _LOCOMO)],
        "1 x 100 and 6 x 20": [Source("one", [100]), Source("six", [20] * 6)],
        "22 sources of 6 x 10": [Source(f"s{number}", [10] * 6) for number in range(22)],
        "the benchmark's": benchmark,
    }


def share_out(histories: int, questions: int, how: str) -> Sequence[int]:
    """Return the questions of each history: all alike, with a CV of 1, or half about one."""
    if how == HALF:
        return [questions * (histories - 1)] + [questions] * (histories - 1)
    if how == VARIED:  # The quantiles of an exponential distribution.
        ends = (np.arange(histories) + 0.5) / histories
        return [max(1, round(questions * float(-np.log1p(-end)))) for end in ends]
    return [questions] * histories


class Truth(NamedTuple):
    """What scores are drawn from."""

    mean: float = 0.5
    correlation: float = 0.1  # Within histories.
    same: bool = False  # Whether all agents have the same true scores in each history.
    fails: float = 0.0  # How often a memory fails a whole history.
    builds: int = 1
    of_builds: float = 0.0  # The correlation within a history that comes anew with each build.
    lost: bool = False  # Whether wrong answers are missed or misread, at random by history.


class Drawn(NamedTuple):
    """A table of scores, and what it was drawn from."""

    table: Mapping[str, Sequence[Any]]
    # By agent and source: the true mean of these histories, over builds that there could be.
    these: Mapping[tuple[str, str], float]


def draw_shares(
    random: np.random.Generator, mean: float, correlation: float, shape: tuple[int, ...]
) -> Floats:
    """Draw true scores from a beta distribution."""
    if not correlation:
        return np.full(shape, mean)
    total = (1 - correlation) / correlation
    return random.beta(mean * total, (1 - mean) * total, shape)


def draw_table(
    random: np.random.Generator,
    sources: Sequence[Source],
    agents: int,
    truth: Truth,
    better: float = 0.0,
) -> Drawn:
    """Draw a table; the first agent has ``better`` added to its mean."""
    names = [f"agent {number}" for number in range(agents)]
    columns: dict[str, list[np.ndarray[Any, Any]]] = {}
    these: dict[tuple[str, str], float] = {}

    def add(**values: Any) -> None:
        count = len(values["score"])
        for name, value in values.items():
            columns.setdefault(name, []).append(
                value if isinstance(value, np.ndarray) else np.full(count, value)
            )

    for source in sources:
        sizes = np.asarray(source.sizes)
        histories = np.repeat(np.arange(len(sizes)), sizes)
        questions = np.arange(len(histories))
        shared = draw_shares(random, truth.mean, truth.correlation, sizes.shape)
        shared_missed = draw_shares(random, 0.5, truth.correlation, sizes.shape)
        for place, name in enumerate(names):
            mean = truth.mean + better * (place == 0)
            own = (
                shared if truth.same else draw_shares(random, mean, truth.correlation, sizes.shape)
            )
            if truth.fails:
                # Those that do not fail are better, so that the mean is the same.
                own = np.clip(own / (1 - truth.fails), 0, 1)
                own = own * (random.random(sizes.shape) >= truth.fails)
            these[name, source.name] = float((own * sizes).sum() / sizes.sum())
            for build in range(truth.builds):
                chance = own
                if truth.of_builds:
                    total = (1 - truth.of_builds) / truth.of_builds
                    kept = np.clip(own, 0.01, 0.99)
                    chance = random.beta(kept * total, (1 - kept) * total)
                score = (random.random(len(histories)) < chance[histories]).astype(float)
                parts: dict[str, Any] = {}
                if truth.lost:
                    missed = shared_missed
                    if not truth.same:
                        missed = draw_shares(random, 0.5, truth.correlation, sizes.shape)
                    by_search = random.random(len(histories)) < missed[histories]
                    wrong = np.where(by_search, "missed", "misread")
                    parts["part"] = np.where(score == 1, "right", wrong)
                add(
                    agent=name,
                    source=source.name,
                    history=histories,
                    question=questions,
                    score=score,
                    build=f"{build}",
                    **parts,
                )
    if truth.builds == 1:
        del columns["build"]
    table = {name: np.concatenate(values).tolist() for name, values in columns.items()}
    return Drawn(table, these)
