"""Questions about own conversations: sheets, drafts and their rules, tickets, the terminal."""

import json
import os
import pty
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.data.chats import ImportOptions, import_chats
from mabench.data.sheets import QuestionStatus, SheetLine, read_sheet, write_sheet
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from mabench.models import ModelSpec
from mabench.questioning import Sheet, draft_questions, find_tickets, find_turns, read_conversations
from mabench.questioning.draft_rules import Draft, DraftFault, DraftKind, find_draft_fault
from tests.command_line import mabench as run_command
from tests.command_line import succeed
from tests.models.server import Served, serving

_SAID = [
    ("2024-05-01T10:00Z", "Ana", "I moved to Oslo, and my kettle is red."),
    ("2024-05-01T10:01Z", "Bob", "Nice. The pick-up code of your parcel is K417."),
    ("2024-05-08T10:00Z", "Ana", "I have moved again, to Bergen."),
    ("2024-05-08T10:01Z", "Bob", "So far?"),
    ("2024-05-15T10:00Z", "Ana", "What is the code of my parcel?"),
    ("2024-05-15T10:01Z", "Bob", "The pick-up code is K417."),
    ("2024-05-15T10:02Z", "Ana", "Is it raining there?"),
    ("2024-05-15T10:03Z", "Bob", "It pours."),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    messages = [{"time": time, "author": author, "text": text} for time, author, text in _SAID]
    (tmp_path / "support.json").write_text(json.dumps(messages), encoding="utf-8")
    import_chats([tmp_path / "support.json"], tmp_path / "chats", ImportOptions())
    return tmp_path / "chats"


def _lines(folder: Path) -> list[SheetLine]:
    return Sheet.open(folder).lines


_TEXT = (
    st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="|"),
        min_size=1,
        max_size=20,
    )
    .map(str.strip)
    .filter(bool)
)
_WORD = st.from_regex(r"[a-z]{1,6}-[0-9]{1,3}", fullmatch=True)
_LINES = st.builds(
    SheetLine,
    history=_WORD,
    question=_TEXT,
    answers=st.lists(_TEXT, min_size=1, max_size=3).map(tuple),
    supports=st.lists(_WORD, max_size=3).map(tuple),
    asked_after=st.none() | _WORD,
    kind=st.none() | _TEXT,
    status=st.sampled_from(QuestionStatus),
    note=st.none() | _TEXT,
)


@given(st.lists(_LINES, max_size=4), st.sampled_from(["csv", "json"]))
def test_a_sheet_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, lines: list[SheetLine], kind: str
) -> None:
    file = tmp_path_factory.mktemp("sheet") / f"questions.{kind}"
    write_sheet(file, lines)
    read, problems = read_sheet(file)
    assert problems == []
    assert [{**_plain(line)} for line in read] == [{**_plain(line)} for line in lines]


def _plain(line: SheetLine) -> dict[str, Any]:
    fields = ("history", "question", "answers", "supports", "asked_after", "kind", "status", "note")
    return {name: getattr(line, name) for name in fields}


def test_only_accepted_questions_count(folder: Path) -> None:
    lines = [
        SheetLine(history="support", question=f"Q {status}?", answers=("K417",), status=status)
        for status in QuestionStatus
    ]
    write_sheet(folder / "questions.csv", lines)
    [row] = mabench.load(folder).rows()
    assert row.questions == ["Q accepted?"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("support,Where?,,,,", "questions.csv, line 2, answer"),
        ("suport,Where?,Oslo,,,", "history: found 'suport'; expected a history: support"),
        ("support,Where?,Oslo,support-99,,", "line 2, supports: found 'support-99'"),
        ("support,Where?,Oslo,,,yes", "line 2, status"),
        ("support,Where?,Oslo,,someday,", "asked_after[0]"),
        ("support,Where?,Oslo,,,,,", "line 2: too many values"),
    ],
)
def test_faults_of_a_sheet_are_named_by_line_and_column(
    content: str, expected: str, folder: Path
) -> None:
    header = "history,question,answer,supports,asked_after,status"
    (folder / "questions.csv").write_text(f"{header}\n{content}\n", encoding="utf-8")
    assert expected in "\n".join(map(str, validate(folder)))
    with pytest.raises(DataError):
        list(mabench.load(folder).rows())


