import json
from pathlib import Path
from typing import Any

import pytest

from mabench.errors import DataError, UsageError
from mabench.models import ModelSpec
from mabench.results import PredictionsSummary, Run, judge, rescore, score_files
from mabench.specs import JudgeSpec
from mabench_synthetic import row_specs
from mabench_synthetic.scheme import synthetic_dataset
from tests.command_line import mabench as command
from tests.models.server import serving
from tests.rows import dataset, row, two_rows, write_rows

FACTS, DOCUMENTS, _CHATS = "factconsolidation_sh_6k", "ruler_qa1_197K", "longmemeval_s*"


def score_one(*args: Any, **options: Any) -> PredictionsSummary:
    """Score files that hold one run."""
    [summary] = score_files(*args, **options)
    return summary


def _lines(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), encoding="utf-8")
    return path


def _fact(index: int, text: str | None, **more: Any) -> dict[str, Any]:
    return {"source": FACTS, "row": 0, "question_index": index, "prediction": text, **more}


def test_predictions_by_index_or_id_of_several_files_are_scored(tmp_path: Path) -> None:
    path = _lines(tmp_path, _fact(0, "Bern"), _fact(1, "Rome"), _fact(2, "Bob"))
    summary = score_one([path], dataset())
    assert summary.sources[FACTS].official == pytest.approx(200 / 3)
    assert not any(summary.predictions.as_dict().values())
    assert list(summary.sources) == [FACTS]
    # Another name of the source does not matter where ids are there.
    result = {"output": "the bridge", "qa_pair_id": f"{DOCUMENTS}_no1", "query": "x"}
    summary = score_one([path, _results(tmp_path, "ruler_qa1", result)], dataset())
    assert summary.agent == "predictions.jsonl, ruler_qa1.json"
    assert [one.official for one in summary.sources.values()] == pytest.approx([200 / 3, 50])
    assert len(summary.predictions.missing) == 1


def test_missing_questions_are_wrong_named_and_lower_the_coverage(tmp_path: Path) -> None:
    pairs = [(f"Question {n}?", ["43"]) for n in range(100)]
    rows = dataset([row(DOCUMENTS, "43", pairs)])
    lines = [_fact(n, "43", source=DOCUMENTS) for n in range(90)]
    summary = score_one([_lines(tmp_path, *lines)], rows)
    assert summary.sources[DOCUMENTS].missing == 10
    column = summary.columns["SH-QA"]
    assert (column.official, column.coverage) == pytest.approx((90, 0.9))
    missing = f"{DOCUMENTS}, row 0, question 90, qa_pair_id '{DOCUMENTS}_no90'"
    assert summary.predictions.missing[0] == missing


def test_unknown_and_repeated_questions_are_named_by_line(tmp_path: Path) -> None:
    path = _lines(tmp_path, _fact(0, "Bern"), _fact(0, "Rome"), _fact(9, "x"), {"prediction": "x"})
    summary = score_one([path], dataset())
    reports = summary.predictions
    assert reports.duplicate == (f"{path}, line 3: source '{FACTS}', row 0, question_index 0",)
    unknown = [name.split(": ")[0] for name in reports.unknown]
    assert unknown == [f"{path}, line 5", f"{path}, line 7"]
    assert summary.sources[FACTS].official == pytest.approx(100 / 3)


def _stories() -> Any:
    pairs = [[("Next?", [f"Event {n}."])] for n in range(3)]
    return dataset([row("eventqa_full", f"Story {n}.", pairs[n], index=n) for n in range(3)])


