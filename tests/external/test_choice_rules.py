"""The rules of questions with options equal second implementations, written from descriptions.

These read the answer letter by letter, without regular expressions.
"""

import random
from collections.abc import Iterator

import pytest

from mabench.text.options import Option
from mabench_external.choices import is_concluded, only_letter, same_letter

_OPTIONS = (Option("A", "Soup"), Option("B", "Rice"), Option("C", "Pie"), Option("D", "Rice"))
_PIECES = (
    *("(a)", "(b)", "(B)", "( b )", "(e)", "(c) Pie", "b", "B", "C.", "D.", "a", "abc", "b2", "_b"),
    *("Final Answer: B", "final answer:\n c", "Answer: d", "ANSWER:B", "answer : a", "Answer: 4"),
    *("<final_answer>", "</final_answer>", "The answer is", "a soup", "É(a)", "I'd say", "A", " "),
    *('{"choice": "B"}', '{"choice": "b"}', "\n", "B.\n", "B. ", "Bé", "Rice", ".", ",", "-b-"),
)


def predictions(count: int = 2_000) -> Iterator[str]:
    """Answers made of pieces that each rule may or may not take for a letter."""
    chosen = random.Random(65)
    for _ in range(count):
        pieces = chosen.choices(_PIECES, k=chosen.randint(0, 5))
        yield chosen.choice(("", " ", "\n")).join(pieces)


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _named(text: str) -> set[str]:
    """The letters that stand in brackets; without any, those that are words."""
    lowered = text.lower()
    bracketed = {lowered[i + 1] for i in range(len(lowered) - 2) if _in_brackets(lowered, i)}
    if bracketed:
        return bracketed
    words, word = set(), ""
    for sign in [*lowered, " "]:
        if _is_word(sign):
            word += sign
            continue
        words.add(word)
        word = ""
    return words & {"a", "b", "c", "d"}


def _in_brackets(text: str, at: int) -> bool:
    return text[at] == "(" and text[at + 1] in "abcd" and text[at + 2] == ")"


def _personamem(prediction: str, gold: str) -> bool:
    """Right if exactly the gold is named: after the last mark, or else in the whole answer."""
    end = prediction.strip()
    mark = end.rfind("<final_answer>")
    if mark >= 0:
        end = end[mark + len("<final_answer>") :].strip()
    if end.endswith("</final_answer>"):
        end = end[: len(end) - len("</final_answer>")].strip()
    return any(_named(text) == {gold.lower()} for text in (end, prediction))


@pytest.mark.parametrize("gold", ["A", "B"])
def test_personamem_takes_the_only_letter_that_is_named(gold: str) -> None:
    said = [*predictions()]
    ours = [only_letter(one, gold, _OPTIONS) for one in said]
    assert ours == [_personamem(one, gold) for one in said]
    assert 100 < sum(ours) < 1_900


def _personamem_v2(prediction: str, gold: str) -> bool:
    """Right if the first letter behind a mark, or else at a line's end, is the gold."""
    texts = {option.letter: option.text for option in _OPTIONS}
    for mark in ("final answer:", "answer:"):
        at = prediction.lower().find(mark)
        while at >= 0:
            rest = prediction[at + len(mark) :].lstrip()
            if rest[:1].isascii() and rest[:1].isalpha():
                return texts.get(rest[0].upper()) == texts[gold]
            at = prediction.lower().find(mark, at + 1)
    for at, sign in enumerate(prediction):
        if sign.isascii() and sign.isalpha() and prediction[at + 1 : at + 2] == ".":
            before, rest = prediction[:at][-1:], prediction[at + 2 :]
            blank = rest[: len(rest) - len(rest.lstrip())]
            if not (before and _is_word(before)) and (not rest.strip() or "\n" in blank):
                return texts.get(sign.upper()) == texts[gold]
    return False


@pytest.mark.parametrize("gold", ["A", "B", "D"])
def test_personamem_v2_takes_the_option_that_is_named_at_last(gold: str) -> None:
    said = [*predictions()]
    ours = [is_concluded(one, gold, _OPTIONS) for one in said]
    assert ours == [_personamem_v2(one, gold) for one in said]
    assert 0 < sum(ours) < 1_900


def _membench(prediction: str, gold: str) -> bool:
    """Right if nothing but the letter is said, or an object whose choice it is."""
    kept = "".join(sign for sign in prediction if sign not in " \n")
    return kept in (gold, f'{{"choice":"{gold}"}}')


def test_membench_takes_the_letter_and_nothing_else() -> None:
    said = [*predictions()]
    ours = [same_letter(one, "B", _OPTIONS) for one in said]
    assert ours == [_membench(one, "B") for one in said]
    assert 10 < sum(ours) < 1_900
