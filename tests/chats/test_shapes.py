"""Every shape of an export, in two versions at least, becomes the turns that people would see."""

import json
import unicodedata
from pathlib import Path

import pytest

import mabench
from mabench.formats import FormatKind, Glimpse, recognize
from tests.chats.exports import (
    chatgpt_conversation,
    claude_conversation,
    imported,
    mail,
    mbox,
    slack_files,
    write,
    zipped,
)

_SHARED = Path(mabench.__file__).parents[3] / "shared" / "formats"


def _format(path: Path) -> str | None:
    found = recognize(Glimpse(path), FormatKind.CHATS)
    return found.name if found else None


@pytest.mark.parametrize(
    "messages",
    [
        [{"author": "Ana", "date": "2024-05-03T10:00Z", "body": "I moved."}],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "I moved."}],
                "created_at": 1714730400,
            }
        ],
        [{"from": {"name": "Ana"}, "parts": ["I moved."], "timestamp": 1714730400000}],
        {
            "name": "ana",
            "messages": [{"sender": "Ana", "text": "I moved.", "ts": "1714730400.0001"}],
        },
        [{"id": 7, "messages": [{"from": "human", "value": "I moved."}]}],
        {
            "chats": {
                "list": [
                    {
                        "name": "Ana",
                        "messages": [
                            {
                                "type": "message",
                                "from": "Ana",
                                "date": "2024-05-03T10:00:00",
                                "date_unixtime": "1714730400",
                                "text": ["I ", {"type": "bold", "text": "moved"}, "."],
                            }
                        ],
                    }
                ]
            }
        },
        [{"type": "human", "data": {"content": "I moved."}}],
        {
            "value": "x",
            "messages": [
                {
                    "createdDateTime": "2024-05-03T10:00:00.000Z",
                    "from": {"user": {"id": "7", "displayName": "Ana"}},
                    "body": {"contentType": "text", "content": "I moved."},
                }
            ],
        },
    ],
)
def test_messages_as_json(messages: object, tmp_path: Path) -> None:
    file = write(tmp_path / "export.json", messages)
    assert _format(file) == "messages"
    done = imported(file)
    assert done.texts == ["I moved."]
    [turn] = done.turns
    assert turn.get("speaker") == "Ana" or turn.get("role") == "user"
    assert turn.get("time", "2024-05-03T10:00:00+00:00").startswith("2024-05-03T10:00:00")


def test_messages_as_json_lines(tmp_path: Path) -> None:
    lines = [
        {"user_id": "c2", "role": "assistant", "content": "Second.", "time": "2024-05-03 10:01"},
        {"user_id": "c2", "role": "user", "content": "First.", "time": "2024-05-03 10:00"},
        {"user_id": "c1", "role": "user", "content": "مرحبا", "time": "2024-05-03 10:00"},
        {"user_id": "c1", "role": "system", "content": "Be kind.", "time": "2024-05-03 10:00"},
        {"user_id": "c1", "role": "user", "content": "", "time": "2024-05-03 10:00"},
        {"user_id": "c1", "role": "user", "content": "gone", "deleted": True},
        {"event": "joined"},
    ]
    file = write(tmp_path / "chat.jsonl", "\n".join(json.dumps(line) for line in lines))
    done = imported(file)
    assert done.result.history_unit == "user"
    assert [[turn["text"] for turn in row["context"]] for row in done.rows] == [
        ["First.", "Second."],
        ["مرحبا"],
    ]
    assert done.reasons == {
        "a system message": 1,
        "empty": 1,
        "deleted": 1,
        "no field that holds a text": 1,
    }
    lines_skipped = [each.place.rpartition(", line ")[2] for each in done.skipped]
    assert lines_skipped == ["4", "5", "6", "7"]


_TABLE = """time,author,text
2024-05-03 10:00,Ana,"Hi, there
And more"
2024-05-03 10:01,Bob,Ok
"""
_SEMICOLONS = """Sender;Date sent;Message
Ana;3.5.2024 10:00;"Hi, there
And more"
Bob;13.5.2024 10:01;Ok
"""
_TABS = """\ufefffrom\tcreated_at\tbody
Ana\t2024-05-03T10:00Z\t"Hi, there
And more"
Bob\t1714730460\tOk"""


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", _TABLE), ("a.csv", _SEMICOLONS), ("a.tsv", _TABS)]
)
def test_tables(name: str, text: str, tmp_path: Path) -> None:
    file = write(tmp_path / name, text)
    assert _format(file) == "table"
    done = imported(file)
    assert done.texts == ["Hi, there\nAnd more", "Ok"]
    assert [turn["speaker"] for turn in done.turns] == ["Ana", "Bob"]
    assert done.turns[0]["time"] == "2024-05-03T10:00:00+00:00"


