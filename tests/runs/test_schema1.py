"""Run folders of schema 1, as the code before the redesign wrote them, go on being valid."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mabench
from mabench.cli.app import app
from mabench.data import Dataset, Metadata, Row
from mabench.runs import Run
from tests.rows import row, two_rows

_KEPT = Path(__file__).with_name("schema1")
# Fields that are known of old runs, too, and were not written then.
_ADDITIONS = ("every_chunk", "searched", "interval", "interval_corrected")
_CHAT = (
    "['Chat Time: 2023/05/27 (Sat) 22:54', [{'role': 'user', 'content': 'I moved to Oslo.', "
    "'has_answer': True}]]"
)


def _rows() -> list[Row]:
    """The rows that the kept runs were over."""
    pairs = [("Where do I live?", ["Oslo"]), ("What is my dog called?", ["unknown"])]
    chat = row("longmemeval_s*", _CHAT, pairs)
    metadata = Metadata(
        source="longmemeval_s*",
        qa_pair_ids=["a", "b"],
        question_ids=["q1", "q2_abs"],
        question_types=["knowledge-update", "single-session-user"],
    )
    return [*two_rows(), chat.model_copy(update={"index": 1, "metadata": metadata})]


def _without_additions(found: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in found.items() if name not in _ADDITIONS}


def _as_then(line: str) -> str:
    """Return a sample without what was not known then."""
    sample = json.loads(line)
    for name in ("verdict", "rule"):
        sample.pop(name, None)
    return json.dumps(sample, ensure_ascii=False) + "\n"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    shutil.copytree(_KEPT, tmp_path / "kept")
    return tmp_path / "kept"


def test_a_finished_run_is_read_as_it_was_written(kept: Path) -> None:
    written = json.loads((kept / "finished" / "summary.json").read_text("utf-8"))
    result = CliRunner().invoke(app, ["report", str(kept / "finished"), "--format", "json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output, object_hook=_without_additions) == written
    assert len(list(Run(kept / "finished").samples())) == 7


def test_a_stopped_run_is_resumed(kept: Path) -> None:
    before = (kept / "stopped" / "samples.jsonl").read_text("utf-8").splitlines()[:3]
    data = Dataset.from_rows("small rows", _rows)
    run = mabench.run("bm25", data, out=kept / "stopped", limit_questions=2)
    after = (kept / "stopped" / "samples.jsonl").read_text("utf-8").splitlines()
    assert run.folder == kept / "stopped"
    assert after[:3] == before
    assert len(after) == 6


def test_a_kept_run_is_scored_again(kept: Path) -> None:
    before = (kept / "finished" / "samples.jsonl").read_bytes()
    result = CliRunner().invoke(app, ["score", str(kept / "finished")])
    assert result.exit_code == 0, result.output
    after = (kept / "finished" / "samples.jsonl").read_text("utf-8")
    assert "".join(map(_as_then, after.splitlines(keepends=True))).encode() == before
