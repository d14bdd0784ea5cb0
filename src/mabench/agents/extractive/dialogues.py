"""Dialogues: whether a query is one that waits for its next turn, and those in the passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mabench.agents.extractive.items import Mention, mentions_in
from mabench.agents.words import content_words

_TURN = re.compile(r"^[ \t]*([^\W\d_]\w{0,20}):(.*)$", re.MULTILINE)
# Dialogues stand apart by a blank line or by a numbered heading, as in "Dialogue 12:".
_BREAK = re.compile(r"\n[ \t]*\n|(?:^|(?<=\s))[A-Z]\w+ \d+:\s")
_FEWEST_TURNS = 2


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The stems of the words of a dialogue and the items that it mentions."""

    words: frozenset[str]
    mentions: tuple[Mention, ...]


def is_open_dialogue(question: str) -> bool:
    """Say whether ``question`` consists of turns, ``Speaker: words``, the last one unsaid."""
    turns = _TURN.findall(question)
    lines = question.strip().splitlines()
    return (
        len(turns) >= _FEWEST_TURNS
        and not turns[-1][1].strip()
        and lines[-1].strip() == f"{turns[-1][0]}:"
    )


@lru_cache(maxsize=512)
def dialogues_in(passage: str) -> tuple[Dialogue, ...]:
    """Return the dialogues of ``passage``, in order."""
    speakers = sorted({speaker for speaker, _ in _TURN.findall(passage)})
    # A turn may begin within a line where line breaks were lost.
    turn = re.compile(rf"\b(?:{'|'.join(speakers)}): ?" if speakers else r"\n")
    texts = (turn.sub("\n", text) for text in _BREAK.split(passage) if text.strip())
    return tuple(Dialogue(content_words(text), mentions_in(text)) for text in texts)