def test_a_sheet_that_a_spreadsheet_saved_is_read(folder: Path) -> None:
    text = 'history;question;answer\r\nsupport;"Where; now?";Bergen\r\n;;\r\n'
    (folder / "questions.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    [row] = mabench.load(folder).rows()
    assert row.questions == ["Where; now?"]


def test_turns_are_found_by_their_words(folder: Path) -> None:
    assert [turn.id for turn in find_turns(folder, "code parc")] == [
        "support-2",
        "support-5",
        "support-6",
    ]
    assert find_turns(folder, "zebra") == []


def test_tickets_are_asked_where_they_were_asked(folder: Path) -> None:
    [conversation] = read_conversations(folder)
    [line] = find_tickets(conversation)
    assert line.question == "What is the code of my parcel?"
    assert line.answers == ("The pick-up code is K417.",)
    assert line.supports == ("support-2",)
    assert line.asked_after == "support-4", "before the question itself"
    assert line.status is QuestionStatus.DRAFT
    done = succeed("data", "questions", str(folder), "--from-tickets", cwd=folder)
    assert "1 draft of what was asked later" in done.stdout
    shown = succeed("data", "questions", str(folder), "--format", "json", cwd=folder)
    assert json.loads(shown.stdout)[0]["supports"] == ["support-2"]
    again = succeed("data", "questions", str(folder), "--from-tickets", cwd=folder)
    assert "0 drafts of what was asked later" in again.stdout
    assert len(_lines(folder)) == 1


def _draft(**changes: Any) -> Draft:
    whole: dict[str, Any] = {
        "kind": DraftKind.FACT,
        "question": "Which colour is the kettle?",
        "answers": ("red",),
        "supports": ("support-1",),
    }
    return Draft(**{**whole, **changes})


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        (_draft(), None),
        (_draft(answers=("Oslo and red",)), None),
        (_draft(kind=DraftKind.TIME, answers=("1 May 2024",)), None),
        (_draft(supports=("support-77",)), DraftFault.SUPPORT),
        (_draft(supports=("support-2",)), DraftFault.GOLD),
        (_draft(answers=("blue",)), DraftFault.GOLD),
        (_draft(supports=()), DraftFault.NO_SUPPORT),
        (_draft(question="Is the kettle red?"), DraftFault.GIVEN_AWAY),
        (_draft(answers=()), DraftFault.UNREADABLE),
        (_draft(question="Which colour is your kettle?"), DraftFault.DUPLICATE),
        (_draft(answers=("K417",), supports=("support-6",)), DraftFault.LAST_SESSION),
        (_draft(kind=DraftKind.SESSIONS), DraftFault.ONE_SESSION),
        (
            _draft(
                kind=DraftKind.UPDATE,
                question="Where does Ana live?",
                answers=("Bergen",),
                supports=("support-1", "support-3"),
            ),
            None,
        ),
        (_draft(kind=DraftKind.UNANSWERABLE, answers=("not known",), supports=()), None),
        (_draft(kind=DraftKind.UNANSWERABLE), DraftFault.ANSWERABLE),
    ],
)
def test_the_rules_on_drafts(draft: Draft, fault: DraftFault | None, folder: Path) -> None:
    [conversation] = read_conversations(folder)
    existing = [
        SheetLine(history="support", question="Which color is your kettle?", answers=("x",))
    ]
    if fault is not DraftFault.DUPLICATE:
        existing = []
    assert find_draft_fault(draft, conversation.turns, conversation.sessions, existing) == fault


def _reply(question: str, answer: str, *supports: str) -> str:
    return json.dumps({"question": question, "answer": answer, "supports": supports})


# By a part of the prompt: the second invents a gold, the third is none, the fifth is a duplicate.
_REPLIES = {
    "a single fact": _reply("Which code has the parcel?", "K417", "support-2"),
    "two different sessions": _reply("Which towns?", "Oslo, Paris", "support-1", "support-3"),
    "about when": "I cannot do this.",
    "changed later": f"Sure: {_reply('Where is Ana now?', 'Bergen', '[support-1]', 'support-3')}",
    "likes, wants": _reply("Which code has the parcel ?", "K417", "support-2"),
    "but does not": _reply("What is the name of her cat?", "not known"),
}


