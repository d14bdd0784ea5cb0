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

Ranks = tuple[int | None, ...]


class EvidenceFound(NamedTuple):
    """What of a question's evidence the passages hold, in the fields of a sample.

    Attributes:
        evidence_recall: the share of it, from 0 to 1; where a row names no turns by ids, 1 for
            any. None when the data set marks no turn for the question.
        evidence_ranks: for each turn the rank, from 1, of the first passage that holds it.
        session_ranks: for each session of these turns the first passage with any turn of it.
    """

    evidence_recall: float | None = None
    evidence_ranks: Ranks | None = None
    session_ranks: Ranks | None = None


class Evidence:
    """The turns of a row that the data set marks as evidence, by question."""

    def __init__(self, row: Row) -> None:
        self._named = _NamedTurns(row) if row.metadata.turns else None
        haystacks = row.metadata.haystack_sessions or []
        aligned = len(haystacks) == len(row.questions)
        self._marked = [
            [turn.content for session in sessions for turn in session if turn.has_answer]
            for sessions in (haystacks if aligned and not self._named else [])
        ]

    def found(self, question_index: int, texts: Sequence[str]) -> EvidenceFound:
        """Return what of the evidence for a question the texts retrieved for it hold."""
        if self._named:
            return self._named.found(question_index, texts)
        turns = self._marked[question_index] if self._marked else []
        if not turns:
            return EvidenceFound()
        shown = "|".join(map(_letters, texts))
        return EvidenceFound(float(any(_holds(shown, turn) for turn in turns)))


class _NamedTurns:
    """The turns of a row that have ids, and which of them a passage holds."""

    def __init__(self, row: Row) -> None:
        self._context = row.context
        self._evidence = row.metadata.evidence or []
        self._turns = row.metadata.turns or []
        self._place = {turn.id: place for place, turn in enumerate(self._turns)}
        self._sessions = {turn.session for turn in self._turns}
        # Turns by their first letters, so that a passage is read once for all of them.
        self._begin: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for place, turn in enumerate(self._turns):
            whole = self._letters(turn.start, turn.end)
            self._begin[whole[:_SHORTEST]].append((place, whole))
        self._held = lru_cache(_READ)(self._read)
        self._pieces = lru_cache(_READ)(_pieces)

    def _letters(self, start: int, end: int) -> str:
        """Return the letters of a turn, those of its whole line where they are few."""
        whole = _letters(self._context[start:end])
        if len(whole) >= 2 * _SHORTEST:
            return whole
        return _letters(self._context[self._context.rfind("\n", 0, start) + 1 : end])

    def _read(self, text: str) -> frozenset[int]:
        """Return which turns a text holds whole."""
        letters = _letters(text)
        return frozenset(
            place
            for at in range(len(letters) - _SHORTEST + 1)
            for place, whole in self._begin.get(letters[at : at + _SHORTEST], ())
            if letters.startswith(whole, at)
        )

    def found(self, question_index: int, texts: Sequence[str]) -> EvidenceFound:
        """Return what the texts hold of the turns, and of the sessions, that the row names."""
        ids = self._evidence[question_index] if self._evidence else []
        ranks = {one: self._rank(one, texts) for one in self._places(ids)}
        names = [self._turns[one].session for one in ranks]
        names += [one for one in ids if one in self._sessions]
        sessions: dict[str, int | None] = {}
        for name in dict.fromkeys(names):
            of_turns = [rank for one, rank in ranks.items() if self._turns[one].session == name]
            sessions[name] = _first([self._session_rank(name, texts), *of_turns])
        if not sessions:
            return EvidenceFound()
        if not ranks:
            return EvidenceFound(session_ranks=tuple(sessions.values()))
        recall = sum(rank is not None for rank in ranks.values()) / len(ranks)
        return EvidenceFound(recall, tuple(ranks.values()), tuple(sessions.values()))

    def _places(self, ids: Iterable[str]) -> list[int]:
        return list(dict.fromkeys(self._place[one] for one in ids if one in self._place))

    def _rank(self, turn: int, texts: Iterable[str]) -> int | None:
        """Return the first passage that holds a turn, or with those before it half of it."""
        place = self._turns[turn]
        pieces = self._pieces(self._context[place.start : place.end])
        half = sum(map(len, pieces)) / 2
        if half < _SHORTEST:
            pieces = []  # They could stand anywhere.
        seen: set[str] = set()
        for rank, text in enumerate(texts, start=1):
            if turn in self._held(text):
                return rank
            letters = _letters(text)
            seen.update(piece for piece in pieces if len(piece) >= _SHORTEST and piece in letters)
            if seen and sum(map(len, seen)) >= half:
                return rank
        return None

    def _session_rank(self, name: str, texts: Iterable[str]) -> int | None:
        ranked = enumerate(texts, start=1)
        return next(
            (
                rank
                for rank, text in ranked
                if any(self._turns[turn].session == name for turn in self._held(text))
            ),
            None,
        )


def _first(ranks: Iterable[int | None]) -> int | None:
    return min((rank for rank in ranks if rank is not None), default=None)


def _holds(shown: str, turn: str) -> bool:
    whole = _letters(turn)
    if whole in shown:
        return bool(whole)
    found = sum(len(one) for one in _pieces(turn) if len(one) >= _SHORTEST and one in shown)
    return 2 * found >= len(whole)


def _pieces(text: str) -> list[str]:
    """Return the letters of the sentences of a text."""
    return [_letters(sentence) for sentence in sentences(text)]


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _ESCAPE.sub(" ", text)).lower()
