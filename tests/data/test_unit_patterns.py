import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data import unit_patterns
from mabench.data.unit_patterns import unit_fault, unit_starts
from mabench.errors import DataError

GOOD = [
    r"^Ticket \d+:",
    r"^(?:Ticket|Case) \d+:",
    r"^\[\d{1,2}/\d{1,2}/\d{4}, \d+:\d+(?: [AP]M)?\] ",
    r"^#{1,3} ",
    r"(?i)^from: ",
    r"(?=^-{3}$)",
    r"[)]+[]a]+\(+",
    r"^(?P<day>\w+) (?P=day)",
]


@pytest.mark.parametrize("unit", GOOD)
def test_a_pattern_of_how_units_begin_is_taken(unit: str) -> None:
    assert unit_fault(unit) is None


@pytest.mark.parametrize(
    ("unit", "found"),
    [
        (r"^(Ticket", "unterminated subpattern"),
        ("a" * 1001, "1001 characters"),
        ("x{99999999999}", "repetition number is too large"),
        ("(" * 900, "recursion|unterminated"),
        ("(?R)", "unknown extension"),
        (r"\p{Lu}", "bad escape"),
        ("x*", "empty text"),
        ("^", "empty text"),
        ("(a+)+$", "repeated group"),
        ("(?:a|a)*b", "repeated group"),
        ("((a{65000}){65000}){65000}", "repeated group"),
        ("(?=(a+)+b)", "repeated group"),
        ("(a+)(?#c)+", "repeated group"),
        (r"(\d)(?:\1)+", "repeated group"),
        ("(?x)(a+ # )\n)+", "the flag x"),
        ("(?:Ticket){e<=3}", "without a number"),
    ],
)
def test_a_pattern_that_is_wrong_or_could_take_for_ever_is_refused(unit: str, found: str) -> None:
    start = time.process_time()
    fault = unit_fault(unit)
    assert fault is not None
    assert re.search(found, fault[0])
    assert "regular expression" in fault[1]
    assert time.process_time() - start < 2


def test_a_search_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_patterns, "_SECONDS", 0.2)
    slow = "(?:a|aa)" * 30 + "[bc]"
    assert unit_fault(slow) is None
    start = time.process_time()
    with pytest.raises(DataError, match=r"takes more than 0 seconds on a history of 60 characters"):
        unit_starts(slow, "a" * 60)
    assert time.process_time() - start < 5


@given(st.text("Ticket 12:\n", max_size=200))
def test_matches_are_those_of_the_standard_library(text: str) -> None:
    for unit in (r"^Ticket \d+:", r"^T", r"\d+:", r"(?=T)"):
        expected = [match.start() for match in re.finditer(unit, text, re.MULTILINE)]
        assert unit_starts(unit, text) == expected
