"""Every decision decides its example, and not its near miss; and the patterns are safe."""

from __future__ import annotations

import pytest

from mabench.scoring.corrected.answer import read_answer
from mabench.scoring.stated.decisions import DECISIONS, Decision

_QUESTION = "In which city was Ann Hale born?"


def _decided_by(text: str) -> set[str]:
    readings = read_answer(text, text, ["Rome"], _QUESTION)
    return {step.decision.name for r in readings if r.choice for step in r.choice.steps}


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.name)
def test_a_decision_decides_its_example_and_not_its_near_miss(decision: Decision) -> None:
    assert decision.name in _decided_by(decision.example)
    assert decision.name not in _decided_by(decision.near_miss)


def test_every_decision_has_a_name_of_its_own() -> None:
    names = [decision.name for decision in DECISIONS]
    assert len(set(names)) == len(names)
    assert all(decision.meaning for decision in DECISIONS)
