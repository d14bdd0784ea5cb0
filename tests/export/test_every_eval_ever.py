import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

import mabench
from mabench.data.inventory import REVISION, SOURCES
from mabench.export import export
from mabench.results import DataRecord, ModelRecord, Run, RunFolder
from tests.comparison.made import Scores, add_judgment, made_run
from tests.rows import dataset

_QA, _EVENTS, _CHATS = "ruler_qa1_197K", "eventqa_full", "longmemeval_s*"
_KINDS = ("official", "corrected")
_SIX = [[1, 0], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]]


@pytest.fixture(params=["facts", "package"])
def schema(request: pytest.FixtureRequest) -> Any:
    """What records are held against: our own facts, and the schema of the package."""
    if request.param == "facts":
        file = Path(__file__).with_name("every_eval_ever.json")
    else:
        file = Path(os.environ.get("MABENCH_EEE_SCHEMA", "no file"))
    if not file.is_file():
        pytest.skip("no schema of every-eval-ever (MABENCH_EEE_SCHEMA): run make test-exports")
    return json.loads(file.read_text(encoding="utf-8"))


def _record(run: Run, out: Path) -> Any:
    export(run, "every-eval-ever", out)
    return json.loads(out.read_text(encoding="utf-8"))


def _made(folder: Path, scores: Scores, **fields: object) -> Run:
    return Run(made_run(folder, scores, **fields))


def _on(record: Any, name: str) -> Any:
    return next(one for one in record["evaluation_results"] if one["evaluation_result_id"] == name)


def test_a_run_is_a_record_of_the_schema(tmp_path: Path, schema: Any) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    record = _record(run, tmp_path / "record.json")
    Draft7Validator(schema).validate(record)
    assert record["schema_version"] == "0.3.0"
    for name, source in run.summary.sources.items():
        for kind in _KINDS:
            found = _on(record, f"{name}/{kind}")["score_details"]
            assert found["score"] == pytest.approx(source[kind] / 100)
            assert found["details"]["questions_asked"] == str(source.n)


def test_all_kinds_of_scores_follow_the_schema(tmp_path: Path, schema: Any) -> None:
    every: Scores = {
        source.name: [[1.0, 0.0] * (source.questions // source.rows // 2)] * source.rows
        for source in SOURCES
        if source.column in ("FC-SH", "FC-MH")
    }
    hub = {"name": "hub", "location": "hub", "revision": REVISION, "benchmark": True}
    run = _made(
        tmp_path / "run",
        {**every, _EVENTS: _SIX, _CHATS: [[1, 0]]},
        data=DataRecord(fingerprint="1" * 16, **hub),  # type: ignore[arg-type]
        model=ModelRecord(name="openai/small", temperature=0.0),
        chunk_tokens=512,
        command="mabench run bm25",
        date="2026-11-21T20:00:00+00:00",
    )
    store = RunFolder(run.folder)
    for sample in store.samples():
        if sample.source == _CHATS:
            add_judgment(store, sample, 1.0, "openai/judge")
    record = _record(run, tmp_path / "record.json")
    Draft7Validator(schema).validate(record)
    names = {one["evaluation_result_id"] for one in record["evaluation_results"]}
    assert {"column FC-SH/official", "category CR/corrected", f"{_CHATS}/official"} <= names
    assert record["model_info"]["id"] == "openai/small"
    judged = _on(record, f"{_CHATS}/official")["metric_config"]
    assert judged["llm_scoring"]["judges"][0]["model_info"]["name"] == "openai/judge"


def test_our_intervals_are_the_uncertainty_and_what_has_no_score_is_left_out(
    tmp_path: Path,
) -> None:
    run = _made(tmp_path / "run", {_QA: [[1] * 9 + [0]], _EVENTS: _SIX, _CHATS: [[1, 0]]})
    store = RunFolder(run.folder)
    store.replace_samples(
        replace(one, official={}, corrected={}) if one.source == _CHATS else one
        for one in list(store.samples())
    )
    record = _record(run, tmp_path / "record.json")
    names = {one["evaluation_result_id"] for one in record["evaluation_results"]}
    assert names == {f"{name}/{kind}" for name in (_QA, _EVENTS) for kind in _KINDS}
    for name, kind, said in (
        (_QA, "these_histories", "the same histories"),
        (_EVENTS, "new_histories", "new histories"),
    ):
        found = _on(record, f"{name}/official")["score_details"]["uncertainty"]
        interval = run.summary.sources[name].interval
        assert interval is not None
        limits = [found["confidence_interval"][end] for end in ("lower", "upper")]
        assert limits == pytest.approx([limit / 100 for limit in interval[kind]])
        assert found["confidence_interval"]["confidence_level"] == 0.95
        assert said in found["confidence_interval"]["method"]
        assert found["num_samples"] == run.summary.sources[name].n
