"""Texts that are safe to print: without control characters, and not too long; and numbers."""

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
    """Return ``text`` with ``\N{REPLACEMENT CHARACTER}`` for what a terminal would obey."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


def printable_each(texts: Iterable[str]) -> list[str]:
    """Return texts as ``printable`` does."""
    return [_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text) for text in texts]


def printable_json(text: str) -> str:
    """Return JSON with these characters escaped, so that no value changes."""

    def escape(match: re.Match[str]) -> str:
        units = match[0].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))

    return _UNFIT.sub(escape, text)


def shorten(text: str, longest: int) -> str:
    """Return a text of at most ``longest`` characters: a longer one loses its middle."""
    if len(text) <= longest:
        return text
    left_out = f" ... ({len(text) - longest:,} characters left out) ... "
    room = max(2, longest - len(left_out))
    return f"{text[: room - room // 2]}{left_out}{text[-(room // 2) :]}"


def write_count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 history``, ``2,000 histories``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def write_points(points: float) -> str:
    """Return a number of points: ``1 point``, ``2.5 points``."""
    return f"{points:g} point{'s' * (points != 1)}"


def write_number(value: float, spec: str) -> str:
    """Return a number as ``format`` does, but with halves rounded away from 0, as people do.

    12.5 becomes 13 by ``.0f``, and 0.25 becomes 0.3 by ``.1f``. Digits beyond the twelfth, which
    only arithmetic with floats brings in, decide nothing.
    """
    fixed = _FIXED.fullmatch(spec)
    if fixed is None or not abs(value) < _LARGEST_ROUNDED:
        return format(value, spec)
    digits = int(fixed[1]) + 2 * spec.endswith("%")
    exact = Decimal(f"{value:.12g}")
    return format(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP), spec)
