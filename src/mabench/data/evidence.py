"""Whether retrieved passages hold the turns that the data set marks as evidence. No judge decides.

Chat sessions reach an agent as a literal, whole or cut between sentences, so texts are compared
by their letters and digits alone, and half of a turn is enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from mabench.data.schema import Row
from mabench.text import sentences

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096
_ESCAPE = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
_NO_LETTER = re.compile(r"[\W_]+")
# Sentences with fewer letters could stand anywhere.
_SHORTEST = 12

_Ranks = tuple[int | None, ...]


class _RetrievedEvidence(NamedTuple):
    """What of a question's evidence the passages hold, in the fields of a sample."""

    # The share of it, from 0 to 1; where a row names no turns by ids, 1 for any. None when the
    # data set marks no turn for the question.
    evidence_recall: float | None = None
    evidence_ranks: _Ranks | None = None  # By turn, from 1, the first passage that holds it.
    session_ranks: _Ranks | None = None  # By session, the first passage with any such turn.


class Evidence:
    """The turns of a row that the data set marks as evidence, by question."""

    def __init__(self, row: Row) -> None:
        self._named = _NamedTurns(row) if row.turns else None
        haystacks = row.metadata.get("haystack_sessions") or []
        aligned = len(haystacks) == len(row.questions)
        self._marked = [
            [turn["content"] for session in sessions for turn in session if turn.get("has_answer")]
            for sessions in (haystacks if aligned and not self._named else [])
        ]

    def find(self, question_index: int, texts: Sequence[str]) -> _RetrievedEvidence:
        """Return what of the evidence for a question the texts retrieved for it hold."""
        if self._named:
            return self._named.find(question_index, texts)
        turns = self._marked[question_index] if self._marked else []
        if not turns:
            return _RetrievedEvidence()
        retrieved = "|".join(map(_letters, texts))

        def holds(turn: str) -> bool:
            whole = _letters(turn)
            if whole in retrieved:
                return bool(whole)
            parts = [p for p in _pieces(turn) if len(p) >= _SHORTEST and p in retrieved]
            return 2 * sum(map(len, parts)) >= len(whole)

        return _RetrievedEvidence(float(any(map(holds, turns))))


class _NamedTurns:
    """The turns of a row that have ids, each by its place, and which of them a passage holds."""

    def __init__(self, row: Row) -> None:
        self._context = row.context
        self._evidence = row.evidence or []
        self._turns = row.turns or []
        self._place = {turn.id: place for place, turn in enumerate(self._turns)}
        self._sessions = {turn.session for turn in self._turns}
        # Turns by their first letters, so that a passage is read once for all of them.
        self._begin: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for place, turn in enumerate(self._turns):
            whole = _letters(row.context[turn.start : turn.end])
            if len(whole) < 2 * _SHORTEST:  # With so few, the whole line counts.
                line = row.context.rfind("\n", 0, turn.start) + 1
                whole = _letters(row.context[line : turn.end])
            self._begin[whole[:_SHORTEST]].append((place, whole))
        self._read = lru_cache(_READ)(self._turns_in)
        self._pieces = lru_cache(_READ)(_pieces)

    def find(self, question_index: int, texts: Sequence[str]) -> _RetrievedEvidence:
        """Return what the texts hold of the turns, and of the sessions, that the row names."""
        ids = self._evidence[question_index] if self._evidence else []
        ranks = {self._place[id_]: self._rank(id_, texts) for id_ in ids if id_ in self._place}
        sessions: dict[str, list[int | None]] = defaultdict(list)
        for place, rank in ranks.items():
            sessions[self._turns[place].session].append(rank)
        for id_ in ids:
            if id_ in self._sessions:
                sessions.setdefault(id_, [])
        if not sessions:
            return _RetrievedEvidence()
        for rank, text in enumerate(texts, start=1):
            for name in {self._turns[turn].session for turn in self._read(text)} & sessions.keys():
                sessions[name].append(rank)
        session_ranks = tuple(
            min((rank for rank in own if rank), default=None) for own in sessions.values()
        )
        if not ranks:
            return _RetrievedEvidence(session_ranks=session_ranks)
        recall = sum(rank is not None for rank in ranks.values()) / len(ranks)
        return _RetrievedEvidence(recall, tuple(ranks.values()), session_ranks)

    def _turns_in(self, text: str) -> frozenset[int]:
        letters = _letters(text)
        return frozenset(
            place
            for at in range(len(letters) - _SHORTEST + 1)
            for place, whole in self._begin.get(letters[at : at + _SHORTEST], ())
            if letters.startswith(whole, at)
        )

    def _rank(self, turn_id: str, texts: Iterable[str]) -> int | None:
        """Return the first passage that holds a turn, or with those before it half of it."""
        place = self._place[turn_id]
        turn = self._turns[place]
        pieces = self._pieces(self._context[turn.start : turn.end])
        half = sum(map(len, pieces)) / 2
        if half < _SHORTEST:
            pieces = []  # They could stand anywhere.
        seen: set[str] = set()
        for rank, text in enumerate(texts, start=1):
            if place in self._read(text):
                return rank
            letters = _letters(text)
            seen.update(piece for piece in pieces if len(piece) >= _SHORTEST and piece in letters)
            if seen and sum(map(len, seen)) >= half:
                return rank
        return None


def _pieces(text: str) -> list[str]:
    return [_letters(sentence) for sentence in sentences(text)]


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _ESCAPE.sub(" ", text)).lower()
