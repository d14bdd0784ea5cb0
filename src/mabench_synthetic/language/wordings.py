"""The wordings of made-up text, which ``wordings/*.toml`` hold as blocks, each under a name."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files


def phrases(file: str, name: str) -> tuple[str, ...]:
    """Return the phrases of a block, which bars separate; a line break counts as a space."""
    return _phrases(_read(file)[name])


def words(file: str, name: str) -> tuple[str, ...]:
    """Return the words of a block, which white space separates."""
    return tuple(_read(file)[name].split())


def table(file: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return the phrases of each entry of a block, by the entry's name.

    An entry starts a line with its name and a colon; indented lines continue it.
    """
    entries = (entry.partition(":") for entry in re.split(r"\n(?=\S)", _read(file)[name].strip()))
    return {entry: _phrases(text) for entry, _, text in entries}


def _phrases(block: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in block.split("|"))


@cache
def _read(file: str) -> dict[str, str]:
    text = files("mabench_synthetic").joinpath("wordings", f"{file}.toml")
    return tomllib.loads(text.read_text(encoding="utf-8"))
