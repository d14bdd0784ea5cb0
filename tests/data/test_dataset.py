import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import mabench
from mabench import load
from mabench.audit import Gold, Golds, question_places
from mabench.data import Dataset, Question, Row, export_hub_layout, export_questions, open_dataset
from mabench.data.evidence import Evidence
from mabench.data.inventory import BY_NAME, SPLITS, match_sources
from mabench.data.schema import Metadata
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from tests.data.samples import ENTITIES, valid_rows, write_hub, write_json, write_jsonl
from tests.progress import RecordedProgress
from tests.published_files import locomo, written
from tests.rows import FACTS
from tests.rows import row as small_row


def test_files_know_their_name_place_and_entities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_hub(tmp_path / "hub-like", valid_rows())
    for opened in (path, str(path), path / "data"):
        dataset = open_dataset(opened)
        assert (dataset.name, dataset.revision) == ("hub-like", None)
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
    for name, message in {
        "nowhere": r"no such file .*nowhere.*hub.*synthetic:small",
        ".": r"looked for data/<Split>-\*\.parquet",
        "rows.csv": r"\.parquet, \.json, \.jsonl",
    }.items():
        with pytest.raises(DataError, match=message) as refused:
            open_dataset(tmp_path / name)
        (problem,) = validate(tmp_path / name)
        assert (problem.severity, problem.found) == ("error", str(refused.value))
        assert str(tmp_path) in problem.found


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
    own = {name: BY_NAME[name], "mine": BY_NAME[name]}
    with pytest.raises(UsageError, match="lists them; declared here: mine"):
        match_sources("his", own)
    with pytest.raises(UsageError, match="name each by itself"):
        dataset.rows(f"{name},icl")
    _, asked = dataset.questions(["longmemeval_s*"])
    assert asked.key == ("Accurate_Retrieval", 2, 1)
    assert (asked.question_id, asked.question_type) == ("a4996e52_abs", "knowledge-update")


def test_splits_rows_and_parts() -> None:
    dataset = open_dataset(valid_rows())
    assert len(dataset) == 10
    assert [len(dataset[split]) for split in SPLITS] == [3, 2, 3, 2]
    part = dataset["Accurate_Retrieval"]
    assert [row.index for row in part] == [0, 1, 2]
    assert part[-1] == part[2] == dataset[2]
    assert [(row.split, row.index) for row in dataset.select("detective_qa", rows=[2])] == [
        ("Long_Range_Understanding", 2)
    ]
    assert part.select(rows=1)[0].source == "eventqa_full"
    assert dataset[1:3] == part[-2:] == [*part][1:]
    with pytest.raises(IndexError, match="no row 3 among these 3"):
        part[3]
    with pytest.raises(TypeError):
        dataset.select(rows="0-1")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="did you mean Accurate_Retrieval"):
        dataset["Accurate_Retrival"]
    with pytest.raises(DataError, match=r"no such rows; .* detective_qa 1 to 2"):
        list(dataset.select("detective_qa", rows=[7]))


def test_a_split_is_read_from_its_own_files_alone(tmp_path: Path) -> None:
    export_hub_layout(open_dataset(valid_rows()), tmp_path)
    whole = open_dataset(tmp_path)
    for file in (tmp_path / "data").glob("*.parquet"):
        if not file.name.startswith("Conflict_Resolution"):
            file.write_bytes(b"no parquet")
    rows = [*whole["Conflict_Resolution"]]
    assert rows == [*open_dataset(valid_rows())["Conflict_Resolution"]]
    assert rows
    with pytest.raises(DataError, match="Accurate_Retrieval"):
        [*whole["Accurate_Retrieval"]]


def test_a_data_set_of_rows_in_memory_is_read_once_for_its_fingerprint() -> None:
    rows, times = list(open_dataset(valid_rows()).rows()), list[int]()

    def read() -> list[Row]:
        times.append(1)
        return rows

    dataset = Dataset.from_rows("counted", read, entity_ids=ENTITIES, location="synthetic:x")
    assert (dataset.name, dataset.location) == ("counted", "synthetic:x")
    assert dataset.entities == ENTITIES
    assert dataset.fingerprint == open_dataset(valid_rows()).fingerprint
    assert open_dataset(dataset) is dataset
    source = rows[-1].source
    assert list(dataset.rows(source)) == [row for row in rows if row.source == source]
    assert len(times) == 1
    assert list(dataset.rows()) == rows  # They are kept for one reader alone.
    assert len(times) == 2


