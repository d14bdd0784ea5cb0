import hashlib
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data import Row, open_dataset
from mabench.data.arrow import hub_schema
from mabench.data.inventory import SPLITS
from mabench.errors import DataError, MabenchError
from mabench.loading import load, validate
from tests.command_line import run_python
from tests.data.samples import (
    CR,
    TTL,
    Rows,
    corrupt,
    make_row,
    valid_rows,
    write_hub,
    write_json,
    write_jsonl,
)

FORMATS = [write_hub, write_json, write_jsonl]


def flat(rows: Rows) -> list[Any]:
    return [row for own in rows.values() for row in own]


def test_all_formats_and_objects_have_one_fingerprint(tmp_path: Path) -> None:
    hub, cache = write_hub(tmp_path / "hub", valid_rows()), str(tmp_path / "cache")
    files = {split: str(next((hub / "data").glob(f"{split}-*"))) for split in SPLITS}
    read = datasets.Dataset.from_parquet
    loaded = {split: read(file, cache_dir=cache) for split, file in files.items()}
    forms: list[object] = [
        hub,
        hub / "data",
        write_json(tmp_path / "json", valid_rows()),
        write_jsonl(tmp_path / "jsonl", valid_rows()),
        datasets.DatasetDict(loaded),
        datasets.IterableDatasetDict({s: d.to_iterable_dataset() for s, d in loaded.items()}),
        valid_rows(),
        flat(valid_rows()),
        iter(flat(valid_rows())),
    ]
    assert len({open_dataset(form).fingerprint for form in forms}) == 1
    rows = list(open_dataset(valid_rows()).rows())
    places = [(split, i) for split, own in valid_rows().items() for i in range(len(own))]
    assert [(row.split, row.index) for row in rows] == places
    for row, content in zip(rows, flat(valid_rows()), strict=True):
        assert row.model_dump(include=content.keys()) == content


def test_the_fingerprint_stays_and_sees_content_and_the_order_within_splits(tmp_path: Path) -> None:
    def changed(change: Callable[[Rows], Any]) -> str:
        rows = valid_rows()
        change(rows)
        return open_dataset(rows).fingerprint

    changes: list[Callable[[Rows], Any]] = [
        lambda rows: None,
        lambda rows: rows[CR][0].update(context="Another."),
        lambda rows: rows[CR][0]["answers"][0].append("more"),
        lambda rows: rows[CR][0]["metadata"].update(demo=""),
        lambda rows: rows[CR].reverse(),
        lambda rows: rows[CR].pop(),
        lambda rows: rows["Accurate_Retrieval"].append(rows[CR].pop()),
    ]
    assert len({changed(change) for change in changes}) == len(changes)
    nulls = changed(lambda rows: rows[CR][0]["metadata"].update(demo=None, keypoints=None))
    assert nulls == changed(changes[0])
    backwards = dict(reversed(valid_rows().items()))
    read = [open_dataset(write_json(tmp_path / "1", backwards)), open_dataset(valid_rows())]
    assert next(read[0].rows()).split == CR
    assert read[0].fingerprint == read[1].fingerprint
    row: dict[str, Any] = {"context": "é", "questions": ["Q?"], "answers": [["a", "b"]]}
    row["metadata"] = {"source": "factconsolidation_mh_6k", "qa_pair_ids": ["x"]}
    content = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
    split = f"{CR} {hashlib.sha256(content.encode()).hexdigest()}\n"
    assert open_dataset(row).fingerprint == hashlib.sha256(split.encode()).hexdigest()


def test_rows_count_on_in_shards_and_in_files_of_one_split(tmp_path: Path) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
    whole = path / "data" / f"{CR}-00000-of-00001.parquet"
    table = pq.read_table(whole)
    whole.unlink()
    for i in range(2):
        pq.write_table(table.slice(i, 1), path / "data" / f"{CR}-0000{i}-of-00002.parquet")
    rows = valid_rows()[CR]
    lines = "\n".join(json.dumps(row) for row in rows)
    files = [tmp_path / name for name in (f"{CR}.json", f"{CR}-0-of-1.jsonl", "other.json")]
    for file in files:
        file.write_text(json.dumps(rows) if file.suffix == ".json" else lines)
    for form in (path, *files):
        found = [(row.index, row.source[-5:]) for row in open_dataset(form) if row.split == CR]
        assert found == [(0, "mh_6k"), (1, "sh_6k")]


