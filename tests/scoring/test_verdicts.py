"""Answers that somebody else judged: what the score decides is right, and it decides nearly all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.verdicts import Reading, explain, main, read_line

from mabench.scoring import Catalogue

_JUDGED = Path(__file__).resolve().parents[2] / "data" / "judged"
_FILES = ("verdicts.jsonl", "verdicts_fresh.jsonl", "verdicts_run.jsonl")


@pytest.fixture(scope="module")
def films(real_data: Path) -> Catalogue:
    return Catalogue(json.loads((real_data / "entity2id.json").read_text(encoding="utf-8")))


def _readings(file: Path, films: Catalogue | None) -> list[Reading]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [read_line(json.loads(line), films) for line in lines]


@pytest.mark.parametrize("name", _FILES)
def test_what_is_decided_is_right_and_little_is_unclear(
    name: str, parity: Path, films: Catalogue
) -> None:
    kinds = [reading.kind for reading in _readings(parity / name, films)]
    assert kinds.count("agrees") >= 0.97 * (len(kinds) - kinds.count("unclear"))
    assert kinds.count("unclear") <= 0.08 * len(kinds)


@pytest.mark.parametrize("name", ["verdicts_locomo.jsonl", "verdicts_smollm.jsonl"])
def test_no_wrong_answer_of_a_real_system_is_right(name: str, parity: Path) -> None:
    readings = [r for r in _readings(parity / name, None) if r.kind != "split"]
    wrong = [reading for reading in readings if reading.line["verdict"] == "wrong"]
    assert wrong
    assert [r.line["prediction"] for r in wrong if r.score.verdict == "right"] == []
    kinds = [reading.kind for reading in readings]
    assert kinds.count("agrees") >= 0.97 * (len(kinds) - kinds.count("unclear"))


@pytest.mark.parametrize("name", ["names.jsonl", "languages_a.jsonl", "languages_b.jsonl"])
def test_names_and_other_languages_are_never_decided_wrongly(name: str) -> None:
    readings = _readings(_JUDGED / name, None)
    assert sum(reading.kind == "differs" for reading in readings) <= 0.01 * len(readings)
    assert any(reading.kind == "agrees" for reading in readings)


def test_why_says_which_decision_decided() -> None:
    line = {
        "question": "In which city was Ann Hale born?",
        "answers": ["Rome"],
        "prediction": "It was Oslo, not Rome.",
        "verdict": 0,
    }
    said = explain(line)
    assert "RIVAL(oslo) COMMA NOT GOLD(Rome)" in said
    assert '"not before" takes back' in said
    assert "next in order: only the gold" in said


def _print_verdicts(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["verdicts", *arguments])
    main()


def test_recommendations_are_skipped_in_one_line_without_films(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"question": "Which film?", "answers": ["1"], "prediction": "1. Heat", "verdict": 0}
    sources = ("recsys_redial_full", "ruler_qa1_197K")
    file = tmp_path / "judged.jsonl"
    file.write_text("\n".join(json.dumps({**line, "source": source}) for source in sources))
    _print_verdicts(monkeypatch, str(file), "--entities", str(tmp_path / "absent.json"))
    printed = capsys.readouterr().out
    assert "| all | 1 |" in printed
    assert "1 recommendations not looked at" in printed


@pytest.mark.parametrize("place", ["{}:0", "{}:2", "{}:x", "{}", "{}.absent:1"])
def test_a_place_that_names_no_line_is_one_line_of_error(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text('{"question": "Where?", "gold": ["Rome"], "answer": "Rome"}\n')
    with pytest.raises(SystemExit) as error:
        _print_verdicts(monkeypatch, "--why", place.format(file))
    assert str(error.value)
    assert "\n" not in str(error.value)
