"""Cuts long texts into windows that fit into an embedding model, and averages their vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mabench.text import estimate_tokens, split_sentences, truncate_tokens

if TYPE_CHECKING:
    from mabench.models.embeddings.vectors import Vectors

_SHORTEST = 1e-12  # The length of a mean is taken to be at least this, so as not to divide by 0.


def average_windows(vectors: Vectors, windows: Sequence[str]) -> Vectors:
    """Return the mean of the windows' vectors, weighted by their tokens, as a single row.

    Like each of them, it has unit length.
    """
    import numpy as np

    if len(windows) == 1:
        return vectors
    tokens = [max(1, estimate_tokens(window)) for window in windows]
    mean = np.average(vectors, axis=0, weights=tokens).astype(np.float32)
    length = max(float(np.linalg.norm(mean)), _SHORTEST)
    single_row: Vectors = (mean / length)[np.newaxis]
    return single_row


def cut_windows(text: str, limit: int) -> list[str]:
    """Cut a text into windows of at most ``limit`` tokens, between sentences if possible.

    Joined, the windows are the text. An empty text is one empty window.
    """
    windows = []
    window, window_tokens = "", 0
    for sentence in split_sentences(text):
        for piece in _cut_sentence(sentence, limit):
            tokens = estimate_tokens(piece)
            if window and window_tokens + tokens > limit:
                windows.append(window)
                window, window_tokens = "", 0
            window += piece
            window_tokens += tokens
    if window or not windows:
        windows.append(window)
    return windows


def _cut_sentence(sentence: str, limit: int) -> Iterator[str]:
    """Yield the pieces of a sentence, each of at most ``limit`` tokens."""
    rest = sentence
    while rest:
        if estimate_tokens(rest) <= limit:
            piece = rest
        else:
            # Text without any space is cut after ``limit`` letters: a token has at least one.
            piece = truncate_tokens(rest, limit) or rest[:limit]
        yield piece
        rest = rest[len(piece) :]
