"""How a unit begins: a regular expression that a user wrote, checked before it is used.

A unit is a piece of a history that no chunk may split. No pattern may run without an end, so it has
at most 1,000 characters of what the standard library's ``re`` accepts; no group is repeated, as in
``(a+)+``, whose time and memory can double with each character; and a search stops when it has
used more processor time than the length of the history allows.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from mabench.data.problems import describe
from mabench.errors import DataError, reason

_LONGEST_UNIT = 1_000
# Seconds of the processor for a history, and how many characters add one more.
_SECONDS, _CHARACTERS_A_SECOND = 5.0, 1_000_000
_EXPECTED_UNIT = r"a regular expression of how a unit begins, such as '^Ticket \d+:'"
# Escapes and sets count as one character, and so does the beginning of a group with its flags.
_PART = re.compile(
    r"\\.|\[\^?\]?(?:[^\]\[\\]|\\.)*+\]|\(\?[a-zA-Z-]*+|\{[^}]{0,20}+\}|.", re.DOTALL
)
_COUNTS = re.compile(r"\{(?:\d+(?:,\d*)?|,\d+)\}")


def find_unit_fault(unit: str) -> tuple[str, str] | None:
    """Return what was found in a pattern and what was expected; None when it can be used."""
    if len(unit) > _LONGEST_UNIT:
        return f"{len(unit)} characters", f"a regular expression of up to {_LONGEST_UNIT}"
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(unit, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        return f"{describe(unit)}: {reason(error)}", _EXPECTED_UNIT
    fault = next(_dangers(unit), None)
    if fault is None:
        try:
            fault = "it matches an empty text" if find_unit_starts(unit, "") else None
        except DataError:
            fault = "it never finishes on an empty text"
    return (f"{describe(unit)}: {fault}", _EXPECTED_UNIT) if fault else None


def find_unit_starts(unit: str, text: str) -> list[int]:
    """Return where ``unit`` matches, by lines; raises ``DataError`` if that takes too long."""
    import regex  # Unlike the standard library's, its searches can be stopped.

    seconds = _SECONDS + len(text) / _CHARACTERS_A_SECOND
    pattern = regex.compile(unit, regex.MULTILINE)
    try:
        return [match.start() for match in pattern.finditer(text, timeout=seconds)]
    except TimeoutError as error:
        raise DataError(
            f"the unit {describe(unit)} takes more than {seconds:.0f} seconds on a history of "
            f"{len(text):,} characters; begin it with ^ and what every unit begins with"
        ) from error


def _dangers(unit: str) -> Iterator[str]:
    """Yield what in a pattern may search without an end, or be read otherwise by ``regex``."""
    before = ""
    for part in _PART.findall(unit):
        if part.startswith("(?") and "x" in part:
            yield "the flag x"
        if part.startswith("{") and not _COUNTS.fullmatch(part):
            yield r"{ without a number of times; write \{"
        if before == ")" and part[0] in "*+{":
            yield "a repeated group; repeat single characters and sets"
        before = part
