"""Exports of chats, written as own histories: a folder to ask questions about, and to run.

Every message that is read becomes a turn, or is counted with the reason why it is none.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import cast

from mabench.data.chats.renaming import Renamer
from mabench.data.chats.sessions import ImportedHistory, make_turns, name_histories
from mabench.data.chats.store import MessageStore
from mabench.data.inventory import BY_NAME
from mabench.data.reading.paths import resolve_path
from mabench.data.sheets import CONVERSATIONS_FILE
from mabench.data.sources.declarations import SOURCES_FILE
from mabench.data.turns.zones import find_zone
from mabench.errors import DataError, MabenchError, UsageError
from mabench.formats import (
    ChatFormat,
    ChatMessage,
    FormatKind,
    Glimpse,
    HistoryUnit,
    ReadingOptions,
    SkippedMessage,
    installed_formats,
    named_format,
    recognize,
    refuse_other_kinds,
)
from mabench.json_text import to_json
from mabench.outfile import write_whole
from mabench.progress import NoProgress, Progress
from mabench.userfile import fault_of

DEFAULT_GAP = timedelta(hours=4)
_DECLARED = """\
# What the conversations beside this file are. docs/guides/own-data.md describes each setting.

[{source}]
family = "answer"           # or "judged", for answers in free words
metric = "substring_exact_match"
"""
_SAY_SO = 10_000  # Messages between two signs of progress.


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """How exports become histories."""

    layout: str | None = None  # The name of their format, if their shape does not tell it.
    history_by: HistoryUnit | None = None  # None for the first that all messages name.
    session_gap: timedelta = DEFAULT_GAP
    timezone: str | None = None  # Of times without a zone.
    rename: bool = False
    reading: ReadingOptions = field(default_factory=ReadingOptions)


@dataclass(frozen=True, kw_only=True)
class ChatImport:
    """What was imported: ``messages`` is the turns of all histories and what was skipped."""

    out: Path
    messages: int
    history_unit: HistoryUnit
    histories: Sequence[ImportedHistory]
    skipped: Counter[str]  # How many messages, by the reason.
    unread: Sequence[Path]  # Files in a folder that are no export of chats.
    formats: Sequence[str]  # The names of the formats that were read.
    untimed: int  # Turns without a time.

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return sum(history.turns for history in self.histories)

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return sum(history.sessions for history in self.histories)


def import_chats(
    paths: Sequence[str | Path],
    out: str | Path,
    options: ImportOptions | None = None,
    *,
    on_skip: Callable[[SkippedMessage], None] = lambda skipped: None,
    progress: Progress | None = None,
) -> ChatImport:
    """Write exports of chats as a data set of own conversations, still without questions.

    Args:
        paths: files, folders or zips, as the programs wrote them.
        out: a new or empty folder.
        options: how they become histories.
        on_skip: is called with every message that becomes no turn, as it is met.
        progress: shows how many messages were read.

    Raises:
        UsageError: when a file has no known format or one of another kind, a time needs a zone or
            an order of day and month that is not given, or ``out`` is not a new or empty folder.
        DataError: when a file cannot be read, with file, place and remedy. Nothing is left at
            ``out`` then.
    """
    options = options or ImportOptions()
    zone = None if options.timezone is None else find_zone(options.timezone)
    out, progress = Path(out), progress or NoProgress()
    skipped: Counter[str] = Counter()
    files, unread = _find_files(paths, options.layout)
    untimed, naive, first_naive = 0, 0, None
    with write_whole(out, folder=True) as part, MessageStore(part / "messages.sqlite") as store:
        progress.start("messages", None)
        for path, file_format in files:
            for message in file_format.read(path, options.reading):
                if isinstance(message, SkippedMessage):
                    skipped[message.why] += 1
                    on_skip(message)
                    continue
                if message.time is None:
                    untimed += 1
                elif message.time.tzinfo is None:
                    if zone is None:  # All are counted before they are refused.
                        naive += 1
                        first_naive = first_naive or message
                        continue
                    message = replace(message, time=message.time.replace(tzinfo=zone))
                store.add(message, str(path))
                if store.count % _SAY_SO == 0:
                    progress.note("messages", f"{store.count:,} messages")
        if first_naive is not None:
            raise _need_zone(naive, first_naive)
        if not store.count:
            raise DataError(f"{_name_files(paths)}: no message that can be told; {_why(skipped)}")
        unit = _choose_unit(store, options.history_by, files[0][1])
        histories = write_conversations(store, unit, part, _source_name(out), options)
    return ChatImport(
        out=out,
        messages=store.count + skipped.total(),
        history_unit=unit,
        histories=histories,
        skipped=skipped,
        unread=unread,
        formats=[*dict.fromkeys(file_format.program for _, file_format in files)],
        untimed=untimed,
    )


def _need_zone(naive: int, first: ChatMessage) -> UsageError:
    """Return the error for times without a zone: how many there are, and the first of them."""
    have, times = ("has", "1 time") if naive == 1 else ("have", f"{naive:,} times")
    return UsageError(
        f"{times} {have} no zone, as is usual there, first in {first.place}: {first.time}; say "
        "once for all which zone the clock was in with `timezone`, such as Europe/Berlin or UTC"
    )


def _find_files(
    paths: Sequence[str | Path], layout: str | None
) -> tuple[list[tuple[Path, ChatFormat]], list[Path]]:
    """Return the exports at some paths with their formats, and the other files in folders."""
    found: list[tuple[Path, ChatFormat]] = []
    unread: list[Path] = []
    for given in paths:
        path = resolve_path(given)
        if not os.path.exists(path):  # noqa: PTH110 - It is quiet about what is no path.
            raise UsageError(f"no such file or folder: {path}; give an export of chats")
        own = _format_of(path, layout if not path.is_dir() else None)
        if own is not None:
            found.append((path, own))
            continue
        if not path.is_dir():
            raise _unknown_shape(path)
        found_before = len(found)
        for file in sorted(path.iterdir()):
            file_format = _format_of(file, layout)
            if file_format is None:
                unread.append(file)
            else:
                found.append((file, file_format))
        if len(found) == found_before:
            raise _unknown_shape(path)
    if not found:
        raise UsageError("no file is given; give exports of chats")
    return found, unread


def _format_of(path: Path, layout: str | None) -> ChatFormat | None:
    if layout is not None:
        return cast("ChatFormat", named_format(layout, FormatKind.CHATS))
    found = recognize(Glimpse(path), FormatKind.CHATS)
    return cast("ChatFormat", found.format) if found else None


def _unknown_shape(path: Path) -> MabenchError:
    """Return the error for a file or folder that has the format of no export of chats."""
    fault = None if path.is_dir() else fault_of(path.stat())
    if fault is None and path.is_file() and path.stat().st_size == 0:
        fault = "empty"
    if fault is not None:
        return DataError(f"{path}: {fault}; give an export of chats")
    try:
        refuse_other_kinds(path, FormatKind.CHATS)
    except UsageError as error:
        return error
    formats = cast("dict[str, ChatFormat]", installed_formats(FormatKind.CHATS))
    known = ", ".join(f"{name} ({each.program})" for name, each in formats.items())
    return UsageError(
        f"{path} has the shape of no known export of chats; if you know its format, name it with "
        f"`file_layout`: {known}"
    )


def _choose_unit(
    store: MessageStore, asked: HistoryUnit | None, file_format: ChatFormat
) -> HistoryUnit:
    """Return what makes a history: what is asked for, or the format's first that all messages name.

    Raises ``UsageError`` if some messages do not name what is asked for.
    """
    if asked is None:
        units = (unit for unit in file_format.history_units if store.names_all(unit))
        return next(units, HistoryUnit.FILE)
    if missing := store.count_unnamed(asked):
        raise UsageError(
            f"{missing:,} of {store.count:,} messages name no {asked}; make histories otherwise: "
            "`history_by` file always works"
        )
    return asked


def write_conversations(
    store: MessageStore, unit: HistoryUnit, folder: Path, source: str, options: ImportOptions
) -> list[ImportedHistory]:
    """Write a row for each history, turn by turn so that none is in memory, and declare the source.

    Raises ``OSError`` when a file cannot be written.
    """
    renamer = Renamer(store.people()) if options.rename else None
    keys = store.histories(unit)
    names = [Path(key).stem if unit is HistoryUnit.FILE else key for key in keys]
    histories = name_histories(map(renamer.rename, names) if renamer else names)
    metadata = to_json({"source": source, "qa_pair_ids": []})
    with (folder / CONVERSATIONS_FILE).open("w", encoding="utf-8", newline="\n") as stream:
        for key, history in zip(keys, histories, strict=True):
            turns = make_turns(store.messages(unit, key), history, options.session_gap)
            stream.write('{"context": [')
            for number, turn in enumerate(_rename_people(turns, renamer)):
                separator = ", " if number > 0 else ""
                stream.write(f"{separator}{to_json(turn)}")
            stream.write(f'], "questions": [], "answers": [], "metadata": {metadata}}}\n')
    declared = _DECLARED.format(source=source)
    (folder / SOURCES_FILE).write_text(declared, encoding="utf-8", newline="\n")
    return histories


def _rename_people(
    turns: Iterable[dict[str, str]], renamer: Renamer | None
) -> Iterator[dict[str, str]]:
    """Yield turns with invented names in texts and of speakers; as they are without a renamer."""
    for turn in turns:
        if renamer is not None:
            turn["text"] = renamer.rewrite(turn["text"])
            if "speaker" in turn:
                turn["speaker"] = renamer.rename(turn["speaker"])
        yield turn


def _source_name(out: Path) -> str:
    """Return the name of the source: that of the folder, in letters that need no quotes."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", out.resolve().name).strip("_") or "conversations"
    return f"my_{name}" if name in BY_NAME else name


def _name_files(paths: Sequence[str | Path]) -> str:
    first, *others = map(str, paths)
    return f"{first} and {len(others)} more" if others else first


def _why(skipped: Counter[str]) -> str:
    if not skipped:
        return "the files are empty; export them again"
    return "; ".join(f"{count:,} {why}" for why, count in skipped.most_common())
