"""WhatsApp's text of a chat, as Android and iOS write it, with 12 or 24 hours, in any date order.

Which lines WhatsApp wrote itself is told by their form, not by their language: on Android no name
precedes them, on iOS an invisible mark does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from mabench.errors import DataError
from mabench.formats import (
    ChatFormat,
    ChatMessage,
    DateOrder,
    Glimpse,
    HistoryUnit,
    Item,
    ReadingOptions,
    SkippedMessage,
)
from mabench.text.dates import CLOCK, NUMERIC_DATE, OpenDate, read_stamp
from mabench_chats.date_order import find_order, resolve_time
from mabench_chats.files import Part, is_zip, lines_of, names_in, parts_of

# Invisible marks that turn the direction of writing; the first precedes what iOS wrote.
_MARK = "\u200e"
_INVISIBLE = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Some languages have a word between date and clock.
_STAMP = rf"{NUMERIC_DATE}\.?,?\s(?:[^\W\d]{{1,4}}\s)?{CLOCK}"
_IOS = re.compile(rf"[{_INVISIBLE}]*\[{_STAMP}\]\s(?P<rest>.*)", re.DOTALL)
_OLD_IOS = re.compile(rf"{_STAMP}:\s(?P<rest>.*)", re.DOTALL)
_ANDROID = re.compile(rf"[{_INVISIBLE}]*{_STAMP}\s[-\u2013]\s(?P<rest>.*)", re.DOTALL)
_NAME = re.compile(r"(?P<name>[^:\n\"\u201c\u201d\u201e]{1,100}?):(?:\s(?P<text>.*))?", re.DOTALL)
_ATTACHED = re.compile(rf"[{_INVISIBLE}]{{0,4}}<[^<>:]{{2,20}}:\s(?P<file>[^<>]+)>")  # iOS
_FILE = re.compile(
    rf"[{_INVISIBLE}]*(?P<file>\S[^\n()]*\.\w{{2,5}}) \([^()\n]{{3,40}}\)"
)  # Android
_LEFT_OUT = re.compile(r"<[^<>\n]{3,40}>")  # Android: <Media omitted>, in the phone's language.
_OMITTED = re.compile(r"(?P<what>\w+(?: \w+)?) omitted")  # iOS
_EDITED = re.compile(rf"\s?[{_INVISIBLE}]{{0,4}}<This message was edited>$")
_DELETED = re.compile(r"(?:This message was deleted|You deleted this message)\.?")
_LONGEST_LOOK = 40  # Lines.


class _Entry(NamedTuple):
    """A line with a time, and those below it without one."""

    place: str
    time: datetime | OpenDate
    rest: str
    is_ios: bool


def _recognizes(glimpse: Glimpse) -> bool:
    path = glimpse.path
    try:
        part = _chat_in(path)
        if part is None:
            return False
        # Only a beginning, which may end within a character.
        text = part.beginning(1 << 16)
        encoding = "utf-16" if text.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
        lines = text.decode(encoding, "replace").splitlines()[:_LONGEST_LOOK]
        return any(_head(line.removeprefix("\ufeff")) for line in lines)
    except DataError:
        return False


def _chat_in(path: Path) -> Part | None:
    """Return the text of a chat: a file, or the only text in the zip that the phone makes."""
    if path.is_dir():
        return None
    if not is_zip(path):
        [part] = parts_of(path)
        return part if path.suffix.lower() == ".txt" else None
    if not any(name.lower().endswith(".txt") for name in names_in(path)):
        return None
    texts = [part for part in parts_of(path) if part.name.lower().endswith(".txt")]
    return texts[0] if len(texts) == 1 else None


def _head(line: str) -> tuple[re.Match[str], bool] | None:
    """Return the time at the beginning of a line, and whether iOS wrote it; None without one."""
    plain = line[:80].replace("\u202f", " ").replace("\xa0", " ") + line[80:]
    for form, is_ios in ((_IOS, True), (_OLD_IOS, True), (_ANDROID, False)):
        # iOS writes seconds, and Android does not.
        if (match := form.fullmatch(plain)) and (match["second"] is not None) == is_ios:
            return match, is_ios
    return None


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    part = _chat_in(path)
    if part is None:
        raise DataError(f"{path}: no text of one chat; give the .txt, or the zip with one")
    order = options.date_order
    for entry in _entries(part, options.encoding):
        if isinstance(entry, SkippedMessage):
            yield entry
            continue
        if isinstance(entry.time, OpenDate) and order is None:
            others = _entries(part, options.encoding)
            times = (each.time for each in others if isinstance(each, _Entry))
            order = find_order(times, part.place, None)
        yield _message(entry, order)


def _entries(part: Part, encoding: str | None) -> Iterator[_Entry | SkippedMessage]:
    """Yield the entries of a chat; a line before the first one is none."""
    current: _Entry | None = None
    more: list[str] = []
    for number, line in lines_of(part, encoding):
        place = f"{part.place}, line {number}"
        head = _head(line)
        if head is None:
            if current is not None:
                more.append(line)
            elif line.strip():
                yield SkippedMessage(place, "a line before the first message")
            continue
        if current is not None:
            yield current._replace(rest="\n".join([current.rest, *more]))
        match, is_ios = head
        try:
            time = read_stamp(match)
        except ValueError:
            shown = line[:40].strip(_MARK)
            raise DataError(f"{place}: {shown!r} begins with no time; correct it") from None
        current, more = _Entry(place, time, match["rest"], is_ios), []
    if current is not None:
        yield current._replace(rest="\n".join([current.rest, *more]))


def _message(entry: _Entry, order: DateOrder | None) -> ChatMessage | SkippedMessage:
    named = _NAME.fullmatch(entry.rest)
    if named is None:
        return SkippedMessage(entry.place, "written by WhatsApp")
    written = _EDITED.sub("", (named["text"] or "").rstrip("\n"))
    if _DELETED.fullmatch(_bare(written)):
        return SkippedMessage(entry.place, "deleted")
    file, text = _take_file(written)
    if file is None and entry.is_ios and text.startswith(_MARK):
        return SkippedMessage(entry.place, "written by WhatsApp")
    text = text.strip(_MARK)
    if not text.strip() and file is None:
        return SkippedMessage(entry.place, "empty")
    return ChatMessage(
        place=entry.place,
        text=text,
        time=resolve_time(entry.time, order, Item(entry.place, "", None)),
        speaker=re.sub(f"[{_INVISIBLE}]|^~\\s?", "", named["name"]).strip(),
        attachments=() if file is None else (file,),
    )


def _bare(text: str) -> str:
    """Return a text without the white space and the marks around it."""
    return text.strip(f"{_MARK} \n")


def _take_file(text: str) -> tuple[str | None, str]:
    """Return the file that a text names, or None, and the text without it.

    It is a file of the export, or one that was left out: ``<attached: photo.jpg>`` or ``image
    omitted`` on iOS, ``photo.jpg (file attached)`` or ``<Media omitted>`` on Android.
    """
    # Only the beginning of a text is a file's name on Android.
    attached = _ATTACHED.search(text) or _FILE.match(text)
    if attached is not None:
        rest = text[: attached.start()] + text[attached.end() :]
        return attached["file"].strip(), rest.strip()
    bare = _bare(text)
    omitted = _OMITTED.fullmatch(bare)
    if omitted is not None and text.startswith(_MARK):
        return f"{omitted['what']}, not in the export", ""
    if _LEFT_OUT.fullmatch(bare):
        return f"{bare.strip('<>')}, not in the export", ""
    return None, text


FORMAT = ChatFormat(
    published="the .txt of one chat, or the zip with it",
    program="WhatsApp",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.FILE,),
    basis="public parsers and their examples, as WhatsApp documents no form",
)
