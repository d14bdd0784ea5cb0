"""English grammar and dates: articles, capitals, lists, numbers, days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def with_article(phrase: str) -> str:
    """Return ``phrase`` behind ``a`` or ``an``, by its first letter."""
    return ("an " if phrase[0].lower() in "aeiou" else "a ") + phrase


def sentence(text: str) -> str:
    """Return ``text`` with its first letter as a capital and the rest as it is."""
    return text[:1].upper() + text[1:]


def listed(items: Sequence[str], conjunction: str = "and") -> str:
    """Join ``items`` as in running text: ``a``, ``a and b``, ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def number_word(number: int) -> str:
    """Return a whole number from 0 in words up to ten, in digits beyond."""
    return _SMALL[number] if number < len(_SMALL) else str(number)


def long_date(day: date) -> str:
    """Return a date as ``14 March 1821``."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def month_first(day: date) -> str:
    """Return a date as ``March 14, 1821``."""
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def time_stamp(moment: datetime) -> str:
    """Return a moment as ``2022/11/17 (Thu) 12:04``, whatever the locale."""
    weekday = _WEEKDAYS[moment.weekday()]
    return f"{moment.year}/{moment:%m/%d} ({weekday}) {moment:%H:%M}"
