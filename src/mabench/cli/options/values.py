"""Reads and checks the values of options: amounts, pairs, settings, rows, files, run folders."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeVar

from mabench.errors import UsageError, unknown

FORMATS = ("table", "markdown", "latex", "csv", "json")
_AMOUNT = re.compile(
    r"(\d{1,18}(?:_\d{1,18})*(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?)([km]?)", re.IGNORECASE
)
_ROWS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s?([mhd])")
_DURATIONS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
ChoiceT = TypeVar("ChoiceT", bound=StrEnum)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
_LARGEST_AMOUNT = 10**15


def read_amount(text: str, option: str) -> int | float:
    """Return a number written as 600, 6k, 1.5m or 0.25; whole numbers are ints.

    Raises:
        UsageError: when the text is no number.
    """
    match = _AMOUNT.fullmatch(text.strip())
    value = None
    if match:
        number, unit = match.groups()
        value = Decimal(number) * _FACTORS[unit.lower()]  # As floats, 1.005k is not 1005.
    if value is None or value > _LARGEST_AMOUNT:
        shown = shorten(text, 40, placeholder="...")
        raise UsageError(f"{option}: {shown!r} is no number; write 600, 6k, 1.5m or 0.25")
    return int(value) if value == value.to_integral_value() else float(value)


def read_pairs(
    words: Iterable[str] | None, option: str, form: str = "name=value"
) -> dict[str, str]:
    """Return settings that are written as ``name=value``.

    Raises:
        UsageError: when one is written otherwise, or given twice.
    """
    settings: dict[str, str] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals or not name.replace("-", "_").isidentifier():
            shown = f"{name}=..." if equals else name  # The value may be a secret.
            raise UsageError(f"{option} {shown}: write it as {form}")
        if name in settings:
            raise UsageError(f"{option} {name} is given twice")
        settings[name] = value
    return settings


def read_settings(words: Iterable[str] | None, option: str) -> dict[str, object]:
    """Return settings of an agent, each written as ``name=value``.

    Numbers, true, false and null are read as JSON; everything else is text.

    Raises:
        UsageError: when one is written otherwise, or given twice.
    """
    settings: dict[str, object] = {**read_pairs(words, option)}
    for name, text in settings.items():
        with suppress(ValueError, RecursionError):
            value = json.loads(str(text))
            if value is None or isinstance(value, int | float):
                settings[name] = value
    return settings


def read_choice(kind: type[ChoiceT], text: str | None, option: str) -> ChoiceT | None:
    """Return the value of an option that is one of a few; raises ``UsageError`` for others."""
    if text is None:
        return None
    if text not in [*kind]:
        raise UsageError(unknown(f"{option}: no such value as", text, [*kind]))
    return kind(text)


def read_duration(text: str) -> timedelta:
    """Return a duration written as 30m, 4h or 2d; raises ``UsageError``."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None or not float(match[1]):
        raise UsageError(f"{shorten(text, 40)!r} is no duration; write 30m, 4h or 2d")
    return float(match[1]) * _DURATIONS[match[2]]


def read_rows(text: str) -> range:
    """Return the row numbers in text such as 3 or 0-5, which includes both ends.

    Raises:
        UsageError: when the text is neither, or the range is empty.
    """
    match = _ROWS.fullmatch(text.strip())
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else -1
    if last < first:
        raise UsageError(f"--row {text}: write a number, such as 3, or a range, such as 0-5")
    return range(first, last + 1)


def read_length(text: str) -> int:
    """Return a length in tokens, written as 8000 or 8k.

    Raises:
        UsageError: when the text is no whole number.
    """
    length = read_amount(text, "--tokens")
    if isinstance(length, float):
        raise UsageError(f"--tokens must be a whole number, not {text}")
    return length


def check_format(name: str) -> str:
    """Return the name of a format.

    Raises:
        UsageError: when there is no such format.
    """
    if name not in FORMATS:
        raise UsageError(unknown("unknown format", name, FORMATS), parameter="layout")
    return name


def check_ending(ending: str) -> Callable[[Path | None], Path | None]:
    """Return a callback that refuses to write a file with another ending.

    Such a file may be an input that the user named in the wrong place.
    """

    def check(file: Path | None) -> Path | None:
        if file is not None and file.suffix != ending:
            raise UsageError(f"{file}: it would be overwritten; name a file that ends in {ending}")
        return file

    return check


def find_runs(value: Any) -> Any:
    """Return the folder of each run, which may be named by its number or a part of its name."""
    from mabench.results import find_folder

    if isinstance(value, list):
        return [find_folder(str(each)) for each in value]
    return value if value is None else find_folder(str(value))
