"""In every shape, each message becomes one turn in its order, or is skipped with a reason."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.errors import DataError
from tests.chats.exports import (
    Row,
    chatgpt_conversation,
    claude_conversation,
    imported,
    mail,
    mbox,
    write,
    zipped,
)

_TEXTS = ("Hi", "Ok 🎉", "مرحبا", "a, b; c", 'so "quoted"', "1/2/24")


class _Said(NamedTuple):
    """A message: who of two says what; without a text, it is one that is told to nobody."""

    author: str
    text: str | None


def _table(said: Sequence[_Said], folder: Path) -> Path:
    quoted = [(one.author, (one.text or "").replace('"', '""')) for one in said]
    lines = [f'{author},"{text}",2024-05-03 10:00\n' for author, text in quoted]
    return write(folder / "a.csv", "author,text,time\n" + "".join(lines))


def _transcript(said: Sequence[_Said], folder: Path) -> Path:
    return write(folder / "a.txt", "".join(f"{one.author}: {one.text or ''}\n" for one in said))


def _mail(said: Sequence[_Said], folder: Path) -> Path:
    """A mailbox; what is told to nobody repeats the message before it."""
    numbers = [0 if one.text is None else n for n, one in enumerate(said, start=1)]
    messages = [
        mail(1, one.text or "Twice", Message_ID=f"<m{number}@example.org>", Subject="")
        for number, one in zip(numbers, said, strict=True)
    ]
    return mbox(
        folder / "in.mbox", [mail(1, "First", Message_ID="<m0@x.org>", Subject=""), *messages]
    )


def _slack(said: Sequence[_Said], folder: Path) -> Path:
    messages = [
        {"type": "message", "user": one.author, "text": one.text or "", "ts": f"{1714730400 + n}.1"}
        | ({"subtype": "channel_join"} if one.text is None else {})
        for n, one in enumerate(said)
    ]
    people = [{"id": "Ana", "name": "ana"}, {"id": "Bob", "name": "bob"}]
    channels = [{"id": "C1", "name": "general"}]
    files = {"users.json": people, "channels.json": channels, "general/2024-05-03.json": messages}
    return zipped(folder / "slack.zip", files)


def _chatgpt(said: Sequence[_Said], folder: Path) -> Path:
    conversation = chatgpt_conversation()
    nodes: dict[str, Row] = {}
    for n, one in enumerate(said):
        message = {
            "author": {"role": "user" if one.text else "system"},
            "content": {"content_type": "text", "parts": [one.text or "Be kind."]},
            "create_time": 1714730400.0 + n,
        }
        nodes[f"n{n}"] = {"id": f"n{n}", "parent": f"n{n - 1}" if n else None, "message": message}
    changed = {"mapping": nodes, "current_node": f"n{len(said) - 1}"}
    return write(folder / "conversations.json", [{**conversation, **changed}])


def _claude(said: Sequence[_Said], folder: Path) -> Path:
    messages = [
        {"uuid": f"m{n}", "sender": "human", "text": one.text or "", "created_at": None}
        for n, one in enumerate(said)
    ]
    return write(folder / "conversations.json", [claude_conversation(chat_messages=messages)])


_SHAPES: dict[str, Callable[[Sequence[_Said], Path], Path]] = {
    "table": _table,
    "transcript": _transcript,
    "mail": _mail,
    "slack": _slack,
    "chatgpt": _chatgpt,
    "claude": _claude,
}
_SAID = st.builds(_Said, st.sampled_from(["Ana", "Bob"]), st.none() | st.sampled_from(_TEXTS))


@pytest.mark.parametrize("layout", _SHAPES)
@given(said=st.lists(_SAID, max_size=8).map(lambda said: [_Said("Ana", "Begin"), *said]))
@settings(deadline=None, max_examples=10)
def test_messages_are_told_in_their_order_or_skipped(
    layout: str, tmp_path_factory: pytest.TempPathFactory, said: list[_Said]
) -> None:
    file = _SHAPES[layout](said, tmp_path_factory.mktemp("export"))
    done = imported(file, layout=layout)
    expected = [one.text for one in said if one.text is not None]
    texts, messages = done.texts, done.result.messages
    if layout == "mail":  # A mailbox begins with one more, and the first repetition is told.
        texts, messages = [text for text in texts if text not in ("First", "Twice")], messages - 1
    assert texts == expected
    assert messages == len(said)


def test_slack_of_another_version(tmp_path: Path) -> None:
    """As older exports were: no profiles, groups, a thread that is shown in its channel, files."""
    files = {
        "users.json": [{"id": "U1", "name": "ana"}, {"id": "U2", "name": "bob", "profile": None}],
        "groups.json": [{"id": "G1", "name": "secret", "members": ["U1", "U2"]}],
        "mpims.json": [{"id": "G2", "members": ["U1", "U2"]}],
        "secret/2015-05-03.json": [
            {"type": "message", "user": "U1", "text": "hi", "ts": "1430647200.000002"},
            {
                "type": "message",
                "subtype": "thread_broadcast",
                "user": "U2",
                "text": "ho",
                "ts": "1430647260.000002",
                "thread_ts": "1430647200.000002",
            },
            {
                "type": "message",
                "subtype": "file_share",
                "user": "U1",
                "text": "look",
                "files": [{"title": "Plan"}],
                "ts": "1430647300.0",
            },
            {"type": "message", "subtype": "channel_topic", "text": "t", "ts": "1430647400.0"},
        ],
    }
    done = imported(zipped(tmp_path / "old.zip", files))
    assert done.result.formats == ["Slack"]
    told = [(turn["speaker"], turn["text"]) for turn in done.turns]
    assert told == [("ana", "hi"), ("bob", "ho"), ("ana", "look\n[attachment: Plan]")]
    assert done.reasons == {"written by Slack (channel_topic)": 1}


def test_a_mailbox_that_is_cut_off_keeps_what_is_whole(tmp_path: Path) -> None:
    page = mail(2, "Second.", Subject="")
    page.add_attachment(b"%PDF" * 200, maintype="application", subtype="pdf", filename="plan.pdf")
    file = mbox(tmp_path / "in.mbox", [mail(1, "First.", Subject=""), page])
    file.write_bytes(file.read_bytes()[:-300])
    assert imported(file).texts == ["First.", "Second.\n[attachment: plan.pdf]"]


def test_a_transcript_in_another_encoding_is_named_by_line(tmp_path: Path) -> None:
    file = tmp_path / "call.txt"
    file.write_bytes("Ana: hi\nJosé: olé\nAna: so\nJosé: ok\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"call\.txt, line 2: not in utf-8.*`encoding`"):
        imported(file, layout="transcript")
