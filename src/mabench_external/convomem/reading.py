"""Finds ConvoMem's files, and says which turns of an item's conversations are evidence.

An item is a few conversations with one question about them; a file has many. ``description.toml``
says how items become rows, and names the functions here for what it cannot express. A ``JsonPart``
is a value of a file with its place: ``part["text"].of(str)`` is the string in its field ``text``,
or a ``FieldError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench_external.tables import first_line

_ITEMS = "evidence_items"
_FOLDER = "evidence_questions"
_BEGINNING = 200  # Bytes of a file in which its first field's name is looked for.


def find_files(path: Path) -> list[Path]:
    """Return the files in the published folder at or in a path, or the path itself if it is one."""
    if path.is_file():
        return [path] if path.suffix == ".json" and _holds_items(path) else []
    candidates = [path / "core_benchmark" / _FOLDER, path / _FOLDER]
    if _FOLDER in path.parts:
        candidates.append(path)
    for folder in candidates:
        if folder.is_dir():
            return sorted(folder.rglob("*.json"))
    return []


def _holds_items(file: Path) -> bool:
    """Return whether a file begins as an object whose first field is the list of items."""
    beginning = first_line(file).replace(" ", "")
    is_indented = beginning.strip() == "{"
    if is_indented:
        return f'"{_ITEMS}"' in file.read_bytes()[:_BEGINNING].decode("utf-8", "replace")
    return beginning.startswith(f'{{"{_ITEMS}"')


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield every item of the files at a path as a row, named by its file and its number there."""
    for file in find_files(path):
        record = Record(str(file), 0, split=None, content=None)
        try:
            for number, item in enumerate(JsonPart.of_file(record)[_ITEMS].items()):
                parts = {name: item[name] for name in item.of(dict)}
                content = {"name": f"{file.parent.name}_{file.stem}_{number}", **parts}
                yield record._replace(row=number, content=content)
        except FieldError as error:
            yield error.problem


def evidence(item: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the turns that an item quotes, and a warning for a quotation of none."""
    id_by_text = {turn.text.strip(): turn.id for turn in history.turns}
    for message in item["message_evidences"].items():
        quotation = message["text"].of(str).strip()
        if quotation in id_by_text:
            yield id_by_text[quotation]
        else:
            yield message["text"].doubt("what a turn says, word for word; it tells no evidence")
