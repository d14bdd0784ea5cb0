"""Claude's export: `conversations.json` with the `chat_messages` of each conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mabench.formats import (
    ChatFormat,
    ChatMessage,
    Glimpse,
    HistoryUnit,
    Item,
    ReadingOptions,
    SkippedMessage,
)
from mabench.text.dates import OpenDate, read_date
from mabench_chats.chatgpt import conversation_parts, has_conversations
from mabench_chats.fields import read_attachments, read_role
from mabench_chats.files import stream_items

_FILES = ("attachments", "files", "files_v2")
# What a root's parent is called.
_NO_PARENT = (None, "", "00000000-0000-4000-8000-000000000000")


def _recognizes(glimpse: Glimpse) -> bool:
    return has_conversations(glimpse.path, {"chat_messages"})


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    for part in conversation_parts(path):
        for conversation in stream_items(part, "item"):
            name = conversation["name"].optional_text() or "untitled"
            session = str(conversation.fields().get("uuid") or name)
            messages = conversation["chat_messages"].items()
            shown = _branch([item.value for item in messages], conversation.value)
            for number, item in enumerate(messages):
                if not isinstance(item.value, Mapping):
                    yield SkippedMessage(str(item), "no object")
                elif number not in shown:
                    yield SkippedMessage(str(item), "on a branch that is not shown")
                else:
                    yield _message(item, name, session)


def _branch(messages: list[Any], conversation: Mapping[str, Any]) -> set[int]:
    """Return the numbers of the messages from the first to the one that is shown last.

    All are shown unless every message names the one before it.
    """
    if not messages:
        return set()
    fields = [each if isinstance(each, Mapping) else {} for each in messages]
    if not all("parent_message_uuid" in each and each.get("uuid") for each in fields):
        return {*range(len(messages))}
    numbers = {str(each["uuid"]): number for number, each in enumerate(fields)}
    leaf = str(conversation.get("current_leaf_message_uuid"))
    number: int | None = numbers.get(leaf, len(messages) - 1)
    shown: set[int] = set()
    while number is not None and number not in shown:
        shown.add(number)
        parent = fields[number]["parent_message_uuid"]
        number = None if parent in _NO_PARENT else numbers.get(str(parent))
    return shown


def _message(item: Item, name: str, session: str) -> ChatMessage | SkippedMessage:
    text = _text(item)
    names = [name for field in _FILES for name in read_attachments(item[field])]
    if not text.strip() and not names:
        return SkippedMessage(str(item), "empty")
    time = read_date(item.value.get("created_at"))
    if isinstance(time, OpenDate) or (time is None and item.value.get("created_at")):
        raise item["created_at"].fault("a time, such as 2024-05-03T10:00:00Z")
    return ChatMessage(
        place=str(item),
        text=text,
        time=time,
        role=read_role(item.value.get("sender")) or "user",
        channel=name,
        session=session,
        attachments=tuple(dict.fromkeys(names)),
    )


def _text(item: Item) -> str:
    """Return what was said: the texts among the contents, or the text of older exports."""
    contents = item.value.get("content")
    texts = [
        each["text"]
        for each in (contents if isinstance(contents, list) else ())
        if isinstance(each, Mapping)
        and each.get("type") == "text"
        and isinstance(each.get("text"), str)
    ]
    if texts:
        return "\n".join(texts)
    return item["text"].optional_text() or ""


FORMAT = ChatFormat(
    published="conversations.json, or the zip or the folder of the export",
    program="Claude",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.FILE,),
    basis="public parsers and their examples, as Anthropic documents no form",
)
