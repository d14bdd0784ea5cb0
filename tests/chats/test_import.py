"""Importing as a whole: histories, sessions, zones, names, and what is refused with a remedy."""

import json
import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.data.chats import ImportOptions, import_chats
from mabench.data.chats.renaming import Renamer
from mabench.errors import DataError, MabenchError
from mabench.formats import DateOrder, HistoryUnit, ReadingOptions
from mabench.progress import NoProgress
from tests.chats.exports import (
    Imported,
    chatgpt_conversation,
    claude_conversation,
    imported,
    mail,
    mbox,
    slack_files,
    write,
    zipped,
)


def _refusal(*paths: Path, **options: Any) -> str:
    out = paths[0].parent / "refused"
    with pytest.raises(MabenchError) as caught:
        import_chats(paths, out, ImportOptions(**options))
    assert not out.exists(), "nothing is left behind"
    return str(caught.value)


def test_times_without_a_zone_are_asked_for_once(tmp_path: Path) -> None:
    rows = [f"2024-05-{day:02} 10:00,Ana,Hi\n" for day in range(1, 31)]
    file = write(tmp_path / "a.csv", "".join(["time,author,text\n", *rows]))
    said = _refusal(file)
    assert said.count("no zone") == said.count("30 times have no zone") == 1
    assert f"first in {file}, line 2: 2024-05-01 10:00:00" in said
    assert "`timezone`" in said
    assert "Europe/Oslo" in _refusal(file, timezone="Europe/Osl")
    assert imported(file, timezone="Europe/Oslo").turns[0]["time"] == "2024-05-01T10:00:00+02:00"


def test_day_and_month_are_asked_for_where_no_date_tells(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", "time,author,text\n5/6/24 10:00,Ana,Hi\n7/8/24 10:00,Ana,Ho\n")
    said = _refusal(file, timezone="UTC")
    assert "'5/6/24' may be a day and a month" in said
    assert "`date_order`: day-first or month-first" in said
    for order, day in ((DateOrder.DAY_FIRST, "2024-06-05"), (DateOrder.MONTH_FIRST, "2024-05-06")):
        reading = ReadingOptions(date_order=order)
        assert imported(file, reading=reading).turns[0]["time"].startswith(day)


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("+0200", "+02:00"),
        (" -3:30", "-03:30"),
        (" UTC+5", "+05:00"),
        (" (GMT-08:00)", "-08:00"),
        (" Z", "+00:00"),
    ],
)
def test_the_zone_of_a_date_in_either_order_is_kept(zone: str, shown: str, tmp_path: Path) -> None:
    lines = "".join(f"{day}/6/24 10:00 PM{zone},Ana,Hi\n" for day in (5, 6, 13))
    done = imported(write(tmp_path / "a.csv", f"time,author,text\n{lines}"), timezone=None)
    days = ["05", "06", "13"]
    assert [turn["time"] for turn in done.turns] == [f"2024-06-{d}T22:00:00{shown}" for d in days]


def test_day_and_month_are_told_by_the_order_of_the_messages(tmp_path: Path) -> None:
    lines = ["1/2/24, 10:00 - Ana: a", "1/3/24, 10:00 - Ana: b", "2/2/24, 10:00 - Ana: c"]
    done = imported(write(tmp_path / "chat.txt", "\n".join(lines)))
    assert [turn["time"][:10] for turn in done.turns] == ["2024-01-02", "2024-01-03", "2024-02-02"]


def test_dates_of_two_orders_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", "time,author,text\n13/6/24,Ana,Hi\n6/13/24,Ana,Ho\n")
    said = _refusal(file, timezone="UTC")
    assert "'13/6/24' and '6/13/24'" in said or "'6/13/24' and '13/6/24'" in said


def test_histories_by_user_channel_and_file(tmp_path: Path) -> None:
    header = "time,author,text,customer,channel\n"
    lines = [
        f"2024-05-03 10:0{n},Ana,Text {n},c{n % 2},{'web' if n < 3 else 'mail'}\n" for n in range(4)
    ]
    one = write(tmp_path / "1.csv", header + "".join(lines[:2]))
    two = write(tmp_path / "2.csv", header + "".join(lines[2:]))
    for unit, expected in (
        (None, [["Text 0", "Text 2"], ["Text 1", "Text 3"]]),
        (HistoryUnit.CHANNEL, [["Text 0", "Text 1", "Text 2"], ["Text 3"]]),
        (HistoryUnit.FILE, [["Text 0", "Text 1"], ["Text 2", "Text 3"]]),
    ):
        done = imported(one, two, history_by=unit)
        assert [[turn["text"] for turn in row["context"]] for row in done.rows] == expected
    plain = write(tmp_path / "3.csv", "text,time\nHi,2024-05-03 10:00\n")
    assert "name no user" in _refusal(plain, history_by=HistoryUnit.USER, timezone="UTC")


