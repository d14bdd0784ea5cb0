"""Whether a text tells the time that a gold tells, in other words: both are read as days.

``The Friday before 20 May 2023`` is 19 May 2023, and the early 900s lie within the 10th century.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from mabench.scoring.lexicon import entries
from mabench.scoring.tokens import plain

_MONTHS, _WEEKDAYS = (entries(f"quantities.{name}") for name in ("months", "weekdays"))
_BASE = (
    rf"(?:(?:(?P<day>\d{{1,2}}) )?(?P<month>{'|'.join(_MONTHS)})(?:,? (?P<year>\d{{4}}))?"
    r"|(?P<century>\d{1,2})(?:st|nd|rd|th) century|(?P<round>\d{2,3}0)s|(?P<only>\d{4}))\b"
)
_UNIT = f"day|week|weekend|month|year|{'|'.join(_WEEKDAYS)}"
_TIME = re.compile(
    rf"(?:(?:\b(?P<count>\d{{1,2}}) )?\b(?P<unit>{_UNIT})s? "
    rf"(?:(?P<before>before|prior to|preceding)|after|following) (?:the )?)?(?<![\d.]){_BASE}",
    re.IGNORECASE,
)
# "Yesterday, as she wrote on 8 May 2023" is the day before that.
_SPOKEN = re.compile(
    rf"\b(?P<near>yesterday|tomorrow|(?:last|next) (?P<unit>{_UNIT}))\b[^.\n]{{0,60}}?"
    rf"\b(?:{'|'.join(entries('quantities.spoken'))})\b[^.\n\d]{{0,30}}?(?={_BASE})",
    re.IGNORECASE,
)
_DAY = timedelta(1)


class _Span(NamedTuple):
    """The first and the last day of a time, how far it may be off, and whether it is reckoned."""

    first: date
    last: date
    off: tuple[int, int] = (0, 0)  # Days that it may begin earlier and end later.
    reckoned: bool = True


def tells_time(gold: str, text: str) -> float | None:
    """Return 1 where ``plain`` text tells the time of a gold, 0 where another, 0.5 where maybe.

    It tells it where its time lies within that of the gold. None where neither is reckoned from
    another day, nor is a century or decade: then the words are compared.
    """
    asked = _TIME.search(plain(gold))
    if asked is None or re.search(r"\d", plain(gold)[asked.end() :]):
        return None
    years = set(re.findall(r"\b\d{4}\b", text))
    text = _SPOKEN.sub(_from_day, text)
    year = next(iter(years)) if len(years) == 1 else asked["year"] or asked["only"]
    wanted = _span(asked, year)
    times = [time for time in _TIME.finditer(text) if not (time["only"] and time["only"] == year)]
    said = {span for time in times or _TIME.finditer(text) if (span := _span(time, year))}
    if wanted is None or len(said) != 1:
        return None
    time = said.pop()
    dated = any(found["year"] or found["month"] is None for found in times)
    if not (wanted.reckoned or time.reckoned or (times and not dated)):
        return None
    (before, after), (earlier, later) = wanted.off, time.off
    if (
        time.last + later * _DAY < wanted.first - before * _DAY
        or time.first - earlier * _DAY > wanted.last + after * _DAY
    ):
        return 0.0
    is_inside = wanted.first <= time.first and time.last <= wanted.last
    is_vague = asked["round"] and (time.last - time.first) * 2 < wanted.last - wanted.first
    return 1.0 if is_inside and not is_vague and (dated or years) else 0.5


def _from_day(spoken: re.Match[str]) -> str:
    is_past = spoken["near"].lower().startswith(("yesterday", "last"))
    return f"{spoken['unit'] or 'day'} {'before' if is_past else 'after'} "


def _span(time: re.Match[str], year: str | None) -> _Span | None:
    try:
        return _reckoned(time, year)
    except (ValueError, OverflowError):  # No day of the calendar.
        return None


def _reckoned(time: re.Match[str], year: str | None) -> _Span:
    month, count = 12 * int(time["only"] or time["round"] or time["year"] or year or 0), 12
    if time["month"]:
        month, count = month + _MONTHS.index(time["month"].lower()), 1
    elif time["round"]:
        count = 120 if month % 1200 else 1200
    elif time["century"]:
        month, count = max(1200 * (int(time["century"]) - 1), 12), 1200
    first, last = _months(month, count)
    if time["day"]:
        first = last = first.replace(day=int(time["day"]))
    if not time["unit"]:
        return _Span(first, last, reckoned=bool(time["round"] or time["century"]))
    unit, count = time["unit"].lower(), int(time["count"] or 1)
    sign, start = (-1, first) if time["before"] else (1, last)
    if unit == "year":
        return _Span(*_months(12 * (start.year + sign * count), 12))
    if unit == "month":
        return _Span(*_months(12 * start.year + start.month - 1 + sign * count, 1), off=(7, 7))
    if unit in ("day", "week"):
        far = start + sign * count * (7 if unit == "week" else 1) * _DAY
        if unit == "day" or time["count"]:
            return _Span(far, far, off=(2, 2) if unit == "week" else (0, 0))
        near = start + sign * _DAY
        return _Span(min(near, far), max(near, far), off=(6, 0) if sign < 0 else (0, 6))
    weekday = _WEEKDAYS.index("saturday" if unit == "weekend" else unit)
    behind = (weekday - start.weekday()) * sign % 7 or 7
    day = start + sign * (behind + 7 * (count - 1)) * _DAY
    return _Span(day, day + (unit == "weekend") * _DAY)


def _months(first: int, count: int) -> tuple[date, date]:
    """Return the first and the last day of so many months, counted from the year 0."""
    begin, end = (date(month // 12, month % 12 + 1, 1) for month in (first, first + count))
    return begin, end - _DAY