def _answer(prompt: str) -> str:
    return next(reply for part, reply in _REPLIES.items() if part in prompt)


@pytest.fixture
def drafting() -> Iterator[Served]:
    with serving(_answer) as served:
        yield served


def test_bad_drafts_of_a_model_are_caught(
    folder: Path, drafting: Served, key_and_cache: object
) -> None:
    spec = ModelSpec("m", base_url=drafting.url)
    done = draft_questions(folder, 3, spec)
    assert done.drafted == 3
    assert [line.question for line in _lines(folder)] == [
        "Which code has the parcel?",
        "Where is Ana now?",
        "What is the name of her cat?",
    ]
    assert {line.status for line in _lines(folder)} == {QuestionStatus.DRAFT}
    assert done.left_out == {DraftFault.GOLD: 1, DraftFault.UNREADABLE: 1, DraftFault.DUPLICATE: 1}
    # What was paid for is not asked again, and what is there is not drafted again.
    calls = drafting.calls
    again = draft_questions(folder, 2, spec)
    assert again.drafted == 0
    assert again.left_out[DraftFault.DUPLICATE] >= 3
    assert drafting.calls <= calls + 1
    with pytest.raises(DataError, match="without questions"):
        list(mabench.load(folder).rows())


def test_the_command_drafts_and_says_what_was_left_out(
    folder: Path, drafting: Served, key_and_cache: object
) -> None:
    words = ("data", "questions", str(folder), "--draft", "2")
    assert run_command(*words, cwd=folder).returncode == 2
    done = succeed(*words, "--model", "m", "--base-url", drafting.url, cwd=folder)
    assert "2 drafts of 2" in done.stdout
    assert f"left out: 1 with {DraftFault.GOLD}" in done.stdout
    assert "0 accepted, 2 drafts, 0 rejected; 1 of 1 history without" in done.stdout


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="import them first"):
        next(read_conversations(tmp_path))


def _at_terminal(folder: Path, keys: list[str]) -> str:
    """Type at a terminal: each text once the program waits for it."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "mabench", "data", "questions", str(folder)]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    ) as run:
        os.close(theirs)
        shown, end = "", time.monotonic() + 60
        waiting = [*keys]
        try:
            while time.monotonic() < end:
                if select.select([ours], [], [], 0.1)[0]:
                    try:
                        shown += os.read(ours, 65536).decode("utf-8", "replace")
                    except OSError:  # It has ended.
                        break
                if waiting and shown.endswith(": "):
                    os.write(ours, waiting.pop(0).encode())
                    shown += "\n"
            run.wait(10)
        finally:
            run.kill()
    os.close(ours)
    assert run.returncode == 0, shown
    return shown


def test_questions_are_typed_and_drafts_decided_on_at_a_terminal(folder: Path) -> None:
    drafts = [
        SheetLine(
            history="support", question=f"Draft {n}?", answers=("red",), status=QuestionStatus.DRAFT
        )
        for n in range(3)
    ]
    write_sheet(folder / "questions.csv", drafts)
    add = ["a", "Which colour?\n", "red | scarlet\n", "kettle\n", "1\n", "\n", "\n"]
    review = ["r", "a", "r", "e", "In other words?\n", "\n"]
    shown = _at_terminal(folder, [*add, *review, "q"])
    assert "support-1  2024-05-01 10:00  Ana: I moved to Oslo" in shown
    *decided, added = _lines(folder)
    assert [(line.question, line.status) for line in decided] == [
        ("Draft 0?", QuestionStatus.ACCEPTED),
        ("Draft 1?", QuestionStatus.REJECTED),
        ("In other words?", QuestionStatus.ACCEPTED),
    ]
    assert added.answers == ("red", "scarlet")
    assert added.supports == ("support-1",)
    assert "3 accepted, 0 drafts, 1 rejected" in shown


def test_nothing_opens_a_socket_without_a_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    succeed("data", "questions", str(folder), "--from-tickets", cwd=folder)
    assert find_turns(folder, "parcel")
    sheet = folder / "questions.csv"
    sheet.write_text(sheet.read_text("utf-8").replace(",draft,", ",accepted,"), encoding="utf-8")
    succeed("data", "questions", str(folder), "--format", "json", cwd=folder)
    [row] = mabench.load(folder).rows()
    assert row.questions == ["What is the code of my parcel?"]
