"""Dates of sessions in usual forms, read together; what stays open is not read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data.descriptions.dates import read_dates

MAY_20 = datetime(2023, 5, 20, 21, 5, tzinfo=UTC)
_FORMS = [
    "{0:%Y-%m-%dT%H:%M:%S}Z",
    "{0:%Y-%m-%d %H:%M:%S}",
    "{0:%Y/%m/%d (%a) %H:%M}",
    "{0:%Y}/{0.month}/{0.day} ({0:%a}) {0.hour}:{0:%M}",
    "{0:%Y/%m/%d (%a) %I:%M %p}",
    "{0:%I:%M %p} on {0.day} {0:%B}, {0:%Y}",
    "{0:%a, %d %b %Y %H:%M:%S} +0000",
    "{0:%B} {0.day}, {0:%Y} at {0:%I:%M %p} UTC",
    "{0:%A}, {0.day}th of {0:%B} {0:%Y}, {0:%H:%M}",
    "{0:%d.%m.%Y %H:%M} ({0:%A})",
    "{0:%m/%d/%Y %I:%M %p} ({0:%A})",
    "{0:%d-%b-%Y %H:%M}",
    "{0:%Y} {0:%b} {0.day} {0:%H:%M}",
]
_MOMENTS = st.datetimes(datetime(1980, 1, 1), datetime(2200, 1, 1)).map(
    lambda moment: moment.replace(second=0, microsecond=0, tzinfo=UTC)
)


@given(_MOMENTS, st.sampled_from(_FORMS))
def test_any_moment_is_read_in_any_usual_form(moment: datetime, form: str) -> None:
    [read] = read_dates([form.format(moment)])
    by_weekday = "%d.%m" in form or "%m/%d/%Y" in form
    # Where the weekday fits both orders, or there is no other date, the order stays open.
    assert read == moment or (by_weekday and moment.day <= 12 and read is None)


@given(_MOMENTS)
def test_seconds_and_milliseconds_since_1970_are_read(moment: datetime) -> None:
    seconds = int(moment.timestamp())
    if seconds >= 10**9:
        assert read_dates([seconds, str(seconds), seconds * 1000, float(seconds)]) == [moment] * 4


def test_day_and_month_are_told_apart_by_the_other_dates_of_a_history() -> None:
    day_first = read_dates(["5/6/2023", "13/6/2023", "20/6/2023"])
    month_first = read_dates(["5/6/2023", "5/13/2023"])
    assert day_first[0] == datetime(2023, 6, 5, tzinfo=UTC)
    assert month_first[0] == datetime(2023, 5, 6, tzinfo=UTC)
    assert read_dates(["5/6/2023", "7/8/2023"]) == [None, None]
    assert read_dates(["13/6/2023", "6/13/2023"]) == [None, None], "one of them is wrong"
    assert read_dates(["5/5/2023"]) == [datetime(2023, 5, 5, tzinfo=UTC)]
    assert read_dates(["5/6/2023 (Mon)"]) == [datetime(2023, 6, 5, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2023-05-20T23:05:00+02:00", 2),
        ("2023-05-20 23:05+0200", 2),
        ("2023/05/20 (Sat) 23:05+0200", 2),
        ("20 May 2023, 23:05 GMT+2", 2),
        ("May 20 2023 4:05 PM -05:00", -5),
        ("21:05 2023-05-20", 0),
    ],
)
def test_an_offset_counts(text: str, hours: int) -> None:
    [moment] = read_dates([text])
    assert moment == MAY_20
    assert moment.utcoffset() == timezone(timedelta(hours=hours)).utcoffset(None)


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "2023/13/01", "31/6/2023", "", None, True, 12, "9999999"),
        *("2023-05-20 later", "2023/05/20 (Sat) 25:00", "13:00 PM on 8 May, 2023", "8 May"),
        *("x" * 1000, [2023], -1, 1e30, "99999-05-20", "0000-00-00", "May May 2023", "1 2 3"),
        *(float("nan"), float("inf"), "10:00 EST 2023-05-20"),
    ],
)
def test_what_is_no_time_is_not_read(value: object) -> None:
    assert read_dates([value]) == [None]


@given(st.text(max_size=40) | st.from_regex(r"[\d/:. apmAPM+-]{1,30}", fullmatch=True))
def test_no_text_is_an_error(text: str) -> None:
    [moment] = read_dates([text])
    assert moment is None or moment.tzinfo is not None
