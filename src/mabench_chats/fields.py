"""What the usual fields of a message are called, in objects and in columns.

The names are those of public exports and of the messages of model APIs. A field that is not
known by its name is not guessed from what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mabench.formats import Item

_NAMES = {
    "text": "text content body message msg parts messagetext messagebody utterance comment value",
    "speaker": "speaker author sender from name username sendername authorname fromname "
    "displayname realname nickname handle agentname",
    "role": "role authorrole sendertype messagerole fromrole authortype direction",
    # One that has a zone by its nature comes before one that may have none.
    "time": "dateunixtime time timestamp datetime date createdat createddatetime created "
    "createtime sentat sent postedat ts datesent timesent messagetime",
    "user": "user userid customer customerid customername client clientid visitor requester "
    "requesterid contact contactid",
    "channel": "channel channelname conversation conversationid chat chatid ticket ticketid room "
    "roomid thread threadid case caseid dialogueid dialogid",
    "session": "session sessionid",
    "attachments": "attachments attachment files file media images photo",
}
# By field of a message, its names without case, spaces, hyphens and underscores; the first counts.
NAMES: Mapping[str, tuple[str, ...]] = {
    field: tuple(names.split()) for field, names in _NAMES.items()
}
_PERSON = ("name", "displayname", "realname", "username", "firstname", "email", "role", "id")
_FILE_NAMES = ("filename", "name", "title", "url", "id", "type")
_ROLES = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "chatbot"), "assistant"),
    **{name: name for name in ("system", "developer", "tool", "function")},
}
# Roles whose messages nobody said.
UNSPOKEN = {
    "system": "a system message",
    "developer": "a system message",
    "tool": "what a tool returned",
    "function": "what a tool returned",
}


def normalize(name: str) -> str:
    """Return the name of a field without case, spaces, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", name).lower()


def find_fields(names: Iterable[str]) -> dict[str, str]:
    """Return for each field of a message the name that it has among these, if it has one."""
    by_name: dict[str, str] = {}  # The first name of those that are the same when normalized.
    for name in names:
        by_name.setdefault(normalize(name), name)
    fields: dict[str, str] = {}
    for field, usual_names in NAMES.items():
        present = [by_name[usual] for usual in usual_names if usual in by_name]
        if present:
            fields[field] = present[0]
    if "type" in by_name and "role" not in fields:
        fields["role"] = by_name["type"]
    if "speaker" not in fields and "role" not in fields and "user" in fields:
        fields["speaker"] = fields.pop("user")  # Nobody else is named who could have said it.
    return fields


def is_message(value: object) -> bool:
    """Return whether an object is a message: it has a text, and who said it or when."""
    if not isinstance(value, Mapping):
        return False
    fields = find_fields(map(str, value))
    return "text" in fields and bool({"speaker", "role", "time"} & fields.keys())


def read_role(value: object) -> str | None:
    """Return a role in the words of model APIs; None for what is no known role."""
    return _ROLES.get(value.strip().lower()) if isinstance(value, str) else None


def read_name(item: Item) -> str | None:
    """Return the name of a person or a channel, also out of an object with a name or an address."""
    if isinstance(item.value, Mapping):
        return _name_in(item, item.value)
    if isinstance(item.value, int) and not isinstance(item.value, bool):
        return str(item.value)
    return (item.optional_text() or "").strip() or None


def _name_in(item: Item, fields: Mapping[Any, Any]) -> str | None:
    """Return the first name that an object has in a usual field, or else in an object in it."""
    by_name = {normalize(str(key)): value for key, value in fields.items()}
    for usual in _PERSON:
        value = by_name.get(usual)
        if isinstance(value, str) and value:
            return value
    for key, value in fields.items():
        if isinstance(value, Mapping):
            name = read_name(item[str(key)])
            if name:
                return name
    return None


def read_text(item: Item) -> tuple[str, list[str]]:
    """Return the text of a message, and the names of what is no text in it.

    A text may be in parts, as in the messages of model APIs. Raises ``DataError`` for a value that
    is none.
    """
    value = item.value
    if value is None:
        return "", []
    if isinstance(value, str):
        return value, []
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value), []
    if isinstance(value, list):
        return _read_parts(item, value)
    if isinstance(value, Mapping):
        for name in ("text", "content", "parts", "value"):
            if name in value:
                return read_text(item[name])
        return "", [file_name(value)]
    raise item.fault("a text, or a list of its parts")


def _read_parts(item: Item, parts: list[Any]) -> tuple[str, list[str]]:
    """Return the text of a list of parts, and the names of what is no text in it.

    Objects alone are paragraphs. Bare texts among them go on in the same line: ``"see "``, then an
    object for a formatted word.
    """
    texts: list[str] = []
    names: list[str] = []
    for part in item.items():
        text, names_of_part = read_text(part)
        if text:
            texts.append(text)
        names += names_of_part
    are_paragraphs = all(isinstance(part, Mapping) or part is None for part in parts)
    return ("\n" if are_paragraphs else "").join(texts), names


def read_attachments(item: Item) -> list[str]:
    """Return the names of files that were sent with a message."""
    value = item.value
    if not value:
        return []
    if isinstance(value, list):
        return [name for part in item.items() for name in read_attachments(part)]
    return [file_name(value) if isinstance(value, Mapping) else str(value)]


def file_name(value: Mapping[Any, Any]) -> str:
    """Return what a file that was sent is called, or else of what kind it is."""
    by_name = {normalize(str(key)): text for key, text in value.items()}
    for usual in _FILE_NAMES:
        text = by_name.get(usual)
        if isinstance(text, str) and text:
            return text
    return "a file"
