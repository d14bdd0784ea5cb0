"""A link that somebody put into a run folder is not written through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import mabench
from mabench.errors import DataError
from mabench.results.rescoring.rescore import rescore
from tests.rows import dataset

pytestmark = pytest.mark.corrupts_runs


@pytest.mark.parametrize(
    "name",
    [
        "samples.jsonl", "timings.jsonl", "memories.jsonl", "judgments.jsonl", "summary.json",
        "run.json", ".owner", ".lock", "memories", ".summary.json.{}.part",
    ],
)  # fmt: skip
def test_a_link_in_a_run_folder_is_named_and_left_alone(tmp_path: Path, name: str) -> None:
    name = name.format(os.getpid())
    run = tmp_path / "run"
    mabench.run("bm25", dataset(), out=run, limit_questions=1)
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    file = run / name
    if file.is_file() and name.endswith(("json", "jsonl")):
        mine.write_bytes(file.read_bytes())
    file.unlink(missing_ok=True)
    file.symlink_to(mine)
    before = mine.read_bytes()
    with pytest.raises(DataError, match=f"{name}: a link"):
        mabench.run("bm25", dataset(), out=run, limit_questions=1, retry_errors=True)
    with pytest.raises(DataError, match=f"{name}: a link"):
        rescore(run)
    assert mine.read_bytes() == before


@pytest.mark.parametrize("name", ["samples.jsonl", ".summary.json.{}.part"])
def test_nor_is_one_that_an_agent_makes(tmp_path: Path, name: str) -> None:
    run, mine = tmp_path / "run", tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")

    class Linking:
        def memorize(self, chunk: str) -> None:
            file = run / name.format(os.getpid())
            if not file.is_symlink():
                file.symlink_to(mine)

        def answer(self, query: str) -> str:
            return "an answer"

    with pytest.raises(DataError, match="it is a link"):
        mabench.run(Linking, dataset(), out=run)
    assert mine.read_text(encoding="utf-8") == "mine"
