"""The files of an export: alone, in a folder, or in a zip, read in order and in bounded memory.

Nothing is ever unpacked to disk, and nothing is written.
"""

from __future__ import annotations

import codecs
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mabench.errors import DataError, reason
from mabench.formats import Item
from mabench.userfile import LARGEST_DOCUMENT, fault_of, lines_in, open_file
from mabench_chats.nesting import NestingError, NestingGuard

EXPORT_AGAIN = "export or copy it again"
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# A zip may unpack to this many times its size; texts shrink to a tenth or a twentieth.
_MOST_TIMES = 200
_ALWAYS_BYTES = 1 << 28
_MOST_NAMES = 1_000_000
_LONGEST_REASON = 120
_GLIMPSE_BYTES = 1 << 20
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an export."""

    place: str  # For messages, such as ``export.zip/general/2024-05-01.json``.
    name: str  # Within the folder or the zip, such as ``general/2024-05-01.json``.
    open: Callable[[], BinaryIO]

    def beginning(self, size: int = _GLIMPSE_BYTES) -> bytes:
        """Return the first bytes; none if it cannot be read."""
        try:
            with self.open() as stream:
                return stream.read(size)
        except (OSError, DataError, *_BROKEN_ZIP):
            return b""


def parts_of(path: Path) -> list[Part]:
    """Return the files of a folder or a zip, by name; a file alone is one part.

    Raises ``DataError`` for what cannot be read, and for a zip that unpacks to too much.
    """
    try:
        if path.is_dir():
            files = sorted(each for each in path.rglob("*") if each.is_file())
            return [_part_of_file(each, each.relative_to(path).as_posix()) for each in files]
        if is_zip(path):
            return _members_of(path)
    except (OSError, *_BROKEN_ZIP) as error:
        raise _unreadable(str(path), error) from error
    return [_part_of_file(path, path.name)]


def is_zip(path: Path) -> bool:
    """Return whether a path is a zip, by what is in it."""
    try:
        return fault_of(path.stat()) is None and zipfile.is_zipfile(path)
    except OSError:
        return False


def names_in(path: Path) -> list[str]:
    """Return the names in a folder or a zip; none of another file, or where it is broken."""
    try:
        if path.is_dir():
            return [each.name for each in path.iterdir()]
        if is_zip(path):
            with zipfile.ZipFile(path) as archive:
                return archive.namelist()[:_MOST_NAMES]
    except (OSError, *_BROKEN_ZIP):
        pass
    return []


def lines_of(part: Part, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without their ends; raises ``DataError``.

    The text is in the ``encoding``, unless its byte order mark says another one.
    """
    real_encoding = _encoding_of(part, encoding)
    lines_read = 0
    try:
        with part.open() as stream:
            for line in _decode_lines(stream, real_encoding):
                lines_read += 1
                yield lines_read, line.removeprefix("\ufeff").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise _undecodable(part, real_encoding, lines_read + 1) from error
    except LookupError as error:
        message = f"no encoding is named {real_encoding!r}; give one such as cp1252"
        raise DataError(message) from error
    except (OSError, *_BROKEN_ZIP) as error:
        raise _unreadable(part.place, error) from error


def _decode_lines(stream: BinaryIO, encoding: str) -> Iterator[str]:
    """Yield the lines of a stream as text; a line end in UTF-16 is found after decoding only."""
    if encoding == "utf-16":
        yield from io.TextIOWrapper(stream, encoding, newline=None)
    else:
        for line in lines_in(stream):
            yield line.decode(encoding)


def read_document(part: Part) -> Item:
    """Return the value of a JSON file as a whole; raises ``DataError``."""
    try:
        with part.open() as stream:
            content = stream.read(LARGEST_DOCUMENT + 1)
    except (OSError, *_BROKEN_ZIP) as error:
        raise _unreadable(part.place, error) from error
    if len(content) > LARGEST_DOCUMENT:
        raise DataError(f"{part.place}: larger than {LARGEST_DOCUMENT >> 20} MiB; split it")
    return Item(part.place, "", parse_json(content, part.place))


