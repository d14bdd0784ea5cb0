"""Small parts of Markdown that the generated pages are put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


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

    Double backquotes, which docstrings have around code, become single ones.
    """
    line = " ".join(text.split()).replace("``", "`")
    if not line:
        return ""
    first = line if line.startswith("`") or line[:2].isupper() else line[0].upper() + line[1:]
    return first if first.endswith((".", "?", "!")) else f"{first}."


def _is_numeric(column: Sequence[str]) -> bool:
    return bool(column) and all(re.fullmatch(r"[\d,.]+", cell) for cell in column)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