def test_columns_are_named_by_the_user(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", "when,who,said\n2024-05-03 10:00,Ana,Hi\n")
    assert _format(file) is None
    columns = {"time": "when", "speaker": "who", "text": "said"}
    reading = mabench.formats.ReadingOptions(columns=columns)
    [turn] = imported(file, layout="table", reading=reading).turns
    assert (turn["speaker"], turn["text"]) == ("Ana", "Hi")


@pytest.mark.parametrize("is_zip", [True, False])
def test_slack(is_zip: bool, tmp_path: Path) -> None:
    if is_zip:
        path = zipped(tmp_path / "export.zip", slack_files())
    else:
        path = tmp_path / "export"
        for name, content in slack_files().items():
            write(path / name, content)
    assert _format(path) == "slack"
    done = imported(path)
    direct, general = sorted(done.rows, key=lambda row: len(row["context"]))
    assert [turn["text"] for turn in direct["context"]] == ["psst"]
    assert direct["context"][0]["id"] == "ana-silva-and-bob-1"
    told = [(turn.get("speaker"), turn["text"]) for turn in general["context"]]
    assert told == [
        ("Ana Silva", "Hi @Bob, see #general & docs (https://x.org)"),
        ("Gone Person", "who am I"),
        ("Bob", "[attachment: plan.pdf]"),
        ("Bob", "late reply"),
        ("ci", "build 7 passed"),
        ("Ana Silva", "edited text"),
    ]
    # A reply is of the session of its thread, six days later too.
    sessions = [turn["session"] for turn in general["context"]]
    assert sessions[0] == sessions[3] != sessions[1]
    assert done.reasons == {"written by Slack (channel_join)": 1, "deleted": 1}


_ANDROID_24 = """\
03/05/2024, 10:00 - Messages and calls are end-to-end encrypted.
03/05/2024, 10:01 - Ana Silva: I moved
to Oslo: 🎉

and I like it
13/05/2024, 22:02 - Bob: <Media omitted>
13/05/2024, 22:03 - Bob: IMG-1.jpg (file attached)
13/05/2024, 22:04 - Bob: This message was deleted
13/05/2024, 22:05 - Bob: ok <This message was edited>
13/05/2024, 22:06 - Ana Silva changed the subject from "a: b" to "c: d"
"""
_ANDROID_12 = """\
5/3/24, 10:00\u202fAM - Messages and calls are end-to-end encrypted.
5/3/24, 10:01\u202fAM - Ana Silva: I moved
to Oslo: 🎉

and I like it
5/13/24, 10:02\u202fPM - Bob: <Media omitted>
5/13/24, 10:03\u202fPM - Bob: IMG-1.jpg (file attached)
5/13/24, 10:04\u202fPM - Bob: This message was deleted
5/13/24, 10:05\u202fPM - Bob: ok <This message was edited>
5/13/24, 10:06\u202fPM - Ana Silva changed the subject from "a: b" to "c: d"
"""
_IOS_24 = """\
[03.05.24, 10:00:00] Family: \u200eMessages and calls are end-to-end encrypted.
[03.05.24, 10:01:00] Ana Silva: I moved
to Oslo: 🎉

and I like it
\u200e[13.05.24, 22:02:00] Bob: \u200eimage omitted
\u200e[13.05.24, 22:03:00] Bob: \u200e<attached: IMG-1.jpg>
[13.05.24, 22:04:00] Bob: \u200eThis message was deleted.
[13.05.24, 22:05:00] Bob: ok \u200e<This message was edited>
[13.05.24, 22:06:00] Ana Silva: \u200eAna Silva changed the subject to “c: d”
"""
_IOS_12 = """\
[5/3/24, 10:00:00\u202fAM] Family: \u200eMessages and calls are end-to-end encrypted.
[5/3/24, 10:01:00\u202fAM] ~\u202fAna Silva: I moved
to Oslo: 🎉

and I like it
\u200e[5/13/24, 10:02:00\u202fPM] Bob: \u200eimage omitted
\u200e[5/13/24, 10:03:00\u202fPM] Bob: \u200e<attached: IMG-1.jpg>
[5/13/24, 10:04:00\u202fPM] Bob: \u200eThis message was deleted.
[5/13/24, 10:05:00\u202fPM] Bob: ok \u200e<This message was edited>
[5/13/24, 10:06:00\u202fPM] Ana Silva: \u200eAna Silva changed the subject to “c: d”
"""


_IOS_OLD = """\
3/5/24, 10:00:00: \u200eMessages and calls are end-to-end encrypted.
3/5/24, 10:01:00: Ana Silva: I moved
to Oslo: 🎉

and I like it
13/5/24, 22:02:00: Bob: \u200eimage omitted
13/5/24, 22:03:00: Bob: \u200e<attached: IMG-1.jpg>
13/5/24, 22:04:00: Bob: \u200eThis message was deleted.
13/5/24, 22:05:00: Bob: ok
13/5/24, 22:06:00: Ana Silva: \u200eAna Silva changed the subject to “c: d”
"""


@pytest.mark.parametrize("text", [_ANDROID_24, _ANDROID_12, _IOS_24, _IOS_12, _IOS_OLD])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_whatsapp(text: str, encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "chat.txt"
    file.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert _format(file) == "whatsapp"
    done = imported(file, timezone="Europe/Oslo")
    assert [turn["time"] for turn in done.turns] == [
        "2024-05-03T10:01:00+02:00",
        *(f"2024-05-13T22:0{minute}:00+02:00" for minute in (2, 3, 5)),
    ]
    assert [turn["speaker"] for turn in done.turns] == ["Ana Silva", "Bob", "Bob", "Bob"]
    first, omitted, attached, edited = done.texts
    assert first == "I moved\nto Oslo: 🎉\n\nand I like it"
    assert omitted.endswith(", not in the export]")
    assert attached == "[attachment: IMG-1.jpg]"
    assert edited == "ok"
    assert done.reasons == {"written by WhatsApp": 2, "deleted": 1}
    assert [turn["session"] for turn in done.turns] == ["1", "2", "2", "2"]


def test_whatsapp_in_a_zip_with_what_was_sent(tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"_chat.txt": _IOS_24, "IMG-1.jpg": "x"})
    assert _format(path) == "whatsapp"
    assert len(imported(path).turns) == 4


@pytest.mark.parametrize("current", ["c", None])
def test_chatgpt(current: str | None, tmp_path: Path) -> None:
    file = write(tmp_path / "conversations.json", [chatgpt_conversation(current)])
    assert _format(file) == "chatgpt"
    done = imported(file)
    assert [(turn["role"], turn["text"]) for turn in done.turns] == [
        ("user", "I moved to Oslo. 🎉"),
        ("assistant", "Noted: Oslo."),
    ]
    assert done.reasons == {"a system message": 1, "on a branch that is not shown": 1}


def test_chatgpt_of_several_files_with_images_tools_and_voice(tmp_path: Path) -> None:
    conversation = chatgpt_conversation()
    nodes = conversation["mapping"]
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://img"}
    voice = {"content_type": "audio_transcription", "text": "and I said this"}
    nodes["a"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [image, "Look", voice],
    }
    nodes["a"]["message"]["metadata"] = {"attachments": [{"id": "1", "name": "map.png"}]}
    nodes["c"]["message"]["recipient"] = "python"
    other = {**chatgpt_conversation("b"), "conversation_id": "conv-2", "title": "Again"}
    path = zipped(
        tmp_path / "export.zip",
        {
            "conversations-000.json": [conversation],
            "conversations-001.json": [other],
            "chat.html": "x",
        },
    )
    assert _format(path) == "chatgpt"
    done = imported(path)
    assert (
        "Look\nand I said this\n[attachment: file-service://img]\n[attachment: map.png]"
        in done.texts
    )
    assert "An answer that was made again." in done.texts
    assert done.reasons["what a model told a tool"] == 1
    # One person's conversations are one history, and each is a session.
    assert len(done.rows) == 1
    assert {turn["session"] for turn in done.turns} == {"1", "2"}


def test_claude(tmp_path: Path) -> None:
    file = write(tmp_path / "conversations.json", [claude_conversation()])
    assert _format(file) == "claude"
    done = imported(file)
    assert [(turn["role"], turn["text"]) for turn in done.turns] == [
        ("user", "Here is my plan.\n[attachment: plan.txt]"),
        ("assistant", "I read it."),
        ("user", "[attachment: photo.png]"),
    ]
    assert done.reasons == {"empty": 1}


def test_claude_with_branches_in_a_zip(tmp_path: Path) -> None:
    conversation = claude_conversation(current_leaf_message_uuid="m3")
    for message, parent in zip(
        conversation["chat_messages"], (None, "m1", "m1", "m3"), strict=True
    ):
        message["parent_message_uuid"] = parent
    path = zipped(tmp_path / "data.zip", {"conversations.json": [conversation], "users.json": []})
    assert _format(path) == "claude"
    done = imported(path)
    assert done.texts == ["Here is my plan.\n[attachment: plan.txt]", "[attachment: photo.png]"]
    assert done.reasons == {"on a branch that is not shown": 2}


def test_mail(tmp_path: Path) -> None:
    reply = mail(
        2,
        "Paid.\n\nOn Fri, 3 May 2024 Ana <a@x.org> wrote:\n> I have a question.\n",
        In_Reply_To="<m1@example.org>",
        From="support@example.org",
    )
    page = mail(3, "x", Subject="News")
    page.set_content("<style>p{}</style><p>Hello &amp; <b>bye</b></p><script>x()</script>", "html")
    page.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="invoice.pdf")
    file = mbox(
        tmp_path / "inbox.mbox", [mail(1, "I have a question.\n"), reply, mail(1, "Twice"), page]
    )
    assert _format(file) == "mail"
    done = imported(file)
    assert done.texts == [
        "Invoice\nI have a question.",
        "Paid.",
        "News\nHello & bye\n[attachment: invoice.pdf]",
    ]
    assert [turn["speaker"] for turn in done.turns] == [
        "Ana Silva",
        "support@example.org",
        "Ana Silva",
    ]
    assert [turn["session"] for turn in done.turns] == ["1", "1", "2"]
    assert done.reasons == {"the same message twice": 1}