def test_sessions_end_after_a_gap(tmp_path: Path) -> None:
    start = datetime(2024, 5, 3, tzinfo=UTC)
    hours = (0, 1, 5, 9.5, 10)
    messages = [
        {"author": "Ana", "text": str(hour), "time": (start + timedelta(hours=hour)).isoformat()}
        for hour in hours
    ]
    file = write(tmp_path / "a.json", messages)
    assert [turn["session"] for turn in imported(file).turns] == ["1", "1", "1", "2", "2"]
    done = imported(file, session_gap=timedelta(hours=1))
    assert [turn["session"] for turn in done.turns] == ["1", "1", "2", "3", "3"]


def test_messages_without_a_time_stay_in_their_place(tmp_path: Path) -> None:
    messages = [
        {"author": "Ana", "text": "a", "time": "2024-05-03T10:00Z"},
        {"author": "Bob", "text": "b"},
        {"author": "Ana", "text": "c", "time": None},
        {"author": "Bob", "text": "d", "time": "2024-05-03T11:00Z"},
    ]
    done = imported(write(tmp_path / "a.json", messages))
    assert done.texts == ["a", "b", "c", "d"]
    assert done.result.untimed == 2


def test_the_folder_is_a_data_set_once_questions_are_there(tmp_path: Path) -> None:
    done = imported(write(tmp_path / "Support chat.txt", "Ana: I moved to Oslo.\nBob: Ok.\n"))
    folder = done.result.out
    with pytest.raises(DataError, match="mabench data questions"):
        list(mabench.load(folder).rows())
    write(
        folder / "questions.csv",
        "history,question,answer,supports\n"
        "support-chat,Where does Ana live?,Oslo | in Oslo,support-chat-1\n",
    )
    [row] = mabench.load(folder).rows()
    assert row.questions == ["Where does Ana live?"]
    assert row.answers == [["Oslo", "in Oslo"]]
    assert row.evidence == [["support-chat-1"]]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", '[{"author": "Ana", "text": "Hi"}, {"author": "An', "behind item[0]"),
        ("a.jsonl", '{"author": "Ana", "text": "Hi"}\n{"author": "An', "a.jsonl, line 2"),
        ("a.json", '[{"author": "A", "text": "Hi", "time": "yesterday"}]', "[0].time: found 'yest"),
        ("a.csv", "time,author,text\nnoon,Ana,Hi\n", "line 2, time: found 'noon'"),
        ("a.csv", "author,text\nAna,Hi, there\n", "line 2: 3 values for 2 columns"),
        ("a.csv", 'author,text\nAna,"Hi\n', "a.csv, line 2"),
        ("a.txt", "1/2/24, 25:00 - Ana: a\n1/2/24, 10:00 - Ana: a\n", "a.txt, line 1"),
        ("a.txt", "only prose", "shape of no known export"),
        ("a.txt", "", "empty; give an export of chats"),
        ("conversations.json", '[{"mapping": {}, "title": "x"}, {"map', "[0]"),
        ("conversations.json", '[{"chat_messages": 7}]', "chat_messages: found 7"),
    ],
)
def test_a_broken_export_is_named_by_file_and_place(
    name: str, content: str, expected: str, tmp_path: Path
) -> None:
    said = _refusal(write(tmp_path / name, content), timezone="UTC")
    assert str(tmp_path / name) in said
    assert expected in said


def test_another_encoding_is_asked_for_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes("author,text\nAna,Hi\nJosé,Olé\n".encode("cp1252"))
    said = _refusal(file)
    assert "a.csv, line 3: not in utf-8" in said
    assert "`encoding`" in said
    done = imported(file, reading=ReadingOptions(encoding="cp1252"))
    assert done.texts == ["Hi", "Olé"]
    assert "no encoding is named" in _refusal(file, reading=ReadingOptions(encoding="cp9"))


