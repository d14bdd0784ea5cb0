"""What histories, questions and sources are called in other tools: names without ``/``."""

from __future__ import annotations

import re


def plain_name(text: str) -> str:
    """Return a text with an underscore for all but letters, digits, dots and hyphens."""
    return re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("_.") or "unnamed"


def history_id(split: str, row: int) -> str:
    """Return what names a history within its data set."""
    return f"{plain_name(split)}-{row}"


def question_id(split: str, row: int, question_index: int) -> str:
    """Return what names a question within its data set."""
    return f"{history_id(split, row)}-{question_index}"
