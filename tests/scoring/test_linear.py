"""No rule takes longer than the length of a prediction warrants."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from mabench.scoring import (
    Catalogue,
    correct_answer,
    correct_choice,
    correct_label,
    correct_recommendation,
)
from mabench.scoring.judge_replies import yes_or_no
from tests.scoring.questions import DETECTIVE, EVENTS
from tests.scoring.readings import FILMS

_SECONDS = 0.5  # For a megabyte.
# Short texts take milliseconds; only what hangs takes this long, on any machine.
_HANGS = 60.0
_FILMS = Catalogue(FILMS)
_RULES: dict[str, Callable[[str], object]] = {
    "answer": lambda text: correct_answer(text, ["Rome"], "Is it Paris or Rome?"),
    "verdict": lambda text: correct_answer(text, ["no"], "Is it Rome?"),
    "label": lambda text: correct_label(text, ["43"], "What 43?"),
    "choice": lambda text: correct_choice(text, ["C. The Brandt couple"], DETECTIVE),
    "event": lambda text: correct_choice(text, ["He left."], EVENTS),
    "recommendation": lambda text: correct_recommendation(text, ["1"], _FILMS),
    "judge": yes_or_no,
}
_FRAGMENTS = (
    *(" ", "label ", "(", "[", "{", "}", '{"', '{"answer": ', '["a", ', "<think>", "</think>"),
    *("-", "\n", "1. ", "43 or ", "Rome, ", "not Rome. ", "C or ", "answer: ", "the answer is "),
    *("so, ", "\\boxed{", "$", "```", "*", "_", "| a |\n", "Heat and ", "1,000,", "one "),
    *("5-", "He left. ", "option 2 ", "A.", "<answer>", "\\(", "do not know ", "1/", '"', "'"),
)


@pytest.mark.parametrize("name", _RULES)
def test_nothing_hangs_a_rule(name: str) -> None:
    for fragment in _FRAGMENTS:
        text = '"label"' + fragment * (5_000 // len(fragment))
        assert _seconds(_RULES[name], text) < _HANGS, fragment


@pytest.mark.slow
@pytest.mark.parametrize("name", _RULES)
def test_a_megabyte_takes_half_a_second(name: str) -> None:
    slow, length = {}, 1_000_000
    for fragment in _FRAGMENTS:
        text = ('"label"' + fragment * (length // len(fragment)))[:length]
        took = _seconds(_RULES[name], text)
        if took > _SECONDS:  # Machines are noisy: the best of two.
            took = min(took, _seconds(_RULES[name], text))
        if took > _SECONDS:
            slow[fragment] = took
    assert slow == {}


def _seconds(rule: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    rule(text)
    return time.process_time() - start
