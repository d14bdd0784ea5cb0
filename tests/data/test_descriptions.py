"""A user's description says how a file of another form is read."""

from pathlib import Path

import pytest

from mabench import load
from mabench.data.descriptions import read_description
from mabench.errors import DataError, UsageError
from tests.command_line import succeed
from tests.external.made_up import write_json

_DESCRIPTION = """
published = "shifts.json"
fields = ["shop", "shifts", "quiz"]
uses = ["shop"]

[history]
sessions = "shifts"
dates = "day"
turns = "notes"
text = "note"
speaker = "who"
marks = "is_key"
heading = "[{date}] {speaker}: "

[questions]
list = "quiz"
text = "ask"
id = "{shop}-{index}"
type = "kind"
types = { 1 = "stock", 2 = "people" }
answer = "right"
options = "choices"
evidence = "rests_on"
asked_after = "until"
"""
_NOTES = [{"who": "Ama", "note": "Six loaves left.", "is_key": True}, {"who": "Bo", "note": "Ok."}]
_SHIFTS = [{"day": "2024-05-03", "notes": _NOTES}, {"day": "2024-05-04", "notes": _NOTES[1:]}]
_QUIZ = [
    {"ask": "How many loaves?", "choices": ["Six", "Nine"], "right": "Six", "kind": 1}
    | {"rests_on": ["session_1:1"], "until": "session_1:2"},
    {"ask": "Who was there?", "right": "Bo", "kind": 2, "rests_on": [], "until": None},
]
_SHOP = {"shop": "mill", "shifts": _SHIFTS, "quiz": _QUIZ, "owner": "Cy"}


def shop(folder: Path, description: str = _DESCRIPTION, content: object = None) -> Path:
    folder.mkdir(exist_ok=True)
    table = '[bakery]\nfamily = "choice"\ndescription = "bakery.toml"\n'
    (folder / "sources.toml").write_text(table, encoding="utf-8")
    (folder / "bakery.toml").write_text(description, encoding="utf-8")
    return write_json(folder / "shifts.json", content or [_SHOP])


def test_a_described_file_is_rows_of_the_users_source(tmp_path: Path) -> None:
    data = load(shop(tmp_path))
    [row] = data.rows()
    assert row.source == "bakery"
    assert row.context == (
        "[2024-05-03] Ama: Six loaves left.\n[2024-05-03] Bo: Ok.\n[2024-05-04] Bo: Ok.\n"
    )
    assert row.questions == ["How many loaves?\nA. Six\nB. Nine", "Who was there?"]
    assert row.answers == [["A. Six"], ["Bo"]]
    assert row.metadata.get("qa_pair_ids") == ["mill-0", "mill-1"]
    assert row.metadata.get("question_types") == ["stock", "people"]
    assert row.evidence == [["session_1:1"], []]
    assert row.asked_after == ["session_1:2", None]
    assert "is_key" not in row.context


def test_commands_take_it(tmp_path: Path) -> None:
    file = shop(tmp_path / "shop")
    done = succeed("data", "validate", str(file), cwd=tmp_path)
    assert "1 owner, left out" in done.stdout
    done = succeed("run", "oracle", "--data", str(file), "--out", "run", cwd=tmp_path)
    assert "bakery" in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('published = "shifts.json"', "", "bakery.toml, published: found an object"),
        ('list = "quiz"', "list = 7", "bakery.toml, questions.list: found 7 (int)"),
        ('text = "ask"', 'test = "ask"', "bakery.toml, questions.test: found 'ask'"),
        ("[history]", "[history", "bakery.toml: found"),
        ('fields = ["shop", "shifts", "quiz"]', "", "name the `fields` of its objects"),
        ('text = "note"', 'text = "no_module:text"', "bakery.toml, history.text: found"),
        ('list = "quiz"', 'list = "quizzes"', "row 0, quizzes: found nothing; expected a list"),
    ],
)
def test_a_fault_of_a_description_names_file_and_field(
    old: str, new: str, expected: str, tmp_path: Path
) -> None:
    file = shop(tmp_path, _DESCRIPTION.replace(old, new, 1))
    with pytest.raises(DataError) as error:
        list(load(file).rows())
    assert expected in str(error.value)


def test_a_description_is_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"name it in a sources.toml beside the file"):
        load([], sources={"bakery": {"family": "choice", "description": "bakery.toml"}})
    source = '[[sources]]\nname = "x"\nsplit = "X"\nfamily = "choice"\n'
    file = shop(tmp_path, _DESCRIPTION + source)
    with pytest.raises(DataError, match=r"bakery.toml, sources: found one; expected none"):
        load(file)
    (tmp_path / "bakery.toml").unlink()
    with pytest.raises(DataError, match=r"bakery.toml: found No such file"):
        read_description(tmp_path / "bakery.toml")