def test_metadata_are_a_sparse_mapping_and_additions_stand_on_the_row(tmp_path: Path) -> None:
    dataset = open_dataset(valid_rows())
    assert {*dataset[0].metadata} == {"source", "qa_pair_ids"}
    assert dataset[0].metadata.get("question_types") is None
    assert dataset[0]["metadata"]["source"] == "ruler_qa1_197K"
    assert {name for row in dataset for name in row.metadata} == {*Metadata.__annotations__}
    with pytest.raises(KeyError):
        dataset[0]["split_name"]
    chat = mabench.load(written(tmp_path / "locomo.json", locomo()))[0]
    assert {*chat.metadata} <= {*Metadata.__annotations__}
    assert chat.turns is not None
    assert chat.evidence is not None


def test_a_data_set_prints_what_it_holds_also_in_a_notebook() -> None:
    dataset = open_dataset(valid_rows())
    lines = [line.split()[:3] for line in repr(dataset).splitlines()]
    assert lines[:2] == [["dict", "rows", "questions"], ["all", "10", "18"]]
    assert ["Test_Time_Learning", "2", "4"] in lines
    assert ["longmemeval_s*", "1", "2"] in lines
    assert "<td>longmemeval_s*<td>1<td>2<td>" in str(dataset._repr_html_())
    rows = valid_rows()  # No markup and no traceback.
    rows["Conflict_Resolution"][0]["metadata"]["source"] = "<b>\x1b[31m"
    hostile = open_dataset(rows)
    assert "<b>" not in str(hostile._repr_html_())
    assert "\x1b" not in repr(hostile)
    broken = open_dataset([{"context": 3}])
    assert repr(broken).startswith("list, row 0, context: ")
    assert broken._repr_html_() is None


def test_questions_are_records_that_pandas_takes_and_must_align() -> None:
    dataset = open_dataset(valid_rows())
    pandas = pytest.importorskip("pandas", reason="the package pandas is not installed")
    frame = pandas.DataFrame(dataset.questions())
    assert [*frame.columns] == [*Question._fields]
    assert dataset["Conflict_Resolution"].to_pandas().answers.map(len).tolist() == [2, 2]
    with pytest.raises(ValueError, match="zip"):
        list(dataset[0].model_copy(update={"answers": [["one"]]}).flatten())


def test_parts_of_made_up_rows_make_no_others_and_are_run_and_exported(tmp_path: Path) -> None:
    part = mabench.load("synthetic:small")["Conflict_Resolution"]
    assert {maker.split for maker in part.makers or ()} == {"Conflict_Resolution"}
    assert not part.is_benchmark
    run = mabench.run("no-memory", part.select(rows=1), out=tmp_path / "run")
    assert [*run.summary.sources] == ["factconsolidation_sh_6k"]
    export_hub_layout(part, tmp_path / "part")
    assert len(mabench.load(tmp_path / "part")) == 2
    with pytest.raises(DataError, match="rows are numbered from 0 in their split"):
        part.select(rows=9)
    made = part.select("factconsolidation_sh_6k")
    (row,) = made  # What it rests on stands on it in each form.
    assert row.evidence is not None
    assert mabench.load(tmp_path / "part")[1].canonical() == row.canonical()
    assert made.to_arrow().column("evidence").to_pylist() == [row.evidence]
    assert [*made.titles.values()] == ["factconsolidation_sh, 6k, made up"]
    for view in question_places(made):
        (place,) = view.evidence or ()
        assert [row.context[place.start : place.end]] == view.question.evidence


def test_an_export_of_real_rows_has_the_schema_of_the_real_files(
    real_data: Path, tmp_path: Path
) -> None:
    dataset = open_dataset(real_data / "mab-dev")
    export_hub_layout(dataset, tmp_path / "out")
    assert open_dataset(tmp_path / "out").fingerprint == dataset.fingerprint
    for real in (real_data / "mab-dev" / "data").iterdir():
        ours = pq.read_schema(tmp_path / "out" / "data" / real.name)
        assert ours.equals(pq.read_schema(real))


def test_an_exported_folder_is_the_same_data_also_for_datasets(tmp_path: Path) -> None:
    dataset, progress = open_dataset(write_json(tmp_path / "in", valid_rows())), RecordedProgress()
    export_hub_layout(dataset, tmp_path / "rows", progress)
    rows = [f"advance rows {row.source}" for row in dataset.rows()]
    assert progress.events == ["start rows 0/None", *rows]
    ours = open_dataset(tmp_path / "rows")
    assert (ours.fingerprint, ours.entities) == (dataset.fingerprint, ENTITIES)
    names = {path.name for path in (tmp_path / "rows" / "data").iterdir()}
    assert names == {f"{split}-00000-of-00001.parquet" for split in valid_rows()}
    assert not [p for p in validate(tmp_path / "rows") if p.severity == "error"]
    datasets = pytest.importorskip("datasets", reason="the package datasets is not installed")
    theirs = datasets.load_dataset(str(tmp_path / "rows"), cache_dir=str(tmp_path / "cache"))
    assert [*theirs] == [*SPLITS]
    for split in SPLITS:
        for other, row in zip(theirs[split], ours[split], strict=True):
            assert {*other} == {"context", "questions", "answers", "metadata"}
            assert {*other["metadata"]} == {*Metadata.__annotations__}
            filled = {k: v for k, v in other["metadata"].items() if v is not None}
            assert {**other, "metadata": filled} == row.model_dump(include=other.keys())
    arrow = ours.to_arrow().drop_columns(["split", "index"])
    assert arrow.to_pylist() == [row for split in SPLITS for row in theirs[split]]


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
    with pytest.raises(UsageError, match="no-folder does not exist; make it"):
        export_questions(dataset, tmp_path / "no-folder" / "questions.jsonl")


