"""What to say of a name that nobody knows: the nearest names, and where all of them are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3
_LIKENESS = 0.6  # Of 1; below it, a suggestion is rather a guess.
_SHORTEST_BEGINNING = 3


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three of the ``known`` names that are spelled like ``name``, the likest first.

    Names that begin with ``name`` come next. Upper and lower case count as the same letter.
    """
    spelled: dict[str, list[str]] = {}
    for one in known:
        spelled.setdefault(one.casefold(), []).append(one)
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, spelled, n=_MOST, cutoff=_LIKENESS)
    if len(wanted) >= _SHORTEST_BEGINNING:
        near += [one for one in spelled if one.startswith(wanted) and one not in near]
    return [one for folded in near for one in spelled[folded]][:_MOST]


def unknown(what: str, name: str, known: Iterable[str], rest: str | None = None) -> str:
    """Return a message about an unknown name, such as ``unknown source 'x': did you mean y? ...``.

    Args:
        what: what to say of the name.
        name: the name.
        known: the names that there are.
        rest: how to find the right name; all of ``known`` when None.
    """
    known = list(known)
    if rest is None:
        rest = f"known: {', '.join(known) or 'none'}"
    near = nearest(name, known)
    if not near:
        return f"{what} {name!r}; {rest}"
    return f"{what} {name!r}: did you mean {' or '.join(near)}? {rest}"
