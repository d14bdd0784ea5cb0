"""Cuts a history into pieces. Joined, the pieces are always exactly the history."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

# It begins with a single character because that is found ten times as fast.
_PARAGRAPH_END = re.compile(r"\n[ \t]*(?:\r?\n[ \t]*)+")


def split_after(pattern: re.Pattern[str], text: str) -> list[str]:
    """Cut a text after every match of a pattern."""
    return cut_at(text, (match.end() for match in pattern.finditer(text)))


def split_before(pattern: re.Pattern[str], text: str) -> list[str]:
    """Cut a text before every match of a pattern."""
    return cut_at(text, (match.start() for match in pattern.finditer(text)))


def split_paragraphs(text: str) -> list[str]:
    """Cut a text after blank lines."""
    return split_after(_PARAGRAPH_END, text)


def cut_at(text: str, places: Iterable[int]) -> list[str]:
    """Cut a text at places in ascending order; those outside of it are ignored."""
    edges = [0, *(place for place in places if 0 < place < len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges) if start < end]
