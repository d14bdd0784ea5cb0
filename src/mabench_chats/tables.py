"""Messages as a table in CSV or TSV: a column for each field, by its usual name or as is said."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from mabench.errors import DataError, UsageError, reason, unknown
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
from mabench_chats.fields import NAMES, UNSPOKEN, find_fields, read_role
from mabench_chats.files import Part, lines_of, parts_of

_ENDINGS = (".csv", ".tsv", ".tab")
_DELIMITERS = (",", ";", "\t", "|")
_LARGEST_CELL = 1 << 24
_FIELDS = tuple(NAMES)
_Row = tuple[int, dict[str, str]]


def _recognizes(glimpse: Glimpse) -> bool:
    path = glimpse.path
    if path.suffix.lower() not in _ENDINGS or not path.is_file():
        return False
    try:
        [part] = parts_of(path)
        fields = find_fields(_header(part, None))
    except (DataError, UsageError):
        return False
    return "text" in fields and bool({"speaker", "role", "time"} & fields.keys())


def _read(path: Path, options: ReadingOptions) -> Iterator[ChatMessage | SkippedMessage]:
    [part] = parts_of(path)
    columns = _header(part, options.encoding)
    fields = {**find_fields(columns), **_named(part, columns, options.columns)}
    if "text" not in fields:
        shown = ", ".join(columns)
        raise UsageError(
            f"{part.place}: no column is known to hold the texts; its columns are {shown}; name "
            "it with `columns`, such as text=NAME"
        )
    rows = partial(_rows, part, options.encoding)
    order = options.date_order
    for line, row in rows():
        item = Item(part.place, f"line {line}", row)
        moment = _time(item, row, fields)
        if isinstance(moment, OpenDate) and order is None:
            times = (read_date(each.get(fields["time"])) for _, each in rows())
            order = find_order(times, part.place, None)
        yield _message(item, row, fields, resolve_time(moment, order, item))


def _named(part: Part, columns: list[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that a user names by fields; raises ``UsageError`` for unknown ones."""
    for field, column in named.items():
        if field not in _FIELDS:
            raise UsageError(unknown("no field of a message is named", field, _FIELDS))
        if column not in columns:
            raise UsageError(unknown(f"{part.place} has no column named", column, columns))
    return dict(named)


def _message(
    item: Item, row: Mapping[str, str], fields: Mapping[str, str], time: Any
) -> ChatMessage | SkippedMessage:
    said = {field: row.get(name, "").strip() or None for field, name in fields.items()}
    text = row.get(fields["text"], "")
    role = read_role(said.get("role"))
    speaker = said.get("speaker")
    if role is None:
        role = read_role(speaker)
        if role is not None:
            speaker = None  # It was a role, such as "assistant".
        elif speaker is None:
            speaker = said.get("role")  # A role that no model has, such as "agent".
    names = tuple(filter(None, (said.get("attachments") or "").split(";")))
    if role in UNSPOKEN:
        return SkippedMessage(str(item), UNSPOKEN[role])
    if not text.strip() and not names:
        return SkippedMessage(str(item), "empty")
    return ChatMessage(
        place=str(item),
        text=text,
        time=time,
        speaker=speaker,
        role=role,
        user=said.get("user"),
        channel=said.get("channel"),
        session=said.get("session"),
        attachments=names,
    )


def _time(item: Item, row: Mapping[str, str], fields: Mapping[str, str]) -> Any:
    """Return the time of a row; None of an empty cell. Raises for what is no time."""
    text = row.get(fields.get("time", ""), "").strip()
    if not text:
        return None
    moment = read_date(text)
    if moment is None:
        place = Item(item.file, f"{item.place}, {fields['time']}", text)
        raise place.fault("a time, such as 2024-05-03 10:00, or nothing")
    return moment


def _header(part: Part, encoding: str | None) -> list[str]:
    """Return the names of the columns: the first line that is not blank."""
    for _, line in lines_of(part, encoding):
        if line.strip():
            [names] = csv.reader(io.StringIO(line), delimiter=_delimiter(part, line))
            return [name.strip() for name in names]
    raise DataError(f"{part.place}: an empty file; export it again")


def _delimiter(part: Part, header: str) -> str:
    """Return what separates columns: by the ending of the file, or most often in the header."""
    if part.name.lower().endswith((".tsv", ".tab")):
        return "\t"
    return max(_DELIMITERS, key=header.count)


def _rows(part: Part, encoding: str | None) -> Iterator[_Row]:
    """Yield the rows below the header by column, each with the number of its last line."""
    columns = _header(part, encoding)
    csv.field_size_limit(_LARGEST_CELL)
    lines = (f"{line}\n" for _, line in lines_of(part, encoding))
    header = next(line for line in lines if line.strip())
    reader = csv.reader(lines, delimiter=_delimiter(part, header), strict=True)
    skipped = _lines_before(part, encoding)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            place = f"{part.place}, line {reader.line_num + skipped}"
            raise DataError(
                f"{place}: {reason(error)}; put texts with quotes or line breaks in quotes, and "
                'write quotes in them twice: ""'
            ) from error
        if row is None:
            return
        line = reader.line_num + skipped
        if len(row) > len(columns):
            raise DataError(
                f"{part.place}, line {line}: {len(row)} values for {len(columns)} columns; put "
                "texts that hold the separator in quotes"
            )
        if row:
            yield line, dict(zip(columns, row, strict=False))


def _lines_before(part: Part, encoding: str | None) -> int:
    """Return the number of the header's line."""
    return next(number for number, line in lines_of(part, encoding) if line.strip())


FORMAT = ChatFormat(
    published="a CSV or TSV file with a message in each row",
    program="spreadsheets, help desks and databases",
    recognizes=_recognizes,
    read=_read,
    history_units=(HistoryUnit.USER, HistoryUnit.CHANNEL, HistoryUnit.FILE),
    basis="the usual names of columns; others are named by the user",
)
