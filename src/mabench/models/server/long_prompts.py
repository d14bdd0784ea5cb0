"""How much longer a prompt is than the context of a model, where the server counts both.

llama.cpp's server does. Others say it in sentences of many kinds, which are not read.
"""

from __future__ import annotations

import json

from mabench.models.failure import Excess

_TYPE = "exceed_context_size_error"


def read_excess(body: bytes) -> Excess | None:
    """Return the counts in the body of an error; None if it is about something else."""
    try:
        error = json.loads(body)["error"]
        if error["type"] != _TYPE:
            return None
        tokens, window = error["n_prompt_tokens"], error["n_ctx"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    # Not ``isinstance``, which takes true for a number.
    are_numbers = type(tokens) is int and type(window) is int
    return Excess(tokens, window) if are_numbers and 0 < window <= tokens else None