def parse_json(content: bytes | str, place: str) -> Any:
    """Return the value of a JSON text; raises ``DataError`` with its place."""
    try:
        if isinstance(content, bytes):
            content = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogatepass")
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not whole JSON: {reason(error)}; {EXPORT_AGAIN}") from error


def stream_items(part: Part, prefix: str) -> Iterator[Item]:
    """Yield the values of a JSON file at a place, such as ``item`` or ``messages.item``.

    They are read one at a time, whatever the size of the file. Raises ``DataError`` where it is
    cut off or no JSON.
    """
    import ijson

    label = prefix.removesuffix("item").rstrip(".")  # ``messages`` of ``messages.item``.
    count = 0
    try:
        with part.open() as stream:
            if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                stream.seek(0)
            for value in ijson.items(NestingGuard(stream), prefix, use_float=True):
                yield Item(part.place, f"{label}[{count}]", value)
                count += 1
    except NestingError as error:
        where = f" behind {label or 'item'}[{count - 1}]" if count else ""
        raise DataError(f"{part.place}: {error}{where}, as no export is; {EXPORT_AGAIN}") from error
    except (ijson.JSONError, ValueError, RecursionError) as error:
        where = f"behind {label or 'item'}[{count - 1}]" if count else "at its beginning"
        raise DataError(
            f"{part.place}: not whole JSON in UTF-8 {where}: {_first_line(error)}; {EXPORT_AGAIN}"
        ) from error
    except (OSError, *_BROKEN_ZIP) as error:
        raise _unreadable(part.place, error) from error


def _first_line(error: Exception) -> str:
    """Return the first line of what a parser says is wrong; some say it in bytes."""
    message = error.args[0] if error.args else None
    if isinstance(message, bytes):
        text = message.decode("utf-8", "replace").strip()
    else:
        text = reason(error).strip()
    return text.splitlines()[0][:_LONGEST_REASON] if text else "no JSON"


def first_items(part: Part, prefix: str = "item", most: int = 1) -> list[Any]:
    """Return the first values of a JSON file at a place, for a look at it; none if there is none.

    Only the beginning of the file is looked at.
    """
    import ijson

    found: list[Any] = []
    beginning = io.BytesIO(part.beginning().removeprefix(codecs.BOM_UTF8))
    try:
        for value in ijson.items(NestingGuard(beginning), prefix, use_float=True):
            found.append(value)
            if len(found) == most:
                break
    except (ijson.JSONError, ValueError, RecursionError):
        pass
    return found


def _part_of_file(path: Path, name: str) -> Part:
    return Part(str(path), name, lambda: open_file(path))


def _members_of(path: Path) -> list[Part]:
    with zipfile.ZipFile(path) as archive:
        members = sorted(archive.infolist(), key=lambda member: member.filename)
    most = max(_ALWAYS_BYTES, _MOST_TIMES * path.stat().st_size)
    total = sum(member.file_size for member in members)
    if total > most:
        raise DataError(
            f"{path}: unpacks to {total:,} bytes, more than {_MOST_TIMES} times its size; unpack "
            "it yourself and give the folder"
        )
    return [
        Part(f"{path}/{member.filename}", member.filename, _opener(path, member.filename))
        for member in members
        if not member.is_dir()
    ]


def _opener(path: Path, name: str) -> Callable[[], BinaryIO]:
    def open_member() -> BinaryIO:
        with zipfile.ZipFile(path) as archive:
            return archive.open(name)  # type: ignore[return-value]  # It reads bytes as a file does.

    return open_member


def _encoding_of(part: Part, given: str | None) -> str:
    """Return the encoding of a byte order mark, or else the one that is given, or UTF-8."""
    beginning = part.beginning(4)
    for mark, name in _BYTE_ORDER_MARKS:
        if beginning.startswith(mark):
            return name
    return given or "utf-8"


def _undecodable(part: Part, encoding: str, line: int) -> DataError:
    other = "utf-8" if encoding == "cp1252" else "cp1252"
    return DataError(
        f"{part.place}, line {line}: not in {encoding}; save the file in "
        f"UTF-8, or name its `encoding`, such as {other}"
    )


def _unreadable(place: str, error: BaseException) -> DataError:
    return DataError(f"{place}: not readable: {reason(error)}; {EXPORT_AGAIN}")
