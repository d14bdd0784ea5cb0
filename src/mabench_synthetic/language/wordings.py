"""Wordings, written in the source as blocks of text that read as what is made of them."""

from __future__ import annotations

import re


def phrases(block: str) -> tuple[str, ...]:
    """Return the phrases of a block, which bars separate; a line break counts as a space."""
    return tuple(" ".join(phrase.split()) for phrase in block.split("|"))


def words(block: str) -> tuple[str, ...]:
    """Return the words of a block, which white space separates."""
    return tuple(block.split())


def table(block: str) -> dict[str, tuple[str, ...]]:
    """Return the phrases of each entry of a block, by the entry's name.

    An entry starts a line with its name and a colon; indented lines continue it.
    """
    entries = (entry.partition(":") for entry in re.split(r"\n(?=\S)", block.strip()))
    return {name: phrases(text) for name, _, text in entries}
