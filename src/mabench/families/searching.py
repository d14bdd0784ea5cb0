"""What a retrieval agent searches with, by the published protocol (arXiv 2507.05257)."""

from __future__ import annotations

# What is before the text to be searched for.
MARKERS = ("Now Answer the Question:", "Here is the conversation:")


def search_query(prompt: str) -> str:
    """Return what a retrieval agent searches with, by the published protocol (arXiv 2507.05257).

    That is the text after the last ``Now Answer the Question:``, else after the last
    ``Here is the conversation:``, else the whole prompt.
    """
    for marker in MARKERS:
        _, found, rest = prompt.rpartition(marker)
        if found and rest.strip():
            return rest.strip()
    return prompt
