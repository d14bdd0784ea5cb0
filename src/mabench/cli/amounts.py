"""Reading numbers and settings off the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from mabench.errors import UsageError

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)([km]?)", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def amount(text: str, option: str) -> int | float:
    """Return a number of an option that may be written as ``6k`` or ``1.5m``, whole ones as ints.

    Raises:
        UsageError: when it is no number.
    """
    found = _AMOUNT.fullmatch(text.strip())
    if not found:
        raise UsageError(f"{option}: {text!r} is no number; write 600, 6k, 1.5m or 0.25")
    value = float(found[1]) * _FACTORS[found[2].lower()]
    return int(value) if value == int(value) and "." not in text else value


def whole_amount(text: str | None, option: str) -> int | None:
    """Return a whole number that may be written as ``6k``; None for None.

    Raises:
        UsageError: when it is none.
    """
    return None if text is None else round(amount(text, option))


def pairs(given: Iterable[str], option: str = "--set") -> dict[str, str]:
    """Return settings of an option written as ``name=value``.

    Raises:
        UsageError: when one is not, or a name comes twice.
    """
    settings: dict[str, str] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        name = name.strip()
        if not equals or not name.replace("-", "_").isidentifier():
            raise UsageError(f"{option} {setting}: write it as name=value")
        if name in settings:
            raise UsageError(f"{option} {name} is given twice")
        settings[name] = value
    return settings


def knob_settings(given: Iterable[str] | None) -> dict[str, int | float]:
    """Return settings of rows written as ``knob=amount``, as ``pairs`` reads them."""
    named = pairs(given or (), "--knob")
    return {name: amount(value, f"--knob {name}") for name, value in named.items()}


def agent_settings(given: Iterable[str] | None) -> dict[str, object]:
    """Return settings of an agent written as ``name=value``, as ``pairs`` reads them.

    A value that is a number, true, false or null in JSON becomes one.
    """
    return {name: _value(value) for name, value in pairs(given or (), "--set").items()}


def _value(text: str) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if value is None or isinstance(value, int | float) else text
