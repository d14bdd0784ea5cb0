"""Opening result files: a JSON document, or an object a line, plain or compressed.

Python writes numbers that JSON does not have (``NaN``); a file that holds one is read, and the
field is named only if it is needed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from mabench.errors import DataError, reason
from mabench.formats import Item
from mabench.userfile import LARGEST_DOCUMENT, lines_in, open_file, read_bytes

_REMEDY = "copy or download the file again"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_document(path: Path) -> Item:
    """Return the value of a JSON file, which may be compressed; raises ``DataError``."""
    try:
        content = _read_compressed(path) if path.suffix.lower() == ".gz" else read_bytes(path)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: not readable: {reason(error)}; {_REMEDY}") from error
    return Item(str(path), "", _parse(content, str(path)))


def read_lines(path: Path) -> Iterator[Item]:
    """Yield the value of each line of a JSON Lines file, without blank ones; raises ``DataError``.

    Places are ``line 3``; fields within a line follow them.
    """
    try:
        with open_file(path) as stream:
            for number, line in enumerate(lines_in(stream), start=1):
                if line.strip():
                    place = f"{path}, line {number}"
                    yield Item(place, "", _parse(line, place))
    except OSError as error:
        raise DataError(f"{path}: not readable: {reason(error)}; {_REMEDY}") from error


def _read_compressed(path: Path) -> bytes:
    """Return what a file unpacks to; raises an ``OSError`` if that is too much."""
    with open_file(path) as file, gzip.GzipFile(fileobj=file) as stream:
        content = stream.read(LARGEST_DOCUMENT + 1)
    if len(content) > LARGEST_DOCUMENT:
        raise OSError(0, f"it unpacks to more than {LARGEST_DOCUMENT // 1024**2} MiB")
    return content


def _parse(content: bytes, place: str) -> object:
    """Return the value of a JSON text; raises a ``DataError`` that names ``place``."""
    text = content.removeprefix(_BYTE_ORDER_MARK)
    try:
        value: object = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not JSON: {reason(error)}; {_REMEDY}") from error
    return value
