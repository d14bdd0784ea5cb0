"""Cutting what a model is shown, where its server says that the prompt exceeds the context."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mabench.models import PromptTooLongError
from mabench.text import estimate_tokens, truncate_tokens

# Our estimate may be wrong about what is cut off, so somewhat more is, and never almost nothing.
_MORE, _LEAST = 1.05, 16


def count_excess(error: PromptTooLongError, prompt: str, answer_tokens: int) -> int:
    """Return how many tokens, by our estimate, a prompt is too long beside its answer."""
    too_many = error.tokens + answer_tokens - error.window
    ours_per_theirs = estimate_tokens(prompt) / error.tokens
    return max(_LEAST, math.ceil(too_many * ours_per_theirs * _MORE))


def cut_last(texts: Sequence[str], tokens: int) -> list[str]:
    """Return texts with this many estimated tokens cut from the end; the last texts go first."""
    kept = list(texts)
    while kept and tokens > 0:
        last = kept.pop()
        size = estimate_tokens(last)
        if size > tokens:
            kept.append(truncate_tokens(last, size - tokens))
        tokens -= size
    return kept
