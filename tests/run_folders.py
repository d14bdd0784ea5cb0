"""Holding the files of a run folder against their JSON Schemas."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from mabench_site.schemas import schemas


@cache
def validators() -> dict[str, Any]:
    return {name: Draft202012Validator(schema) for name, schema in schemas().items()}


_SOUND: set[object] = set()  # Shapes that follow their schema: hundreds of lines have the same.


def check_run_folder(folder: Path) -> None:
    """Fail when a file of a run does not follow its schema."""
    for name, validator in validators().items():
        for number, content in enumerate(_contents(folder / name), start=1):
            if name == "summary.json":
                for source, scores in content["sources"].items():
                    assert sum(scores["parts"].values()) == scores["n"], source
            if (shape := (name, _shape(content))) in _SOUND:
                continue
            for error in validator.iter_errors(content):
                raise AssertionError(
                    f"{folder / name}, {number}: {error.json_path}: {error.message}"
                )
            _SOUND.add(shape)


def _shape(value: Any) -> object:
    """Return what our schemas ask of a value: names, types, and words of which few are allowed."""
    if isinstance(value, dict):
        return tuple((name, _shape(one)) for name, one in value.items())
    if isinstance(value, list):
        return tuple(dict.fromkeys(map(_shape, value))), min(len(value), 3)
    if isinstance(value, str):
        return value if value in _words() else str
    return type(value), isinstance(value, float) and value.is_integer()


@cache
def _words() -> set[str]:
    found = re.findall(r'"enum": \[(.*?)\]', json.dumps(schemas()))
    return {word for words in found for word in json.loads(f"[{words}]")}


def _contents(file: Path) -> Iterator[Any]:
    if not file.is_file():
        return
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        yield json.loads(text)
        return
    for line in text.split("\n")[:-1]:
        yield json.loads(line)
