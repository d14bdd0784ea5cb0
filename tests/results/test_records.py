"""The records and prompts of a run: written, read back, compared, and their schemas."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import mabench
from mabench.errors import DataError
from mabench.json_text import JsonRecord, parse
from mabench.results import (
    CallRecord,
    DataRecord,
    MemoryRecord,
    ModelRecord,
    RetrievedPassage,
    RunFolder,
    RunRecord,
    Sample,
    StageRecord,
    Timing,
)
from mabench.results.records.prompts import PromptFile
from mabench_site.schemas import schemas, write_schemas
from tests.rows import dataset
from tests.run_folders import check_run_folder, validators

RECORD = RunRecord(
    agent="bm25",
    data=DataRecord(name="rows", fingerprint="f00", benchmark=False),
    questions={"ruler_qa1_197K": 2},
    protocol="structured",
    prompts="ba5",
)
_NUMBERS = st.floats(0, 1) | st.integers(0, 1)
_PASSAGES = st.builds(
    RetrievedPassage,
    text=st.none() | st.text(),
    chunk=st.none() | st.integers(0, 10**4),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9),
)
_SAMPLES = st.builds(
    Sample,
    row=st.integers(0, 99),
    question_index=st.integers(0, 99),
    retrieved=st.lists(_PASSAGES, max_size=3),
    hit_rank=st.none() | st.integers(0, 10**9),
    cost=st.none() | st.floats(0, 10) | st.integers(0, 3),
    official=st.dictionaries(st.text(), _NUMBERS, max_size=3),
    corrected=st.dictionaries(st.text(), _NUMBERS, max_size=3),
)


_PLACE: dict[str, Any] = {"split": "s", "row": 0, "source": "x"}
_QUESTION = {**_PLACE, "question_index": 0}
_LINES = (
    Sample(**_QUESTION, qa_pair_id=None, question="?", answers=[], prediction="!"),
    StageRecord(**_QUESTION, by="evidence"),
    MemoryRecord(**_PLACE, seconds=0.5),
    CallRecord(**_PLACE, call="1", path="x", by="reader", phase="answering"),
    RECORD,
)


@pytest.mark.parametrize("line", _LINES, ids=lambda line: type(line).__name__)
def test_what_is_known_to_be_false_is_read_as_false(line: JsonRecord) -> None:
    hints = get_type_hints(type(line))
    flags = [name for name, hint in hints.items() if hint in (bool, bool | None)]
    assert flags
    for name in flags:
        for value in (False, True):
            record = replace(line, **{name: value})
            assert parse(type(line), record.to_json()) == record


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
    split = "Accurate_Retrieval"
    sample: dict[str, Any] = {"split": split, "row": 0, "question_index": 0, "mood": "good"}
    sample |= {"source": "ruler_qa1_197K", "qa_pair_id": None, "prediction": None}
    sample |= {"question": "?", "answers": []}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample) + "\n", encoding="utf-8")
    (read,) = RunFolder(tmp_path).samples()
    assert (read.question, read.hit_rank) == ("?", None)


_TEXTS = st.lists(st.text(max_size=40), max_size=12)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200), _TEXTS)
def test_every_prompt_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, start: str, ends: list[str]
) -> None:
    file = tmp_path_factory.mktemp("prompts") / "prompts.jsonl.gz"
    prompts = PromptFile(file)
    texts = [f"{start}{end}" for end in ends] + ends
    names = [prompts.keep(text) for text in texts]
    read = PromptFile(file).read({*names})
    shown = [text.encode("utf-8", "replace").decode().replace("?", "") for text in texts]
    assert [read[name].replace("\ufffd", "").replace("?", "") for name in names] == shown


def test_a_prompt_is_stored_once_and_a_shared_beginning_too(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl.gz"
    history = "".join(f"{number} is a fact of its own. " for number in range(20_000))
    prompts = PromptFile(file)
    names = {prompts.keep(f"{history} What?")}
    first = file.stat().st_size
    for number in range(50):
        names.add(prompts.keep(f"{history} Question {number}?"))
    assert file.stat().st_size < first + 50 * 200
    again = PromptFile(file)
    again.keep(f"{history} What?")
    assert len(again.read(names)) == 51
    # Compressed again, as one member, and with other line ends.
    content = gzip.decompress(file.read_bytes()).replace(b"\n", b"\r\n")
    file.write_bytes(gzip.compress(content))
    assert {*again.read(names)} == names


@pytest.mark.parametrize("torn", [1, 10, 30, None])
def test_an_end_that_cannot_be_read_is_set_aside_and_hides_nothing_else(
    tmp_path: Path, torn: int | None
) -> None:
    folder, prompts = RunFolder(tmp_path), PromptFile(tmp_path / "prompts.jsonl.gz")
    one = prompts.keep("the first prompt")
    first = prompts.path.read_bytes()
    two = prompts.keep("the second prompt")
    rest = gzip.compress(b"no prompt") + gzip.compress(b"another")
    if torn:
        rest = prompts.path.read_bytes()[len(first) : -torn]
    prompts.path.write_bytes(first + rest)
    assert {*folder.prompts({one, two})} == {one}
    three = PromptFile(prompts.path).keep("the third prompt")
    read = {one: "the first prompt", three: "the third prompt"}
    assert folder.prompts({one, two, three}) == read
    assert (tmp_path / "prompts.jsonl.gz.damaged").read_bytes() == rest
    named = "prompts.jsonl.gz, line 2 could not be read and was set aside"
    found = [named in str(damage) for damage in folder.damaged()]
    assert found == ([] if torn else [True]), "a stop is no damage"


@pytest.mark.parametrize("members", [1, 40])
def test_prompts_that_expand_to_too_much_are_refused(
    tmp_path: Path, members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabench.results.records.prompts._MOST", 1 << 20)
    line = b'{"prompt": "a", "text": "%s"}\n' % (b"a" * ((1 << 21) // members))
    file = tmp_path / "prompts.jsonl.gz"
    file.write_bytes(gzip.compress(line) * members)
    for use in (lambda: PromptFile(file).keep("another"), lambda: PromptFile(file).read({"a"})):
        with pytest.raises(DataError, match=r"prompts.jsonl.gz: not readable: .*too large when d"):
            use()


_DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


def test_the_documented_schemas_are_those_of_the_types(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == sorted(file.name for file in _DOCUMENTED.iterdir())
    for name in files:
        assert (_DOCUMENTED / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8"), (
            f"docs/reference/schemas/{name} is out of date; run `make schemas`"
        )


@pytest.mark.parametrize("name", [*schemas()])
def test_schemas_are_closed_and_describe_every_field(name: str) -> None:
    schema: Any = schemas()[name]
    Draft202012Validator.check_schema(schema)
    parts = [part for part in (schema, *schema.get("$defs", {}).values()) if "properties" in part]
    for part in parts:
        assert part["additionalProperties"] is False
        assert {*part["required"]} <= {*part["properties"]}
        for field, entry in part["properties"].items():
            assert entry.get("description"), f"{name}: {field} has no description"


@pytest.mark.corrupts_runs
def test_what_follows_no_schema_is_found(tmp_path: Path) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    check_run_folder(run.folder)
    changes: list[tuple[str, dict[str, object]]] = [
        ("samples.jsonl", {"surprise": 1}),
        ("samples.jsonl", {"hit_rank": "first"}),
        ("samples.jsonl", {"retrieved": [{"chunk": None}]}),
        ("memories.jsonl", {"memories": None}),
        ("timings.jsonl", {"seconds": None}),
        ("run.json", {"questions": {"ruler_qa1_197K": None}}),
        ("summary.json", {"overall": "none"}),
    ]
    for name, change in changes:
        file = run.folder / name
        text = file.read_text("utf-8")
        first, *rest = text.splitlines(keepends=True) if file.suffix == ".jsonl" else [text]
        file.write_text("\n".join([json.dumps({**json.loads(first), **change}), *rest]), "utf-8")
        with pytest.raises(AssertionError, match=name):
            check_run_folder(run.folder)
        file.write_text(text, "utf-8")
