"""A run is extended by naming more in its folder: what was answered stands, the rest is asked."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.data import Dataset
from mabench.errors import UsageError
from tests.command_line import mabench as command
from tests.command_line import succeed
from tests.rows import dataset, row
from tests.runs.agents import Notes

RULER, SECOND, FACTS = "ruler_qa1_197K", "ruler_qa2_421K", "factconsolidation_sh_6k"

# Each has three questions.
ROWS = ((RULER, 0), (RULER, 1), (SECOND, 2), (FACTS, 0))


def _rows() -> Dataset:
    pairs = {place: [("{} {} {}?".format(*place, n), ["a"]) for n in range(3)] for place in ROWS}
    return dataset([row(s, f"Document 1:\n{s}.", pairs[s, index], index) for s, index in ROWS])


def _run(out: Path, **narrowed: Any) -> list[str]:
    """Run, and return what was asked now; all that was asked so far is in the folder."""
    Notes.told, Notes.asked = [], []
    run = mabench.run(Notes, _rows(), out=out, **narrowed)
    samples = list(run.samples())
    assert len({sample.key for sample in samples}) == len(samples)
    assert sum(run.record.questions.values()) == len(samples)
    assert {sample.question for sample in samples} >= {*Notes.asked}
    assert run.summary.spent.n == len(samples)
    return Notes.asked


def test_a_row_of_which_more_is_asked_is_told_again_and_a_finished_one_is_not(
    tmp_path: Path,
) -> None:
    _run(tmp_path / "run", sources=[FACTS], limit_questions=1)
    assert _run(tmp_path / "run", sources=[FACTS], limit_questions=2) == [f"{FACTS} 0 1?"]
    assert len(Notes.told) == 1
    assert _run(tmp_path / "run", sources=[FACTS]) == [f"{FACTS} 0 2?"]
    assert len(_run(tmp_path / "run", sources=[FACTS, SECOND])) == 3
    assert Notes.told == [f"Document 1:\n{SECOND}."]


def test_an_unfinished_run_is_extended(tmp_path: Path) -> None:
    _run(tmp_path / "run", sources=[FACTS])
    samples = tmp_path / "run" / "samples.jsonl"
    samples.write_bytes(samples.read_bytes().splitlines(keepends=True)[0])
    asked = _run(tmp_path / "run", sources=[SECOND, FACTS])
    assert asked == [f"{SECOND} 2 {n}?" for n in range(3)] + [f"{FACTS} 0 {n}?" for n in (1, 2)]


def _questions(
    sources: Collection[str] | None, rows: Collection[int] | None, limit_questions: int | None
) -> set[str]:
    """What is asked, computed anew."""
    return {
        f"{source} {index} {n}?"
        for source, index in ROWS
        for n in range(limit_questions or 3)
        if (sources is None or source in sources) and (rows is None or index in rows)
    }


_PARTS: dict[str, st.SearchStrategy[Any]] = {
    "sources": st.none() | st.sets(st.sampled_from([RULER, SECOND, FACTS]), min_size=1),
    "rows": st.none() | st.sets(st.integers(0, 2), min_size=1),
    "limit_questions": st.none() | st.integers(1, 3),
}
_NARROWED = st.fixed_dictionaries(_PARTS).filter(lambda narrowed: bool(_questions(**narrowed)))


@settings(max_examples=25)
@given(before=_NARROWED, after=_NARROWED)
def test_a_run_either_asks_exactly_the_rest_or_changes_nothing(
    before: dict[str, Any], after: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("runs") / "run"
    _run(out, **before)
    files = {file.name: file.read_bytes() for file in out.iterdir()}
    missing = _questions(**before) - _questions(**after)
    try:
        asked = _run(out, **after)
    except UsageError:
        assert missing or after["rows"] is not None or after["limit_questions"] is not None
        assert {file.name: file.read_bytes() for file in out.iterdir()} == files
    else:
        assert not missing
        assert {*asked} == _questions(**after) - _questions(**before)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({}, {"sources": [RULER]}, f"{SECOND}, {FACTS}, which `sources` leaves out here"),
        ({"sources": [RULER]}, {"sources": [FACTS]}, f"{RULER}, which `sources` leaves out here"),
        ({"rows": [0, 1]}, {"rows": [1]}, "row 0, which `rows` leaves out here"),
        ({"sources": [RULER]}, {"rows": [1]}, "all rows, of which `rows` names 1 here"),
        ({}, {"limit_questions": 2}, "every question of each row, where `limit_questions` is 2"),
        ({"limit_questions": 2}, {"limit_questions": 1}, "2 questions of each row, where `limit_q"),
    ],
)
def test_what_would_leave_questions_out_is_refused_by_name(
    before: dict[str, Any], after: dict[str, Any], message: str, tmp_path: Path
) -> None:
    _run(tmp_path / "run", **before)
    with pytest.raises(UsageError, match=message) as raised:
        _run(tmp_path / "run", **after)
    assert "can be extended, not narrowed" in str(raised.value)
    assert Notes.asked == []


def test_the_command_line_extends_and_says_so(tmp_path: Path) -> None:
    small = ("run", "bm25", "--data", "synthetic:small", "--out", "run", "--limit-questions", "2")
    succeed(*small, "--source", FACTS, cwd=tmp_path)
    first = json.loads((tmp_path / "run" / "run.json").read_text())
    done = succeed(*small, "--source", FACTS, "--source", RULER, cwd=tmp_path)
    assert "run: 2 of 4 questions are answered, 2 to ask." in done.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["questions"] == {FACTS: 2, RULER: 2}
    assert record["command"].endswith(f"--source {FACTS} --source {RULER}")
    changed = {name for name in record if record[name] != first[name]}
    # Both may have finished within one second.
    assert changed - {"finished"} == {"command", "questions"}
    refused = command(*small, "--source", RULER, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"{FACTS}, which --source leaves out here" in refused.stderr


def test_a_wider_run_has_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    narrow = mabench.run(Notes, _rows(), limit_questions=1).folder
    wide = mabench.run(Notes, _rows()).folder
    assert narrow != wide
    mabench.run(Notes, _rows(), out=narrow, limit_questions=2)
    third = mabench.run(Notes, _rows(), limit_questions=1).folder
    assert third.name == f"{narrow.name}-2", "the extended run is not that of this name any more"
