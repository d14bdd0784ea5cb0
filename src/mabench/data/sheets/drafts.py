"""Drafted questions, which nobody has accepted yet: rows of a source of their own, on request.

Data named ``drafts:PATH`` have them beside the accepted ones. The score of a source never has any.
"""

from __future__ import annotations

_PREFIX = "drafts:"
_SUFFIX = "-drafts"


def with_drafts(path: object) -> str:
    """Return the name of own conversations with their drafts."""
    text = str(path)
    return text if text.startswith(_PREFIX) else f"{_PREFIX}{text}"


def split_drafts(data: object) -> tuple[object, bool]:
    """Return what names data without drafts, and whether it asked for them."""
    if isinstance(data, str) and data.startswith(_PREFIX):
        return data.removeprefix(_PREFIX), True
    return data, False


def name_drafts(source: str) -> str:
    """Return the name of the source of drafts about the conversations of a source."""
    return f"{source}{_SUFFIX}"


def is_of_drafts(source: str, location: str | None) -> bool:
    """Whether a source of data at a location has drafts."""
    return source.endswith(_SUFFIX) and split_drafts(location)[1]
