from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import mabench
from mabench.audit import audit
from mabench.errors import DataError, UsageError
from mabench.reports import show
from mabench.results import Run
from tests.rows import dataset, row

PAIRS = [("Who came?", ["Ann"]), ("Who left?", ["Bob"])]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    rows = [row("ruler_qa1_197K", "Ann came.", PAIRS)]
    (tmp_path / "audit.json").write_text(json.dumps(audit(dataset(rows)).as_dict()))
    return mabench.run("bm25", dataset(rows), out=tmp_path / "run")


def _printed(run: Run, layout: str, audit_file: Path) -> str:
    stream = io.StringIO()
    show(run, layout, Console(file=stream, width=160), audit_file)
    return stream.getvalue()


def test_the_score_on_unflagged_questions_stands_beside_the_full_one(run: Run) -> None:
    audit_file = run.folder.parent / "audit.json"
    report = json.loads(_printed(run, "json", audit_file))
    assert report["sources"]["ruler_qa1_197K"]["official"] == 50
    assert report["verified"]["ruler_qa1_197K"]["official"] == 100
    assert report["verified"]["ruler_qa1_197K"]["n"] == 1
    printed = _printed(run, "table", audit_file)
    assert "n verified" in printed
    line = next(line for line in printed.splitlines() if "ruler_qa1" in line)
    assert [cell.strip() for cell in line.split("│")][-3:-1] == ["1", "100.0"]
    assert "Verified" in _printed(run, "markdown", audit_file)


def test_an_audit_of_other_data_is_refused(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(audit(dataset()).as_dict()))
    with pytest.raises(UsageError, match="the audit of another data set"):
        _printed(run, "table", other)


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 1}'])
def test_what_is_no_audit_is_refused(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DataError, match=r"x\.json: no"):
        _printed(run, "table", tmp_path / "x.json")