def test_one_row_alone_with_any_order_of_fields_and_a_byte_order_mark(tmp_path: Path) -> None:
    row = {"note": ["an", "extra"], "tags": [], **valid_rows()[CR][0]}
    path = tmp_path / "row.json"
    path.write_text(json.dumps(row))
    (read,) = open_dataset(path).rows()
    assert read.context == row["context"]
    assert [*open_dataset(row).rows()] == [read]
    for name in ("rows.json", "rows.jsonl"):
        (tmp_path / name).write_text(json.dumps(valid_rows()[CR][0]), encoding="utf-8-sig")
        assert len(list(open_dataset(tmp_path / name).rows())) == 1


def test_reading_stops_at_a_wrong_row_with_its_place_or_behind_the_last(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(valid_rows()[CR]) + " " * 200_000 + "]")
    reader = open_dataset(path).rows()
    assert len([next(reader), next(reader)]) == 2
    with pytest.raises(DataError, match=r"rows\.json: found .*; expected whole JSON"):
        next(reader)
    rows = valid_rows()
    rows[CR][1]["answers"][1] = ["a", 5]
    path = write_json(tmp_path, rows)
    reader = open_dataset(path).rows()
    for _ in flat(rows)[1:]:
        next(reader)
    said = f"{path}[{CR}], row 1, answers[1][1]: found 5 (int); expected a string"
    with pytest.raises(DataError, match=re.escape(said)):
        next(reader)


def test_rows_of_objects_are_read_twice_and_tell_their_split() -> None:
    def rows() -> Iterator[Any]:
        yield from valid_rows()[CR]

    dataset = open_dataset({CR: rows()})
    assert list(dataset.rows()) == list(dataset.rows())
    unknown = {**valid_rows()[CR][0], "metadata": {"source": "nobody"}}
    assert [row.split for row in open_dataset({CR: [unknown]}).rows()] == [CR]
    assert (dataset.name, dataset.location) == ("dict", None)
    first = valid_rows()["Accurate_Retrieval"][:1]
    data = datasets.Dataset.from_list(first, split=datasets.Split("Accurate_Retrieval"))
    (row,) = open_dataset(data).rows()
    assert isinstance(row, Row)
    assert row.split == "Accurate_Retrieval"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
GOLDS = st.lists(TEXT.filter(str.strip), min_size=1)


@given(context=TEXT, pairs=st.lists(st.tuples(TEXT, GOLDS), min_size=1))
def test_any_text_reads_the_same_from_json_lines_and_objects(
    tmp_path_factory: pytest.TempPathFactory, context: str, pairs: list[tuple[str, list[str]]]
) -> None:
    questions, answers = [q for q, _ in pairs], [a for _, a in pairs]
    row = {"context": context, "questions": questions, "answers": answers}
    rows: Rows = {CR: [{**row, "metadata": {"source": "factconsolidation_mh_6k"}}]}
    folder = tmp_path_factory.mktemp("texts")
    (expected,) = open_dataset(rows).rows()
    for write in FORMATS:
        (read,) = open_dataset(write(folder / write.__name__, rows)).rows()
        assert read == expected


def test_nothing_heavy_is_imported_and_parquet_leaves_the_environment_as_it_was(
    tmp_path: Path,
) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
    code = (
        "import os, sys, mabench.data; before = dict(os.environ); "
        "heavy = {'pyarrow', 'huggingface_hub', 'ijson', 'datasets'}; "
        "print(sorted(heavy & set(sys.modules))); "
        "print(len(list(mabench.data.open_dataset(sys.argv[1]).rows()))); "
        "assert before == dict(os.environ)"
    )
    env = {k: v for k, v in os.environ.items() if k != "ARROW_DEFAULT_MEMORY_POOL"}
    done = run_python(code, str(path), check=True, env=env)
    assert done.stdout.split() == ["[]", str(len(flat(valid_rows())))]


_ROW = valid_rows()[CR][0]
_TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\ud83d\ude00\\u"), max_size=6)


