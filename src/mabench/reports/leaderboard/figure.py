"""The figure, which is a score of a system with how it was measured, and all published figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from mabench.data.inventory import SOURCES
from mabench.families import family_of
from mabench.json_text import IfKnown, JsonRecord, parse
from mabench.results import Measure
from mabench.uncertainty.score_intervals import Intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(JsonRecord):
    """One figure, published or of a run; None is what is unknown or does not apply."""

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
    published: str  # Where; for a run its folder.
    read: Literal["source", "second-hand"] | None = None  # By whoever entered it.
    # Measured by the system's own authors, or by others; ``own``: by a run of ours.
    party: Literal["first", "third", "own"]
    run: str | None = None  # The fingerprint of the data of a run that can be looked at.
    interval: IfKnown[Intervals | None] = None  # Of a run.

    @property
    def measure(self) -> Measure:
        """The score with its intervals."""
        return Measure.of(self.score, self.interval) or Measure(self.score)

    @property
    def unlike(self) -> str:
        """Why it cannot be compared with other figures; empty if it can.

        Figures compare that are by the paper's metric, on all questions, with all answers counted.
        """
        if self.metric is None or self.asked is None:
            return "metric or questions not stated"
        sources = [source for source in SOURCES if self.on in source.places]
        metrics = {family_of(source.name).metric for source in sources}
        papers_metric = metrics.pop() if len(metrics) == 1 else "official"
        reasons = []
        if self.metric != papers_metric:
            reasons.append(f"by {self.metric}")
        if self.asked < sum(source.questions for source in sources):
            reasons.append("some questions")
        if self.answered and self.answered < self.asked:
            reasons.append("answers left out")
        return ", ".join(reasons)


@cache
def published_figures() -> tuple[Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.reports").joinpath("figures.jsonl").read_text(encoding="utf-8")
    return tuple(parse(Figure, line) for line in text.splitlines())
