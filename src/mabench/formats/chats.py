"""What exports of chats hold, in one form: messages in the order of the file, and what is left out.

A reader says what a file says: it yields every message of the file, as one that is told or as one
that is left out with its reason. It never sends anything anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from mabench.formats.glimpse import Glimpse
from mabench.formats.recognizer import FormatKind
from mabench.text.dates import DateOrder


class HistoryUnit(StrEnum):
    """What makes one history: all messages of a user, of a channel, or of a file."""

    USER = "user"
    CHANNEL = "channel"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of an export."""

    place: str  # File and place in it, for messages to the user.
    text: str  # Empty where only attachments were sent.
    time: datetime | None = None  # Without a zone where the export tells none.
    speaker: str | None = None
    role: str | None = None  # ``user``, ``assistant`` or the like.
    user: str | None = None  # Whose conversation it is, where the export names a customer or user.
    channel: str | None = None  # What the export calls the channel or conversation.
    session: str | None = None  # A thread or conversation, which is one session whatever the gaps.
    attachments: tuple[str, ...] = ()  # The names of files that were sent with it.
    mentioned: tuple[str, ...] = ()  # People whom the text names, as far as the export says so.


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """A message, or a line in the place of one, that is no turn of a history."""

    place: str
    why: str


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What a user says of a file that the file itself does not."""

    columns: Mapping[str, str] = field(default_factory=dict)  # By field of a message: the column.
    date_order: DateOrder | None = None
    encoding: str | None = None  # Of texts; by default UTF-8, or what a byte order mark says.


@dataclass(frozen=True, kw_only=True)
class ChatFormat:
    """How the exports of one program are recognized and read."""

    kind: ClassVar[FormatKind] = FormatKind.CHATS

    published: str  # What the file or folder is called.
    program: str  # What writes it.
    recognizes: Callable[[Glimpse], bool]
    # Yields the messages; raises ``DataError`` with file, place and remedy.
    read: Callable[[Path, ReadingOptions], Iterator[ChatMessage | SkippedMessage]]
    # What makes a history by default: the first of these that the messages name.
    history_units: tuple[HistoryUnit, ...]
    # For the reference: where the form of the file is known from.
    basis: str
