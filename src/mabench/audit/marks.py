"""Marks in histories that say where answers are, which a careless export leaves in."""

from __future__ import annotations

import re
from collections import Counter

# What is written beside a turn to mark it, by benchmarks and by programs that prepare them.
_MARKS = re.compile(
    r"\[(?:evidence|gold|answer|has_answer|key)\]"
    r"|['\"]?\b(?:has_answer|is_answer|is_evidence|contains_?evidence|is_gold)['\"]?\s*[:=]\s*true\b",
    re.IGNORECASE,
)
_MOST_NAMED = 3


def find_marks(context: str) -> str | None:
    """Return a sentence that names the marks in a history; None if it has none."""
    counts = Counter(mark.lower() for mark in _MARKS.findall(context))
    if not counts:
        return None
    most_common = counts.most_common(_MOST_NAMED)
    names = ", ".join(f"`{mark}` ({count} times)" for mark, count in most_common)
    return f"{names} may mark turns that hold answers"
