"""Options are shuffled in an order that a number fixes, and golds move with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.text.options import chosen_option, parse_options, shuffle_options

_TEXTS = st.lists(
    st.text("abc xyz", min_size=1, max_size=9).map(str.strip).filter(bool),
    min_size=2,
    max_size=6,
    unique=True,
)


@given(_TEXTS, st.integers(0, 99), st.data())
def test_the_right_option_stays_the_right_one(
    texts: list[str], seed: int, data: st.DataObject
) -> None:
    letters = "ABCDEF"[: len(texts)]
    lines = [f"{letter}. {text}" for letter, text in zip(letters, texts, strict=True)]
    question = "\n".join(["Which one?", *lines, "Say its letter."])
    right = data.draw(st.sampled_from(range(len(texts))))
    shuffled, golds = shuffle_options(question, [lines[right], letters[right]], seed)
    options = {option.letter: option.text for option in parse_options(shuffled)}
    assert sorted(options.values()) == sorted(texts)
    assert options[golds[1]] == texts[right]
    assert golds[0] == f"{golds[1]}. {texts[right]}"
    assert shuffled.startswith("Which one?\nA. ")
    assert shuffled.endswith("\nSay its letter.")
    assert (shuffled, golds) == shuffle_options(question, [lines[right], letters[right]], seed)


def test_seeds_give_different_orders() -> None:
    question = "Which?\nA. one\nB. two\nC. three\nD. four"
    golds = {shuffle_options(question, ["A. one"], seed)[1][0] for seed in range(40)}
    assert golds == {"A. one", "B. one", "C. one", "D. one"}


def test_what_has_no_such_options_or_another_gold_stays() -> None:
    for question, gold in (("Which town?", "Arden"), ("Which?\nA. one\nB. two", "A, B")):
        assert shuffle_options(question, [gold], 7) == (question, [gold])


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        *(("B", 1), ("b.", 1), ("(c) corn", 2), ("Rice.", 3), ("B. Oats", 1), ("**D**", 3)),
        *(("Answer: C", 2), ("The answer is D, as he said.", 3), ("(b) fits (b) best", 1)),
        *(("D) because it is dry", 3), ("Of all, I choose option A.", 0)),
        *(("A or B", None), ("(a), not (b)", None), ("The answer is A sack of rye", None)),
        *(("A sack", None), ("Barley", None), ("E", None), ("", None), (" ", None)),
    ],
)
def test_an_option_is_chosen_by_its_letter_or_its_text(answer: str, place: int | None) -> None:
    assert chosen_option(answer, parse_options("What?\nA. Rye\nB. Oats\nC. Corn\nD. Rice")) == place
