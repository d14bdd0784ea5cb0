"""The answers of ``readings.toml``, read by hand: in the forms that language models give."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

_DATA = tomllib.loads(Path(__file__).with_name("readings.toml").read_text(encoding="utf-8"))
_TITLES = _DATA["titles"]


def allowed(verdict: str) -> set[str]:
    """Return the verdicts that a reader of ``verdict`` lets pass: who is not sure is not wrong."""
    return {verdict, "unclear"} if verdict == "wrong" else {verdict}


class Group(NamedTuple):
    """Predictions for one question: those that are right, and those that are not."""

    name: str
    source: str
    question: str
    gold: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def _answers(text: str) -> tuple[str, ...]:
    return tuple(line.replace("|", "\n") for line in text.strip("\n").split("\n"))


GROUPS = [
    Group(**{**group, "right": _answers(group["right"]), "wrong": _answers(group["wrong"])})
    for group in _DATA["groups"]
]
FILMS = {f"<http://dbpedia.org/resource/{film}>": n for n, film in enumerate(_TITLES["films"])}
RECOMMENDED: str = _TITLES["recommended"]
NOT_RECOMMENDED: str = _TITLES["not_recommended"]
ITEMS: list[list[str]] = _TITLES["items"]
