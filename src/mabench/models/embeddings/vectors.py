"""What an embedding model is, and the vectors that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    window: int  # How many tokens of a text it sees.
    truncates: bool  # It drops the rest of a longer text by itself; else it refuses the text.

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix of ``len(texts)`` rows of unit length, as 32-bit floats."""


def normalize(vectors: Vectors) -> Vectors:
    """Return the vectors with unit length."""
    import numpy as np

    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return unit
