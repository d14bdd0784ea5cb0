"""The rules of questions with options equal second implementations.

Those are written by somebody who knew the published code and not ours; see ``second_rules``.
"""

import random
from collections.abc import Callable, Iterator

import pytest

from mabench.text.options import Option
from mabench_external.choices import Rule, is_concluded, only_letter, same_letter
from tests.external.second_rules import (
    score_membench,
    score_personamem,
    score_personamem_v2,
)

_OPTIONS = (Option("A", "Soup"), Option("B", "Rice"), Option("C", "Pie"), Option("D", "Rice"))
_PIECES = (
    *("(a)", "(b)", "(B)", "( b )", "(e)", "(c) Pie", "b", "B", "C.", "D.", "a", "abc", "b2", "_b"),
    *("Final Answer: B", "final answer:\n c", "Answer: d", "ANSWER:B", "answer : a", "Answer: 4"),
    *("<final_answer>", "</final_answer>", "The answer is", "a soup", "É(a)", "I'd say", "A", " "),
    *('{"choice": "B"}', '{"choice": "b"}', "\n", "B.\n", "B. ", "Bé", "Rice", ".", ",", "-b-"),
    # Boxes: nested, never closed, in capitals; conclusions without a colon; Markdown.
    *(r"\boxed{B}", r"$\boxed{a}$", r"\boxed{{B}}", r"\boxed{\text{B}}", r"\boxed{", "{", "}"),
    *(r"\BOXED{c}", r"$\boxed{D}", "final answer is", "The answer is b", "Answer: **B**", "**B**"),
    *("Answer:", "Answer:\n\t a", "The answer is\n"),
    # Letters and blanks beyond ASCII, some of which become ASCII in another case.
    *("\u00a0", "\r\n", "\u2028", "\t", "\u200d", "\u0301", "\uff08b\uff09", "\uff22", "\ufeff"),
    *("\u212a.", "\u0131", "\u017f.", "\u0130", "\u00b2", "<FINAL_ANSWER>"),
    # JSON that is no object with the letter, and no JSON.
    *('{"choice": " B"}', '{"choice": ["B"]}', '{"choice": NaN}', '{"choice": "A", "choice": "B"}'),
    *('"B"', "null", "NaN", "[", '{"other": "B"}', '["choice"]'),
)


def _predictions(count: int = 2_000) -> Iterator[str]:
    """Answers made of pieces that each rule may or may not take for a letter."""
    chosen = random.Random(65)
    for _ in range(count):
        pieces = chosen.choices(_PIECES, k=chosen.choice((0, 1, 1, 2, 3, 4, 5)))
        yield chosen.choice(("", " ", "\n")).join(pieces)


def _accepts_text_of(prediction: str, gold: str) -> bool:
    """Whether PersonaMem-v2 accepts a letter whose option has the text of the gold."""
    texts = {option.letter: option.text for option in _OPTIONS}
    same = [letter for letter in "ABCD" if texts[letter] == texts[gold]]
    return any(score_personamem_v2(prediction, letter) for letter in same)


@pytest.mark.parametrize("gold", ["A", "B", "C", "D"])
@pytest.mark.parametrize(
    ("rule", "second"),
    [(only_letter, score_personamem), (is_concluded, _accepts_text_of)],
)
def test_a_letter_is_named_as_published(
    rule: Rule, second: Callable[[str, str], bool], gold: str
) -> None:
    said = [*_predictions(4_000)]
    ours = [rule(one, gold, _OPTIONS) for one in said]
    assert ours == [second(one, gold) for one in said]
    assert 100 < sum(ours) < 3_900


def test_membench_takes_the_letter_and_nothing_else() -> None:
    said = [*_predictions(), *_replies()]
    ours = [same_letter(one, "B", _OPTIONS) for one in said]
    assert ours == [score_membench(one, "B") for one in said]
    assert 100 < sum(ours) < 3_900


def _replies(count: int = 2_000) -> Iterator[str]:
    """Letters and objects with blanks around them, and sometimes another piece behind them."""
    chosen, blanks = random.Random(66), ("", " ", "\n", "\t", "\r\n", " \n ", "\u00a0")
    for _ in range(count):
        said = chosen.choice(
            ("A", "B", "b", '{"choice": "B"}', '{"choice": " B"}', '{"choice":"A"}')
        )
        tail = chosen.choice(("", "", "", ".", "B", "}", "NaN"))
        yield chosen.choice(blanks) + said + chosen.choice(blanks) + tail


def test_a_choice_of_an_object_is_compared_as_it_is() -> None:
    assert same_letter(' {"choice": "B"}\n', "B", _OPTIONS)
    assert not same_letter('{"choice": "B "}', "B", _OPTIONS)
    assert same_letter(" B\n", "B", _OPTIONS)
