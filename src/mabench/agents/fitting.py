"""Cuts what a model is shown, after its server said that the prompt is too long for its context.

The server counts tokens with the model's own tokenizer; we only estimate them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mabench.models import PromptTooLongError
from mabench.text import estimate_tokens, truncate_tokens

# Somewhat more is cut off than our estimate says, since it may be wrong about that part; and at
# least some tokens, so that no two requests are almost the same.
_SPARE, _LEAST_TOKENS = 1.05, 16


def count_excess(error: PromptTooLongError, prompt: str, answer_tokens: int) -> int:
    """Return how many tokens, by our estimate, must be cut from a prompt.

    Args:
        error: how long the prompt and the context are, by the server.
        prompt: the prompt.
        answer_tokens: how long the answer may be; it needs room beside the prompt.
    """
    excess_by_server = error.tokens + answer_tokens - error.window
    ours_per_server_token = estimate_tokens(prompt) / error.tokens
    return max(_LEAST_TOKENS, math.ceil(excess_by_server * ours_per_server_token * _SPARE))


def cut_last(texts: Sequence[str], tokens: int) -> list[str]:
    """Return texts without their last ``tokens`` estimated tokens; the last texts go first."""
    rest = list(texts)
    left_to_cut = tokens
    while rest and left_to_cut > 0:
        last = rest.pop()
        size = estimate_tokens(last)
        if size > left_to_cut:
            rest.append(truncate_tokens(last, size - left_to_cut))
        left_to_cut -= size
    return rest
