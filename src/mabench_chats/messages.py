"""Messages as JSON or JSON Lines, alone or in conversations, by the usual names of fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
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
from mabench.text.dates import OpenDate, read_date
from mabench_chats.date_order import find_order, resolve_time
from mabench_chats.fields import (
    NAMES,
    UNSPOKEN,
    find_fields,
    is_message,
    normalize,
    read_attachments,
    read_name,
    read_role,
    read_text,
)
from mabench_chats.files import Part, lines_of, parse_json, parts_of, stream_items
from mabench_chats.nesting import NestingGuard

# What lists of messages, or of conversations, are called in objects.
_LISTS = (
    *("messages", "conversations", "chats", "turns", "conversation", "dialogue", "dialog"),
    *("history", "items", "data", "records", "events", "list"),
)
_INNER = ("message", "data", "payload")  # Objects in which a message may be wrapped.
_NAMES_OF_CHANNELS = ("name", "title", "subject", "id", "uuid")
_DELETED = ("deleted", "isdeleted")
_OWN_ROW = {"context", "questions"}
_EXPECTED_TIME = "a time, such as 2024-05-03T10:00Z"
_Told = ChatMessage | SkippedMessage
_Items = Callable[[], Iterator[tuple[Item, Mapping[str, Any]]]]


def _recognizes(glimpse: Glimpse) -> bool:
    if glimpse.path.is_dir():
        return False
    first = glimpse.first_item or glimpse.first_line or glimpse.document
    if not isinstance(first, Mapping) or first.keys() >= _OWN_ROW:
        return False
    return is_message(_unwrap(first)) or _holds_messages(first)


def _holds_messages(value: Mapping[str, Any], depth: int = 0) -> bool:
    """Return whether an object has a list of messages, or of conversations with messages."""
    if "mapping" in value or "chat_messages" in value:
        return False  # Of ChatGPT and Claude, which have readers of their own.
    for name in _LISTS:
        inner = value.get(name)
        if isinstance(inner, Mapping) and depth < 2 and _holds_messages(inner, depth + 1):
            return True
        for each in inner[:3] if isinstance(inner, list) else ():
            if is_message(_unwrap(each)):
                return True
            if isinstance(each, Mapping) and depth < 2 and _holds_messages(each, depth + 1):
                return True
    return False


def _unwrap(value: Any) -> Any:
    """Return an object with the fields of the message that is wrapped in it, if one is."""
    if isinstance(value, Mapping):
        for name in _INNER:
            inner = value.get(name)
            if isinstance(inner, Mapping) and "text" in find_fields(map(str, inner)):
                return {**{k: v for k, v in value.items() if k != name}, **inner}
    return value


def _read(path: Path, options: ReadingOptions) -> Iterator[_Told]:
    [part] = parts_of(path)
    items = partial(_items_of, part)
    reader = _MessageReader(items, part.place, options)
    for item, around in items():
        yield from reader.read(item, around)


class _MessageReader:
    """Reads the messages of one file; the order of open dates is found when the first is met."""

    def __init__(self, items: _Items, file: str, options: ReadingOptions) -> None:
        self._items, self._file = items, file
        self._columns = options.columns
        self._order = options.date_order

    def read(self, item: Item, around: Mapping[str, Any]) -> Iterator[_Told]:
        """Yield the messages of an item of the file: itself, or those nested in it."""
        for each, outer in _flatten(item, around):
            yield self._message(each, outer)

    def _message(self, item: Item, around: Mapping[str, Any]) -> _Told:
        if not isinstance(item.value, Mapping):
            return SkippedMessage(str(item), "no object")
        item = Item(item.file, item.place, _unwrap(item.value))
        fields = {**find_fields(map(str, item.value)), **self._columns}
        if any(item.value.get(name) is True for name in item.value if normalize(name) in _DELETED):
            return SkippedMessage(str(item), "deleted")
        if "text" not in fields:
            return SkippedMessage(str(item), "no field that holds a text")
        text, names = read_text(item[fields["text"]])
        if "attachments" in fields:
            names += read_attachments(item[fields["attachments"]])
        role, speaker = _read_who(item, fields)
        if role in UNSPOKEN:
            return SkippedMessage(str(item), UNSPOKEN[role])
        if not text.strip() and not names:
            return SkippedMessage(str(item), "empty")
        return ChatMessage(
            place=str(item),
            text=text,
            time=self._time(item[fields["time"]]) if "time" in fields else None,
            speaker=speaker,
            role=role,
            user=_name_of(item, around, fields, "user"),
            channel=_name_of(item, around, fields, "channel"),
            session=_name_of(item, around, fields, "session"),
            attachments=tuple(names),
        )

    def _time(self, item: Item) -> Any:
        """Return the time in a field; None of an empty one. Raises for what is no time."""
        if item.value in (None, ""):
            return None
        moment = read_date(item.value)
        if moment is None:
            raise item.fault(f"{_EXPECTED_TIME}, or nothing")
        if isinstance(moment, OpenDate) and self._order is None:
            self._order = find_order(self._all_times(), self._file, None)
        return resolve_time(moment, self._order, item)

    def _all_times(self) -> Iterator[Any]:
        """Yield the times of all messages of the file, read anew, as far as they can be read."""
        for item, around in self._items():
            for each, _ in _flatten(item, around):
                if isinstance(each.value, Mapping):
                    own = _unwrap(each.value)
                    name = {**find_fields(map(str, own)), **self._columns}.get("time")
                    yield read_date(own.get(name)) if name else None


def _read_who(item: Item, fields: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the role and the name of who says a message; None for one that it does not tell.

    A speaker may be a role, such as ``assistant``, or an object with one. A role that no model has,
    such as ``agent``, is a name if there is no other.
    """
    speaker = read_name(item[fields["speaker"]]) if "speaker" in fields else None
    role = read_role(item.value.get(fields["role"])) if "role" in fields else None
    if role is not None:
        return role, speaker
    if "speaker" in fields:
        role_as_name = read_role(speaker)
        if role_as_name is not None:
            return role_as_name, None
        role = _role_of(item.value.get(fields["speaker"]))
    if role is None and speaker is None and "role" in fields:
        speaker = read_name(item[fields["role"]])
    return role, speaker


