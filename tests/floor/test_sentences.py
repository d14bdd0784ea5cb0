import re
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from mabench_floor.sentences import day_in, sentences_in

_HEADED = re.compile(r"\n[ \t]*\n|(?:^|(?<=\s))[A-Z]\w+ \d+:\s")
_DATE = re.compile(r"\b[12]\d{3}[/-]\d{1,2}[/-]\d{1,2}\b")


@given(st.lists(st.sampled_from([*"\n \tAbÉ", "Day 1: ", "It 20:\n", "a", "."])).map("".join))
def test_paragraphs_end_at_blank_lines_and_numbered_headings(text: str) -> None:
    read: defaultdict[int, str] = defaultdict(str)
    for sentence in sentences_in(text):
        read[sentence.paragraph] += "".join(sentence.text.split())
    paragraphs = ["".join(part.split()) for part in _HEADED.split(text)]
    assert list(read.values()) == list(filter(None, paragraphs))


@given(st.text("12/-0 a", max_size=24))
def test_a_date_is_no_part_of_a_longer_number(text: str) -> None:
    found = _DATE.search(text)
    if found is None:
        assert day_in(text) is None
    elif (day := day_in(text)) is not None:
        assert [int(part) for part in re.split("[/-]", found[0])] == [day.year, day.month, day.day]


def test_dates_are_read() -> None:
    assert str(day_in("on 2021/3/04, or x2020-01-02")) == "2021-03-04"
    assert day_in("x2021/3/04 and 12021/3/04") is None
