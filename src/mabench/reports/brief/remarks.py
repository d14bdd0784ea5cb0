"""What short reports share: how many remarks they have, and short titles of made-up sources.

The title of a source of made-up rows says how long its histories are, such as ``ruler_qa1, 8k, made
up``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mabench.printable import write_count

# How many remarks a short report has at most.
_MOST_REMARKS = 3
_MADE_UP = "made up"
_SEPARATOR = ", "


def first_remarks(remarks: Sequence[str]) -> list[str]:
    """Return the first remarks; the last of them says how many more the full report has."""
    if len(remarks) <= _MOST_REMARKS:
        return [*remarks]
    *first, last = remarks[:_MOST_REMARKS]
    more = write_count(len(remarks) - _MOST_REMARKS, "more remark")
    return [*first, f"{last} ({more} in the full report.)"]


def shared_title(titles: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return what all titles of sources say, such as ``made up, 8k``, and the titles without it.

    ``titles`` are by the source's name. A length is shared only by several sources. Titles that are
    not all of made-up rows share nothing.
    """
    parts_by_name = {name: title.split(_SEPARATOR) for name, title in titles.items()}
    if not titles or not all(_MADE_UP in parts for parts in parts_by_name.values()):
        return "", dict(titles)
    shared = [_MADE_UP]
    lengths = {_find_length(parts) for parts in parts_by_name.values()}
    if len(titles) > 1 and len(lengths) == 1:
        [length] = lengths
        if length is not None:
            shared.append(length)
    short_titles = {}
    for name, parts in parts_by_name.items():
        short_titles[name] = _SEPARATOR.join(part for part in parts if part not in shared)
    return _SEPARATOR.join(shared), short_titles


def _find_length(parts: Sequence[str]) -> str | None:
    """Return the length in the parts of a title, the second one if it begins with a digit."""
    has_length = len(parts) > 1 and parts[1][:1].isdigit()
    return parts[1] if has_length else None
