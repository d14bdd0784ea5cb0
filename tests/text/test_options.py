import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.text import Option, literal, options_in


def test_a_list_literal_gives_options_without_letters() -> None:
    question = "What comes next?\n\n['Ann left.', \"Bob's horse fell.\"]\n\nChoose."
    assert options_in(question) == (Option(None, "Ann left."), Option(None, "Bob's horse fell."))


def test_lettered_lines_give_letters_and_texts() -> None:
    question = "Who?\nA. The cook\n  B) The maid \n(C) Dr. No\n Output:"
    lettered = (("A", "The cook"), ("B", "The maid"), ("C", "Dr. No"))
    assert options_in(question) == tuple(Option(*one) for one in lettered)


def test_of_two_blocks_the_last_counts() -> None:
    question = "Example:\nA. Yes\nB. No\nNow:\nA. Red\nB. Blue\nC. Green"
    assert [option.text for option in options_in(question)] == ["Red", "Blue", "Green"]


def test_text_that_offers_nothing_has_no_options() -> None:
    nothing = ("Where was A. Milne born?", "[1, 2, 3]", "['alone']")
    evil, too_long = "[__import__('os').system('true'), 'b']", "[" + "'a'," * 50_000 + "'b']"
    for text in (*nothing, evil, too_long):
        assert options_in(text) == ()


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    options_in(text)
    options_in(f"[{text}]")
    literal(text, 1000)


@pytest.mark.parametrize("text", ["__import__('os')", "a b", "'open", "[" * 5000, "\0"])
def test_what_is_no_literal_is_none(text: str) -> None:
    assert literal(text, 10_000) is None


def test_a_literal_is_read_in_silence_and_a_text_over_the_limit_is_not() -> None:
    assert literal("['a', {'b': 1}]", 100) == ["a", {"b": 1}]
    assert literal("'abc'", 5) == "abc"
    assert literal("'abcd'", 5) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert literal(r"'a\&b'", 100) == r"a\&b"