def test_mail_with_headers_that_cannot_be_read(tmp_path: Path) -> None:
    lines = [
        "From: =?utf-8?q?An=C3=A4?= <ana@example.org>, , <",
        "Message-ID: <[bad",
        "References: ,, <x> <",
        "Date: someday",
        "Subject: =?x?",
        "Content-Type: text/plain; charset=nonsense",
        "",
        "Hello",
    ]
    bad = write(tmp_path / "bad.eml", "\n".join(lines))
    good = write(tmp_path / "good.eml", mail(1, "Hi").as_string())
    done = imported(bad, good)
    assert len(done.turns) == 1
    [skipped] = done.skipped
    assert skipped.place == str(bad)


def test_a_folder_of_single_mails(tmp_path: Path) -> None:
    folder = tmp_path / "case 7"
    for number in (2, 1):
        write(folder / f"{number}.eml", mail(number, f"Text {number}").as_string())
    write(folder / "notes.ini", "x")
    done = imported(folder)
    assert [text.rpartition("\n")[2] for text in done.texts] == ["Text 1", "Text 2"]
    assert [path.name for path in done.result.unread] == ["notes.ini"]


_TALK = """{0}Ana{4} I moved.
to Oslo

{1}Bob{4} Nice.
Note: call back
{2}Ana{4} Yes.
{3}Bob{4} Ok.
"""


