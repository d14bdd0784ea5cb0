"""Reads Python literals in data as values. Nothing is ever run."""

from __future__ import annotations

import ast
import warnings


def read_literal(text: str, longest: int) -> object:
    """Return the value of a Python literal; None if the text is no literal or is too long.

    ``longest`` is in characters. Warnings about invalid escapes are suppressed: the user did not
    write the text.
    """
    if len(text) > longest:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
