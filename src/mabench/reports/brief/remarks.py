"""How many remarks a short report has, and what its made-up sources share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mabench.printable import write_count

# Remarks that a short report has at most.
_MOST_REMARKS = 3
_MADE_UP = "made up"
_SEPARATOR = ", "


def first_remarks(remarks: Sequence[str]) -> list[str]:
    """Return the first remarks; the last of them says how many more the full report has."""
    kept = [*remarks[:_MOST_REMARKS]]
    if left := len(remarks) - len(kept):
        more = write_count(left, "more remark")
        kept[-1] = f"{kept[-1]} ({more} in the full report.)"
    return kept


def shared_title(titles: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return what all titles of sources say, such as ``made up, 6k``, and the titles without it.

    A length is shared only by several sources. Titles that are not all of made-up rows share
    nothing.
    """
    parts = {name: title.split(_SEPARATOR) for name, title in titles.items()}
    if not parts or not all(_MADE_UP in of for of in parts.values()):
        return "", dict(titles)
    shared = [_MADE_UP]
    lengths = [part for of in parts.values() for part in of[1:2] if part[:1].isdigit()]
    if 1 < len(parts) == len(lengths) and len({*lengths}) == 1:
        shared.append(lengths[0])
    short = {
        name: _SEPARATOR.join(part for part in of if part not in shared)
        for name, of in parts.items()
    }
    return _SEPARATOR.join(shared), short
