"""What the description of ConvoMem cannot say: its files, and which turns are evidence."""

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


def find_files(path: Path) -> list[Path]:
    """Return the files in a folder of evidence, or the path of one."""
    if path.is_file():
        return [path] if path.suffix == ".json" and _holds_items(path) else []
    places = [path / "core_benchmark" / _FOLDER, path / _FOLDER]
    places += [path] if _FOLDER in path.parts else []
    folder = next((place for place in places if place.is_dir()), None)
    return sorted(folder.rglob("*.json")) if folder else []


def _holds_items(file: Path) -> bool:
    beginning = first_line(file).replace(" ", "")
    if beginning.strip() == "{":
        return f'"{_ITEMS}"' in file.read_bytes()[:200].decode("utf-8", "replace")
    return beginning.startswith(f'{{"{_ITEMS}"')


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield every item of the files at a path: conversations, and a question about them."""
    for file in find_files(path):
        record = Record(str(file), 0, None, None)
        try:
            for number, item in enumerate(JsonPart.of_file(record)[_ITEMS].items()):
                fields = item.of(dict)
                content = {**fields, "name": f"{file.parent.name}_{file.stem}_{number}"}
                parts = {name: item[name] for name in fields}
                yield record._replace(row=number, content={**content, **parts})
        except FieldError as error:
            yield error.problem


def evidence(item: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the turns that are named by their words, and a warning about others."""
    by_text = {turn.text.strip(): turn.id for turn in history.turns}
    for message in item["message_evidences"].items():
        said = message["text"].of(str).strip()
        if said in by_text:
            yield by_text[said]
        else:
            yield message["text"].doubt("what a turn says, word for word; it tells no evidence")
