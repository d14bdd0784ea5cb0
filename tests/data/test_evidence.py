from __future__ import annotations

from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.evidence import Evidence
from tests.published_files import locomo, written

TREES = "I planted seven pear trees behind the barn yesterday."


@pytest.fixture
def row(tmp_path: Path) -> Row:
    return next(iter(load(written(tmp_path / "locomo10.json", locomo())).rows()))


def test_turns_and_sessions_are_found_with_their_ranks(row: Row) -> None:
    passages = [
        "Nothing of the sort.",
        f"yesterday: {TREES}",
        "Ida: My sister Lena has moved to Porto for good, imagine that!",
    ]
    found = Evidence(row).find(2, passages)  # Rests on D2:2, D10:1 and D2:3.
    assert found.evidence_ranks == (None, 3, 2)
    assert found.evidence_recall == pytest.approx(2 / 3)
    assert found.session_ranks == (2, 3)
    found = Evidence(row).find(0, [TREES])  # Rests on D2:2, of the same session.
    assert (found.evidence_ranks, found.session_ranks) == ((None,), (1,))
    assert Evidence(row).find(3, [TREES]).evidence_recall is None
    assert Evidence(row).find(4, [TREES]).evidence_recall is None  # D9:9 is no turn.
    assert Evidence(row).find(0, []).evidence_recall == 0
    assert row.evidence is not None
    row.evidence[0][:] = ["D2:1"]  # "Hi!"
    assert Evidence(row).find(0, ["Hi! Who is this?"]).evidence_ranks == (None,)
    line = "[1:56 pm on 8 May, 2023] Ugo: Hi!"
    assert Evidence(row).find(0, [line]).evidence_ranks == (1,)
