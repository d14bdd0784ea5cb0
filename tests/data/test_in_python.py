from __future__ import annotations

import json
from pathlib import Path

import pytest

import mabench
from mabench.candidates import Golds, question_places
from mabench.data import Dataset, Question, export_hub_layout
from mabench.data.inventory import SPLITS
from mabench.data.schema import Metadata
from mabench.errors import DataError, UsageError
from tests.command_line import run_python
from tests.data.samples import valid_rows, write_hub
from tests.published_files import locomo

STRANGER = """
import mabench
dataset = mabench.load("DATA")
frame = dataset["Conflict_Resolution"].to_pandas()
golds = frame["answers"].map(lambda answers: [len(candidates) for candidates in answers])
for row in dataset["Conflict_Resolution"]:
    for question in row.flatten():
        print(row.source, question.question, question.answers)
print(len(frame), golds[0])
"""
FULL = """
import sys, mabench
dataset = mabench.load(sys.argv[1])
number = sum(len(row.questions) for row in dataset)
print(dataset, file=sys.stderr)
status = dict(line.split(":") for line in open("/proc/self/status"))
print(number, len(dataset), int(status["VmHWM"].split()[0]) * 1024)
"""


def opened() -> Dataset:
    return mabench.load(valid_rows())


def test_a_stranger_gets_to_a_frame_golds_and_a_safe_loop_in_ten_lines(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="the package pandas is not installed")
    lines = STRANGER.replace("DATA", str(write_hub(tmp_path / "hub", valid_rows())))
    assert len(lines.strip().splitlines()) <= 10
    *told, last = run_python(lines, check=True).stdout.splitlines()
    assert told[1] == "factconsolidation_mh_6k What? ('Rodez',)"
    assert last == "2 [1, 1]"


def test_a_data_set_prints_what_it_holds_also_in_a_notebook() -> None:
    dataset = opened()
    lines = repr(dataset).splitlines()
    assert lines[0].split()[1:] == ["rows", "questions", "tokens,", "about"]
    assert lines[1].split()[:3] == ["all", "10", "18"]
    assert [line.strip().split()[0] for line in lines if line[:3].strip() and line[:4] != "    "]
    assert any(line.split()[:3] == ["Test_Time_Learning", "2", "4"] for line in lines)
    assert any(line.split()[:3] == ["longmemeval_s*", "1", "2"] for line in lines)
    html = dataset._repr_html_()
    assert html is not None
    assert "<td>longmemeval_s*<td>1<td>2<td>" in html


def test_what_a_data_set_prints_is_no_markup_and_no_traceback(tmp_path: Path) -> None:
    rows = valid_rows()
    rows["Conflict_Resolution"][0]["metadata"]["source"] = "<b>\x1b[31m"
    hostile = mabench.load(rows)
    assert "<b>" not in str(hostile._repr_html_())
    assert "\x1b" not in repr(hostile)
    broken = mabench.load([{"context": 3}])
    assert "context" in repr(broken)
    assert broken._repr_html_() is None


def test_splits_rows_and_parts() -> None:
    dataset = opened()
    assert len(dataset) == 10
    assert [len(dataset[split]) for split in SPLITS] == [3, 2, 3, 2]
    part = dataset["Accurate_Retrieval"]
    assert [row.index for row in part] == [0, 1, 2]
    assert part[-1] == part[2] == dataset[2]
    assert [(row.split, row.index) for row in dataset.select("detective_qa", rows=[2])] == [
        ("Long_Range_Understanding", 2)
    ]
    assert part.select(rows=1)[0].source == "eventqa_full"
    with pytest.raises(IndexError):
        part[3]
    with pytest.raises(UsageError, match="did you mean Accurate_Retrieval"):
        dataset["Accurate_Retrival"]
    with pytest.raises(DataError, match=r"no such rows; .* detective_qa 1 to 2"):
        list(dataset.select("detective_qa", rows=[7]))


def test_parts_of_made_up_rows_make_no_others_and_can_be_run(tmp_path: Path) -> None:
    part = mabench.load("synthetic:small")["Conflict_Resolution"]
    assert {maker.split for maker in part.makers or ()} == {"Conflict_Resolution"}
    assert not part.is_benchmark
    run = mabench.run("no-memory", part.select(rows=1), out=tmp_path / "run")
    assert [*run.summary.sources] == ["factconsolidation_sh_6k"]
    export_hub_layout(part, tmp_path / "part")
    assert len(mabench.load(tmp_path / "part")) == 2
    with pytest.raises(DataError, match="rows are numbered from 0 in their split"):
        part.select(rows=9)


