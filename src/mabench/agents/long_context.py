"""An agent that keeps the whole history in a language model's context."""

from __future__ import annotations

from typing import NoReturn

from mabench.errors import UsageError


def make() -> NoReturn:
    """Keeps the whole history in a language model's context; not possible in this version.

    Raises:
        UsageError: always; this version has no client for a language model.
    """
    raise UsageError(
        "long-context needs a language model, which this version cannot call; "
        "choose another agent: bm25, no-memory, or package.module:factory"
    )
