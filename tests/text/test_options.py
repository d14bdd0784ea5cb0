from hypothesis import given
from hypothesis import strategies as st

from mabench.text import Option, options_in


def test_a_list_literal_gives_options_without_letters() -> None:
    question = "What comes next?\n\n['Ann left.', \"Bob's horse fell.\"]\n\nChoose."
    assert options_in(question) == (Option(None, "Ann left."), Option(None, "Bob's horse fell."))


def test_lettered_lines_give_letters_and_texts() -> None:
    question = "Who?\nA. The cook\n  B) The maid \n(C) Dr. No\n Output:"
    assert options_in(question) == (
        Option("A", "The cook"),
        Option("B", "The maid"),
        Option("C", "Dr. No"),
    )


def test_of_two_blocks_the_last_counts() -> None:
    question = "Example:\nA. Yes\nB. No\nNow:\nA. Red\nB. Blue\nC. Green"
    assert [option.text for option in options_in(question)] == ["Red", "Blue", "Green"]


def test_text_that_offers_nothing_has_no_options() -> None:
    assert options_in("Where was A. Milne born?") == ()
    assert options_in("[1, 2, 3]") == ()
    assert options_in("['alone']") == ()
    assert options_in("[__import__('os').system('true'), 'b']") == ()


def test_a_list_too_long_to_be_options_is_not_parsed() -> None:
    assert options_in("[" + "'a'," * 50_000 + "'b']") == ()


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    options_in(text)
    options_in(f"[{text}]")
