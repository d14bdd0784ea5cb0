"""`mabench leaderboard` and `mabench report --published`."""

from __future__ import annotations

import json
from pathlib import Path

from mabench.results.records.record import ModelRecord
from tests.command_line import mabench
from tests.comparison.made import made_run

_QA = "ruler_qa1_197K"


def _print(folder: Path, *arguments: str) -> str:
    done = mabench(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_run_stands_among_what_was_read_by_the_same_model(tmp_path: Path) -> None:
    scores = {_QA: [[1.0] * 70 + [0.0] * 30]}
    model = ModelRecord(name="gpt-4o-mini", temperature=0)
    run = made_run(tmp_path / "mine", scores, agent="mine", model=model)
    content = json.loads(_print(tmp_path, "leaderboard", str(run), "--format", "json"))
    groups = {(group["reader"], group["judge"]): group["systems"] for group in content["groups"]}
    (mine,) = [one for one in groups["gpt-4o-mini", "gpt-4o"] if one["own"]]
    assert mine["scores"] == {"SH-QA": 70}
    low, high = mine["intervals"]["SH-QA"]["these_histories"]
    assert low < 70 < high
    published = {one["system"]: one for one in groups["gpt-4o-mini", "gpt-4o"]}
    assert published["BM25"]["scores"]["SH-QA"] == 66
    assert published["BM25"]["intervals"] == {}
    assert "70.0 ±8.8†" in _print(tmp_path, "leaderboard", str(run))


def test_without_runs_it_is_what_was_published(tmp_path: Path) -> None:
    printed = _print(tmp_path, "leaderboard")
    assert "Reader gpt-4o-mini, judge gpt-4o" in printed
    assert "±" not in printed


def test_a_report_has_the_best_published_figures_beside_its_columns(tmp_path: Path) -> None:
    run = str(made_run(tmp_path / "mine", {_QA: [[1.0] * 100]}))
    assert "NV-Embed-v2" in _print(tmp_path, "report", run, "--published")
    assert "NV-Embed-v2" not in _print(tmp_path, "report", run)
    content = json.loads(_print(tmp_path, "report", run, "--published", "--format", "json"))
    assert content["published"]["SH-QA"]["score"] == 90
