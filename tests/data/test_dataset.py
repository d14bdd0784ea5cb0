import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mabench.data import (
    Dataset,
    Row,
    export_hub_layout,
    export_questions,
    load_entities,
    open_dataset,
)
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from tests.data.samples import ENTITIES, valid_rows, write_hub, write_json, write_jsonl
from tests.progress import RecordedProgress


def test_files_know_their_name_place_and_entities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_hub(tmp_path / "hub-like", valid_rows())
    for opened in (path, str(path), path / "data"):
        dataset = open_dataset(opened)
        assert dataset.name == "hub-like"
        assert dataset.revision is None
        assert dataset.entities == ENTITIES
        assert dataset.location is not None
        assert open_dataset(dataset.location).fingerprint == dataset.fingerprint
    dataset = open_dataset(write_json(tmp_path, valid_rows()))
    assert (dataset.name, dataset.entities) == ("rows", ENTITIES)
    (tmp_path / "entity2id.json").unlink()
    assert open_dataset(tmp_path / "rows.json").entities is None
    write_jsonl(tmp_path, valid_rows())
    monkeypatch.chdir(tmp_path)
    dataset = open_dataset("rows.jsonl")
    monkeypatch.chdir("/")
    assert len(list(dataset.rows())) == 10


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a")
    for name, said in (
        ("nowhere", r"no such file .*nowhere.*hub.*synthetic:small"),
        (".", r"looked for data/<Split>-\*\.parquet"),
        ("rows.csv", r"\.parquet, \.json, \.jsonl"),
    ):
        with pytest.raises(DataError, match=said):
            open_dataset(tmp_path / name)


def test_sources_select_rows_and_questions() -> None:
    dataset = open_dataset(valid_rows())
    (row,) = dataset.rows(["factconsolidation_sh_6k"])
    assert (row.split, row.index) == ("Conflict_Resolution", 1)
    assert len(list(dataset.questions({"detective_qa"}))) == 3
    assert list(dataset.rows(["ruler_qa2_421K"])) == []
    assert list(dataset.rows([])) == []
    assert [row.source for row in dataset.rows("icl")] == ["icl_banking77_5900shot_balance"]
    name = next(dataset.rows()).source
    assert list(dataset.rows(name)) == list(dataset.rows([name]))
    with pytest.raises(UsageError, match=f"unknown source '{name[:-1]}': did you mean .*{name}"):
        dataset.rows(name[:-1])
    questions = dataset.questions(["longmemeval_s*"])
    assert [(q.row, q.question_index, q.question_id, q.question_type) for q in questions] == [
        *((2, 0, "a4996e51", "multi-session"), (2, 1, "a4996e52_abs", "knowledge-update"))
    ]


def test_a_data_set_of_rows_in_memory_is_read_once_for_its_fingerprint() -> None:
    rows = list(open_dataset(valid_rows()).rows())
    made = Dataset.from_rows("made", lambda: rows)
    dataset = replace(made, entity_ids=ENTITIES, location="synthetic:x")
    found = (dataset.name, dataset.location, dataset.entities)
    assert found == ("made", "synthetic:x", ENTITIES)
    assert list(dataset.rows()) == rows == list(dataset.rows())
    assert dataset.fingerprint == open_dataset(valid_rows()).fingerprint
    assert open_dataset(dataset) is dataset
    times = []

    def read() -> list[Row]:
        times.append(1)
        return rows

    dataset = Dataset.from_rows("counted", read)
    assert dataset.fingerprint == open_dataset(valid_rows()).fingerprint
    source = rows[-1].source
    assert [row.index for row in dataset.rows(source)] == [
        row.index for row in rows if row.source == source
    ]
    assert len(times) == 1
    assert list(dataset.rows()) == rows  # They are kept for one reader alone.
    assert len(times) == 2


def test_entities_are_names_with_ids(tmp_path: Path) -> None:
    path = tmp_path / "entities.json"
    path.write_text('{"a": 1, "b": 0}')
    assert load_entities(path) == {"a": 1, "b": 0}
    path.write_text('{"a": 1, "b": 2.0}')
    with pytest.raises(DataError, match=r"entities\.json, b: found 2\.0"):
        load_entities(path)
    with pytest.raises(DataError, match="absent"):
        load_entities(tmp_path / "absent.json")


def test_real_entities_are_all_read(real_data: Path) -> None:
    assert len(load_entities(real_data / "entity2id.json")) == 31_161


def test_an_export_is_the_same_data_in_the_hub_s_schema(tmp_path: Path) -> None:
    dataset = open_dataset(write_json(tmp_path / "in", valid_rows()))
    progress = RecordedProgress()
    export_hub_layout(dataset, tmp_path / "out", progress)
    assert progress.events[0] == "start rows 0/None"
    rows = [row.source for row in dataset.rows()]
    assert progress.events[1:] == [f"advance rows {source}" for source in rows]
    exported = open_dataset(tmp_path / "out")
    assert (exported.fingerprint, exported.entities) == (dataset.fingerprint, ENTITIES)
    names = {path.name for path in (tmp_path / "out" / "data").iterdir()}
    assert names == {f"{split}-00000-of-00001.parquet" for split in valid_rows()}
    assert not [p for p in validate(tmp_path / "out") if p.severity == "error"]


def test_an_export_of_real_rows_has_the_schema_of_the_real_files(
    real_data: Path, tmp_path: Path
) -> None:
    dataset = open_dataset(real_data / "mab-dev")
    export_hub_layout(dataset, tmp_path / "out")
    assert open_dataset(tmp_path / "out").fingerprint == dataset.fingerprint
    for real in (real_data / "mab-dev" / "data").iterdir():
        ours = pq.read_schema(tmp_path / "out" / "data" / real.name)
        assert ours.equals(pq.read_schema(real))


def test_exported_questions_are_one_on_each_line_and_overwrite_nothing(tmp_path: Path) -> None:
    dataset = open_dataset(valid_rows())
    export_questions(dataset, tmp_path / "questions.jsonl")
    lines = (tmp_path / "questions.jsonl").read_bytes().decode().split("\n")
    read = [json.loads(line) for line in lines if line]
    assert len(read) == len(list(dataset.questions()))
    place = {"split": "Accurate_Retrieval", "row": 0, "question_index": 0}
    source = {"source": "ruler_qa1_197K", "qa_pair_id": "ruler_qa1_197K_no0"}
    assert read[0] == {**place, **source, "question": "Where?", "answers": ["France"]}
    events = [q["previous_events"] for q in read if "previous_events" in q]
    assert events == ["1. Start.", "2. Middle."]
    (tmp_path / "questions.jsonl").unlink()
    (tmp_path / "mine.txt").write_text("mine")
    for there in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(UsageError, match="not an empty folder"):
            export_hub_layout(dataset, there)
    with pytest.raises(UsageError, match="exists already"):
        export_questions(dataset, tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(DataError, match="cannot write"):
        export_questions(dataset, tmp_path / "no-folder" / "questions.jsonl")
