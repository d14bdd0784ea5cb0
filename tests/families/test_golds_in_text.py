from __future__ import annotations

import pytest

from mabench.families import FAMILIES


def test_only_answers_taken_from_the_history_are_looked_for_in_passages() -> None:
    looked_for = {name for name, family in FAMILIES.items() if family.gold_in_text(["Rome"])}
    assert looked_for == {"ruler", "factconsolidation"}


@pytest.mark.parametrize(
    ("answers", "looked_for"),
    [(["yes"], False), (["No."], False), (["no", "Norway"], True), (["yes, Rome"], True)],
)
def test_a_verdict_of_ruler_stands_in_no_passage(answers: list[str], looked_for: bool) -> None:
    assert FAMILIES["ruler"].gold_in_text(answers) is looked_for