def _refusal(data: object) -> str:
    with pytest.raises(MabenchError) as refused:
        list(load(data).rows())
    return str(refused.value)


def _file(folder: Path, text: str, name: str = "rows.json") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_splits_that_are_no_lists_or_stand_twice_are_refused(tmp_path: Path) -> None:
    for value in (_ROW, None, "rows", {"context": ["a"]}, 3):
        for splits in ({TTL: value, CR: [_ROW]}, {CR: [_ROW], TTL: value}, {TTL: value}):
            assert "a list of rows" in (said := _refusal(_file(tmp_path, json.dumps(splits))))
            assert f"rows.json[{TTL}]: found " in said
    assert "[more]" in _refusal(_file(tmp_path, json.dumps({CR: [_ROW], "more": _ROW})))
    assert "[context]" in _refusal(_file(tmp_path, json.dumps({"context": "x", CR: [_ROW]})))
    assert f"the rows of {TTL} are an object" in _refusal({TTL: _ROW, CR: [_ROW]})
    rows = json.dumps([_ROW])
    said = _refusal(_file(tmp_path, f'{{"{CR}": {rows}, "{CR}": {rows}}}'))
    assert f"rows.json[{CR}]: found a duplicate split" in said
    path = _file(tmp_path, json.dumps({"version": 3, CR: [_ROW]}))  # No row, nor a part of one.
    assert len(list(load(path).rows())) == 1
    (warning,) = [one for one in validate(path) if "version" in one.file]
    assert (warning.severity, warning.found) == ("warning", "3 (int)")


@pytest.mark.parametrize("key", ["questions", "answers", "source"])
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("rows.jsonl", "{ok}\n{row}\n"),
        ("rows.json", "[{ok}, {row}]"),
        ("rows.json", '{{"' + CR + '": [{ok}, {row}]}}'),
        ("rows.json", "{row}"),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, key: str, name: str, form: str) -> None:
    ok = json.dumps(_ROW)
    row = ok.replace(f'"{key}": ', f'"{key}": "other", "{key}": ', 1)
    said = _refusal(_file(tmp_path, form.format(ok=ok, row=row), name))
    assert f"row {int('{ok}' in form)}, {key}: found a duplicate key" in said
    assert name in said


_SILENT: tuple[Any, ...] = (None, "", [], [""], [" \n"], ["right", ""], [None])
_HALVES = ("\ud83d", "b\ude00", "\ude00\ud83d", "a\ud83dA")
_TEXT_FIELDS = ("context", "questions[1]", "answers[1][0]", "metadata.source")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        *(("answers[1]", golds, "") for golds in _SILENT),
        *((f, half, "text without lone surrogates") for f in _TEXT_FIELDS for half in _HALVES),
    ],
)
def test_golds_that_say_nothing_and_half_a_character_are_refused(
    tmp_path: Path, field: str, value: object, expected: str
) -> None:
    rows = valid_rows()
    corrupt(rows[CR][1], field, value)
    for data in (rows, write_json(tmp_path, rows)):
        assert re.search(rf"{re.escape(field)}.*: found .*; expected .*{expected}", _refusal(data))
    empty = {**_ROW, "questions": [], "answers": [], "metadata": {"source": "detective_qa"}}
    assert "questions: found an empty list" in _refusal(empty)


@settings(max_examples=60)  # Of a megabyte each.
@given(text=_TEXTS, padding=st.integers(0, 30))
def test_json_says_what_any_parser_reads_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, padding: int
) -> None:
    """Also where an escape stands at the end of a block of the file."""
    folder = tmp_path_factory.mktemp("rows")
    context = "x" * ((1 << 20) - padding) + text
    path = _file(folder, json.dumps([{**_ROW, "context": context}]))
    whole = json.loads(json.dumps(context))
    try:
        (row,) = load(path).rows()
    except MabenchError:
        with pytest.raises(UnicodeEncodeError):
            whole.encode()
    else:
        assert row.context == whole


def test_what_is_no_path_and_holds_no_rows_is_an_error_of_ours() -> None:
    for path in ("a\0b", "a\ud83d", "x" * 5000, "~nobody-here/rows"):
        assert _refusal(path)
    for data in (3, None, b"rows", {CR: 5}, {CR: "rows"}):
        assert "cannot read rows from a" in _refusal(data)