def test_broken_zips_and_folders_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = zipped(tmp_path / "whole.zip", slack_files()).read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole[: len(whole) // 2])
    assert "shape of no known export" in _refusal(cut)
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    assert "pipe.jsonl: a named pipe, not a file; give an export of chats" in _refusal(pipe)
    folder = tmp_path / "slack"
    for name, content in slack_files().items():
        write(folder / name, content)
    write(folder / "general" / "2024-05-09.json", '[{"type": "mess')
    assert "2024-05-09.json: not whole JSON" in _refusal(folder)
    write(folder / "general" / "2024-05-09.json", {"ok": False})
    assert "no list of messages" in _refusal(folder)
    monkeypatch.setattr("mabench_chats.files._ALWAYS_BYTES", 1 << 16)
    bomb = zipped(tmp_path / "bomb.zip", {"_chat.txt": "[03.05.24, 10:00:00] A: x\n" * 100_000})
    assert "unpacks to 2,600,000 bytes" in _refusal(bomb, layout="whatsapp")


def test_other_files_name_the_command_that_reads_them(tmp_path: Path) -> None:
    prediction = {"source": "x", "row": 0, "question_index": 0, "prediction": "y"}
    file = write(tmp_path / "a.jsonl", f"{json.dumps(prediction)}\n")
    assert f"mabench score {file}" in _refusal(file)


def test_people_are_renamed_everywhere_and_addresses_are_marked(tmp_path: Path) -> None:
    key = "sk-abc123DEF456ghi789JKL"
    messages = [
        {"author": "Ana Silva", "text": "I am Ana, write to ana.silva@x.org or +47 22 12 34 56."},
        {"author": "Will", "text": f"Hi ANA! I will. See https://x.org/ana?k={key} and {key}."},
        {"author": "Ana Silva", "text": "Will and I meet on 2024-05-03 10:00, order 12345678."},
    ]
    done = imported(write(tmp_path / "Ana Silva.json", messages), rename=True)
    first, second, third = done.texts
    whole = json.dumps(done.rows)
    assert not any(word in whole for word in ("Ana", "ANA", "Silva", "silva", "x.org", key, "+47"))
    speaker = done.turns[0]["speaker"]
    invented = speaker.split()[0]
    assert first == f"I am {invented}, write to [e-mail] or [phone]."
    assert second == f"Hi {invented}! I will. See [link] and [key]."
    assert done.turns[2]["speaker"] == speaker
    assert third.endswith(" and I meet on 2024-05-03 10:00, order 12345678.")
    assert done.rows[0]["context"][0]["id"].startswith(invented.lower())
    assert f"{invented}" not in ("Ana", "Will")


@given(st.lists(st.text(min_size=1, max_size=12), max_size=8), st.text(max_size=200))
def test_renaming_is_consistent_and_leaves_no_name(names: list[str], text: str) -> None:
    renamer = Renamer(names)
    assert renamer.rewrite(text) == renamer.rewrite(text)
    for name in names:
        words = [
            word for word in name.split() if word.isalpha() and word.isascii() and len(word) > 3
        ]
        for word in words:
            assert word.casefold() not in renamer.rewrite(f"so {word} said").casefold().split()


def test_nothing_opens_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    exports = [
        zipped(tmp_path / "slack.zip", slack_files()),
        write(tmp_path / "conversations.json", [chatgpt_conversation()]),
        write(tmp_path / "claude.json", [claude_conversation()]),
        write(tmp_path / "messages.json", [{"author": "Ana", "text": "Hi"}]),
        write(tmp_path / "chat.txt", "03/05/2024, 10:00 - Ana: see https://x.org\n"),
        write(tmp_path / "table.csv", "author,text,time\nAna,Hi,2024-05-03 10:00\n"),
        mbox(tmp_path / "in.mbox", [mail(1, "Hi")]),
        write(tmp_path / "call.txt", "Ana: a\nBob: b\n"),
    ]
    reading = ReadingOptions(date_order=DateOrder.DAY_FIRST)
    assert imported(*exports, rename=True, reading=reading).turns


_MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "author": st.text(max_size=8)
        | st.none()
        | st.fixed_dictionaries({"name": st.text(max_size=5)}),
        "role": st.sampled_from(["user", "assistant", "system", "tool", "agent", None]),
        "text": st.text(max_size=30) | st.none() | st.lists(st.text(max_size=5), max_size=3),
        "content": st.text(max_size=30),
        "time": st.none()
        | st.integers(10**8, 2 * 10**9)
        | st.datetimes(datetime(1980, 1, 1), datetime(2100, 1, 1)).map(datetime.isoformat),
        "user_id": st.text(max_size=3) | st.integers(0, 3),
        "deleted": st.booleans(),
        "files": st.lists(st.fixed_dictionaries({"name": st.text(max_size=5)}), max_size=2),
    },
)


