"""The search query of a retrieval agent under the published protocol (arXiv 2507.05257)."""

from __future__ import annotations

# The search query is the text after one of these; the first one takes precedence.
MARKERS = ("Now Answer the Question:", "Here is the conversation:")


def search_query(prompt: str) -> str:
    """Return the search query in a prompt, by the published protocol (arXiv 2507.05257).

    That is the text after the last ``Now Answer the Question:``, else after the last
    ``Here is the conversation:``, else the whole prompt.
    """
    for marker in MARKERS:
        _, found, rest = prompt.rpartition(marker)
        if found and rest.strip():
            return rest.strip()
    return prompt
