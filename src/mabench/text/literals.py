"""Python literals in data: read as values, never run."""

from __future__ import annotations

import ast
import warnings


def read_literal(text: str, longest: int) -> object:
    """Return the value of the Python literal that ``text`` is, or None when it is none.

    Text longer than ``longest`` characters is not parsed. Escapes that Python warns of are
    read in silence: the text is data, and its writer cannot act on a warning.
    """
    if len(text) > longest:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
