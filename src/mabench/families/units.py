"""Cutting a context into units: pieces that a structured chunk never splits.

Every function returns pieces that, joined, give the text back, white space included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

_PARAGRAPH_END = re.compile(r"(?:\r?\n[ \t]*){2,}")


def split_after(pattern: re.Pattern[str], text: str) -> list[str]:
    """Cut ``text`` behind every match of ``pattern``."""
    return cut(text, (match.end() for match in pattern.finditer(text)))


def split_before(pattern: re.Pattern[str], text: str) -> list[str]:
    """Cut ``text`` in front of every match of ``pattern``."""
    return cut(text, (match.start() for match in pattern.finditer(text)))


def paragraphs(text: str) -> list[str]:
    """Cut ``text`` at blank lines."""
    return split_after(_PARAGRAPH_END, text)


def cut(text: str, places: Iterable[int]) -> list[str]:
    """Cut ``text`` at ``places``, which ascend."""
    edges = [0, *(place for place in places if 0 < place < len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges) if start < end]
