from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.errors import DataError
from mabench.families import family_named
from mabench.loading import validate
from tests.published_files import beam


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    return list(load(beam(tmp_path)).rows())


@pytest.mark.parametrize("part", ["", "chats", "chats/100K"])
def test_a_folder_is_opened_at_any_height(tmp_path: Path, part: str) -> None:
    sources = [row.source for row in load(beam(tmp_path) / part).rows()]
    assert sources == ["beam_100k", "beam_10m"][: 1 if "K" in part else 2]


@pytest.mark.parametrize("file", ["", "chat.json", "probing_questions/probing_questions.json"])
def test_one_chat_alone_is_data_by_its_folder_or_either_file(tmp_path: Path, file: str) -> None:
    whole = beam(tmp_path)
    alone = load(whole / "chats" / "100K" / "2" / file)
    assert list(alone) == list(load(whole).select("beam_100k"))
    assert alone.location is not None
    assert load(alone.location).fingerprint == alone.fingerprint
    lost = whole / "chats" / "100K" / "2" / "probing_questions" / "probing_questions.json"
    lost.unlink()
    if not file.startswith("probing"):
        with pytest.raises(DataError, match="found No such file"):
            list(load(whole / "chats" / "100K" / "2" / file))


def test_each_chat_is_a_row_with_abilities_rubrics_and_evidence(rows: list[Row]) -> None:
    row, abilities = rows[0], ["information_extraction", "event_ordering", "abstention"]
    assert row.metadata.get("question_types") == abilities
    assert row.rubrics is not None
    assert row.rubrics[0] == ["says 40 crowns", "says a week"]
    assert row.rubrics[1:] == [["the boat", "the berth"], ["says so"]]
    assert row.evidence == [["2", "3"], ["0", "2", "99"], []]
    assert row.answers == [["40"], ["The boat, then the berth"], ["Unknown"]]
    assert row.metadata.get("qa_pair_ids") == [f"beam_100k_2_{ability}_0" for ability in abilities]
    assert "->->" not in rows[0].context
    assert "[March-15-2024] user: I want to paint my boat green.\n" in rows[0].context
    *_, one, other = [(turn.id, turn.session) for turn in rows[1].turns or []]
    assert (one, other) == (("3", "plan-1 batch 1"), ("4", "plan-2 batch 1"))
    assert len(family_named("beam").units(rows[1].context)) == 5


def test_validation_counts_what_is_left_out_and_a_chat_needs_questions(tmp_path: Path) -> None:
    problems = validate(beam(tmp_path) / "chats" / "100K")
    assert {problem.severity for problem in problems} == {"warning"}
    assert problems[0].field == "event_ordering[0].source_chat_ids"
    *_, left_out, few = problems
    assert "1 difficulty" in left_out.found
    assert few.found.endswith("of beam_100k")  # Too few histories for new ones.
    lost = tmp_path / "chats" / "100K" / "2" / "probing_questions" / "probing_questions.json"
    lost.unlink()
    with pytest.raises(DataError, match=f"{lost}, row 0: found No such file"):
        list(load(tmp_path).rows())


def test_real_chats_are_read_whole(real_data: Path) -> None:
    folder = real_data / "external" / "beam"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    dataset = load(folder)
    assert {one.source for one in dataset.outline} == {"beam_100k", "beam_500k", "beam_1m"}
    assert [one.questions for one in dataset.outline] == [20] * 8
    for row in dataset.rows():
        known = {turn.id for turn in row.turns or ()}
        assert known.issuperset(one for ids in row.evidence or () for one in ids)
        assert len(row.context) > 400_000
