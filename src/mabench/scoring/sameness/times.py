"""Whether a text tells the time that a gold tells, in other words: both are read as days.

``The Friday before 20 May 2023`` is 19 May 2023, ``between 1050 and 1059`` is the 1050s, and the
early 900s lie within the 10th century.
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
    r"|(?P<century>\d{1,2})(?:st|nd|rd|th) century|(?P<round>\d{2,3}0)s"
    r"|(?P<first>\d{4}) to (?P<last>\d{4})|(?P<only>\d{4}))\b"
)
_UNIT = f"day|week|weekend|month|year|{'|'.join(_WEEKDAYS)}"
_TIME = re.compile(
    rf"(?:\b(?P<half>1st|2nd|early|late|beginning|start|end)[- ]"
    rf"(?:half |part )?(?:of )?(?:the )?)?"
    rf"(?:(?:\b(?P<count>\d{{1,2}}|few|several|couple of) )?\b(?P<unit>{_UNIT})"
    rf"s? (?P<side>before|prior to|preceding|after|following) (?:the )?)?(?<![\d.]){_BASE}",
    re.IGNORECASE,
)
# "Yesterday, as she wrote on 8 May 2023" is the day before that.
_SPOKEN = re.compile(
    rf"\b(?:(?P<near>yesterday|tomorrow)|(?P<which>last|next) (?P<unit>{_UNIT}))\b[^.\n]{{0,60}}?"
    rf"\b(?:{'|'.join(entries('quantities.spoken'))})\b[^.\n\d]{{0,30}}?(?={_BASE})",
    re.IGNORECASE,
)
_DAY = timedelta(1)


class _Span(NamedTuple):
    """The first and the last day of a time, how far it may be off, and whether it is reckoned."""

    first: date
    last: date
    off: tuple[int, int] = (0, 0)  # Days that it may begin earlier and end later.
    reckoned: bool = False


def tells_time(gold: str, text: str) -> float | None:
    """Return 1 where ``plain`` text tells the time of a gold, 0 where another, 0.5 where maybe.

    It tells it where its time lies within that of the gold. None where neither is reckoned from
    another day, nor is a century or several years: then the words are compared.
    """
    years = re.findall(r"\b\d{4}\b", text)
    asked = _TIME.search(plain(gold))
    if asked is None or re.search(r"\d", plain(gold)[asked.end() :]):
        return None
    text = _SPOKEN.sub(_reckoned_from, text)
    year = years[0] if len(set(years)) == 1 else asked["year"] or asked["only"]
    wanted = _span(asked, asked["year"] or year)
    times = [time for time in _TIME.finditer(text) if not (time["only"] and time["only"] == year)]
    said = [span for time in times or _TIME.finditer(text) if (span := _span(time, year))]
    if wanted is None or not said or len({(s.first, s.last) for s in said}) > 1:
        return None
    time = said[0]
    dated = any(found["year"] or found["month"] is None for found in times)
    if not (wanted.reckoned or time.reckoned or (times and not dated)):
        return None
    if asked["first"] and times and times[0]["first"]:
        return float(wanted == time)  # From then to then.
    (before, after), (earlier, later) = wanted.off, time.off
    if (
        time.last + later * _DAY < wanted.first - before * _DAY
        or time.first - earlier * _DAY > wanted.last + after * _DAY
    ):
        return 0.0
    is_inside = wanted.first <= time.first and time.last <= wanted.last
    is_rough = asked["round"] or asked["first"]
    is_vague = is_rough and (time.last - time.first) * 2 < wanted.last - wanted.first
    return 1.0 if is_inside and not is_vague and (dated or years) else 0.5


def _reckoned_from(spoken: re.Match[str]) -> str:
    said = (spoken["near"] or spoken["which"]).lower()
    side = "before" if said in ("yesterday", "last") else "after"
    return f"{spoken['unit'] or 'day'} {side} "


def _span(time: re.Match[str], year: str | None) -> _Span | None:
    try:
        span = _absolute(time, year)
        if span and time["half"]:
            middle = span.first + (span.last - span.first) / 2
            is_late = time["half"].lower() in ("2nd", "late", "end")
            first, last = (middle + _DAY, span.last) if is_late else (span.first, middle)
            span = _Span(first, last, reckoned=True)
        return _reckoned(span, time) if span and time["unit"] else span
    except (ValueError, OverflowError):
        return None


def _absolute(time: re.Match[str], year: str | None) -> _Span | None:
    first = 12 * int(time["only"] or time["first"] or time["round"] or 0)
    if time["century"]:
        return _months(max(1200 * (int(time["century"]) - 1), 12), 1200, reckoned=True)
    if time["round"]:
        return _months(first, 120 if first % 1200 else 1200, reckoned=True)
    if time["first"]:
        return _months(first, 12 + 12 * int(time["last"]) - first, reckoned=True)
    if time["only"]:
        return _months(first, 12)
    if not (time["year"] or year):
        return None
    number, of_year = _MONTHS.index(time["month"].lower()), int(time["year"] or year or 0)
    if time["day"]:
        day = date(of_year, number + 1, int(time["day"]))
        return _Span(day, day)
    return _months(12 * of_year + number, 1)


def _months(first: int, count: int, off: tuple[int, int] = (0, 0), reckoned: bool = False) -> _Span:
    """Return so many months from the first, which is counted from the year 0."""
    ends = (date(month // 12, month % 12 + 1, 1) for month in (first, first + count))
    return _Span(next(ends), next(ends) - _DAY, off, reckoned)


def _reckoned(base: _Span, time: re.Match[str]) -> _Span | None:
    """Return the days that lie so much before or after others."""
    unit, few = time["unit"].lower(), not (time["count"] or "1").isdigit()
    count = 7 if few else int(time["count"] or 1)
    sign = -1 if time["side"].lower() in ("before", "prior to", "preceding") else 1
    start = base.first if sign < 0 else base.last
    if few and unit not in ("day", "week"):
        return None
    if unit == "year":
        return _months(12 * (start.year + sign * count), 12, reckoned=True)
    if unit == "month":
        return _months(12 * start.year + start.month - 1 + sign * count, 1, (7, 7), reckoned=True)
    if unit in _WEEKDAYS or unit == "weekend":
        weekday = _WEEKDAYS.index("saturday" if unit == "weekend" else unit)
        behind = (weekday - start.weekday()) * sign % 7 or 7
        day = start + sign * (behind + 7 * (count - 1)) * _DAY
        return _Span(day, day + (unit == "weekend") * _DAY, reckoned=True)
    size = 7 if unit == "week" else 1
    near, far = start + sign * _DAY, start + sign * count * size * _DAY
    if few:  # Up to seven of them.
        return _Span(min(near, far), max(near, far), reckoned=True)
    if unit == "week" and not time["count"]:
        off = (6, 0) if sign < 0 else (0, 6)
        return _Span(min(near, far), max(near, far), off=off, reckoned=True)
    return _Span(far, far, off=(2, 2) if unit == "week" else (0, 0), reckoned=True)