def test_golds_are_folded_and_the_odd_one_is_marked() -> None:
    def asked(source: str, *answers: str) -> Golds:
        return mabench.golds(Question("s", 0, 0, source, "When?", answers))

    made = asked("ruler_qa1_197K", "In 1066", "in 1066.", "1066", "1067")
    assert made.candidates == (
        Gold("In 1066", "in 1066", ("in 1066.",)),
        Gold("1066", "1066"),
        Gold("1067", "1067", doubt="candidates-contradict"),
    )
    assert made.metric == "substring_exact_match"
    assert "one candidate is enough: each metric is its best over them, and ties" in made.rule
    assert asked("ruler_qa1_197K", "The").candidates[0].doubt == "gold-empty"
    assert "each candidate is wanted" in asked("recsys_redial_full", "101", "104").rule
    assert "judge" in asked("longmemeval_s*", "50").rule


TREES = "I planted seven pear trees behind the barn yesterday."


@pytest.fixture
def row(tmp_path: Path) -> Row:
    return next(iter(load(written(tmp_path / "locomo10.json", locomo())).rows()))


def test_turns_and_sessions_are_found_with_their_ranks(row: Row) -> None:
    passages = [
        "Nothing of the sort.",
        f"yesterday: {TREES}",
        "Ida: My sister Lena has moved to Porto for good, imagine that!",
    ]
    found = Evidence(row).find(2, passages)  # Rests on D2:2, D10:1 and D2:3.
    assert found.evidence_ranks == (None, 3, 2)
    assert found.evidence_recall == pytest.approx(2 / 3)
    assert found.session_ranks == (2, 3)
    found = Evidence(row).find(0, [TREES])  # Rests on D2:2, of the same session.
    assert (found.evidence_ranks, found.session_ranks) == ((None,), (1,))
    assert Evidence(row).find(3, [TREES]).evidence_recall is None
    assert Evidence(row).find(4, [TREES]).evidence_recall is None  # D9:9 is no turn.
    assert Evidence(row).find(0, []).evidence_recall == 0
    assert row.evidence is not None
    row.evidence[0][:] = ["D2:1"]  # "Hi!"
    assert Evidence(row).find(0, ["Hi! Who is this?"]).evidence_ranks == (None,)
    line = "[1:56 pm on 8 May, 2023] Ugo: Hi!"
    assert Evidence(row).find(0, [line]).evidence_ranks == (1,)


def quoting(*evidence: list[str]) -> Evidence:
    questions = [(f"Question {n}?", ["Bern"]) for n in range(len(evidence))]
    made = small_row("factconsolidation_sh_6k", FACTS, questions)
    return Evidence(made.model_copy(update={"evidence": [*evidence]}))


def test_quoted_statements_are_complete_with_the_last_of_them() -> None:
    ann, bob = "2. Ann lives in Bern.", "1. Bob lives in Oslo."
    evidence = quoting([ann, bob], [], ["It stands nowhere."], [" "], ["Bern"])
    found = evidence.find(0, [bob, "0. Ann lives in Rome.", f"So: {ann}"])
    assert (found.evidence_ranks, found.complete_at, found.session_ranks) == ((3, 1), 3, None)
    found = evidence.find(0, [bob])
    assert (found.evidence_ranks, found.complete_at) == ((None, 1), None)
    assert found.evidence_recall == 0.5
    assert [evidence.find(place, [ann]).evidence_ranks for place in (1, 2, 3)] == [None] * 3
    # A word that could stand anywhere takes its line with it.
    assert evidence.find(4, ["Bern is large."]).complete_at is None
    assert evidence.find(4, [ann]).complete_at == 1


def test_texts_of_a_memory_s_own_are_told_from_those_of_the_history() -> None:
    evidence = quoting(["2. Ann lives in Bern."])
    for text in ("Ann lives in Bern.", "I remember: no more. Bob lives in Oslo. Yes.", "", "Bob"):
        assert not evidence.rewords(text), text
    for text in ("Ann has moved to Bern, a city in the Alps.", "Anna"):
        assert evidence.rewords(text), text