@given(
    st.lists(_MESSAGE, max_size=12), st.sampled_from([*HistoryUnit]), st.booleans(), st.booleans()
)
@settings(deadline=None, max_examples=60)
def test_messages_in_are_turns_out_and_skipped(
    tmp_path_factory: pytest.TempPathFactory,
    messages: list[dict[str, Any]],
    unit: HistoryUnit,
    as_lines: bool,
    rename: bool,
) -> None:
    folder = tmp_path_factory.mktemp("property")
    if as_lines:
        file = write(folder / "a.jsonl", "".join(json.dumps(each) + "\n" for each in messages))
    else:
        file = write(folder / "a.json", messages)
    done = _imported_or_refused(file, layout="messages", history_by=unit, rename=rename)
    if done is not None:
        assert done.result.messages == len(messages)
        for row in done.rows:
            times = [datetime.fromisoformat(t["time"]) for t in row["context"] if "time" in t]
            assert times == sorted(times)


def _imported_or_refused(file: Path, **options: Any) -> Imported | None:
    """Import a file, unless nobody said anything in it or no message names what was asked for."""
    try:
        return imported(file, **options)
    except MabenchError as error:
        refusals = ("no message that can be told", f"name no {options.get('history_by')}")
        if any(refusal in str(error) for refusal in refusals):
            return None
        raise


_LINE = st.sampled_from(
    [
        "03/05/2024, 10:00 - Ana: hi",
        "13/05/2024, 10:00 - Bob: ho 🎉",
        "13/05/2024, 10:00 - Ana left",
        "more text",
        "",
        "13/05/2024, 10:00 - Bob: ",
        "13/05/2024, 10:00 - Bob: This message was deleted",
        "\u200f13/05/2024, 10:00 - שלום: עברית",
        "13/05/2024, 10:00 - Bob: <Media omitted>",
    ]
)


@given(st.lists(_LINE, max_size=15))
@settings(deadline=None, max_examples=60)
def test_no_line_of_whatsapp_is_lost(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    file = write(folder / "chat.txt", "\n".join(lines))
    reading = ReadingOptions(date_order=DateOrder.DAY_FIRST)
    done = _imported_or_refused(file, layout="whatsapp", reading=reading)
    if done is None:
        return
    first = next(n for n, line in enumerate(lines) if "/05/2024" in line)
    before = sum(bool(line.strip()) for line in lines[:first])
    assert done.result.messages == before + sum("/05/2024" in line for line in lines)
    assert sum(text.count("more text") for text in done.texts) <= lines.count("more text")


def test_ten_thousand_messages(tmp_path: Path) -> None:
    lines = (
        f'{{"author": "P{n % 7}", "text": "Message {n} 🎉", "time": {1714730400 + 60 * n}}}\n'
        for n in range(10_000)
    )
    done = imported(write(tmp_path / "a.jsonl", "".join(lines)))
    assert len(done.turns) == 10_000
    assert done.turns[-1]["text"] == "Message 9999 🎉"


def test_imported_chats_are_told_by_turns_and_a_useless_search_is_said_before_it(
    tmp_path: Path,
) -> None:
    lines = [f"Ana: The code of door {n} is K{n}.\nBob: Ok {n}.\n" for n in range(4)]
    folder = imported(write(tmp_path / "doors.txt", "".join(lines))).result.out
    write(
        folder / "questions.csv", "history,question,answer\ndoors,What is the code of door 2?,K2\n"
    )
    said: list[str] = []

    class Listening(NoProgress):
        def say(self, line: str) -> None:
            said.append(line)

        def start(self, work: str, *_: Any, **__: Any) -> None:
            said.append(work)

    run = mabench.run("bm25", folder, out=tmp_path / "run", progress=Listening())
    assert run.record.protocol == "turns"
    warning = next(line for line in said if "every search will return" in line)
    assert "8 pieces" in warning
    assert "k=2" in warning
    assert said.index(warning) < said.index("chunks"), "before anything is told"
    said.clear()
    mabench.run("bm25", folder, settings={"k": 2}, out=tmp_path / "other", progress=Listening())
    assert not [line for line in said if "every search" in line]


@pytest.mark.parametrize("piece", ["\u200e", "a/", "+1 ", "1.", "a@", "<a", "(", "a: ", "> "])
def test_no_text_takes_long(piece: str, tmp_path: Path) -> None:
    """Each would take minutes if a pattern tried every beginning of a text to its end."""
    text = piece * 100_000
    chat = write(tmp_path / "chat.txt", f"13/05/2024, 10:00 - Ana: so {text}\n")
    assert imported(chat, rename=True).result.messages == 1
    box = mbox(tmp_path / "in.mbox", [mail(1, text)])
    assert imported(box, rename=True).result.messages == 1
