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

from mabench.data.inventory import CATEGORIES

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
    version: str | None
    reader: str | None  # The language model that answers.
    embedder: str | None
    depth: int | None  # How many passages are retrieved.
    chunk_tokens: int | None
    judge: str | None  # The language model that judges.
    on: str  # A source, column or category, or ``Overall``.
    score: float  # From 0 to 100.
    n: int  # Questions.
    date: str | None  # YYYY-MM-DD or YYYY-MM.
    published: str  # Where.
    party: Literal["first", "third"]  # The system's own authors measured it, or others.
    run: str | None  # The fingerprint of the data of a run that can be looked at.


@cache
def figures() -> tuple[Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.leaderboard").joinpath("figures.jsonl").read_text(encoding="utf-8")
    adapter = TypeAdapter(Figure)
    return tuple(adapter.validate_json(line) for line in text.splitlines())


def best_by_column(listed: Iterable[Figure]) -> Mapping[str, Figure]:
    """Return the best figure of each column, category and ``Overall``, whoever reads and judges."""
    ascending = sorted(listed, key=lambda figure: figure.score)
    return {figure.on: figure for figure in ascending if figure.on in PLACES}
