"""Holding the files of a run folder against their JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from mabench.results.schemas import schemas


@cache
def validators() -> dict[str, Any]:
    return {name: Draft202012Validator(schema) for name, schema in schemas().items()}


def check_run_folder(folder: Path) -> None:
    """Fail when a file of a run does not follow its schema."""
    for name, validator in validators().items():
        for number, content in enumerate(_contents(folder / name), start=1):
            for error in validator.iter_errors(content):
                raise AssertionError(
                    f"{folder / name}, {number}: {error.json_path}: {error.message}"
                )


def _contents(file: Path) -> Iterator[Any]:
    if not file.is_file():
        return
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        yield json.loads(text)
        return
    for line in text.split("\n")[:-1]:
        yield json.loads(line)
