"""The version of the code that reads a judge's replies, and how it reads difficult replies.

This reader is a part of the judge: another one makes other verdicts of the same replies. So a
calibration names the reader's version, and says how it reads replies that are easily misread.
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

# What each word in the file of replies says that they mean.
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
    """Return the version of the reader: a SHA-256 of its modules and words."""
    digest = hashlib.sha256()
    scoring = files("mabench.scoring")
    code = [scoring / "judge_replies.py", scoring / "judging.toml", *_modules(scoring / "judge")]
    for file in code:
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))  # The same on all systems.
    return digest.hexdigest()


def _modules(folder: Traversable) -> list[Traversable]:
    """Return the modules of a package in the order of their names."""
    modules = [file for file in folder.iterdir() if file.name.endswith(".py")]
    return sorted(modules, key=lambda module: module.name)


def try_reader(read: Callable[[str], bool | None] = yes_or_no) -> list[ReplyReading]:
    """Return how a reader takes each kind of reply; by default mabench's reader of yes and no.

    ``read`` returns whether a reply says yes; None if it finds no verdict in it.
    """
    # Replies by what they mean and by their kind.
    table = tomllib.loads(Path(__file__).with_name("replies.toml").read_text("utf-8"))
    readings = []
    for meaning, kinds in table.items():
        for kind, replies in kinds.items():
            verdicts = [read(reply) for reply in replies]
            readings.append(
                ReplyReading(
                    replies=kind,
                    means=meaning,
                    n=len(replies),
                    read_so=verdicts.count(_MEANINGS[meaning]),
                    left_open=0 if meaning == "none" else verdicts.count(None),
                )
            )
    return readings
