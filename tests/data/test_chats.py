"""Contexts that are lists of turns."""

from typing import Any

import pytest

from mabench import load
from mabench.data.turns import Message
from mabench.errors import DataError

_SOURCES = {"chat": {"family": "answer"}}
_TURNS: list[dict[str, Any]] = [
    {"text": "I moved to Oslo.", "time": "2024-03-01T09:00Z", "speaker": "Ann", "session": "a"},
    {"text": "Nice!", "time": "2024-03-01T09:00Z", "role": "assistant", "session": "a"},
    {"text": "Now I live in Rome.", "id": "last", "user": "ann", "speaker": None},
]


def _row(context: object, **more: object) -> dict[str, Any]:
    asked = {"questions": ["Where?"], "answers": [["Rome"]], "metadata": {"source": "chat"}}
    return {"context": context, **asked, **more}


def test_turns_become_text_and_keep_what_is_known_of_them() -> None:
    (row,) = load([_row(_TURNS, evidence=[["last"]])], sources=_SOURCES).rows()
    lines = "[2024-03-01T09:00Z]\nAnn: I moved to Oslo.\nassistant: Nice!\n\nNow I live in Rome.\n"
    assert row.context == lines
    assert [turn.id for turn in row.turns or ()] == ["1", "2", "last"]
    messages = Message.of_row(row) or []
    assert [message.text for message in messages] == [turn["text"] for turn in _TURNS]
    assert [message.speaker for message in messages] == ["Ann", None, None]
    assert [message.user for message in messages] == [None, None, "ann"]


@pytest.mark.parametrize(
    ("context", "fault"),
    [
        ([], "context"),
        (["Hello.", {"text": "Hi."}], r"context\[0\]"),
        ([{"speaker": "Ann"}], "a `text`"),
        ([{"text": 7}], r"context\[0\].text"),
        ([{"text": "Hi.", "date": "2024-03-01"}], r"context\[0\].date"),
        ([{"text": "Hi.", "time": "2024-03-01T09:00"}], r"turns\[0\].time"),
    ],
)
def test_what_is_no_turn_is_named(context: object, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(load([_row(context)], sources=_SOURCES).rows())
