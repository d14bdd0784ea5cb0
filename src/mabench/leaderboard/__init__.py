"""Published figures as data: one a line in ``figures.jsonl``, which contributors add to.

``docs/guides/leaderboard.md`` says how. Figures are never ranked across readers and judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import TypeAdapter

from mabench.data.inventory import CATEGORIES, SOURCES
from mabench.families import family_of

__all__ = ["PLACES", "Figure", "best_by_column", "figures"]

# The columns of the paper's table, the category after its columns, and the mean of all.
PLACES = (
    *(place for category in CATEGORIES for place in (*category.columns, category.name)),
    "Overall",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure; None stands for what nobody says, or what there is none of."""

    system: str
    version: str | None = None
    reader: str | None  # The language model that answers.
    embedder: str | None = None
    depth: int | None = None  # How many passages are retrieved.
    chunk_tokens: int | None
    judge: str | None  # The language model that judges.
    on: str  # A source, column or category, or ``Overall``.
    metric: str | None  # ``official`` for the mean of several metrics of the paper.
    score: float  # From 0 to 100.
    asked: int | None  # Questions.
    answered: int | None = None  # How many of them count; a failed answer that is wrong does.
    date: str | None = None  # YYYY-MM-DD or YYYY-MM.
    published: str  # Where; the folder of a run of one's own.
    read: Literal["source", "second-hand"] | None = None  # By whoever entered it.
    # The system's own authors measured it, or others; ``own`` of a run of one's own.
    party: Literal["first", "third", "own"]
    run: str | None = None  # The fingerprint of the data of a run that can be looked at.

    @property
    def unlike(self) -> str:
        """Why it compares with no other figure; empty where it does."""
        members = [source for source in SOURCES if self.on in source.places]
        metrics = {family_of(source.name).metric for source in members}
        metric = metrics.pop() if len(metrics) == 1 else "official"
        whole = sum(source.questions for source in members)
        if self.metric is None or self.asked is None:
            return "metric or questions not stated"
        reasons = [f"by {self.metric}"] if self.metric != metric else []
        reasons += ["some questions"] if self.asked < whole else []
        reasons += ["answers left out"] if (self.answered or self.asked) < self.asked else []
        return ", ".join(reasons)


@cache
def figures() -> tuple[Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.leaderboard").joinpath("figures.jsonl").read_text(encoding="utf-8")
    adapter = TypeAdapter(Figure)
    return tuple(adapter.validate_json(line) for line in text.splitlines())


def best_by_column(listed: Iterable[Figure]) -> Mapping[str, Figure]:
    """Return the best figure of each column, category and ``Overall``, whoever reads and judges.

    Those of another kind and those that were read second-hand are left out.
    """
    fit = (one for one in listed if not one.unlike and one.read != "second-hand")
    ascending = sorted(fit, key=lambda figure: figure.score)
    return {figure.on: figure for figure in ascending if figure.on in PLACES}
