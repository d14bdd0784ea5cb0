"""The interface of an embedding model, and the matrix that it returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


# Shorter vectors count as zero.
_SMALLEST_LENGTH = 1e-12


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    window: int  # How many tokens of a text it reads.
    truncates: bool  # Whether it cuts longer texts by itself; else it refuses them.

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix of ``len(texts)`` rows of unit length, as 32-bit floats."""


def normalize(vectors: Vectors) -> Vectors:
    """Scale each row to unit length; a row of zeros stays zero."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, _SMALLEST_LENGTH)
    return unit
