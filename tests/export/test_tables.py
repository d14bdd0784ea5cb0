import csv
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.errors import DataError, UsageError
from mabench.export import export
from mabench.results import QuestionRow, Run, RunFolder
from tests.comparison.made import made_run
from tests.rows import dataset
from tests.talks import talk, talks, turns

_QA = "ruler_qa1_197K"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return mabench.run("bm25", dataset(), out=tmp_path / "run")


def _lines(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_files_are_the_table_with_a_line_for_each_question(run: Run, tmp_path: Path) -> None:
    export(run, "csv", tmp_path / "run.csv")
    lines = _lines(tmp_path / "run.csv")
    assert [*lines[0]] == [*QuestionRow._fields]
    for line, sample in zip(lines, run.samples(), strict=True):
        assert (line["source"], line["question"]) == (sample.source, sample.question)
        assert json.loads(line["golds"]) == sample.answers
        assert line["prediction"] == sample.prediction
        assert float(line["official"]) in sample.official.values()
        assert float(line["seconds"]) > 0
    export(run, "parquet", tmp_path / "run.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "run.parquet").equals(run.table())


def test_exports_say_what_was_passed_natively_and_after_what_was_asked(tmp_path: Path) -> None:
    asked = [("Where is the key?", "T555"), ("Where is the key now?", "T555")]
    rows = talks(talk(turns(), asked, asked_after=["t1", None]))
    run = mabench.run("bm25", rows, protocol="turns", out=tmp_path / "run")
    export(run, "csv", tmp_path / "run.csv")
    lines = _lines(tmp_path / "run.csv")
    assert [line["asked_after"] for line in lines] == ["t1", ""]
    passed = {"unit": "turn", "told": ["time", "user"], "asked": ["time", "user"]}
    assert json.loads(lines[0]["settings"])["takes"] == passed
    export(run, "every-eval-ever", tmp_path / "eee.json")
    record = json.loads((tmp_path / "eee.json").read_text("utf-8"))
    about = record["evaluation_results"][0]["generation_config"]["additional_details"]
    assert about["conversations"].startswith("told by turns; passed natively")


def test_many_runs_are_one_table_with_run_agent_and_settings(run: Run, tmp_path: Path) -> None:
    other = mabench.run("bm25", dataset(), settings={"k": 2}, out=tmp_path / "other")
    export([run, other], "csv", tmp_path / "both.csv")
    lines = _lines(tmp_path / "both.csv")
    assert len(lines) == 2 * run.summary.spent.n
    assert {(line["run"], line["agent"]) for line in lines} == {
        (str(one.folder), one.summary.agent) for one in (run, other)
    }
    settings = [json.loads(line["settings"]) for line in (lines[0], lines[-1])]
    assert [one.get("k") for one in settings] == [None, "2"]
    assert {one["protocol"] for one in settings} == {"structured"}
    export([run, other], "parquet", tmp_path / "both.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "both.parquet").num_rows == len(lines)
    with pytest.raises(UsageError, match="every-eval-ever exports one run"):
        export([run, other], "every-eval-ever", tmp_path / "both.json")


# What a spreadsheet would run, and answers that stay as they are; halves of characters are marked.
_FORMULAS = ['=HYPERLINK("http://evil","x")', "+1+1", "-2+3", "@SUM(A1)", "\uff1d1+1"]
_FORMULAS += [f"{space}=1+1" for space in ("\t", "\r", "  ", "\u00a0", "\ufeff", "\u200b")]
_ORDINARY = ["a=b", "43", "3 - 2", "Bern, Oslo\nRome", 'so "called"', "'x", "half \ud83d of it"]


def test_what_a_spreadsheet_would_run_is_defused_and_the_rest_stays(tmp_path: Path) -> None:
    answers = [*_FORMULAS, *_ORDINARY]
    store = RunFolder(made_run(tmp_path / "run", {_QA: [[1.0] * len(answers)]}))
    samples = zip(list(store.samples()), answers, strict=True)
    store.replace_samples([replace(one, prediction=answer) for one, answer in samples])
    for form in ("csv", "parquet"):
        export(Run(store.path), form, tmp_path / f"run.{form}")
    marked = [answer.replace("\ud83d", "\ufffd") for answer in answers]
    cells = [f"'{one}" if one in _FORMULAS else one for one in marked]
    assert [line["prediction"] for line in _lines(tmp_path / "run.csv")] == cells
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    assert table["prediction"].to_pylist() == marked


@given(st.text(st.characters(), max_size=20))
def test_no_cell_begins_a_formula(text: str) -> None:
    from mabench.export.exporting import _cell

    cell = _cell(text)
    assert isinstance(cell, str)
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
    cell.encode()


def test_what_cannot_be_exported_is_said_and_nothing_is_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for form in ("csv", "parquet", "every-eval-ever"):
        with pytest.raises(UsageError, match="file exists already; choose another name"):
            export(run, form, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(UsageError, match="unknown format 'cvs': did you mean csv"):
        export(run, "cvs", tmp_path / "x")
    with pytest.raises(UsageError, match="no run here"):
        export(Run(tmp_path / "nothing"), "csv", tmp_path / "deep" / "x.csv")
    with pytest.raises(DataError, match="cannot write to"):
        export(run, "csv", tmp_path / "file" / "x.csv")
    assert not [*tmp_path.rglob("*.csv"), *tmp_path.rglob("*.part")]
