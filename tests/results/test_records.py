"""The records of a run: written as JSON, read back, compared."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.results import (
    DataRecord,
    MemoryRecord,
    ModelRecord,
    RetrievedPassage,
    RunFolder,
    RunRecord,
    Sample,
    Timing,
)
from tests.run_folders import validators

RECORD = RunRecord(
    agent="bm25",
    data=DataRecord(name="rows", fingerprint="f00", benchmark=False),
    questions={"ruler_qa1_197K": 2},
    protocol="structured",
    prompts="ba5",
)
_NUMBERS = st.floats(0, 1) | st.integers(0, 1) | st.booleans()
_AMOUNT = st.none() | st.integers(0, 10**9)
_PASSAGES = st.builds(
    RetrievedPassage,
    text=st.none() | st.text(),
    chunk=st.none() | st.integers(0, 10**4),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9),
)
_SAMPLES = st.builds(
    Sample,
    split=st.text(),
    row=st.integers(0, 99),
    question_index=st.integers(0, 99),
    source=st.text(),
    qa_pair_id=st.none() | st.text(),
    question=st.text(),
    answers=st.lists(st.text(), max_size=3),
    prediction=st.none() | st.text(),
    retrieved=st.lists(_PASSAGES, max_size=3),
    hit_rank=_AMOUNT,
    cost=st.none() | st.floats(0, 10) | st.integers(0, 3),
    official=st.dictionaries(st.text(), _NUMBERS, max_size=3),
    corrected=st.dictionaries(st.text(), _NUMBERS, max_size=3),
)


@given(samples=st.lists(_SAMPLES, max_size=3, unique_by=lambda sample: sample.key))
def test_samples_are_written_again_as_they_were_read(
    tmp_path_factory: pytest.TempPathFactory, samples: list[Sample]
) -> None:
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    for sample in samples:
        folder.append_sample(sample, Timing(*sample.key, seconds=0.5))
        validators()["samples.jsonl"].validate(sample.as_dict())
    file = folder.path / "samples.jsonl"
    before = file.read_bytes() if samples else b""
    again = list(folder.samples())
    assert again == samples
    folder.replace_samples(again)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"agent": "floor"}, "agent"),
        ({"data": replace(RECORD.data, fingerprint="0ff")}, "data"),
        ({"questions": {"ruler_qa1_197K": 3}}, "sources"),
        ({"protocol": "paper"}, "protocol"),
        ({"chunk_tokens": 99}, "chunk_tokens"),
        ({"prompts": "other"}, "prompts"),
        ({"model": ModelRecord(name="m", temperature=0.7)}, "model"),
        ({"rows": (1,)}, "rows"),
        ({"limit_questions": 1}, "limit_questions"),
        # Where and with what a run was made makes no other run.
        ({"mabench": "9", "python": "4", "packages": {"numpy": "9"}}, None),
        ({"data": replace(RECORD.data, name="other", location="x")}, None),
    ],
)
def test_a_difference_names_the_parameter_and_both_values(
    change: dict[str, Any], parameter: str | None
) -> None:
    differences = replace(RECORD, **change).differences(RECORD)
    assert [one.parameter for one in differences] == ([parameter] if parameter else [])
    for one in differences:
        assert f"{one.there!r} there and {one.here!r} here" in str(one)


@pytest.mark.corrupts_runs
def test_records_are_read_as_written_and_fields_of_other_versions_passed_over(
    tmp_path: Path,
) -> None:
    record = replace(RECORD, model=ModelRecord(name="m", temperature=0), rows=(0, 3)).begin()
    folder = RunFolder(tmp_path)
    folder.create(record)
    assert folder.record() == record
    content = {**RECORD.as_dict(), "weather": "fine"}
    del content["packages"], content["model"]
    (tmp_path / "run.json").write_text(json.dumps(content), encoding="utf-8")
    assert RunFolder(tmp_path).record() == RECORD
    sample: dict[str, Any] = {"split": "s", "row": 0, "question_index": 0, "mood": "good"}
    sample |= {"source": "ruler_qa1_197K", "qa_pair_id": None, "prediction": None}
    sample |= {"question": "?", "answers": []}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample) + "\n", encoding="utf-8")
    (read,) = RunFolder(tmp_path).samples()
    assert (read.question, read.hit_rank) == ("?", None)


def test_a_loaded_memory_keeps_what_was_measured_when_it_was_made(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    made = MemoryRecord(split="s", row=0, source="x", chunks=3, memories=2, seconds=4.0, error="x")
    loaded = MemoryRecord(split="s", row=0, source="x", loaded=True, memories=5, seconds=1.0)
    for memory in (made, loaded):
        folder.append_memory(memory)
    assert folder.memories() == {("s", 0): replace(loaded, chunks=3)}
    folder.append_memory(replace(made, chunks=None))
    assert folder.memories()["s", 0].chunks is None, "memorized again: nothing earlier holds"
