"""Reads and checks the values of options: amounts, pairs, settings, rows, files, run folders.

What is wrong raises a ``UsageError``, whose message begins with the option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
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
_UNITS_OF_TIME = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
_LARGEST_AMOUNT = 10**15  # More than any setting needs: a slip of the keyboard.
_LONGEST_SHOWN = 40  # Characters of a wrong value in a message.
ChoiceT = TypeVar("ChoiceT", bound=StrEnum)


def read_amount(text: str, option: str) -> int | float:
    """Return a number written as 600, 6k, 1.5m or 0.25; whole numbers are ints.

    Raises:
        UsageError: when the text is no number, or a very large one.
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is not None:
        number, suffix = match.groups()
        amount = Decimal(number) * _FACTORS[suffix.lower()]  # As floats, 1.005k is not 1005.
        if amount <= _LARGEST_AMOUNT:
            return int(amount) if amount == amount.to_integral_value() else float(amount)
    shown = shorten(text, _LONGEST_SHOWN, placeholder="...")
    raise UsageError(f"{option}: {shown!r} is no number; write 600, 6k, 1.5m or 0.25")


def read_pairs(
    words: Iterable[str] | None, option: str, form: str = "name=value"
) -> dict[str, str]:
    """Return values by their names, from words that are written as ``name=value``.

    Args:
        words: the words; None if the option is not given.
        option: the option, for messages.
        form: how a word is to be written, for messages.

    Raises:
        UsageError: when a word is written otherwise, or a name is given twice.
    """
    pairs: dict[str, str] = {}
    for word in words or ():
        name, equals_sign, value = word.partition("=")
        name = name.strip()
        is_name = name.replace("-", "_").isidentifier()
        if not equals_sign or not is_name:
            shown = f"{name}=..." if equals_sign else name  # The value may be a secret.
            raise UsageError(f"{option} {shown}: write it as {form}")
        if name in pairs:
            raise UsageError(f"{option} {name} is given twice")
        pairs[name] = value
    return pairs


def read_settings(words: Iterable[str] | None, option: str) -> dict[str, object]:
    """Return settings of an agent, each written as ``name=value``.

    Numbers, true, false and null are read as JSON; everything else is text.

    Raises:
        UsageError: when one is written otherwise, or given twice.
    """
    return {name: _read_value(text) for name, text in read_pairs(words, option).items()}


def _read_value(text: str) -> object:
    """Return a number, a truth value or None if a text is one in JSON; else the text itself."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # A truth value is an int. Lists, objects and texts in quotes stay as they are written.
    return value if value is None or isinstance(value, int | float) else text


def read_choice(choices: type[ChoiceT], text: str | None, option: str) -> ChoiceT | None:
    """Return the member of ``choices`` that a text names; None for no text.

    Raises:
        UsageError: when there is no such choice.
    """
    if text is None:
        return None
    known = list(choices)
    if text not in known:
        raise UsageError(unknown(f"{option}: no such value as", text, known))
    return choices(text)


def read_duration(text: str) -> timedelta:
    """Return a duration written as 30m, 4h or 2d, in minutes, hours or days.

    Raises:
        UsageError: when it is written otherwise, or is 0.
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None or float(match[1]) == 0:
        raise UsageError(f"{shorten(text, _LONGEST_SHOWN)!r} is no duration; write 30m, 4h or 2d")
    number, unit = match.groups()
    return float(number) * _UNITS_OF_TIME[unit]


def read_rows(text: str) -> range:
    """Return the row numbers in text such as 3 or 0-5, which includes both ends.

    Raises:
        UsageError: when the text is neither, or the range is empty.
    """
    match = _ROWS.fullmatch(text.strip())
    if match is not None:
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if first <= last:
            return range(first, last + 1)
    raise UsageError(f"--row {text}: write a number, such as 3, or a range, such as 0-5")


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
    """Return the name of a format unchanged.

    Raises:
        UsageError: when there is no such format.
    """
    if name not in FORMATS:
        raise UsageError(unknown("unknown format", name, FORMATS), parameter="layout")
    return name


def check_ending(ending: str) -> Callable[[Path | None], Path | None]:
    """Return a callback of typer that refuses a file to write with another ending, such as .html.

    Such a file may be an input that the user named in the wrong place.
    """

    def check(file: Path | None) -> Path | None:
        if file is not None and file.suffix != ending:
            raise UsageError(f"{file}: it would be overwritten; name a file that ends in {ending}")
        return file

    return check


def find_runs(names: Any) -> Any:
    """Return the folders of the runs that an option names: one, a list, or None if not given.

    A run may be named by its number or a part of its folder's name.
    """
    from mabench.results import find_folder

    if names is None:
        return None
    if isinstance(names, list):
        return [find_folder(str(name)) for name in names]
    return find_folder(str(names))
