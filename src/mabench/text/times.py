"""Finds times in a text, in the usual forms, and writes times in one form.

These forms are sure within prose; ``dates`` reads more, of what is a date as a whole.
Nothing here may depend on the locale or the time zone of the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)"
_FORMS = tuple(
    re.compile(rf"(?<![\w/-]){form}(?![\w/-])")
    for form in (
        # 2024-05-03, 2024-05-03T10:00 and 2024-05-03 10:00:30+02:00
        r"(?P<iso>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)",
        # 2023/05/27 (Sat) 22:54 and 2023/5/7 (Sun) 10:54 PM
        r"(?P<year>\d{4})/(?P<number>\d{1,2})/(?P<day>\d{1,2})(?: \(\w{3}\))?"
        rf"(?: {_CLOCK}(?: ?(?P<half>[AP])M)?(?P<zone>[+-]\d{{4}})?)?",
        # 1:56 pm on 8 May, 2023
        rf"{_CLOCK} (?P<half>[ap])m on (?P<day>\d{{1,2}}) (?P<month>[A-Z][a-z]+),? "
        r"(?P<year>\d{4})",
        # 8 May 2023 and 8 May 2023, 13:56
        r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+),? (?P<year>\d{4})"
        rf"(?:, {_CLOCK}(?P<zone>[+-]\d{{4}})?)?",
        # March-15-2024
        r"(?P<month>[A-Z][a-z]+)-(?P<day>\d\d)-(?P<year>\d{4})",
    )
)


class TimeInText(NamedTuple):
    """A time in a text: where it is, the moment, and whether a time of day was given."""

    start: int
    end: int
    moment: datetime
    has_clock: bool


def find_times(text: str) -> Iterator[TimeInText]:
    """Yield the times in a text, form by form; times without a zone are taken as UTC."""
    for form in _FORMS:
        for match in form.finditer(text):
            fields = match.groupdict()
            try:
                moment = _moment(fields)
            except ValueError:  # There is no such day, such as the 31st of June.
                continue
            has_clock = fields.get("hour") is not None or ":" in (fields.get("iso") or "")
            yield TimeInText(match.start(), match.end(), moment, has_clock)


def _moment(fields: dict[str, str | None]) -> datetime:
    """Return the time that the named groups of a form describe."""
    iso = fields.get("iso")
    if iso:
        moment = datetime.fromisoformat(iso)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    name_of_month = (fields.get("month") or "").lower()
    month = _MONTHS.index(name_of_month) + 1 if name_of_month else int(fields["number"] or 0)
    names = ("year", "day", "hour", "minute")
    year, day, hour, minute = (int(fields.get(name) or 0) for name in names)
    half = fields.get("half")  # Of the day: a.m. or p.m.
    if half:
        hour = hour % 12
        if half.lower() == "p":
            hour += 12
    zone = datetime.strptime(fields.get("zone") or "+0000", "%z").tzinfo
    return datetime(year, month, day, hour, minute, tzinfo=zone)


def read_time(text: str | None) -> datetime | None:
    """Return the time that the whole text is; None if it is not a time in a known form.

    A time without a zone is taken as UTC.
    """
    if not text:
        return None
    for time in find_times(text):
        if time.start == 0 and time.end == len(text):
            return time.moment
    return None


def write_time(moment: datetime) -> str:
    """Return a time as ``8 May 2023, 13:56``, with its zone unless that is UTC.

    This is how people write times: a language model answers with dates in the form that it sees.
    """
    zone = f"{moment:%z}" if moment.utcoffset() else ""
    month = _MONTHS[moment.month - 1].title()
    return f"{moment.day} {month} {moment.year}, {moment:%H:%M}{zone}"
