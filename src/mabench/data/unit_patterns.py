r"""How a unit begins, as a regular expression that a user wrote: checked, and never run for ever.

Three things bound it. A pattern is up to 1,000 characters of what the standard library knows. No
group is repeated, as in ``(a+)+``: what that takes in time and memory can double with each
character. And the search is stopped when it has taken more of the processor than the history's
length allows.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from mabench.data.records import describe
from mabench.errors import DataError, reason

_LONGEST = 1_000
# Seconds of the processor for a history, and characters for each of which there is one more.
_SECONDS, _CHARACTERS_A_SECOND = 5.0, 1_000_000
_EXPECTED = r"a regular expression of how a unit begins, such as '^Ticket \d+:'"
# Escapes and sets count as one character, and so does the beginning of a group with its flags.
_PART = re.compile(
    r"\\.|\[\^?\]?(?:[^\]\[\\]|\\.)*+\]|\(\?[a-zA-Z-]*+|\{[^}]{0,20}+\}|.", re.DOTALL
)
_COUNTS = re.compile(r"\{(?:\d+(?:,\d*)?|,\d+)\}")


def unit_fault(unit: str) -> tuple[str, str] | None:
    """Return what was found in a pattern and what was expected; None when it can be used."""
    if len(unit) > _LONGEST:
        return f"{len(unit)} characters", f"a regular expression of up to {_LONGEST}"
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(unit, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        return f"{describe(unit)}: {reason(error)}", _EXPECTED
    fault = next(_dangers(unit), None)
    if fault is None:
        try:
            fault = "it matches an empty text" if unit_starts(unit, "") else None
        except DataError:
            fault = "it never finishes on an empty text"
    return (f"{describe(unit)}: {fault}", _EXPECTED) if fault else None


def unit_starts(unit: str, text: str) -> list[int]:
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
    before = ""
    for part in _PART.findall(unit):
        if part.startswith("(?") and "x" in part:
            yield "the flag x"
        if part.startswith("{") and not _COUNTS.fullmatch(part):
            yield r"{ without a number of times; write \{"
        if before == ")" and part[0] in "*+{":
            yield "a repeated group; repeat single characters and sets"
        before = part
