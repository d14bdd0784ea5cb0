from pathlib import Path

import pytest

import mabench
from mabench.runs import RunStoppedError
from tests.rows import write_rows


def test_a_run_ends_after_its_minutes_and_is_resumed(tmp_path: Path) -> None:
    rows, out = write_rows(tmp_path / "rows.jsonl"), tmp_path / "run"
    limits = mabench.Limits(max_minutes=1e-9)
    with pytest.raises(RunStoppedError, match="minutes have passed"):
        mabench.run("bm25", rows, out=out, limits=limits)
    run = mabench.run("bm25", rows, out=out)
    assert run.summary.spent.n == sum(run.record.questions.values())
