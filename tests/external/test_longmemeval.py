from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.turns import Message
from mabench.families import FAMILIES
from mabench.loading import validate
from tests.published_files import longmemeval, written


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    return list(load(written(tmp_path / "longmemeval_s.json", longmemeval())).rows())


def test_each_question_is_a_row_with_its_own_history_and_evidence(rows: list[Row]) -> None:
    assert [row.source for row in rows] == ["longmemeval", "longmemeval"]
    assert rows[0].answers == [["5"]]
    assert rows[0].questions[0].endswith("Now Answer the Question: How is my cat called?")
    assert "2023/05/30 (Tue) 23:40" in rows[0].questions[0]
    assert rows[1].metadata.get("question_ids") == ["q2_abs"]
    assert rows[0].context == (
        "Chat Time: 2023/04/01 (Sat) 10:00\nuser: Will it rain in Bergen tomorrow?\n\n"
        "Chat Time: 2023/05/20 (Sat) 02:21\nuser: My cat is called Minka, by the way.\n\n"
        "Chat Time: 2023/05/20 (Sat) 02:21\nassistant: What a lovely name for a cat that is.\n\n"
    )
    assert len(FAMILIES["longmemeval"].units(rows[0].context)) == 3
    assert "has_answer" not in rows[0].context
    assert "s_cat" not in rows[0].context
    assert rows[0].evidence == [["session_2:1", "session_2"]]
    assert rows[1].evidence == [[]]
    assert (Message.of_row(rows[0]) or [])[0].fields == {
        "time": datetime(2023, 4, 1, 10, tzinfo=UTC),
        "role": "user",
        "session": "session_1",  # Published ids tell where the answers are.
    }


def test_the_file_is_valid(tmp_path: Path) -> None:
    (few,) = validate(written(tmp_path / "longmemeval_s.json", longmemeval()[:1]))
    assert few.found == "1 history of longmemeval"  # Too few for new ones.
