"""One date in any usual form; what is not known of it stays open and is never guessed."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mabench.text.dates import DateOrder, OpenDate, read_date

_MAY_3 = datetime(2024, 5, 3, 10)
_PLUS_2 = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    "text",
    [
        *("2024-05-03 10:00", "2024-05-03T10:00:00", "2024/5/3, 10:00", "2024.5.3. 10:00"),
        *(
            "3 May 2024 at 10:00 AM",
            "May 3rd, 2024, 10.00",
            "3. May 2024T10:00",
            "03-May-2024 10:00",
        ),
        *("10:00 a. m. on 3 May, 2024", "Fri May  3 10:00:00 2024", "2024 May 3 (Friday) 10:00"),
    ],
)
def test_a_time_without_a_zone_stays_without(text: str) -> None:
    assert read_date(text) == _MAY_3


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2024-05-03 10:00 UTC", UTC),
        ("2024-05-03 10:00+0200", _PLUS_2),
        ("3 May 2024, 10:00 (GMT+2)", _PLUS_2),
        # As programs in JavaScript write it, and mail.
        ("Fri May 03 2024 10:00:00 GMT+0200 (Central European Summer Time)", _PLUS_2),
        ("Fri, 03 May 2024 10:00:00 +0200 (CEST)", _PLUS_2),
        ("Fri, 3 May 24 10:00:00 +0200", _PLUS_2),
        ("Fri, 03 May 2024 10:00:00 EST", timezone(timedelta(hours=-5))),
    ],
)
def test_a_zone_that_is_named_counts(text: str, zone: timezone) -> None:
    read = read_date(text)
    assert read == _MAY_3.replace(tzinfo=zone)
    assert isinstance(read, datetime)
    assert read.utcoffset() == zone.utcoffset(None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5/6/2024 10:00", OpenDate(5, 6, 2024, 36_000, "5/6/2024")),
        ("05.06.24", OpenDate(5, 6, 2024, 0, "05.06.24")),
        ("5-6-24 10.30 PM", OpenDate(5, 6, 2024, 81_000, "5-6-24")),
        ("Wed 5/6/24", OpenDate(5, 6, 2024, 0, "5/6/24", None, 2)),
        ("5/6/24 10:00+0200 (Wed)", OpenDate(5, 6, 2024, 36_000, "5/6/24", _PLUS_2, 2)),
        ("13/6/24", OpenDate(13, 6, 2024, 0, "13/6/24")),
        ("5/5/24", datetime(2024, 5, 5)),
    ],
)
def test_day_and_month_stay_open(text: str, expected: object) -> None:
    assert read_date(text) == expected


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("5/6/24", {*DateOrder}),
        ("13/6/24", {DateOrder.DAY_FIRST}),
        ("6/13/24", {DateOrder.MONTH_FIRST}),
        ("5/6/24 (Wed)", {DateOrder.DAY_FIRST}),
        ("5/6/24 (Tue)", set()),
        ("31/32/24", set()),
    ],
)
def test_orders_without_such_a_day_are_not_possible(text: str, orders: set[DateOrder]) -> None:
    date = read_date(text)
    assert isinstance(date, OpenDate)
    assert date.possible_orders() == orders


@pytest.mark.parametrize("per_second", [1, 10**3, 10**6, 10**9])
def test_units_since_1970_are_told_by_their_number(per_second: int) -> None:
    seconds = int(_MAY_3.replace(tzinfo=UTC).timestamp())
    assert read_date(str(seconds * per_second)) == _MAY_3.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "10:00",
            "May 2024",
            "3/5/4",
            "3/5/024",
            "2024/5/2024",
            "12.30.2024.1",
            "8 May 2023 later",
        ),
        *("3 May 2024 10:00 +25:00", "Fri, 03 May 2024 25:00:00 EST", "1/2/24 13:00 PM"),
    ],
)
def test_what_is_no_date_as_a_whole_is_not_read(text: str) -> None:
    assert read_date(text) is None
