"""The word lists and names that the rules of the corrected score go by, read when first needed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_WORDS = [Path(__file__).with_name(f"{name}.toml") for name in ("words", "judging")]
_NAMES = Path(__file__).with_name("names.json")


@cache
def sections() -> Mapping[str, Mapping[str, Any]]:
    """Return the sections of all files, each by the names of its entries in their order."""
    return {k: v for f in _WORDS for k, v in tomllib.loads(f.read_text(encoding="utf-8")).items()}


# What each rule of the corrected score decides by; docs/reference/scoring.md has examples.
RULES: Mapping[str, str] = sections()["rules"]


@cache
def entries(name: str) -> tuple[str, ...]:
    """Return the list ``section.name`` of ``words.toml``."""
    section, _, key = name.partition(".")
    listed = sections()[section][key]
    return tuple(listed.split() if isinstance(listed, str) else listed)


@cache
def words(*names: str) -> frozenset[str]:
    """Return the words of one list or several as a set."""
    return frozenset(word for name in names for word in entries(name))


@cache
def pattern(template: str, *names: str) -> re.Pattern[str]:
    """Return a pattern in which each ``%s`` is any entry of a list; case plays no part."""
    return re.compile(template % tuple("|".join(entries(name)) for name in names), re.IGNORECASE)


@cache
def names(kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the groups of names of a kind in ``names.json``: each is one thing."""
    groups = json.loads(_NAMES.read_text(encoding="utf-8"))[kind]
    return tuple(tuple(group.split("/")) for group in groups.split("|") if group)
