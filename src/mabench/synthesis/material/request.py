"""What is asked of rows over a user's own material."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from mabench.synthesis.streams import stream


class Request(NamedTuple):
    """How rows are to be made of a file.

    Attributes:
        source: the source whose form the row takes, or a family for the source to be chosen.
        seed: decides order, labels and which questions are asked.
        tokens: the length of the context; all of the material when None.
        questions: how many questions at most.
    """

    source: str
    seed: int
    tokens: int | None
    questions: int

    def stream(self) -> Random:
        """Return the stream of random numbers for the row."""
        return stream(self.seed, "material", self.source)
