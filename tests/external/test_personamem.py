"""PersonaMem's tables and histories are read as rows, with their cut-off points."""

import json
from pathlib import Path
from typing import Any

import pytest

from mabench import load
from mabench.errors import DataError
from tests.command_line import mabench, succeed
from tests.external.made_up import PERSONA_CHAT, personamem, write_lines


@pytest.mark.parametrize("part", ["", "questions_32k.csv", "shared_contexts_32k.jsonl"])
def test_a_history_is_a_row_whose_questions_know_it_up_to_their_points(
    part: str, tmp_path: Path
) -> None:
    [row] = load(personamem(tmp_path) / part).rows()
    assert (row.source, row.split) == ("personamem_32k", "PersonaMem")
    assert row.questions[0] == (
        "What could I cook?\nA. Soup\nB. Rice with peas\nC. It's pie\nD. Stew"
    )
    assert row.answers == [["B. Rice with peas"], ["A. Soup"]]
    assert row.asked_after == ["2", "5"]
    assert row.metadata.get("qa_pair_ids") == ["q-1", "q-2"]
    assert row.metadata.get("question_types") == ["suggest_new_ideas"] * 2
    turns = row.turns or []
    assert [turn.session for turn in turns] == ["session_1"] * 3 + ["session_2"] * 3
    assert [turn.role for turn in turns[:3]] == ["system", "user", "assistant"]
    assert "user: I like rice.\n" in row.context


def test_a_run_asks_before_the_rest_is_told(tmp_path: Path) -> None:
    data = personamem(tmp_path / "data")
    done = succeed("run", "oracle", "--data", str(data), "--out", "run", cwd=tmp_path)
    assert "personamem_32k" in done.stdout


@pytest.mark.parametrize(
    ("changed", "field", "expected"),
    [
        ({"end_index_in_shared_context": "7"}, "end_index_in_shared_context", "from 1 to 6"),
        ({"end_index_in_shared_context": "all"}, "end_index_in_shared_context", "a whole number"),
        ({"correct_answer": "(e)"}, "", "one of the options, by its letter or text: A, B, C, D"),
        ({"all_options": "(a) Soup"}, "all_options", "a list as Python or JSON writes it"),
        ({"all_options": "['Soup', 'Rice']"}, "all_options", "option 1 to begin with (a)"),
        ({"shared_context_id": "cd34"}, "shared_context_id", "a history in shared_contexts_32k"),
        ({"user_question_or_message": " "}, "user_question_or_message", "not blank"),
    ],
)
def test_a_wrong_cell_is_named_with_its_table_row_and_column(
    changed: dict[str, Any], field: str, expected: str, tmp_path: Path
) -> None:
    data = personamem(tmp_path, **changed)
    with pytest.raises(DataError) as error:
        list(load(data).rows())
    assert f"{data / 'questions_32k.csv'}, row 0, {field}".rstrip(", ") in str(error.value)
    assert expected in str(error.value)


def test_broken_files_are_named(tmp_path: Path) -> None:
    data = personamem(tmp_path)
    (data / "shared_contexts_32k.jsonl").write_text('{"ab12": [\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"shared_contexts_32k.jsonl, row 0: found .*JSON"):
        list(load(data).rows())
    write_lines(data / "shared_contexts_32k.jsonl", [{"ab12": [*PERSONA_CHAT[:5], {"role": 3}]}])
    with pytest.raises(DataError, match=r"row 0, ab12\[5\].content: found nothing"):
        list(load(data).rows())
    (data / "questions_32k.csv").write_text("question_id\nq\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"questions_32k.csv, row 0: found no such column"):
        list(load(data).rows())


def test_options_are_shuffled_by_a_number_which_the_run_keeps(tmp_path: Path) -> None:
    personamem(tmp_path / "data")
    command = ("run", "oracle", "--data", "data", "--out", "run", "--shuffle-options")
    done = succeed(*command, "7", "--full", cwd=tmp_path)
    assert "in a random order (seed 7)" in " ".join(done.stdout.split())
    samples = [json.loads(line) for line in (tmp_path / "run/samples.jsonl").open()]
    golds = {one["answers"][0] for one in samples}
    assert all(f"\n{gold}" in one["question"] for one in samples for gold in one["answers"])
    assert {gold[3:] for gold in golds} == {"Rice with peas", "Soup"}
    assert [one["official"]["accuracy"] for one in samples] == [1, 1]
    again = mabench(*command, "8", cwd=tmp_path)
    assert again.returncode != 0
    assert "--shuffle-options is 7 there and 8 here" in again.stderr


def test_options_are_shuffled_alike_in_other_processes(tmp_path: Path) -> None:
    personamem(tmp_path / "data")
    asked = []
    for executor in ("local", "processes"):
        command = ("run", "no-memory", "--data", "data", "--out", executor, "--executor", executor)
        succeed(*command, "--shuffle-options", "3", cwd=tmp_path)
        lines = (tmp_path / executor / "samples.jsonl").open()
        asked.append({(one["question"], *one["answers"]) for one in map(json.loads, lines)})
    assert asked[0] == asked[1]
    in_order = {
        question.question for row in load(tmp_path / "data").rows() for question in row.flatten()
    }
    assert not in_order & {question for question, *_ in asked[0]}
