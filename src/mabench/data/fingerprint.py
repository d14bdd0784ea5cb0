"""What identifies the content of a data set, whatever file format it came in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from mabench.data.schema import Row, RowContent


def canonical(content: RowContent) -> bytes:
    """Return a row's content as JSON in one form: keys sorted, null and missing alike, UTF-8."""
    fields = content.model_dump(include=set(RowContent.model_fields), exclude_none=True)
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def fingerprint_rows(
    rows: Iterable[Row], declarations: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Return the sha256, in hex, of the rows of each split in order.

    The order of the splits does not count: files and objects list them differently.

    Args:
        rows: the rows.
        declarations: the sources that the data set declares, if any; they are part of it.
    """
    splits: dict[str, hashlib._Hash] = {}
    for row in rows:
        digest = splits.setdefault(row.split, hashlib.sha256())
        digest.update(canonical(row) + b"\n")
    lines = [f"{split} {digest.hexdigest()}\n" for split, digest in sorted(splits.items())]
    if declarations:
        lines.append(f"sources {json.dumps(declarations, sort_keys=True)}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()