def test_the_order_of_rows_tells_nothing_about_an_id_that_several_have(tmp_path: Path) -> None:
    lines = [{"qa_pair_id": "eventqa_full_no0", "prediction": f"Event {n}."} for n in range(3)]
    several = r"3 fit several, first .*line 1: qa_pair_id .*row 0, row 1, row 2; add `row` or `ans"
    with pytest.raises(DataError, match=several):
        score_one([_lines(tmp_path, *lines)], _stories())
    # Golds tell them apart, in whatever order they come.
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        known = [{**lines[n], "answers": [f"Event {n}."]} for n in order]
        summary = score_one([_lines(tmp_path, *known)], _stories())
        assert summary.sources["eventqa_full"].official == 100
        assert not any(summary.predictions.as_dict().values())
    first = _fact(0, "Event 0.", source="eventqa_full")
    second = {name: value for name, value in first.items() if name != "row"}
    path = _lines(tmp_path, first, {**second, "prediction": "Event 1."})
    summary = score_one([path], _stories())
    assert len(summary.predictions.ambiguous) == 1
    assert summary.sources["eventqa_full"].official == pytest.approx(100 / 3)


@pytest.mark.parametrize("source", ["ruler_qa1_197K", "longmemeval_s*", "factconsolidation_mh_6k"])
def test_ids_alone_match_predictions_for_made_up_rows_in_any_order(
    tmp_path: Path, source: str
) -> None:
    rows = synthetic_dataset("made", row_specs(source, 3, rows=3, tokens=8_000, questions=5))
    questions = [*rows.questions()]
    assert len({question.qa_pair_id for question in questions}) == 15
    lines = [
        {"qa_pair_id": question.qa_pair_id, "prediction": question.answers[0]}
        for question in reversed(questions)
    ]
    summary = score_one([_lines(tmp_path, *lines)], rows)
    assert not any(summary.predictions.as_dict().values())
    assert summary.sources[source].n == 15


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{broken", r"line 2: not JSON"),
        ('{"source": "x"}', r"line 2: no field 'prediction'"),
        ('{"prediction": 43}', r"line 2, prediction: found 43, expected a text"),
        (
            '{"prediction": "a", "row": "0"}',
            r"line 2, row: found '0', expected a whole number or null",
        ),
        ('{"prediction": "a", "row": true}', r"line 2, row: found True, expected a whole number"),
        ("[1]", r"line 2: no field 'prediction'"),
        ('{"data": [{"answer": "a"}]}', r"data\[0\]: no field 'output'"),
        ('{"prediction": "a", "qa_pair_id": "nobody_no0"}', "no prediction matches one question"),
    ],
)
def test_a_wrong_file_is_one_line_that_names_place_and_field(
    tmp_path: Path, text: str, message: str
) -> None:
    bad = tmp_path / "bad.json"
    first = "" if text.startswith('{"data"') else '{"source": "x", "prediction": "a"}\n'
    bad.write_text(first + text)
    with pytest.raises(DataError, match=rf"bad\.json.*{message}"):
        score_one([_lines(tmp_path, _fact(0, "Bern")), bad], dataset())


def _results(folder: Path, source: str | None, *results: dict[str, Any]) -> Path:
    """Write a result file as the published code writes it; some do not say the source."""
    path = folder / f"{source}.json"
    config = {"dataset_config": {"sub_dataset": source}} if source else {}
    path.write_text(json.dumps({**config, "data": results, "metrics": {}}), encoding="utf-8")
    return path


def test_result_files_of_the_published_code_are_read(tmp_path: Path) -> None:
    """An id of several rows is taken by the golds; an empty one gives way to place and prompt."""
    for name in ("eventqa_full_no0", "", None):
        results = [
            {"output": f"Event {n}.", "answer": gold, "qa_pair_id": name, "query_id": n}
            for n, gold in ((2, ["Event 2."]), (0, "Event 0."))
        ]
        source = None if name else "eventqa_full"
        if source:
            results = [{**result, "answer": None, "query": "So: Next?"} for result in results]
        summary = score_one([_results(tmp_path, source, *results)], _stories())
        assert summary.sources["eventqa_full"].official == pytest.approx(200 / 3)
        assert [one.split(", ")[1] for one in summary.predictions.missing] == ["row 1"]
        assert (summary.predictions.unknown, summary.predictions.duplicate) == ((), ())


