"""Settings that several parts declare alike."""

from __future__ import annotations

from pathlib import Path

from mabench.settings import SettingGroup

_data, _history, _cost = map(SettingGroup, ("Data", "History", "Cost"))


def declare_max_cost() -> float | None:
    """Return the field of how much may be spent."""
    return _cost(None, "Stop when this many US dollars are spent.", "DOLLARS", above=0)


def declare_prompt_file() -> str | Path | None:
    """Return the field of a file of prompts."""
    return _history(None, "A TOML file of prompts to use instead of ours, or 'paper'.", "FILE")


def declare_difficulty() -> str:
    """Return the field of how difficult made-up rows are."""
    names = ("easy", "real", "hard")
    return _data("real", "Difficulty of the rows: easy, real or hard.", "NAME", choices=names)
