"""Slack's export of a workspace: `users.json`, and a folder of days for each channel."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from mabench.errors import DataError
from mabench.formats import (
    ChatFormat,
    ChatMessage,
    Glimpse,
    HistoryUnit,
    Item,
    ReadingOptions,
    SkippedMessage,
)
from mabench_chats.fields import read_attachments
from mabench_chats.files import Part, names_in, parts_of, read_document

_PEOPLE = "users.json"
_CHANNEL_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json")
# What subtypes of messages say that a person said.
_SAID = {None, "bot_message", "me_message", "file_share", "file_comment", "thread_broadcast"}
_DELETED = ("tombstone", "message_deleted")
_MENTION = re.compile(r"<(?P<kind>[@#!])?(?P<target>[^|<>]*)(?:\|(?P<label>[^<>]*))?>")


def _recognizes(glimpse: Glimpse) -> bool:
    names = [PurePosixPath(name) for name in names_in(glimpse.path)]
    tops = {name.name for name in names if len(name.parts) <= 2}
    return _PEOPLE in tops and bool({*_CHANNEL_LISTS} & tops)


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    parts = parts_of(path)
    lists = {PurePosixPath(part.name).name: part for part in parts if not _is_day(part)}
    people = _read_people(lists[_PEOPLE]) if _PEOPLE in lists else {}
    channels = _read_channels([lists[each] for each in _CHANNEL_LISTS if each in lists], people)
    for part in parts:
        if _is_day(part):
            folder = PurePosixPath(part.name).parent.name
            channel = channels.get(folder, folder)
            for item in _messages(part):
                yield _message(item, channel, people, channels)


def _is_day(part: Part) -> bool:
    name = PurePosixPath(part.name)
    return bool(_DAY.fullmatch(name.name)) and len(name.parts) > 1


def _messages(part: Part) -> list[Item]:
    document = read_document(part)
    if not isinstance(document.value, list):
        raise DataError(f"{document}: no list of messages; export it again")
    return document.items()


def _read_people(part: Part) -> dict[str, str]:
    """Return the names of users by their ids, those of deleted ones as well."""
    people = {}
    for item in read_document(part).items():
        fields = item.fields()
        profile = _object(fields.get("profile"))
        names = (
            profile.get("real_name"),
            fields.get("real_name"),
            profile.get("display_name"),
            fields.get("name"),
            fields.get("id"),
        )
        people[item["id"].text()] = _first_name(names) or "somebody"
    return people


def _read_channels(lists: list[Part], people: Mapping[str, str]) -> dict[str, str]:
    """Return the names of channels by their folders; those of direct messages name the people."""
    channels = {}
    for part in lists:
        for item in read_document(part).items():
            fields = item.fields()
            name = _name(fields.get("name"))
            channel_id = _name(fields.get("id"))
            members = fields.get("members")
            member_ids = map(str, members if isinstance(members, list) else ())
            member_names = " and ".join(people.get(one, one) for one in member_ids)
            for folder in (name, channel_id):  # A folder is called by either.
                if folder is not None:
                    channels[folder] = name or member_names or folder
    return channels


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _name(value: object) -> str | None:
    """Return a value that is a text and not blank; else None."""
    return value if isinstance(value, str) and value.strip() else None


def _first_name(values: Iterable[object]) -> str | None:
    """Return the first of some values that is a name."""
    return next((name for name in map(_name, values) if name is not None), None)


def _message(
    item: Item, channel: str, people: Mapping[str, str], channels: Mapping[str, str]
) -> ChatMessage | SkippedMessage:
    if not isinstance(item.value, Mapping):
        return SkippedMessage(str(item), "no object")
    subtype = item.value.get("subtype")
    if subtype in _DELETED or item.value.get("hidden") is True:
        return SkippedMessage(str(item), "deleted")
    if item.value.get("type") not in ("message", None):
        return SkippedMessage(str(item), f"no message ({item.value['type']})")
    if not (subtype is None or isinstance(subtype, str)) or subtype not in _SAID:
        return SkippedMessage(str(item), f"written by Slack ({subtype})")
    written = item["text"].optional_text() or ""
    text = _plain(written, people, channels)
    if not text.strip():
        attached = _fallbacks(item.value.get("attachments"))
        text = _plain("\n".join(attached), people, channels)
    names = tuple(read_attachments(item["files"]))
    if not text.strip() and not names:
        return SkippedMessage(str(item), "empty")
    thread = item.value.get("thread_ts")
    return ChatMessage(
        place=str(item),
        text=text,
        time=_time(item["ts"]),
        speaker=_speaker(item.value, people),
        role="assistant" if subtype == "bot_message" else None,
        channel=channel,
        session=f"thread {thread}" if isinstance(thread, str) else None,
        attachments=names,
        mentioned=tuple(_mentioned(written, people)),
    )


def _mentioned(text: str, people: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of the people whom a text mentions, as far as they are known."""
    for match in _MENTION.finditer(text):
        if match["kind"] == "@" and (name := match["label"] or people.get(match["target"])):
            yield name


def _speaker(message: Mapping[str, Any], people: Mapping[str, str]) -> str | None:
    profile = _object(message.get("user_profile") or message.get("bot_profile"))
    user = message.get("user")
    names = (
        people.get(str(user)),
        profile.get("real_name"),
        profile.get("name"),
        message.get("username"),
        user,
        message.get("bot_id"),
    )
    return _first_name(names)


def _time(item: Item) -> datetime | None:
    """Return the time of a message, which Slack writes in seconds since 1970."""
    if item.value is None:
        return None
    try:
        return datetime.fromtimestamp(float(item.value), UTC)
    except (ValueError, TypeError, OverflowError, OSError):
        raise item.fault("seconds since 1970") from None


def _fallbacks(attachments: object) -> Iterator[str]:
    """Yield the texts of attachments: what a bot says may be in these alone."""
    for each in attachments if isinstance(attachments, list) else ():
        fields = _object(each)
        for text in (fields.get("text"), fields.get("fallback")):
            if isinstance(text, str) and text:
                yield text
                break  # The fallback is for programs that do not show the text.


def _plain(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """Return a text with the names of whom and what it mentions, and links as they are."""

    def write(match: re.Match[str]) -> str:
        kind, target, label = match["kind"], match["target"], match["label"]
        if kind == "@":
            return f"@{label or people.get(target, target)}"
        if kind == "#":
            return f"#{label or channels.get(target, target)}"
        if kind == "!":
            return f"@{label or target}".replace("@@", "@")
        return f"{label} ({target})" if label and label != target else target

    return html.unescape(_MENTION.sub(write, text))


FORMAT = ChatFormat(
    published="the folder or the zip of an export, with users.json and channels.json",
    program="Slack",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.CHANNEL,),
    basis="Slack's documentation of exports and messages",
)
