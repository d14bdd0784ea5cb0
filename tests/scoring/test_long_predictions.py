"""How much is done for long predictions: counted, since seconds depend on the machine.

``python -m benchmarks.megabytes`` measures a megabyte of some 400 things in every family.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import mabench
from mabench.data import Source
from mabench.scoring.tokens import fold
from mabench_external.locomo import SOURCE as LOCOMO

_SUMMARY = ["Ann moves to Rome.\nBob sells the house.\nThey leave.\n" * 40]


def _calls(work: Callable[[], object]) -> int:
    """Return how many functions of Python a piece of work calls."""
    calls = 0

    def count(_: FrameType, event: str, __: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize(
    ("source", "answers", "kind", "fragment"),
    [
        ("infbench_sum_eng_shots2", _SUMMARY, None, "Rome\n"),
        ("infbench_sum_eng_shots2", _SUMMARY, None, "The Matrix\n"),
        (LOCOMO, ["Rome, Paris, Oslo"], "multi-hop", ","),
        (LOCOMO, ["Rome, Paris, Oslo"], "multi-hop", "1,000,"),
    ],
)
def test_what_is_repeated_is_compared_once(
    source: str | Source, answers: list[str], kind: str | None, fragment: str
) -> None:
    def score(times: int) -> None:
        text = fragment * times
        mabench.score_answer(source, text, answers, "Where?", question_type=kind)

    score(10)  # The first one imports what it needs.
    few, many = _calls(lambda: score(2_000)), _calls(lambda: score(4_000))
    # Each is cut off and stemmed, by a few steps; none is compared with every part of the gold.
    assert many - few < 2_000 * 20


@pytest.mark.parametrize("sign", ["\ufdfa", "\ufdfb", "\u3316"])
def test_signs_for_whole_phrases_make_no_text_much_longer(sign: str) -> None:
    assert len(fold(sign * 8_000)) <= 3 * 8_000
    assert len(fold(f"Peace be upon him {sign}")) > 22, "a few are spelt out"
    assert fold("\u00c9 \ufb01" * 8_000) == "e fi" * 8_000
