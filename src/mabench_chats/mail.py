"""Mail: mailboxes in the form mbox, and single messages in `.eml`; read by Python's own library."""

from __future__ import annotations

import mailbox
import re
from collections.abc import Iterator
from datetime import datetime
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mabench.errors import DataError, reason
from mabench.formats import (
    ChatFormat,
    ChatMessage,
    Glimpse,
    HistoryUnit,
    ReadingOptions,
    SkippedMessage,
)
from mabench.userfile import fault_of, read_bytes
from mabench_chats.files import EXPORT_AGAIN, parts_of

_POLICY = policy.default.clone(raise_on_defect=False)
_IDS = re.compile(r"<[^<>\s]+>")
_QUOTED = re.compile(r"^>.*(?:\n|\Z)", re.MULTILINE)
# The line before a quoted mail, in any language: it has an address or a year, then a colon.
_LEAD = re.compile(r"^(?!>)[^\n]{0,300}(?:@|\d{4})[^\n]{0,300}:[ \t]*\n(?=\s*>)", re.MULTILINE)


def _recognizes(glimpse: Glimpse) -> bool:
    path = glimpse.path
    if path.is_dir():
        return False
    if path.suffix.lower() == ".eml":
        return True
    if path.suffix.lower() in (".mbox", ".mbx", ""):
        return parts_of(path)[0].beginning(5) == b"From "
    return False


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    seen: set[str] = set()
    for place, message in _messages(path):
        name = _raw(message, "Message-ID").strip()
        if name and name in seen:
            yield SkippedMessage(place, "the same message twice")
            continue
        seen.add(name)
        yield _message(place, message, path)


def _messages(path: Path) -> Iterator[tuple[str, EmailMessage]]:
    """Yield the mails of a file with their places: one of an ``.eml``, all of a mailbox."""
    parser: BytesParser[EmailMessage] = BytesParser(policy=_POLICY)
    try:
        if fault := fault_of(path.stat()):
            raise DataError(f"{path}: {fault}; give a mailbox or a message")
        if path.suffix.lower() == ".eml":
            yield str(path), parser.parsebytes(read_bytes(path))
            return
        box = mailbox.mbox(path, factory=lambda stream: parser.parse(stream), create=False)  # type: ignore[arg-type,return-value]
        for number, message in enumerate(box, start=1):
            yield f"{path}, message {number}", message  # type: ignore[misc]
    except (OSError, mailbox.Error) as error:
        raise DataError(f"{path}: not readable: {reason(error)}; {EXPORT_AGAIN}") from error


def _message(place: str, message: EmailMessage, path: Path) -> ChatMessage | SkippedMessage:
    try:
        text, names = _text(message), [*_file_names(message)]
        speaker, time = _speaker(message), _time(message)
    except (LookupError, ValueError, TypeError, AttributeError, MessageError) as error:
        return SkippedMessage(place, f"not readable as mail: {reason(error)}")
    if time is None and _raw(message, "Date").strip():
        return SkippedMessage(place, "a Date that is no date")
    if not text.strip() and not names:
        return SkippedMessage(place, "empty")
    folder = path.resolve().parent.name
    return ChatMessage(
        place=place,
        text=text,
        time=time,
        speaker=speaker,
        channel=folder if path.suffix.lower() == ".eml" else path.stem,
        session=_thread(message),
        attachments=tuple(names),
    )


def _raw(message: EmailMessage, name: str) -> str:
    """Return a header as it is written; reading what is in it may fail, and is not needed."""
    for key, value in message.raw_items():
        if key.lower() == name.lower():
            return str(value)
    return ""


def _text(message: EmailMessage) -> str:
    """Return the subject and what the mail says itself, without the mails that it quotes."""
    body = message.get_body(preferencelist=("plain", "html"))
    content: Any = body.get_content() if body is not None else ""
    text = str(content).replace("\r\n", "\n")
    if body is not None and body.get_content_type() == "text/html":
        text = _HtmlText.of(text)
    own = _QUOTED.sub("", _LEAD.sub("", text)).strip()
    subject = " ".join(str(message.get("Subject") or "").split())
    is_reply = bool(_raw(message, "In-Reply-To") or _raw(message, "References"))
    if subject and own and not is_reply:
        return f"{subject}\n{own}"
    return own or subject


def _speaker(message: EmailMessage) -> str | None:
    """Return the name, or else the address, of the first sender."""
    people = getaddresses([str(message.get("From") or "")])
    name, address = people[0] if people else ("", "")
    return name or address or None


def _time(message: EmailMessage) -> datetime | None:
    """Return the date of a mail; it has no zone where the mail writes -0000."""
    try:
        return parsedate_to_datetime(_raw(message, "Date"))
    except (ValueError, TypeError, IndexError):
        return None


def _thread(message: EmailMessage) -> str | None:
    """Return the first message of the thread that a mail belongs to."""
    for header in ("References", "In-Reply-To", "Message-ID"):
        if ids := _IDS.findall(_raw(message, header)):
            return str(ids[0])
    return None


def _file_names(message: EmailMessage) -> Iterator[str]:
    for part in message.iter_attachments():
        yield part.get_filename() or part.get_content_type()


class _HtmlText(HTMLParser):
    """The text of a page, without scripts and styles."""

    _HIDDEN = ("script", "style", "head", "title")
    _BREAKS = ("br", "p", "div", "tr", "li", "blockquote", "h1", "h2", "h3")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._texts: list[str] = []
        self._hidden = 0  # How many elements are open whose text is not shown.

    @classmethod
    def of(cls, page: str) -> str:
        reader = cls()
        reader.feed(page)
        reader.close()
        lines = (" ".join(line.split()) for line in "".join(reader._texts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._HIDDEN:
            self._hidden += 1
        if tag in self._BREAKS:
            self._texts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._HIDDEN and self._hidden > 0:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._texts.append(data.replace("\n", " "))


FORMAT = ChatFormat(
    published="a mailbox in the form mbox, or a message in a file .eml",
    program="mail programs and help desks",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.CHANNEL,),
    basis="RFC 4155 and RFC 5322, by Python's own library",
)
