from __future__ import annotations

import json
from pathlib import Path

import pytest

from mabench.data import export_hub_layout
from tests.command_line import succeed
from tests.rows import dataset, moves, row, two_rows, write_rows

_TOWERS = " ".join(["A tower of 300 metres."] * 7)


@pytest.fixture(autouse=True)
def _screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_one_screen_says_what_a_data_set_holds_and_what_is_missing(tmp_path: Path) -> None:
    export_hub_layout(dataset(), tmp_path / "rows")
    shown = succeed("data", "show", "rows", cwd=tmp_path).stdout
    assert len(shown.splitlines()) <= 24
    assert "│ Conflict_Resolution │ 1 of 8 │ 3 of 800 │" in " ".join(shown.split())
    assert "│ factconsolidation_sh_6k │ 1 of 1 │ 3 of 100 │" in " ".join(shown.split())
    assert "no rows of: ruler_qa2_421K, eventqa_full, " in shown
    assert "fields: source, qa_pair_ids in all\n" in shown
    assert "fingerprint: " in shown
    content = json.loads(succeed("data", "show", "rows", "--format", "json", cwd=tmp_path).stdout)
    facts = content["sources"][1]
    assert (facts["rows"], facts["official_rows"], facts["questions"]) == (1, 1, 3)
    assert (facts["answers"], facts["fields"]) == (3, ["source", "qa_pair_ids"])
    assert len(content["missing"]) == 20


def test_a_question_is_shown_with_the_text_around_its_golds(tmp_path: Path) -> None:
    towers = row("ruler_qa1_197K", _TOWERS, [("How high?", ["300 metres", "300 Metres", "4 m"])])
    write_rows(tmp_path / "rows.jsonl", [two_rows()[0], towers])
    words = ("data", "show", "rows.jsonl", "--row", "0", "--question", "0")
    shown = succeed(*words, cwd=tmp_path).stdout
    facts, high = shown.split("─" * 80)
    assert "factconsolidation_sh_6k, row 0, question 0 (Conflict_Resolution)" in facts
    assert "A gold occurs once in the history of" in facts
    assert "2. Ann lives in [Bern]." in facts
    assert "A gold occurs at 7 places" in high
    assert "  and 2 more" in high
    assert "300 metres (compared as '300 metres', also '300 Metres')" in high
    assert "4 m (compared as '4 m'; doubtful: candidates-contradict)" in high
    listed = succeed("data", "show", "rows.jsonl", "--row", "0", cwd=tmp_path).stdout
    assert "Where does Bob live?" in listed
    (one,) = json.loads(
        succeed(*words, "--source", "ruler_qa1", "--format", "json", cwd=tmp_path).stdout
    )
    assert one["question"]["answers"] == ["300 metres", "300 Metres", "4 m"]
    assert one["golds"]["candidates"][0]["alike"] == ["300 Metres"]
    place = one["places"][1]
    assert _TOWERS[place["start"] : place["end"]] == "300 metres"
    ((start, end),) = place["marks"]
    assert place["text"][start:end] == "300 metres"
    assert place["depth"] == pytest.approx(100 * place["start"] / len(_TOWERS))


def test_older_values_of_facts_are_shown(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", [moves()])
    words = ("data", "show", "rows.jsonl", "--question")
    moved = succeed(*words, "4", cwd=tmp_path).stdout
    assert "An older value occurs once" in moved
    assert "[4. Pe4 lives in Old4.]" in moved
    assert "An older value" not in succeed(*words, "5", cwd=tmp_path).stdout


def test_an_example_of_own_data_is_run_by_bm25(tmp_path: Path) -> None:
    succeed("data", "init", "shop", "--like", "facts", cwd=tmp_path)
    done = succeed("run", "--data", "shop", "--limit-questions", "1", cwd=tmp_path)
    assert done.stdout.startswith("bm25 on shop")


def test_golds_that_are_no_words_of_a_history_are_not_looked_for(tmp_path: Path) -> None:
    labelled = row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["1"])])
    write_rows(tmp_path / "rows.jsonl", [labelled])
    words = ("data", "show", "rows.jsonl", "--question", "0")
    assert "the history is not searched for" in succeed(*words, cwd=tmp_path).stdout
