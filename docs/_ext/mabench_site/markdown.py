"""Small parts of Markdown that the generated pages are put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NOT_IN_SLUGS = re.compile(r"[^\w\u4e00-\u9fff\- ]")
_OPTION = re.compile(r"(?<![`\w-])--[a-z][a-z-]*")


def code(text: str) -> str:
    """Return a text as code, whatever backquotes it holds."""
    fence = "``" if "`" in text else "`"
    space = " " if fence == "``" else ""
    return f"{fence}{space}{text}{space}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells may hold Markdown. Columns of numbers are aligned to the right."""
    cells = [*rows]
    columns = zip(*cells, strict=True) if cells else [()] * len(head)
    rules = ["---:" if _is_numeric(column) else "---" for column in columns]
    return "\n".join([_row(head), _row(rules), *map(_row, cells)]) + "\n"


def sentence(text: str) -> str:
    """Return a text as one line that begins with a capital and ends with a full stop.

    A first word that is a name, such as ``entity2id.json``, stays as it is. Double backquotes,
    which docstrings have around code, become single ones, and options are code.
    """
    line = _OPTION.sub(r"`\g<0>`", " ".join(text.split()).replace("``", "`"))
    if not line:
        return ""
    word = line.partition(" ")[0].rstrip(",:;")
    first = line[0].upper() + line[1:] if word.replace("-", "").isalpha() else line
    return first if first.endswith((".", "?", "!")) else f"{first}."


def _is_numeric(column: Sequence[str]) -> bool:
    return bool(column) and all(re.fullmatch(r"[\d,.]+", cell) for cell in column)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def slug(heading: str) -> str:
    """Return the anchor of a heading, without a number that tells it from others alike."""
    return _NOT_IN_SLUGS.sub("", heading.strip().lower().replace(" ", "-"))
