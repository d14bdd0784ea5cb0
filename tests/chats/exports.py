"""Made-up exports, as the programs write them, and a short way to import them."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from mabench.data.chats import ChatImport, ImportOptions, import_chats
from mabench.formats import SkippedMessage

Row = dict[str, Any]


class Imported:
    """An import: what came out, the rows, and every message that was skipped."""

    def __init__(self, result: ChatImport, skipped: Sequence[SkippedMessage]) -> None:
        self.result, self.skipped = result, skipped
        lines = (result.out / "conversations.jsonl").read_text("utf-8").split("\n")[:-1]
        self.rows: list[Row] = [json.loads(line) for line in lines]

    @property
    def turns(self) -> list[dict[str, str]]:
        return [turn for row in self.rows for turn in row["context"]]

    @property
    def texts(self) -> list[str]:
        return [turn["text"] for turn in self.turns]

    @property
    def reasons(self) -> dict[str, int]:
        return dict(self.result.skipped)


def imported(*paths: Path, **options: Any) -> Imported:
    """Import exports beside the first of them; the zone is UTC unless another is given."""
    skipped: list[SkippedMessage] = []
    out = paths[0].parent / f"imported-{len([*paths[0].parent.iterdir()])}"
    result = import_chats(
        paths, out, ImportOptions(**{"timezone": "UTC", **options}), on_skip=skipped.append
    )
    done = Imported(result, skipped)
    # Nothing is lost: what was read is told, or is skipped with a place and a reason.
    assert result.messages == len(done.turns) + len(skipped)
    assert sum(result.skipped.values()) == len(skipped)
    assert all(each.place and each.why for each in skipped)
    return done


def write(path: Path, content: object) -> Path:
    """Write a text as it is, and anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def zipped(path: Path, files: Mapping[str, object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            archive.writestr(name, text)
    return path


def slack_files() -> dict[str, object]:
    """Return a workspace with two channels, direct messages, threads, files and a deleted user."""
    return {
        "users.json": [
            {"id": "U1", "name": "ana", "profile": {"real_name": "Ana Silva"}},
            {"id": "U2", "name": "bob", "deleted": True, "profile": {"display_name": "Bob"}},
        ],
        "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
        "dms.json": [{"id": "D7", "members": ["U1", "U2"]}],
        "general/2024-05-03.json": [
            {"subtype": "channel_join", "type": "message", "user": "U1", "text": "joined"},
            {
                "type": "message",
                "user": "U1",
                "text": "Hi <@U2>, see <#C1|general> &amp; <https://x.org|docs>",
                "ts": "1714730400.000100",
                "thread_ts": "1714730400.000100",
                "reply_count": 1,
            },
            {
                "type": "message",
                "user": "U9",
                "text": "who am I",
                "ts": "1714730500.000100",
                "user_profile": {"real_name": "Gone Person"},
            },
            {
                "type": "message",
                "user": "U2",
                "text": "",
                "ts": "1714730600.000100",
                "files": [{"name": "plan.pdf"}],
            },
            {"type": "message", "subtype": "tombstone", "text": "Deleted.", "ts": "1714730700"},
        ],
        "general/2024-05-09.json": [
            {
                "type": "message",
                "user": "U2",
                "text": "late reply",
                "ts": "1715248800.000200",
                "thread_ts": "1714730400.000100",
            },
            {
                "type": "message",
                "subtype": "bot_message",
                "username": "ci",
                "text": "",
                "attachments": [{"fallback": "build 7 passed"}],
                "ts": "1715248900.0",
            },
            {
                "type": "message",
                "user": "U1",
                "text": "edited text",
                "edited": {"user": "U1"},
                "ts": "1715249000.0",
            },
        ],
        "D7/2024-05-04.json": [
            {"type": "message", "user": "U1", "text": "psst", "ts": "1714800000"}
        ],
    }


def chatgpt_conversation(current: str | None = "c") -> Row:
    """Return a conversation whose first answer was made again: ``b`` was replaced by ``c``."""

    def node(name: str, parent: str | None, message: Row | None) -> Row:
        return {"id": name, "parent": parent, "children": [], "message": message}

    def said(role: str, *parts: object, time: float | None = 1714730400.5, **more: Any) -> Row:
        content = {"content_type": "text", "parts": [*parts]}
        author: Row = {"role": role, "name": None, "metadata": {}}
        return {"author": author, "content": content, "create_time": time, **more}

    mapping = {
        "root": node("root", None, None),
        "s": node("s", "root", said("system", "", time=None)),
        "a": node("a", "s", said("user", "I moved to Oslo. 🎉")),
        "b": node("b", "a", said("assistant", "An answer that was made again.")),
        "c": node("c", "a", said("assistant", "Noted: Oslo.", time=1714730410.0)),
    }
    return {
        "title": "Moving",
        "create_time": 1714730400.5,
        "mapping": mapping,
        "current_node": current,
        "conversation_id": "conv-1",
    }


def claude_conversation(**more: Any) -> Row:
    def said(number: int, sender: str, text: str, **fields: Any) -> Row:
        time = f"2024-05-03T10:0{number}:00.000000Z"
        return {"uuid": f"m{number}", "sender": sender, "text": text, "created_at": time, **fields}

    messages = [
        said(1, "human", "Here is my plan.", attachments=[{"file_name": "plan.txt"}]),
        said(
            2,
            "assistant",
            "",
            content=[
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "I read it."},
            ],
        ),
        said(3, "human", "", files=[{"file_name": "photo.png"}]),
        said(4, "assistant", "", content=[]),
    ]
    return {
        "uuid": "k1",
        "name": "Plan",
        "chat_messages": messages,
        "account": {"uuid": "x"},
        **more,
    }


def mail(number: int, text: str, **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ana Silva <ana@example.org>"
    message["To"] = "support@example.org"
    message["Subject"] = "Invoice"
    message["Message-ID"] = f"<m{number}@example.org>"
    message["Date"] = f"Fri, 03 May 2024 10:0{number}:00 +0200"
    for name, value in headers.items():
        header = name.replace("_", "-")
        del message[header]
        message[header] = value
    message.set_content(text)
    return message


def mbox(path: Path, messages: Sequence[EmailMessage]) -> Path:
    parts = [
        b"From ana@example.org Fri May  3 10:00:00 2024\n" + each.as_bytes() for each in messages
    ]
    path.write_bytes(b"\n".join([*parts, b""]))
    return path