@pytest.mark.parametrize(
    ("lead", "end"),
    [("", ":"), ("**", ":**"), ("[2024-05-03 10:0#] ", ":"), ("2024-05-03 10:00:0# - ", ":")],
)
def test_transcripts(lead: str, end: str, tmp_path: Path) -> None:
    text = _TALK.format(*(lead.replace("#", str(number)) for number in range(4)), end)
    file = write(tmp_path / "call.txt", text)
    assert _format(file) == "transcript"
    done = imported(file)
    assert done.texts == ["I moved.\nto Oslo", "Nice.\nNote: call back", "Yes.", "Ok."]
    assert [turn["speaker"] for turn in done.turns] == ["Ana", "Bob", "Ana", "Bob"]
    assert all("time" in turn for turn in done.turns) == ("2024" in text)


def test_ids_hold_the_name_of_the_history_in_any_script(tmp_path: Path) -> None:
    for name in ("Ana & Bob.txt", "شات.txt", "🎉.txt"):
        write(tmp_path / name, "Ana: hi\nBob: ho\n")
    done = imported(*sorted(tmp_path.glob("*.txt")))
    ids = {turn["id"].rpartition("-")[0] for turn in done.turns}
    assert ids == {"ana-bob", unicodedata.normalize("NFKC", "شات"), "history"}


@pytest.mark.skipif(not _SHARED.is_dir(), reason="../shared/formats is not there")
def test_no_result_file_is_an_export_of_chats() -> None:
    taken = {path.name: _format(path) for path in sorted(_SHARED.iterdir())}
    assert {name: found for name, found in taken.items() if found} == {}
