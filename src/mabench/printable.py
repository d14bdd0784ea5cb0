"""Makes texts safe to print, without control characters and not too long; and writes numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

# C0 and C1 but for tab and line feed, marks that turn the direction of writing, separators that
# some terminals break lines at, invisible tags, and halves of characters, which UTF-8 cannot hold.
_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

# Formats with a fixed number of digits, such as ``+,.1f`` or ``.0%``.
_FIXED = re.compile(r"[^.]*\.(\d+)[f%]")
# Larger numbers have no digits after the point to round.
_LARGEST_ROUNDED = 1e12


def printable(text: str) -> str:
    """Return a text with ``\N{REPLACEMENT CHARACTER}`` for each character that is unfit to print.

    A terminal would obey some of them: move the cursor, or write from right to left.
    """
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


def printable_each(texts: Iterable[str]) -> list[str]:
    """Return texts as ``printable`` does."""
    return [_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text) for text in texts]


def printable_json(text: str) -> str:
    """Return a JSON text with the characters escaped that ``printable`` replaces.

    No value of the JSON changes.
    """

    def escape(match: re.Match[str]) -> str:
        # JSON escapes each unit of two bytes, four hexadecimal digits, of UTF-16.
        digits = match[0].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{digits[start : start + 4]}" for start in range(0, len(digits), 4))

    return _UNFIT.sub(escape, text)


def shorten(text: str, longest: int) -> str:
    """Return a text of about ``longest`` characters: a longer one loses its middle.

    A note in its place says about how many characters are left out.
    """
    if len(text) <= longest:
        return text
    note = f" ... ({len(text) - longest:,} characters left out) ... "
    room = max(2, longest - len(note))  # For both ends together, at least a character each.
    end = room // 2
    beginning = room - end
    return f"{text[:beginning]}{note}{text[-end:]}"


def write_count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 history``, ``2,000 histories``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def write_points(points: float) -> str:
    """Return a number of points: ``1 point``, ``2.5 points``."""
    return f"{points:g} point" if points == 1 else f"{points:g} points"


def write_number(value: float, spec: str) -> str:
    """Return a number as ``format`` does, but with halves rounded away from 0, as people do.

    12.5 becomes 13 by ``.0f``, and 0.25 becomes 0.3 by ``.1f``. Digits beyond the twelfth, which
    only arithmetic with floats brings in, decide nothing.

    Args:
        value: the number.
        spec: a format of Python. One without a fixed number of digits rounds as Python does.
    """
    match = _FIXED.fullmatch(spec)
    is_small = abs(value) < _LARGEST_ROUNDED  # False also for what is no number.
    if match is None or not is_small:
        return format(value, spec)
    decimals = int(match[1])
    if spec.endswith("%"):  # The value is a share, 100 times smaller than what is written.
        decimals += 2
    last_decimal = Decimal(1).scaleb(-decimals)  # Such as 0.01 for two decimals.
    exact = Decimal(f"{value:.12g}")
    return format(exact.quantize(last_decimal, ROUND_HALF_UP), spec)
