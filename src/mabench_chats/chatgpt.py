"""ChatGPT's `conversations.json`: of the tree of each conversation, the branch that is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
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
from mabench_chats.fields import UNSPOKEN, file_name, read_role
from mabench_chats.files import Part, first_items, is_zip, names_in, parts_of, stream_items

# Large exports are in several files.
_FILE = re.compile(r"conversations(?:-\d+)?\.json")
_TREE = {"mapping"}
# What contents of a message are that nobody said.
_UNSAID = {
    "thoughts": "what a model thought",
    "reasoning_recap": "what a model thought",
    "user_editable_context": "a system message",
    "model_editable_context": "a system message",
    "execution_output": "what a tool returned",
    "tether_browsing_display": "what a tool returned",
    "tether_quote": "what a tool returned",
    "system_error": "an error message",
}
_TRANSCRIBED = "audio_transcription"


def _recognizes(glimpse: Glimpse) -> bool:
    return has_conversations(glimpse.path, _TREE)


def has_conversations(path: Path, fields: set[str]) -> bool:
    """Return whether a file, a folder or a zip has a list of conversations with some fields."""
    first: Any = None
    if path.is_dir() or is_zip(path):
        if any(_FILE.fullmatch(PurePosixPath(name).name) for name in names_in(path)):
            parts = conversation_parts(path)
            first = next(iter(first_items(parts[0])), None) if parts else None
    elif path.suffix.lower() == ".json":
        first = next(iter(first_items(parts_of(path)[0])), None)
    return isinstance(first, Mapping) and first.keys() >= fields


def conversation_parts(path: Path) -> list[Part]:
    """Return the files of conversations at a path; a file alone may have any name."""
    parts = parts_of(path)
    if path.is_dir() or is_zip(path):
        return [part for part in parts if _FILE.fullmatch(PurePosixPath(part.name).name)]
    return parts


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    for part in conversation_parts(path):
        for conversation in stream_items(part, "item"):
            yield from _conversation(conversation)


def _conversation(conversation: Item) -> Iterator[ChatMessage | SkippedMessage]:
    """Yield the messages on the branch that is shown, and then those on other branches."""
    nodes = conversation["mapping"]
    shown = _branch(nodes.fields(), conversation.value.get("current_node"))
    title = conversation["title"].optional_text() or "untitled"
    session = title
    for field in ("conversation_id", "id", "create_time"):
        if conversation.value.get(field):
            session = str(conversation.value[field])
            break
    for name in shown:
        if isinstance(nodes[name].value.get("message"), Mapping):
            yield _message(nodes[name]["message"], title, session)
    for name, node in nodes.entries():
        if name not in shown and isinstance(node.value, Mapping) and node.value.get("message"):
            yield SkippedMessage(str(node), "on a branch that is not shown")


def _branch(nodes: Mapping[str, Any], current: Any) -> dict[str, None]:
    """Return the names of the nodes from the root to the current one, in this order.

    Without a current one, it is the branch of the node that was made last.
    """
    if not isinstance(current, str) or current not in nodes:
        made = [name for name, node in nodes.items() if isinstance(node, Mapping)]
        current = made[-1] if made else None
    path: dict[str, None] = {}
    while isinstance(current, str) and current not in path:
        node = nodes.get(current)
        if not isinstance(node, Mapping):
            break
        path[current] = None
        current = node.get("parent")
    return dict.fromkeys(reversed([*path]))


def _message(item: Item, title: str, session: str) -> ChatMessage | SkippedMessage:
    author = item.value.get("author")
    role = read_role(author.get("role")) if isinstance(author, Mapping) else None
    content = item["content"]
    kind = content.value.get("content_type") if isinstance(content.value, Mapping) else None
    if role in UNSPOKEN:
        return SkippedMessage(str(item), UNSPOKEN[role])
    if isinstance(kind, str) and kind in _UNSAID:
        return SkippedMessage(str(item), _UNSAID[kind])
    if role == "assistant" and item.value.get("recipient") not in ("all", None):
        return SkippedMessage(str(item), "what a model told a tool")
    text, names = _text(content)
    names += [*_attached(item)]
    if not text.strip() and not names:
        return SkippedMessage(str(item), "empty")
    time = read_date(item.value.get("create_time"))
    if isinstance(time, OpenDate) or (time is None and item.value.get("create_time")):
        raise item["create_time"].fault("seconds since 1970")
    return ChatMessage(
        place=str(item),
        text=text,
        time=time,
        role=role or "user",
        channel=title,
        session=session,
        attachments=tuple(dict.fromkeys(names)),
    )


def _text(content: Item) -> tuple[str, list[str]]:
    """Return the text of a content, and the names of what is no text in it."""
    if not isinstance(content.value, Mapping):
        return content.optional_text() or "", []
    parts = content.value.get("parts")
    if not isinstance(parts, list):
        return content["text"].optional_text() or "", []
    texts, names = [], []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            if part.get("content_type") == _TRANSCRIBED and isinstance(part.get("text"), str):
                texts.append(part["text"])
            else:
                names.append(str(part.get("asset_pointer") or part.get("content_type") or "a file"))
    return "\n".join(text for text in texts if text), names


def _attached(item: Item) -> Iterator[str]:
    """Yield the names of the files that were sent with a message."""
    metadata = item.value.get("metadata")
    listed = metadata.get("attachments") if isinstance(metadata, Mapping) else None
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, Mapping):
            yield file_name(each)


FORMAT = ChatFormat(
    published="conversations.json, or the zip or the folder of the export",
    program="ChatGPT",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.FILE,),
    basis="public parsers and their examples, as OpenAI documents no form",
)
