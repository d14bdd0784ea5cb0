"""The word lists and names that the rules of the corrected score go by, read when first needed.

``entries("names.titles")`` is the list ``titles`` of the section ``names``, and ``pattern`` fills
such lists into a regular expression. Whatever is made from a list is ``remembered`` until the lists
change. For a while rules can go by other lists, by which tests see which answer changes without an
entry.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

_FOLDER = Path(__file__).parent
_WORDS = [_FOLDER / name for name in ("words.toml", "judging.toml", "stated/signs.toml")]
_NAMES = _FOLDER / "names.json"

P = ParamSpec("P")
T = TypeVar("T")
# The sections of words, each by the names of its lists in their order.
WordLists = Mapping[str, Mapping[str, Any]]


@cache
def _written() -> WordLists:
    """Return the lists as they are written in the files."""
    return {k: v for f in _WORDS for k, v in tomllib.loads(f.read_text(encoding="utf-8")).items()}


_other_lists: list[WordLists] = []  # The last ones are in use.
_forget: list[Callable[[], None]] = []


def sections() -> WordLists:
    """Return the lists in use: those of all files, or what ``go_by`` was given."""
    return _other_lists[-1] if _other_lists else _written()


@contextmanager
def go_by(lists: WordLists) -> Iterator[None]:
    """Let the rules go by other lists for a while.

    Everything that was remembered is forgotten before and after, so this is for tests and
    measurements, and not for two threads at once.
    """
    _other_lists.append(lists)
    _forget_all()
    try:
        yield
    finally:
        _other_lists.pop()
        _forget_all()


def _forget_all() -> None:
    for forget in _forget:
        forget()


def remembered(size: int | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function remember what it returned, as ``lru_cache`` does, until the lists change."""

    def remember(function: Callable[P, T]) -> Callable[P, T]:
        remembering = lru_cache(maxsize=size)(function)
        _forget.append(remembering.cache_clear)
        return cast("Callable[P, T]", remembering)

    return remember


# What each rule of the corrected score decides by; docs/reference/scoring.md has examples.
RULES: Mapping[str, str] = _written()["rules"]


@remembered()
def entries(name: str) -> tuple[str, ...]:
    """Return the list ``section.name`` of ``words.toml``."""
    section, _, key = name.partition(".")
    listed = sections()[section][key]
    return tuple(listed.split() if isinstance(listed, str) else listed)


@remembered()
def words(*names: str) -> frozenset[str]:
    """Return the words of one list or several as a set."""
    return frozenset(word for name in names for word in entries(name))


def alternatives(name: str) -> str:
    """Return the entries of a list as alternatives of a pattern."""
    return either(entries(name))


def either(parts: Iterable[str]) -> str:
    """Return parts as alternatives of a pattern; of none, a pattern that no text matches."""
    return "|".join(parts) or "(?!)"


@remembered()
def pattern(template: str, *names: str) -> re.Pattern[str]:
    """Return a pattern in which each ``%s`` is any entry of a list; case plays no part."""
    return re.compile(template % tuple(map(alternatives, names)), re.IGNORECASE)


@cache
def names(kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the groups of names of a kind in ``names.json``: each is one thing."""
    groups = json.loads(_NAMES.read_text(encoding="utf-8"))[kind]
    return tuple(tuple(group.split("/")) for group in groups.split("|") if group)
