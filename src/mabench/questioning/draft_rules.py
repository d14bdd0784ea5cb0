"""The rules for a question that a model drafted, checked against the turns and not by a model.

A draft that breaks a rule is left out. One that breaks none may still be wrong, so a person decides
on it. A turn supports a question if the answer is in it; the gold is the right answer.
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

# How alike two questions about a history may be, from 0 to 100: about the share of equal letters,
# whatever the order of the words.
_MOST_ALIKE = 88.0
_LONGEST_GOLD = 200  # Characters.
# What is between the parts of a gold, as in "tea, milk and sugar".
_BETWEEN_PARTS = re.compile(r"[,;/]|\band\b|\bor\b", re.IGNORECASE)
# Words that a gold may have although no turn has them.
_FILLERS = frozenset(
    ["a", "an", "the", "of", "in", "on", "at", "to", "is", "was", "it", "her", "his", "their", "s"]
)
# A word with which a gold says that something is not known.
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
    answers: tuple[str, ...]  # Its golds.
    supports: tuple[str, ...]  # The ids of turns, as the model names them.


def find_draft_fault(
    draft: Draft, shown: Iterable[SaidTurn], sessions: Sequence[str], existing: Iterable[SheetLine]
) -> DraftFault | None:
    """Return the first rule that a draft breaks; None if it keeps them all.

    Args:
        draft: the draft.
        shown: the turns that the model saw.
        sessions: the names of all sessions of the history, in order.
        existing: the questions about the history that are in the sheet.
    """
    if not draft.question.strip() or not draft.answers:
        return DraftFault.UNREADABLE
    if any(token_sort_ratio(draft.question, line.question) > _MOST_ALIKE for line in existing):
        return DraftFault.DUPLICATE
    shown_by_id = {turn.id: turn for turn in shown}
    if any(turn_id not in shown_by_id for turn_id in draft.supports):
        return DraftFault.SUPPORT
    if draft.kind is DraftKind.UNANSWERABLE:
        says_unknown = all(_UNKNOWN.search(gold) for gold in draft.answers)
        return None if says_unknown and not draft.supports else DraftFault.ANSWERABLE
    if not draft.supports:
        return DraftFault.NO_SUPPORT
    supports = [shown_by_id[turn_id] for turn_id in draft.supports]
    if not all(_is_supported(gold, supports) for gold in draft.answers):
        return DraftFault.GOLD
    question_words = words_of(draft.question)
    if any(_content_words(gold) <= question_words for gold in draft.answers):
        return DraftFault.GIVEN_AWAY
    return _find_session_fault(draft.kind, supports, sessions)


def _find_session_fault(
    kind: DraftKind, supports: Sequence[SaidTurn], sessions: Sequence[str]
) -> DraftFault | None:
    """Return the rule about sessions that the supporting turns break; None if they break none.

    Some kinds need turns of two sessions. No question may need only the last session of several:
    that takes no long memory.
    """
    needed = {turn.session for turn in supports}
    if kind in (DraftKind.SESSIONS, DraftKind.UPDATE) and len(needed) < 2:
        return DraftFault.ONE_SESSION
    if len(sessions) > 1 and needed == {sessions[-1]}:
        return DraftFault.LAST_SESSION
    return None


def _is_supported(gold: str, supports: Sequence[SaidTurn]) -> bool:
    """Return whether the words of each part of a gold are all in one turn, or in its time.

    A gold that is too long, or that has no words, is not supported.
    """
    if len(gold) > _LONGEST_GOLD:
        return False
    parts = [_content_words(part) for part in _BETWEEN_PARTS.split(gold)]
    words_of_parts = [words for words in parts if words]
    words_of_turns = [turn.words | _words_of_time(turn.time) for turn in supports]
    return bool(words_of_parts) and all(
        any(part_words <= turn_words for turn_words in words_of_turns)
        for part_words in words_of_parts
    )


def _content_words(text: str) -> set[str]:
    """Return the words of a text that are no fillers, such as "the"; if all are, return all."""
    words = words_of(text)
    content_words = words - _FILLERS
    return content_words if content_words else words


def _words_of_time(time: str | None) -> set[str]:
    """Return the words and numbers in which a person may say a turn's date and hour.

    Those of 2026-05-01T09:30 include 2026, 05, 5, may, friday, 09 and 9.
    """
    if time is None:
        return set()
    moment = datetime.fromisoformat(time)
    padded = f"{moment:%Y %m %d %B %b %A %H:%M}"
    unpadded = f"{moment.day} {moment.month} {moment.hour}"
    return words_of(f"{padded} {unpadded}")
