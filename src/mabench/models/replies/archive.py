"""Kept replies as one file, to be published beside a run and imported elsewhere.

The file is JSON by lines, compressed by gzip. The first line says what it is; each other line is
a reply. It holds no requests, only hashes of them, and no headers but the media type. The same
replies make the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from mabench.errors import DataError, reason
from mabench.json_text import Json, from_json, to_json
from mabench.models.replies.kept import LONGEST_BODY, Kept, KeptBody
from mabench.models.spec import Reply
from mabench.userfile import open_file

_FORMAT, _VERSION = "mabench replies", 1
_KEY = re.compile(r"[0-9a-f]{64}")
_LONGEST_LINE = 2 * LONGEST_BODY  # Bytes.
_MOST_TOKENS = 10**8
_GZIP = 31  # What zlib calls a gzip member.
_BLOCK = 1 << 20
_COUNTS = ("input_tokens", "output_tokens", "cached_tokens")
_TEXT = {"key", "text", *_COUNTS, "estimated"}
_BODY = {"key", "type", "encoding", "body", "base64", *_COUNTS, "estimated"}


def write_replies(file: Path, replies: Iterable[tuple[str, Kept]]) -> int:
    """Write replies to a file, which is there whole or not at all; return how many.

    Args:
        file: a new file.
        replies: by their keys; in the keys' order, so that the same replies make the same file.

    Raises:
        DataError: when it cannot be written, or is there already.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    number = 0
    try:
        if file.exists():
            raise DataError(f"{file} is there already; remove it, or name a new file")
        file.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream, gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
            packed.write(_line({"format": _FORMAT, "version": _VERSION}))
            for key, kept in replies:
                packed.write(_line(_written(key, kept)))
                number += 1
        part.replace(file)
    except OSError as error:
        raise DataError(f"{file}: cannot be written: {reason(error)}") from error
    finally:
        part.unlink(missing_ok=True)
    return number


def read_replies(file: Path, most: int) -> Iterator[tuple[str, Kept]]:
    """Yield the replies of a file that somebody else may have made.

    Args:
        file: the file.
        most: how many bytes it may hold, uncompressed.

    Raises:
        DataError: when it cannot be read, holds more, or a line is no reply, naming the line.
    """
    number = 0
    try:
        with open_file(file) as stream:
            for number, line in enumerate(_lines(stream, most), 1):
                content = from_json(line.decode())
                if number == 1:
                    _check_format(content)
                else:
                    yield _read(content)
        if number == 0:
            raise ValueError("it is empty")
    except (OSError, zlib.error) as error:
        raise DataError(
            f"{file}: cannot be read: {reason(error)}; name a file that `mabench cache export` made"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{file}, line {max(number, 1)}: {reason(error)}; name a file that "
            "`mabench cache export` made"
        ) from error


def _lines(stream: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the lines of a gzip member; none is longer, and all are no longer, than may be."""
    member, rest, left = zlib.decompressobj(_GZIP), b"", most
    while block := member.unconsumed_tail or stream.read(_BLOCK):
        if member.eof:
            raise ValueError("something follows its end")
        content = member.decompress(block, _BLOCK)
        left -= len(content)
        *lines, rest = (rest + content).split(b"\n")
        if left < 0 or len(rest) > _LONGEST_LINE:
            raise ValueError(f"the file holds more than {most:,} bytes, or such a line")
        yield from lines
    if rest or not member.eof:
        raise ValueError("the file is cut off")


def _line(content: dict[str, Json]) -> bytes:
    return f"{to_json(content)}\n".encode()


def _check_format(content: Json) -> None:
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError("this is no file of kept replies")
    if content.get("version") != _VERSION:
        raise ValueError(f"version {content.get('version')} is not known, but {_VERSION}")


def _written(key: str, kept: Kept) -> dict[str, Json]:
    """Return a reply as JSON has it."""
    if isinstance(kept, Reply):
        cached = {"cached_tokens": kept.cached_tokens} if kept.cached_tokens else {}
        return {
            "key": key,
            "text": kept.text,
            "input_tokens": kept.input_tokens,
            "output_tokens": kept.output_tokens,
            **cached,
            "estimated": kept.estimated,
        }
    line: dict[str, Json] = {"key": key, "type": kept.type, "encoding": kept.encoding}
    try:
        line["body"] = kept.body.decode()
    except UnicodeDecodeError:
        line["base64"] = base64.b64encode(kept.body).decode()
    if kept.tokens is not None:
        line |= dict(zip(_COUNTS, kept.tokens, strict=True))
    return {**line, "estimated": kept.estimated}


def checked(key: str, kept: Kept) -> tuple[str, Kept]:
    """Return a reply that somebody else kept, and its key; raise a ``ValueError`` for none."""
    return _read(_written(key, kept))


def _read(line: Json) -> tuple[str, Kept]:
    """Return a reply and its key; raise a ``ValueError`` for what is none."""
    if not isinstance(line, dict):
        raise ValueError("no object")
    key = line.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValueError("`key` is no SHA-256 in hexadecimal digits")
    fields = _TEXT if "text" in line else _BODY
    if unknown := sorted({*line} - fields):
        raise ValueError(f"the field {unknown[0]!r} is not known")
    estimated = line.get("estimated")
    if not isinstance(estimated, bool):
        raise ValueError("`estimated` is neither true nor false")
    if "text" in line:
        taken, given = (_count(line, name) for name in _COUNTS[:2])
        cached = _count(line, "cached_tokens") if "cached_tokens" in line else 0
        text = _text(line, "text")
        return key, Reply(text, taken, given, estimated, cached_tokens=cached)
    tokens = None
    if any(name in line for name in _COUNTS):
        taken, given, had = (_count(line, name) for name in _COUNTS)
        tokens = (taken, given, had)
    kept = KeptBody(_text(line, "type"), _text(line, "encoding"), _body(line), tokens, estimated)
    if not kept.can_be_kept:
        raise ValueError("`type` or `encoding` is none that a reply can have, or it is too long")
    return key, kept


def _count(line: dict[str, Json], name: str) -> int:
    count = line.get(name)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST_TOKENS:
        raise ValueError(f"`{name}` is no count of tokens")
    return count


def _text(line: dict[str, Any], name: str) -> str:
    text = line.get(name)
    if not isinstance(text, str):
        raise ValueError(f"`{name}` is no text")
    return text


def _body(line: dict[str, Json]) -> bytes:
    if ("body" in line) == ("base64" in line):
        raise ValueError("it needs one of `body` and `base64`")
    if "base64" in line:
        return base64.b64decode(_text(line, "base64"), validate=True)
    return _text(line, "body").encode()
