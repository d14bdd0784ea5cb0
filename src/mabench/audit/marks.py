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
    """Return which marks a history has, as a clause; None for none."""
    found = Counter(match.lower() for match in _MARKS.findall(context))
    if not found:
        return None
    shown = found.most_common(_MOST_NAMED)
    named = ", ".join(f"`{mark}` ({number} times)" for mark, number in shown)
    return f"{named} may mark turns that hold answers"