def test_an_older_file_is_matched_by_the_prompt_where_its_places_are_others(tmp_path: Path) -> None:
    """A file over more rows than the data set has: its places count those, too."""
    questions = ["Where does Ann live?", "Where does Bob live?"]
    said = [(41, questions[1], "Oslo"), (0, "Other?", "x"), (40, questions[0], "Bern")]
    results = [
        {"output": city, "query_id": place, "query": f"Facts. {question} Answer:"}
        for place, question, city in said
    ]
    facts = row(FACTS, "Facts", [(questions[0], ["Bern"]), (questions[1], ["Oslo"])])
    summary = score_one([_results(tmp_path, FACTS, *results)], dataset([facts]))
    assert summary.sources[FACTS].official == 100
    (unknown,) = summary.predictions.unknown
    assert unknown.endswith(f": source '{FACTS}', query_id 0")


def test_a_file_made_from_other_data_is_refused_with_the_count(tmp_path: Path) -> None:
    results = [
        {"output": "x", "answer": [answer], "qa_pair_id": f"{FACTS}_no{n}"}
        for n, answer in enumerate(["Bern", "Paris", "London"])
    ]
    facts = row(FACTS, "Facts", [("A?", ["Bern"]), ("B?", ["Oslo"]), ("C?", ["Rome"])])
    with pytest.raises(DataError, match=r"2 of 3 predictions have other .*data\[1\]"):
        score_one([_results(tmp_path, FACTS, *results)], dataset([facts]))
    # The published code keeps the first answer alone when it resumes; ids come as numbers.
    films = row("recsys_redial_full", "Films", [("Which?", ["12", "7"])])
    result = {"output": "x", "answer": 7, "qa_pair_id": "recsys_redial_full_no0"}
    scored = score_one([_results(tmp_path, "recsys_redial_full", result)], dataset([films]))
    assert scored.sources["recsys_redial_full"].n == 1


def test_a_null_prediction_is_a_failed_answer_also_where_only_what_is_answered_counts(
    tmp_path: Path,
) -> None:
    path = _lines(tmp_path, _fact(0, "Bern"), _fact(2, None))
    source = score_one([path], dataset()).sources[FACTS]
    assert (source.errors, source.missing, source.answered) == (2, 1, 1)
    summary = score_one([path], dataset(), answered_only=True)
    source = summary.sources[FACTS]
    assert (source.n, source.expected, source.missing, source.errors) == (2, 2, 0, 1)
    assert (source.official, summary.predictions.missing) == (50, ())
    assert all(not one.complete for one in summary.columns.values())


def test_the_scored_files_are_kept_as_a_run_which_can_be_judged(tmp_path: Path) -> None:
    chat = row(_CHATS, "['Chat Time: 2023/01/01 (Sun) 10:00', []]", [("Who?", ["Ann"])])
    data = write_rows(tmp_path / "rows.jsonl", [*two_rows(), chat])
    said = {"source": _CHATS, "qa_pair_id": f"{_CHATS}_no0", "prediction": "It was Ann."}
    path = _lines(tmp_path, _fact(0, "Bern"), _fact(1, "Rome"), said)
    summary = score_one([path], str(data), out=tmp_path / "run")
    run = Run(tmp_path / "run")
    assert run.summary.sources[FACTS].official == summary.sources[FACTS].official
    assert run.record.agent == path.name
    assert run.record.data.location == str(data)
    missing = "missing: no prediction was given"
    assert [one.error for one in run.samples()] == [None, None, missing, None]
    assert command("report", "run", cwd=tmp_path).returncode == 0
    options = ("--data", data.name, "--out", "again", "--answered-only")
    assert command("score", path.name, *options, cwd=tmp_path).returncode == 0
    assert len(list(Run(tmp_path / "again").samples())) == 3
    assert command("score", "again", "--answered-only", cwd=tmp_path).returncode == 2
    assert rescore(run.folder).summary.sources[FACTS].official == summary.sources[FACTS].official
    with pytest.raises(UsageError, match="holds a run; give another `out`"):
        score_one([path], str(data), out=tmp_path / "run")
    with serving(lambda prompt: "yes" if "It was Ann." in prompt else "no") as served:
        model = ModelSpec("m", base_url=served.url, cache=False)
        judged = judge(tmp_path / "run", JudgeSpec(model=model)).run
    assert judged.summary.sources[_CHATS].official == 100
