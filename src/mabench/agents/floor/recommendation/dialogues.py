"""Dialogues: whether a query is one that waits for its next turn, and those in the passages."""

from __future__ import annotations

import re

_TURN = re.compile(r"^[ \t]*([^\W\d_]\w{0,20}):(.*)$", re.MULTILINE)
# Dialogues stand apart by a blank line or by a numbered heading, as in "Dialogue 12:".
_BREAK = re.compile(r"\n[ \t]*\n|(?:^|(?<=\s))[A-Z]\w+ \d+:\s")
_FEWEST_SPEAKERS = 2

Dialogue = tuple[str, ...]  # What is said in each turn.


def is_open_dialogue(question: str) -> bool:
    """Say whether ``question`` has turns of two, ``Speaker: words``, the last one unsaid."""
    turns = _TURN.findall(question)
    lines = question.strip().splitlines()
    return (
        len({speaker for speaker, _ in turns}) >= _FEWEST_SPEAKERS
        and not turns[-1][1].strip()
        and lines[-1].strip() == f"{turns[-1][0]}:"
    )


def dialogues_in(text: str) -> list[Dialogue]:
    """Return the turns of each dialogue in ``text``, without who says them, in order."""
    speakers = sorted({speaker for speaker, _ in _TURN.findall(text)})
    # A turn may begin within a line where line breaks were lost.
    turn = re.compile(rf"(?:^|(?<=\s))(?:{'|'.join(speakers)}): ?" if speakers else r"\n")
    dialogues = (turn.split(part) for part in _BREAK.split(text))
    told = [tuple(said.strip() for said in turns if said.strip()) for turns in dialogues]
    return [turns for turns in told if turns]
