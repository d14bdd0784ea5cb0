"""Comparing texts that a memory returns with texts that it was told.

It must not be stricter than a person: composition, case and spacing make no difference.
"""

from __future__ import annotations

import unicodedata


def normalize(text: str) -> str:
    """Return a text in NFC and case-folded, with single spaces between its words."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
