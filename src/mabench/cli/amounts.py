"""Reading numbers and settings off the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from mabench.errors import UsageError

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)([km]?)", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def amount(text: str) -> int | float:
    """Return a number that may be written as ``6k`` or ``1.5m``; whole numbers are ints.

    Raises:
        UsageError: when it is no number.
    """
    found = _AMOUNT.fullmatch(text.strip())
    if not found:
        raise UsageError(f"{text!r} is no number; write 600, 6k, 1.5m or 0.25")
    value = float(found[1]) * _FACTORS[found[2].lower()]
    return int(value) if value == int(value) and "." not in text else value


def whole_amount(text: str | None) -> int | None:
    """Return a whole number that may be written as ``6k``; None for None.

    Raises:
        UsageError: when it is none.
    """
    return None if text is None else round(amount(text))


def pairs(settings: Iterable[str]) -> dict[str, str]:
    """Return settings written as ``name=value``.

    Raises:
        UsageError: when one is not, or a name comes twice.
    """
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {setting!r}: write name=value")
        if name.strip() in found:
            raise UsageError(f"--set {name.strip()} is given twice")
        found[name.strip()] = value.strip()
    return found


def agent_settings(given: Iterable[str]) -> dict[str, object]:
    """Return settings of an agent written as ``key=value``.

    A value that is a number, true, false or null in JSON becomes one.

    Raises:
        UsageError: when one is not written so.
    """
    settings: dict[str, object] = {}
    for setting in given:
        key, equals, value = setting.partition("=")
        if not key.isidentifier() or not equals:
            raise UsageError(f"--set {setting}: write it as key=value")
        settings[key] = _value(value)
    return settings


def _value(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if value is None or isinstance(value, int | float) else text
