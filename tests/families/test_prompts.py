from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.errors import UsageError
from mabench.families import FAMILIES, Prompts, search_query


def _file(folder: Path, text: str) -> Path:
    path = folder / "prompts.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_asks_and_tells_in_its_prompts(family: str) -> None:
    prompt = Prompts.load().ask(family, "Who {is} it?")
    assert "Who {is} it?" in prompt
    assert "{question}" not in prompt
    assert Prompts.load().tell(family, "A {chunk} of {time}.") == "A {chunk} of {time}."
    told = Prompts.load(Path("paper")).tell(family, "<the chunk>")
    assert "\n<the chunk>\n" in told
    assert told.startswith("2") == (family != "longmemeval"), "dated chats alone need no clock"


def test_a_file_replaces_by_family_and_role(tmp_path: Path) -> None:
    text = '[icl]\nanswer = "Label: {question}"\nmemorize = "Keep this: {chunk}"\n'
    ours, theirs = Prompts.load(), Prompts.load(_file(tmp_path, text))
    assert theirs.ask("icl", "lost card") == "Label: lost card"
    assert theirs.tell("icl", "a\nlabel: 1") == "Keep this: a\nlabel: 1"
    assert theirs.ask("ruler", "Who?") == ours.ask("ruler", "Who?")
    assert Prompts.load().hash == ours.hash != theirs.hash


def test_a_time_stamp_stands_where_a_template_asks_for_it(tmp_path: Path) -> None:
    prompts = Prompts.load(_file(tmp_path, '[ruler]\nmemorize = "At {time}: {chunk}"'))
    assert prompts.tell("ruler", "It is {time}.").endswith(": It is {time}.")
    assert prompts.tell("ruler", "x").startswith("At 2")


def test_there_is_no_system_message_but_what_is_asked_for(tmp_path: Path) -> None:
    ours = Prompts.load()
    theirs = Prompts.load(_file(tmp_path, '[icl]\nsystem = "You label texts."'))
    assert (ours.system("icl"), theirs.system("icl")) == ("", "You label texts.")
    assert theirs.hash != ours.hash
    both = Prompts.load(tmp_path / "prompts.toml", system="You remember.")
    assert (both.system("icl"), both.system("ruler")) == ("You label texts.", "You remember.")


def test_the_hash_of_our_prompts_is_what_runs_have_recorded() -> None:
    assert Prompts.load().hash.startswith("74753e581c3e0fd3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[icll]\nanswer = "{question}"',
            "unknown family 'icll': did you mean icl\\? known: ruler",
        ),
        ('[icl]\nanwser = "{question}"', "unknown role 'anwser': did you mean answer\\?"),
        ('[icl]\nanswer = "Label it."', r"\[icl\] answer: must be a string that holds {question}"),
        ("[icl]\nanswer = 3", "must be a string"),
        ("[icl]\nsystem = 3", "system: must be a string"),
        ("icl = 3", "must be a table"),
        ("[icl", "not a readable TOML file"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Prompts.load(_file(tmp_path, text))
    with pytest.raises(UsageError, match=r"nowhere\.toml"):
        Prompts.load(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Example. Now Answer the Question: A? Now Answer the Question: B?", "B?"),
        ("Do it. Here is the conversation: \nUser: Hi\n", "User: Hi"),
        ("Neither marker stands here.", "Neither marker stands here."),
        ("Now Answer the Question: ", "Now Answer the Question: "),
    ],
)
def test_the_search_query_is_what_follows_a_marker(prompt: str, expected: str) -> None:
    assert search_query(prompt) == expected


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool))
def test_with_our_prompts_a_search_begins_with_the_question(question: str) -> None:
    for family in FAMILIES:
        # Questions of this family bring the marker themselves.
        own = "Now Answer the Question: " if family == "longmemeval" else ""
        prompt = Prompts.load().ask(family, own + question)
        assert search_query(prompt).startswith(question)
