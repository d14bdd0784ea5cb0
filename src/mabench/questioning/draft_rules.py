"""What a draft of a question must hold to, checked against the text by rules, never by a model.

Passing them does not make a draft right: only a person accepts it. What fails them is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from rapidfuzz.fuzz import token_sort_ratio

from mabench.data.sheets import SheetLine
from mabench.questioning.conversations import SaidTurn, words_of

# How alike two questions about a history may be, of 100.
_MOST_ALIKE = 88.0
_LONGEST_GOLD = 200
_PARTS = re.compile(r"[,;/]|\band\b|\bor\b", re.IGNORECASE)
_FILLERS = frozenset(
    ["a", "an", "the", "of", "in", "on", "at", "to", "is", "was", "it", "her", "his", "their", "s"]
)
# What says that something is not known.
_UNKNOWN = re.compile(
    r"\b(?:not|n't|never|no|nothing|unknown|unclear|cannot|without)\b", re.IGNORECASE
)


class DraftKind(StrEnum):
    """What a question takes to be answered."""

    FACT = "single fact"
    SESSIONS = "across sessions"
    TIME = "time"
    UPDATE = "update"
    PREFERENCE = "preference"
    UNANSWERABLE = "not to be answered"


class DraftFault(StrEnum):
    """Why a draft is left out."""

    UNREADABLE = "no question and answer in the reply"
    SUPPORT = "a supporting turn that was not shown"
    NO_SUPPORT = "no supporting turn"
    GOLD = "a gold that the supporting turns do not hold"
    GIVEN_AWAY = "a question that holds its gold"
    LAST_SESSION = "answered by the last session alone"
    ONE_SESSION = "of one session, where two are needed"
    DUPLICATE = "asked already"
    ANSWERABLE = "a gold for what cannot be answered"


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A question as a model drafts it."""

    kind: DraftKind
    question: str
    answers: tuple[str, ...]
    supports: tuple[str, ...]


def find_draft_fault(
    draft: Draft, shown: Iterable[SaidTurn], sessions: Sequence[str], existing: Iterable[SheetLine]
) -> DraftFault | None:
    """Return the first rule that a draft breaks; None if it keeps them all.

    ``shown`` are the turns that the model saw, ``sessions`` all of the history in order, and
    ``existing`` the questions that there are about it.
    """
    if not draft.question.strip() or not draft.answers:
        return DraftFault.UNREADABLE
    if any(token_sort_ratio(draft.question, each.question) > _MOST_ALIKE for each in existing):
        return DraftFault.DUPLICATE
    by_id = {turn.id: turn for turn in shown}
    if any(name not in by_id for name in draft.supports):
        return DraftFault.SUPPORT
    if draft.kind is DraftKind.UNANSWERABLE:
        says_so = all(_UNKNOWN.search(answer) for answer in draft.answers)
        return None if says_so and not draft.supports else DraftFault.ANSWERABLE
    if not draft.supports:
        return DraftFault.NO_SUPPORT
    supports = [by_id[name] for name in draft.supports]
    if not all(_is_held(answer, supports) for answer in draft.answers):
        return DraftFault.GOLD
    if any(_select_telling_words(answer) <= words_of(draft.question) for answer in draft.answers):
        return DraftFault.GIVEN_AWAY
    return _session_fault(draft.kind, supports, sessions)


def _session_fault(
    kind: DraftKind, supports: Sequence[SaidTurn], sessions: Sequence[str]
) -> DraftFault | None:
    used = {turn.session for turn in supports}
    if kind in (DraftKind.SESSIONS, DraftKind.UPDATE) and len(used) < 2:
        return DraftFault.ONE_SESSION
    if len(sessions) > 1 and used == {sessions[-1]}:
        return DraftFault.LAST_SESSION
    return None


def _is_held(answer: str, supports: Sequence[SaidTurn]) -> bool:
    """Return whether a gold, or each of its parts, is in one of the turns."""
    if len(answer) > _LONGEST_GOLD:
        return False
    held = [turn.words | _words_of_time(turn.time) for turn in supports]
    parts = [words for part in _PARTS.split(answer) if (words := _select_telling_words(part))]
    return bool(parts) and all(any(words <= own for own in held) for words in parts)


def _select_telling_words(text: str) -> set[str]:
    """Return the words of a gold that say something; all if none does."""
    words = words_of(text)
    return words - _FILLERS or words


def _words_of_time(time: str | None) -> set[str]:
    """Return the words in which a person would say when a turn was said."""
    if time is None:
        return set()
    moment = datetime.fromisoformat(time)
    forms = (f"{moment:%Y %m %d %B %b %A %H:%M}", f"{moment.day} {moment.month} {moment.hour}")
    return {word for form in forms for word in words_of(form)}
