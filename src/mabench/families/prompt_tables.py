"""Reads the prompts that ship with families from ``prompts.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_PROMPTS = Path(__file__).with_name("prompts.toml")


@cache
def _tables(file: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def read_prompts(name: str, file: Path = _PROMPTS) -> dict[str, str]:
    """Return the prompts of a table such as ``infbench.judges``, by role.

    If the table has a ``frame``, each prompt takes the place of TEXT in it.
    """
    table: dict[str, Any] = _tables(file)
    for part in name.split("."):
        table = table[part]
    texts = {role: text for role, text in table.items() if isinstance(text, str)}
    frame = texts.pop("frame", "TEXT")
    return {role: frame.replace("TEXT", text) for role, text in texts.items()}
