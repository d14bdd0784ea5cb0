from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.evidence import Evidence
from tests.published_files import locomo, written
from tests.rows import FACTS
from tests.rows import row as small_row

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


def quoting(*evidence: list[str]) -> Evidence:
    questions = [(f"Question {n}?", ["Bern"]) for n in range(len(evidence))]
    made = small_row("factconsolidation_sh_6k", FACTS, questions)
    return Evidence(made.model_copy(update={"evidence": [*evidence]}))


def test_quoted_statements_are_complete_with_the_last_of_them() -> None:
    ann, bob = "2. Ann lives in Bern.", "1. Bob lives in Oslo."
    evidence = quoting([ann, bob], [], ["It stands nowhere."], [" "], ["Bern"])
    found = evidence.find(0, [bob, "0. Ann lives in Rome.", f"So: {ann}"])
    assert (found.evidence_ranks, found.complete_at, found.session_ranks) == ((3, 1), 3, None)
    found = evidence.find(0, [bob])
    assert (found.evidence_ranks, found.complete_at) == ((None, 1), None)
    assert found.evidence_recall == 0.5
    assert [evidence.find(place, [ann]).evidence_ranks for place in (1, 2, 3)] == [None] * 3
    # A word that could stand anywhere takes its line with it.
    assert evidence.find(4, ["Bern is large."]).complete_at is None
    assert evidence.find(4, [ann]).complete_at == 1


def test_texts_of_a_memory_s_own_are_told_from_those_of_the_history() -> None:
    evidence = quoting(["2. Ann lives in Bern."])
    for text in ("Ann lives in Bern.", "I remember: no more. Bob lives in Oslo. Yes.", "", "Bob"):
        assert not evidence.rewords(text), text
    for text in ("Ann has moved to Bern, a city in the Alps.", "Anna"):
        assert evidence.rewords(text), text
