"""The published figures: reading them, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from mabench.data.inventory import CATEGORIES

# The columns of the paper's table, the category after its columns, and the mean of all.
PLACES = (
    *(place for category in CATEGORIES for place in (*category.columns, category.name)),
    "Overall",
)


class Party(StrEnum):
    """Who measured: the authors of the system, or somebody else."""

    FIRST = "first"
    THIRD = "third"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure.

    Attributes:
        system: what was measured.
        version: its version; None where nobody says.
        reader: the language model that answers; None where nobody says.
        embedder: the model that embeds, where there is one.
        depth: how many passages are retrieved, where they are.
        chunk_tokens: how many tokens a chunk has, where the history is cut.
        judge: the language model that judges, where one does.
        on: the source, column or category, or ``Overall``.
        score: from 0 to 100.
        n: the number of questions.
        date: when it was published, as YYYY-MM-DD or YYYY-MM; None where nobody says.
        published: where.
        party: ``first`` where the system's own authors measured, else ``third``.
        run: the fingerprint of the data of a run that can be looked at; None without one.
    """

    system: str
    version: str | None
    reader: str | None
    embedder: str | None
    depth: int | None
    chunk_tokens: int | None
    judge: str | None
    on: str
    score: float
    n: int
    date: str | None
    published: str
    party: Party
    run: str | None


@cache
def figures() -> tuple[Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.leaderboard").joinpath("figures.jsonl").read_text(encoding="utf-8")
    adapter = TypeAdapter(Figure)
    return tuple(adapter.validate_json(line) for line in text.splitlines())


def best_by_column(listed: Iterable[Figure]) -> Mapping[str, Figure]:
    """Return the best figure of each column, category and ``Overall``, whoever reads and judges."""
    best: dict[str, Figure] = {}
    for figure in sorted(listed, key=lambda figure: figure.score):
        if figure.on in PLACES:
            best[figure.on] = figure
    return best
