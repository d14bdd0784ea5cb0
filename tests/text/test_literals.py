import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.text import literal


@pytest.mark.parametrize("text", ["__import__('os')", "a b", "'open", "[" * 5000, "\0"])
def test_what_is_no_literal_is_none(text: str) -> None:
    assert literal(text, 10_000) is None


def test_a_literal_is_read_and_a_text_over_the_limit_is_not() -> None:
    assert literal("['a', {'b': 1}]", 100) == ["a", {"b": 1}]
    assert literal("'abc'", 5) == "abc"
    assert literal("'abcd'", 5) is None


def test_escapes_raise_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert literal(r"'a\&b'", 100) == r"a\&b"


@given(st.text())
def test_any_text_can_be_tried(text: str) -> None:
    literal(text, 1000)