def test_metadata_are_a_sparse_mapping_and_additions_stand_on_the_row(tmp_path: Path) -> None:
    dataset = opened()
    assert {*dataset[0].metadata} == {"source", "qa_pair_ids"}
    assert dataset[0].metadata.get("question_types") is None
    assert dataset[0]["metadata"]["source"] == "ruler_qa1_197K"
    assert {name for row in dataset for name in row.metadata} == {*Metadata.__annotations__}
    with pytest.raises(KeyError):
        dataset[0]["split_name"]
    (tmp_path / "locomo.json").write_text(json.dumps(locomo()))
    chat = mabench.load(tmp_path / "locomo.json")[0]
    assert {*chat.metadata} <= {*Metadata.__annotations__}
    assert chat.turns is not None
    assert chat.evidence is not None
    assert "turns" not in chat.metadata


def test_what_made_up_rows_rest_on_stands_on_the_row_in_each_form(tmp_path: Path) -> None:
    made = mabench.load("synthetic:small").select("factconsolidation_sh_6k")
    (row,) = made
    assert row.evidence is not None
    assert {*row.metadata} == {"source", "qa_pair_ids"}
    export_hub_layout(made, tmp_path / "rows")
    assert mabench.load(tmp_path / "rows")[0].canonical() == row.canonical()
    assert made.to_arrow().column("evidence").to_pylist() == [row.evidence]
    assert [*made.titles.values()] == ["factconsolidation_sh, 6k, made up"]
    for view in question_places(made):
        (place,) = view.evidence or ()
        assert [row.context[place.start : place.end]] == view.question.evidence


def test_questions_are_records_that_pandas_takes_and_must_align() -> None:
    dataset = opened()
    pandas = pytest.importorskip("pandas", reason="the package pandas is not installed")
    frame = pandas.DataFrame(dataset.questions())
    assert [*frame.columns] == [*Question._fields]
    assert frame.answers.map(len).tolist() == [1] * 18
    row = dataset[0].model_copy(update={"answers": [["one"]]})
    with pytest.raises(ValueError, match="zip"):
        list(row.flatten())


def test_an_exported_folder_is_the_same_for_datasets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the package datasets is not installed")
    export_hub_layout(opened(), tmp_path / "rows")
    theirs = datasets.load_dataset(str(tmp_path / "rows"), cache_dir=str(tmp_path / "cache"))
    ours = mabench.load(tmp_path / "rows")
    assert [*theirs] == [*SPLITS]
    for split in SPLITS:
        assert len(theirs[split]) == len(ours[split])
        for other, row in zip(theirs[split], ours[split], strict=True):
            assert {*other} == {"context", "questions", "answers", "metadata"}
            for field in ("context", "questions", "answers"):
                assert row[field] == other[field]
            assert {*other["metadata"]} == {*Metadata.__annotations__}
            for field, value in other["metadata"].items():
                assert row.metadata.get(field) == value
    arrow = ours.to_arrow().drop_columns(["split", "index"])
    assert arrow.to_pylist() == [row for split in SPLITS for row in theirs[split]]


def test_golds_are_folded_and_the_odd_one_is_marked() -> None:
    def asked(source: str, *answers: str) -> Golds:
        return mabench.golds(Question("s", 0, 0, source, "When?", answers))

    made = asked("ruler_qa1_197K", "In 1066", "in 1066.", "1066", "1067")
    assert [(gold.text, gold.normalized, gold.alike) for gold in made.candidates] == [
        ("In 1066", "in 1066", ("in 1066.",)),
        ("1066", "1066", ()),
        ("1067", "1067", ()),
    ]
    assert [gold.doubt for gold in made.candidates] == [None, None, "candidates-contradict"]
    assert made.metric == "substring_exact_match"
    assert "one candidate is enough" in made.rule
    assert "ties" in made.rule
    assert asked("ruler_qa1_197K", "The").candidates[0].doubt == "gold-empty"
    assert "each candidate is wanted" in asked("recsys_redial_full", "101", "104").rule
    assert "judge" in asked("longmemeval_s*", "50").rule


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from"
)
def test_25_million_tokens_are_read_within_600_mb(tmp_path: Path) -> None:
    rows = valid_rows()
    words = " ".join(f"word{n}" for n in range(90_000))[:750_000]
    template = rows["Long_Range_Understanding"][0]
    rows["Long_Range_Understanding"] = [
        {**template, "context": f"{n} {words}", "metadata": {**template["metadata"]}}
        for n in range(146)
    ]
    number, held, peak = map(
        int, run_python(FULL, str(write_hub(tmp_path / "hub", rows)), check=True).stdout.split()
    )
    print(f"{peak / 1e6:.0f} MB")
    assert held == 146 + 7
    assert number > held
    assert peak <= 600_000_000
