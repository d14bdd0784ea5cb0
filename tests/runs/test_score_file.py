from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mabench.errors import DataError
from mabench.runs import Mismatches, score_file
from tests.rows import dataset, row

FACTS, DOCUMENTS = "factconsolidation_sh_6k", "ruler_qa1_197K"


def _lines(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), encoding="utf-8")
    return path


def _fact(index: int, text: str | None, **more: Any) -> dict[str, Any]:
    return {"source": FACTS, "row": 0, "question_index": index, "prediction": text, **more}


def test_predictions_by_index_are_scored(tmp_path: Path) -> None:
    path = _lines(tmp_path, _fact(0, "Bern"), _fact(1, "Rome"), _fact(2, "Bob"))
    summary = score_file(path, dataset())
    assert summary.sources[FACTS].official == pytest.approx(200 / 3)
    assert summary.predictions == Mismatches(unknown=(), missing=(), duplicate=())
    assert list(summary.sources) == [FACTS]


def test_predictions_by_id_need_no_row(tmp_path: Path) -> None:
    path = _lines(tmp_path, {"qa_pair_id": f"{DOCUMENTS}_no1", "prediction": "the bridge"})
    summary = score_file(path, dataset())
    assert summary.sources[DOCUMENTS].official == 50
    assert len(summary.predictions.missing) == 1


def test_missing_questions_are_wrong_named_and_lower_the_coverage(tmp_path: Path) -> None:
    pairs = [(f"Question {n}?", ["43"]) for n in range(100)]
    rows = dataset([row(DOCUMENTS, "43", pairs)])
    lines = [
        {"source": DOCUMENTS, "row": 0, "question_index": n, "prediction": "43"} for n in range(90)
    ]
    summary = score_file(_lines(tmp_path, *lines), rows)
    assert summary.sources[DOCUMENTS].missing == 10
    column = summary.columns["SH-QA"]
    assert column.official == 90
    assert column.coverage == pytest.approx(0.9)
    assert summary.predictions.missing[0] == (
        f"{DOCUMENTS}, row 0, question 90, qa_pair_id '{DOCUMENTS}_no90'"
    )


def test_unknown_and_repeated_questions_are_named_by_line(tmp_path: Path) -> None:
    path = _lines(tmp_path, _fact(0, "Bern"), _fact(0, "Rome"), _fact(9, "x"), {"prediction": "x"})
    summary = score_file(path, dataset())
    reports = summary.predictions
    assert reports.duplicate == (f"{path}, line 3: source '{FACTS}', row 0, question_index 0",)
    assert [name.split(": ")[0] for name in reports.unknown] == [
        f"{path}, line 5",
        f"{path}, line 7",
    ]
    assert summary.sources[FACTS].official == pytest.approx(100 / 3)


def test_a_null_prediction_is_a_failed_answer_and_not_missing(tmp_path: Path) -> None:
    summary = score_file(_lines(tmp_path, _fact(0, None), _fact(1, "Oslo")), dataset())
    source = summary.sources[FACTS]
    assert (source.errors, source.missing, source.answered) == (2, 1, 1)


def _stories() -> Any:
    rows = [
        row("eventqa_full", f"Story {n}.", [("Next?", [f"Event {n}."])], index=n) for n in range(3)
    ]
    return dataset(rows)


def test_result_files_of_the_published_code_are_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results = [
        {"output": f"Event {n}.", "query_id": n, "qa_pair_id": "eventqa_full_no0", "answer": gold}
        for n, gold in ((2, ["Event 2."]), (0, "Event 0."))
    ]
    path.write_text(json.dumps({"metrics": {}, "data": results}))
    summary = score_file(path, _stories())
    assert summary.sources["eventqa_full"].official == pytest.approx(200 / 3)
    assert [name.split(", ")[1] for name in summary.predictions.missing] == ["row 1"]


def test_an_id_that_stands_in_several_rows_is_taken_in_their_order(tmp_path: Path) -> None:
    lines = [{"qa_pair_id": "eventqa_full_no0", "prediction": f"Event {n}."} for n in range(4)]
    summary = score_file(_lines(tmp_path, *lines), _stories())
    assert summary.sources["eventqa_full"].official == 100
    assert len(summary.predictions.duplicate) == 1


def test_an_index_without_a_row_must_name_one_question(tmp_path: Path) -> None:
    lines = [
        {"source": "eventqa_full", "row": 0, "question_index": 0, "prediction": "Event 0."},
        {"source": "eventqa_full", "question_index": 0, "prediction": "Event 1."},
    ]
    reports = score_file(_lines(tmp_path, *lines), _stories()).predictions
    assert len(reports.unknown) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{broken", r"line 1: not JSON"),
        ('{"source": "x"}', r"line 1: no field 'prediction'"),
        ('{"prediction": 43}', r"line 1: field 'prediction' is 43; expected str or null"),
        ('{"prediction": "a", "row": "0"}', r"field 'row' is '0'; expected int"),
        ('{"prediction": "a", "row": true}', r"field 'row' is True; expected int"),
        ("[1]", r"line 1: no field 'prediction'"),
        ('{"data": [{"answer": "a"}]}', r"data\[0\]: no field 'output'"),
        ('{"prediction": "a", "qa_pair_id": "nobody_no0"}', "no prediction fits a question"),
    ],
)
def test_a_wrong_file_is_one_line_that_names_place_and_field(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        score_file(path, dataset())
