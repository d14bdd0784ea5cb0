"""Evidence recall: does what was retrieved hold a turn that the data set marks as evidence?

It takes no judge. Chat sessions reach an agent as a literal, whole or cut between sentences, so
texts are compared by their letters and digits alone, and half of a turn is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mabench.contract import Passage
from mabench.data import Row
from mabench.text import sentences

_ESCAPE = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
_NO_LETTER = re.compile(r"[\W_]+")
# Sentences with fewer letters could stand anywhere.
_SHORTEST = 12


class EvidenceTurns:
    """The turns of a row that hold the answers, by question."""

    def __init__(self, row: Row) -> None:
        haystacks = row.metadata.haystack_sessions or []
        aligned = len(haystacks) == len(row.questions)
        self._turns = [
            [turn.content for session in sessions for turn in session if turn.has_answer]
            for sessions in (haystacks if aligned else [])
        ]

    def recall(self, question_index: int, passages: Iterable[str | Passage]) -> float | None:
        """Return 1 when the passages hold a turn of evidence for the question, else 0.

        None when the data set marks no turn for it.
        """
        turns = self._turns[question_index] if self._turns else []
        if not turns:
            return None
        shown = "|".join(
            _letters(passage if isinstance(passage, str) else passage.text) for passage in passages
        )
        return float(any(_holds(shown, turn) for turn in turns))


def _holds(shown: str, turn: str) -> bool:
    whole = _letters(turn)
    if whole in shown:
        return bool(whole)
    pieces = [_letters(sentence) for sentence in sentences(turn)]
    found = sum(len(piece) for piece in pieces if len(piece) >= _SHORTEST and piece in shown)
    return 2 * found >= len(whole)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _ESCAPE.sub(" ", text)).lower()
