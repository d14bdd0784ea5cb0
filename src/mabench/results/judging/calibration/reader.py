"""What reads a judge's replies: its version, and how it takes replies that are easily misread.

The reader is a part of the judge: another one makes other verdicts of the same replies.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from mabench.json_text import JsonRecord
from mabench.scoring.judge_replies import yes_or_no

_MEANINGS = {"yes": True, "no": False, "none": None}


@dataclass(frozen=True, slots=True)
class ReplyReading(JsonRecord):
    """How the reader takes replies of one kind."""

    replies: str  # What they are like.
    means: str  # What they say: ``yes``, ``no`` or ``none``.
    n: int  # How many there are.
    read_so: int  # How many the reader takes for what they say.
    left_open: (
        int  # In how many of the others it finds no verdict, so that the judge is asked again.
    )


@cache
def reader_version() -> str:
    """Return what names the reader: a SHA-256 of its modules and words."""
    digest = hashlib.sha256()
    scoring = files("mabench.scoring")
    parts = [scoring / "judge_replies.py", scoring / "judging.toml", *_modules(scoring / "judge")]
    for part in parts:
        digest.update(part.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _modules(folder: Traversable) -> list[Traversable]:
    modules = [part for part in folder.iterdir() if part.name.endswith(".py")]
    return sorted(modules, key=lambda part: part.name)


def try_reader(read: Callable[[str], bool | None] = yes_or_no) -> list[ReplyReading]:
    """Return how a reader of yes and no takes each kind of reply; by default mabench's."""
    table = tomllib.loads(Path(__file__).with_name("replies.toml").read_text("utf-8"))
    readings = []
    for meaning, kinds in table.items():
        for kind, replies in kinds.items():
            read_as = [read(reply) for reply in replies]
            so = read_as.count(_MEANINGS[meaning])
            left_open = 0 if meaning == "none" else read_as.count(None)
            readings.append(ReplyReading(kind, meaning, len(replies), so, left_open))
    return readings