def _role_of(value: Any) -> str | None:
    """Return the known role that an object names, such as an author with a ``role``."""
    return read_role(value.get("role")) if isinstance(value, Mapping) else None


def _name_of(
    item: Item, around: Mapping[str, Any], fields: Mapping[str, str], field: str
) -> str | None:
    """Return a name that the message has, or else the conversation around it."""
    own = read_name(item[fields[field]]) if field in fields else None
    return own or around.get(field)


def _flatten(item: Item, around: Mapping[str, Any]) -> Iterator[tuple[Item, Mapping[str, Any]]]:
    """Yield an item, or what is in the lists of messages in it, with what is said around it."""
    value = item.value
    if isinstance(value, Mapping) and not is_message(_unwrap(value)):
        for name in _LISTS:
            if isinstance(value.get(name), list):
                own = {**around, **_said_around(item)}
                for each in item[name].items():
                    yield from _flatten(each, own)
                return
            if isinstance(value.get(name), Mapping) and name not in _INNER:
                yield from _flatten(item[name], {**around, **_said_around(item)})
                return
    yield item, around


def _said_around(item: Item) -> dict[str, str]:
    """Return what an object says of all messages in it: the channel, the user, the session."""
    by_name = {normalize(str(name)): str(name) for name in item.value}
    said = {}
    for field in ("user", "channel", "session"):
        usual_names = NAMES[field]
        if field == "channel":
            usual_names += _NAMES_OF_CHANNELS
        for usual in usual_names:
            value = item.value.get(by_name.get(usual))
            if isinstance(value, str | int | Mapping) and not isinstance(value, bool):
                name = read_name(item[by_name[usual]])
                if name:
                    said[field] = name
                    break
    return said


def _items_of(part: Part) -> Iterator[tuple[Item, Mapping[str, Any]]]:
    """Yield the items of a file one at a time, with what the file says around them."""
    beginning = part.beginning().removeprefix(b"\xef\xbb\xbf").lstrip()
    if beginning[:1] == b"[":
        yield from ((item, {}) for item in stream_items(part, "item"))
    elif _is_lines(beginning) or part.name.lower().endswith((".jsonl", ".ndjson")):
        for number, line in lines_of(part):
            if line.strip():
                place = f"line {number}"
                value = parse_json(line, f"{part.place}, {place}")
                yield Item(part.place, place, value), {}
    else:
        prefix, around = _find_list(part)
        yield from ((item, around) for item in stream_items(part, prefix))


def _is_lines(beginning: bytes) -> bool:
    """Return whether a file is of JSON Lines: its first line is whole JSON, and more follows."""
    first, _, rest = beginning.partition(b"\n")
    try:
        parse_json(first, "")
    except DataError:
        return False
    return bool(rest.strip())


def _find_list(part: Part) -> tuple[str, Mapping[str, Any]]:
    """Return where the items of an object are, and what it says of them; one pass over the file.

    The items are those of the first list that is in fields of ``_LISTS`` alone:
    ``data.messages.item`` of ``{"data": {"messages": [...]}}``.
    """
    import ijson

    prefix = ""
    said: dict[str, Any] = {}
    try:
        with part.open() as stream:
            if stream.read(3) != b"\xef\xbb\xbf":
                stream.seek(0)
            for place, event, value in ijson.parse(NestingGuard(stream), use_float=True):
                is_list_of_items = event == "start_array" and {*_LISTS}.issuperset(place.split("."))
                if is_list_of_items and not prefix:
                    prefix = f"{place}.item"
                elif event in ("string", "number") and "." not in place:
                    said[place] = value
    except (ijson.JSONError, ValueError, RecursionError):
        pass  # Reading the items names the place.
    around = _said_around(Item(part.place, "", said))
    return prefix or "item", around


FORMAT = ChatFormat(
    published="a JSON or JSON Lines file of messages, or of conversations with messages",
    program="many programs and model APIs",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.USER, HistoryUnit.CHANNEL, HistoryUnit.FILE),
    basis="the messages of model APIs, and public exports of Telegram, ShareGPT and others",
)