READ = """
import sys
from mabench.data import open_dataset
dataset = open_dataset(sys.argv[1])
longest = max(len(row.context) for row in dataset.rows())
if sys.argv[2:]:
    print(dataset, len(dataset), file=sys.stderr)
# VmHWM is the peak of this program alone: ru_maxrss begins at that of the process it was forked
# from. Pages of shared libraries are taken off: how many of them count depends on how the kernel
# cached the files (40 MB more for a library that was just installed), not on what is read.
status = dict(line.split(":") for line in open("/proc/self/status"))
peak, libraries = (int(status[name].split()[0]) * 1024 for name in ("VmHWM", "RssFile"))
print(longest, peak - libraries)
"""

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from"
)


def write(path: Path, rows: int, length: int, text: str = "") -> Path:
    """Write rows whose contexts are ``text``, or ``length`` characters that compress badly."""
    source = random.Random(0)
    made = (make_row("eventqa_full", [("Q?", "a")] * 100, tag=f"_{i}") for i in range(rows))
    contents = [
        {**row, "context": f"{i} {text}" if text else source.randbytes(length // 2).hex()}
        for i, row in enumerate(made)
    ]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(contents, hub_schema()), path)
        assert pq.ParquetFile(path).num_row_groups == 1
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(content) for content in contents))
    else:
        path.write_text(json.dumps(contents))
    return path


def peak(path: Path, *printed: str) -> tuple[int, int]:
    longest, most = run_python(READ, str(path), *printed, check=True).stdout.split()
    return int(longest), int(most)


@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("end", [".parquet", ".json", ".jsonl"])
@pytest.mark.parametrize(("rows", "length"), [(22, 4_500_000), (100, 1_000_000), (2000, 50_000)])
def test_a_split_of_100_mb_takes_three_rows_and_300_mb(
    tmp_path: Path, end: str, rows: int, length: int
) -> None:
    longest, most = peak(write(tmp_path / f"rows{end}", rows, length))
    assert most <= 3 * longest + 300_000_000


@needs_proc
@pytest.mark.slow
def test_25_million_tokens_are_read_and_shown_within_600_mb(tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(90_000))[:750_000]
    _, most = peak(write(tmp_path / "rows.parquet", 146, 750_000, words), "shown")
    assert most <= 600_000_000


@needs_proc
@pytest.mark.parametrize(
    "end", [".parquet", pytest.param(".json", marks=pytest.mark.slow), ".jsonl"]
)
def test_reading_keeps_no_row(tmp_path: Path, end: str) -> None:
    _, few = peak(write(tmp_path / f"few{end}", 2, 1_000_000))
    _, many = peak(write(tmp_path / f"many{end}", 30, 1_000_000))
    # A Parquet file of one row group holds its texts twice while it is read, whatever is done.
    allowed = 2.5 * 28_000_000 if end == ".parquet" else 12_000_000
    assert many - few <= allowed


# Of processor time: a fraction of a second is enough, and only what hangs takes this long.
_HANGS = 60.0
_BEGINNING = b'{"questions": ["q"], "answers": [["a"]], "metadata": {"source": "longmemeval_s*"}, '


_PIECES = [b'{"a":', b'[{"a":[', b'{"context":"', b"\\u", b"9", b"- ", b"\n"]
_STARTS = [b"", b'[{"context": ', _BEGINNING + b'"context": ', b'{"context": {"a":']


@pytest.mark.parametrize(
    ("start", "piece"), [*((start, b"[") for start in _STARTS), *((b"", one) for one in _PIECES)]
)
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
@pytest.mark.parametrize("size", [500_000, pytest.param(50_000_000, marks=pytest.mark.slow)])
def test_megabytes_of_anything(
    tmp_path: Path, name: str, start: bytes, piece: bytes, size: int
) -> None:
    file = tmp_path / name
    file.write_bytes(start + piece * (size // len(piece)))
    before = time.process_time()
    found = [problem.found for problem in validate(str(file)) if problem.severity == "error"]
    assert time.process_time() - before < _HANGS
    assert found
    assert piece != b"[" or re.search("recursion|deep", found[0])
    file.unlink()
