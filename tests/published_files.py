"""Small files in the forms that other benchmarks are published in; every text is made up."""

import json
import shutil
from pathlib import Path
from typing import Any

_FILES = Path(__file__).parent / "published"


def locomo() -> list[dict[str, Any]]:
    """Two conversations: with slips in the evidence, a picture and golds that are numbers."""
    return _read("locomo")


def longmemeval() -> list[dict[str, Any]]:
    """Two questions, each with sessions of its own, those of the first in no order."""
    return _read("longmemeval")


def beam(folder: Path) -> Path:
    """A folder with a chat of 100K and one of 10M, whose batches stand in plans."""
    return shutil.copytree(_FILES / "beam", folder, dirs_exist_ok=True)


def _read(name: str) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads((_FILES / f"{name}.json").read_text("utf-8"))
    return content


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
