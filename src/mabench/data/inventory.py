"""Sources as data: those of MemoryAgentBench, of other benchmarks, and those that users declare.

Where the figures of the 22 in ``inventory.csv`` come from: the dataset card at revision
``REVISION`` and the paper (arXiv 2507.05257): rows, questions, mean context length, the context
limit of the published configuration, and the column of the paper's main table that a source
feeds. That has the longest contexts only.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from mabench.errors import UsageError, unknown

HUB = "hub"  # What ``mabench.load`` and ``--data`` call the public data set.
HUB_ID = "ai-hyz/MemoryAgentBench"
REVISION = "7ea066982b140a19337e17e60d45d4076e042faf"


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of rows: which split they belong to, and which family says how they are treated."""

    name: str  # What a row's ``metadata.source`` says.
    split: str  # The split of its rows.
    # A family of mabench, ``package.module:FAMILY``, or an entry point of the group
    # ``mabench.families``.
    family: str
    # How many the public data set has in all; 0 for a declared source.
    rows: int = 0
    questions: int = 0
    context_tokens: int = 0  # The mean length of a context, in o200k_base tokens; 0 if declared.
    context_limit: int = 0  # The limit of the published configuration, in the same tokens.
    column: str | None = None  # The column of the paper's main table that the source feeds, if any.
    # A regular expression; a piece that no chunk may split begins where it matches. None, like the
    # next two, for the family's own.
    unit: str | None = None
    metric: str | None = None  # The metric that is reported, one of the family's.
    prompt: str | None = None  # The prompt that asks, with ``{question}`` in it.
    # ``turn`` or ``time`` where every question of its rows says by one of these up to where it may
    # know the history; None if rows need not.
    asked_after: str | None = None
    timezone: str | None = None  # Where the clocks stood of times without a zone, by its name.

    @classmethod
    def declare(cls, name: str, fields: Mapping[str, str], split: str = "Own") -> Self:
        """Return a source of a user's, which has the fields of its table in ``sources.toml``."""
        settings: Any = {setting: fields.get(setting) for setting in SETTINGS}
        return cls(name, split, fields["family"], **settings)

    @property
    def settings(self) -> dict[str, str]:
        """What it sets instead of its family, by the name of the field."""
        return {name: value for name in SETTINGS if (value := getattr(self, name)) is not None}

    @property
    def competency(self) -> str:
        """What the source examines, in the words of its split."""
        return self.split.replace("_", " ").lower()

    @property
    def places(self) -> tuple[str, ...]:
        """The names of the scores that its questions count in."""
        if self.column is None:
            return (self.name,)
        return (self.name, self.column, CATEGORIES[split_rank(self.split)].name, "Overall")


class Category(NamedTuple):
    """A competency of the benchmark: its name, its split, and its columns in the paper."""

    name: str
    split: str
    columns: tuple[str, ...]


CATEGORIES = (
    Category("AR", "Accurate_Retrieval", ("SH-QA", "MH-QA", "LME", "EventQA")),
    Category("TTL", "Test_Time_Learning", ("MCC", "Recom")),
    Category("LRU", "Long_Range_Understanding", ("Summ", "DetQA")),
    Category("CR", "Conflict_Resolution", ("FC-SH", "FC-MH")),
)
SPLITS = tuple(category.split for category in CATEGORIES)

_, *_LINES = Path(__file__).with_name("inventory.csv").read_text(encoding="utf-8").splitlines()
SOURCES = tuple(
    Source(name, split, family, int(rows), int(asked), int(tokens), int(limit), column or None)
    for name, split, family, rows, asked, tokens, limit, column in csv.reader(_LINES)
)
BY_NAME: Mapping[str, Source] = {source.name: source for source in SOURCES}
LISTED = "`mabench sources` lists them"
SETTINGS = ("unit", "metric", "prompt", "asked_after", "timezone")
# What the end of a name says when it says how long the rows of a source are.
_LENGTH = re.compile(r"_(?:\d+[km]?|full|\d+shot_balance|s\*)$", re.IGNORECASE)


def find_source(name: str, sources: Mapping[str, Source] = BY_NAME) -> Source:
    """Return a source by its name; raises ``UsageError``, with the nearest names, without one."""
    if name not in sources:
        raise UsageError(unknown("unknown source", name, sources, LISTED))
    return sources[name]


def match_sources(
    names: str | Iterable[str],
    sources: Mapping[str, Source] = BY_NAME,
    held: Collection[str] = (),
    listed: str = LISTED,
) -> list[str]:
    """Return those of ``sources`` that names mean: all lengths, or all sources of a family.

    Of such a name only sources in ``held`` are taken, where it means any of them;
    ``listed`` says how to find the right name. Raises ``UsageError``, with the nearest, for others.
    """
    matches: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if name in sources:
            matches.append(name)
            continue
        meant = [
            other
            for other, source in sources.items()
            if name in (without_length(other), other.rstrip("*"), source.family)
        ]
        if not meant:
            raise _unknown_name(name, sources, listed)
        matches += [source for source in meant if source in held] or meant
    return list(dict.fromkeys(matches))


def _unknown_name(name: str, sources: Mapping[str, Source], listed: str) -> UsageError:
    """Return the error for a name of no source; ``listed`` says how to find the right one."""
    names = dict.fromkeys([*sources, *map(without_length, sources)])
    declared = ", ".join(source for source in sources if source not in BY_NAME)
    hint = listed
    if "," in name:
        hint = "name each by itself"
    elif declared and listed == LISTED:
        hint = f"{listed}; declared here: {declared}"
    return UsageError(unknown("unknown source", name, names, hint), parameter="sources")


def without_length(name: str) -> str:
    """Return the name of a source without what says its length: ``eventqa`` of ``eventqa_full``."""
    return _LENGTH.sub("", name)


def split_rank(split: str | None) -> int:
    """Return the place of a split among those of the benchmark; unknown splits come last."""
    return SPLITS.index(split) if split in SPLITS else len(SPLITS)
