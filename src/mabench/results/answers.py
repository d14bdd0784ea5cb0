"""What became of answers, and what they took."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mabench.json_text import JsonRecord, Number
from mabench.results.records.lines import RowPlace


class _PartWords(NamedTuple):
    """What may become of a question, in words, and as the head of a column."""

    words: str
    head: str
    mention: str = ""  # The words where a hit is a mention, which need not answer, if others.
    lost: str = ""  # How points are lost by it, where a run can lose some.
    tells: bool = True  # Whether it says anything of why.
    missed: bool = False  # Whether the support of its questions was not retrieved.

    def describe(self, hit_by: str | None) -> str:
        """Return it in words, by what a hit is for the question."""
        return (self.mention if hit_by == "mention" else "") or self.words


# What becomes of questions; each has one part, so that their counts add up.
_TABLE = Path(__file__).with_name("parts.toml").read_text(encoding="utf-8")
PARTS = {name: _PartWords(**fields) for name, fields in tomllib.loads(_TABLE).items()}
# The parts that *missed* has as a whole: those that say where, and the one that cannot.
MISSED = tuple(name for name, part in PARTS.items() if part.missed)


@dataclass(frozen=True, kw_only=True)
class AnswerUsage(JsonRecord):
    """What some answers took; an amount is null if no sample says."""

    n: int  # How many questions were asked.
    errors: int  # How many of them failed.
    # The model's tokens.
    input_tokens: int | None
    output_tokens: int | None
    dropped_tokens: int | None  # How much of the history could not be shown.
    cut_off: int | None  # How many answers broke off at their budget of tokens.
    cost: Number | None  # In US dollars.


@dataclass(frozen=True, kw_only=True)
class RowUsage(AnswerUsage, RowPlace):
    """What the answers of one row took; an amount is null if no sample says."""
