"""Cuts long texts into windows that fit into an embedding model, and averages their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mabench.text import estimate_tokens, split_sentences, truncate_tokens

if TYPE_CHECKING:
    from mabench.models.embeddings.vectors import Vectors


def average_windows(vectors: Vectors, windows: Sequence[str]) -> Vectors:
    """Return the mean of the windows' vectors, weighted by tokens, as one row of unit length."""
    import numpy as np

    if len(windows) == 1:
        return vectors
    tokens = [max(1, estimate_tokens(window)) for window in windows]
    mean = np.average(vectors, axis=0, weights=tokens).astype(np.float32)
    unit: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-12))[np.newaxis]
    return unit


def cut_windows(text: str, limit: int) -> list[str]:
    """Cut a text into windows of at most ``limit`` tokens, between sentences if possible."""
    windows, window, taken = [], "", 0
    for sentence in split_sentences(text):
        while sentence:
            # Text without any space is cut after ``limit`` letters: a token has at least one.
            fits = estimate_tokens(sentence) <= limit
            piece = sentence if fits else truncate_tokens(sentence, limit) or sentence[:limit]
            sentence = sentence[len(piece) :]
            tokens = estimate_tokens(piece)
            if window and taken + tokens > limit:
                windows.append(window)
                window, taken = "", 0
            window, taken = window + piece, taken + tokens
    if window or not windows:
        windows.append(window)
    return windows
