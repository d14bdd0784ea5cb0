"""`mabench leaderboard` and `mabench report --published`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mabench.cli import main
from mabench.results.records.record import ModelRecord
from tests.comparison.made import made_run

_QA = "ruler_qa1_197K"


def _printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    monkeypatch.setattr(sys, "argv", ["mabench", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    return capsys.readouterr().out


def test_a_run_stands_among_what_was_read_by_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {_QA: [[1.0] * 70 + [0.0] * 30]}
    model = ModelRecord(name="gpt-4o-mini", temperature=0)
    run = made_run(tmp_path / "mine", scores, agent="mine", model=model)
    content = json.loads(_printed(monkeypatch, capsys, "leaderboard", str(run), "--format", "json"))
    groups = {(group["reader"], group["judge"]): group["systems"] for group in content["groups"]}
    (mine,) = [one for one in groups["gpt-4o-mini", "gpt-4o"] if one["own"]]
    assert mine["scores"] == {"SH-QA": 70}
    low, high = mine["intervals"]["SH-QA"]["these_histories"]
    assert low < 70 < high
    published = {one["system"]: one for one in groups["gpt-4o-mini", "gpt-4o"]}
    assert published["BM25"]["scores"]["SH-QA"] == 66
    assert published["BM25"]["intervals"] == {}
    assert "70.0 ±8.8†" in _printed(monkeypatch, capsys, "leaderboard", str(run))


def test_without_runs_it_is_what_was_published(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _printed(monkeypatch, capsys, "leaderboard")
    assert "Reader gpt-4o-mini, judge gpt-4o" in printed
    assert "±" not in printed


def test_a_report_has_the_best_published_figures_beside_its_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(made_run(tmp_path / "mine", {_QA: [[1.0] * 100]}))
    assert "NV-Embed-v2" in _printed(monkeypatch, capsys, "report", run, "--published")
    assert "NV-Embed-v2" not in _printed(monkeypatch, capsys, "report", run)
    content = json.loads(
        _printed(monkeypatch, capsys, "report", run, "--published", "--format", "json")
    )
    assert content["published"]["SH-QA"]["score"] == 90
