"""Drafts questions out of support tickets: what people asked in a later session, and the answers.

A memory is asked the question at the point of the history where a person asked it, so it has not
seen the answer that was given. A question becomes a draft only if an earlier session holds what
the answer says, which is judged by telling words: words of the answer, not of the question, that
are rare in the history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mabench.data.sheets import QuestionStatus, SheetLine
from mabench.questioning.conversations import SaidHistory, SaidTurn

_LONGEST_QUESTION, _LONGEST_ANSWER = 300, 400  # Characters of a turn.
# The least that a turn shares of telling words with the answer that it supports. A word with a
# digit counts twice.
_LEAST_SHARED = 2
_MOST_SUPPORTS = 3  # Turns that support one answer.
_SHORTEST_WORD = 4  # Characters of a telling word that has no digit.
# A word is rare if at most this many turns of the history have it, or at most this share of them.
_RARE_TURNS, _RARE_SHARE = 3, 0.05


def find_tickets(conversation: SaidHistory) -> Iterator[SheetLine]:
    """Yield the drafts of a history: each a question that the turn after it answers.

    The question is of a later session than the first, and turns of earlier sessions support the
    answer.
    """
    turns = conversation.turns
    rare_words = _find_rare_words(turns)
    session_starts: dict[str, int] = {}  # The index of the first turn of each session.
    for index, turn in enumerate(turns):
        session_starts.setdefault(turn.session, index)
    for index, (turn, next_turn) in enumerate(pairwise(turns)):
        earlier = turns[: session_starts[turn.session]]
        if not earlier or not _is_question_with_answer(turn, next_turn):
            continue
        said_in_answer = next_turn.words - turn.words
        telling = {word for word in said_in_answer & rare_words if _has_content(word)}
        supports = _find_supports(earlier, telling)
        if supports:
            yield SheetLine(
                history=conversation.id,
                question=" ".join(turn.text.split()),
                # In a sheet, "|" is between golds.
                answers=(" ".join(next_turn.text.replace("|", "/").split()),),
                supports=tuple(support.id for support in supports),
                asked_after=turns[index - 1].id,
                kind="asked later",
                status=QuestionStatus.DRAFT,
                note=f"asked in {turn.id}, answered in {next_turn.id}; shorten the answer",
            )


def _find_rare_words(turns: Sequence[SaidTurn]) -> set[str]:
    """Return the words that few turns of a history have."""
    turns_with_word = Counter(word for turn in turns for word in turn.words)
    most = max(_RARE_TURNS, int(len(turns) * _RARE_SHARE))
    return {word for word, count in turns_with_word.items() if count <= most}


def _is_question_with_answer(turn: SaidTurn, next_turn: SaidTurn) -> bool:
    """Return whether a turn is a short question, and the next one another person's short answer."""
    return (
        _ends_as_question(turn)
        and not _ends_as_question(next_turn)
        and turn.speaker != next_turn.speaker
        and turn.session == next_turn.session
        and len(turn.text) <= _LONGEST_QUESTION
        and len(next_turn.text) <= _LONGEST_ANSWER
    )


def _ends_as_question(turn: SaidTurn) -> bool:
    return turn.text.rstrip().endswith("?")


def _has_content(word: str) -> bool:
    """Return whether a word is long enough to mean something, or has a digit."""
    return len(word) >= _SHORTEST_WORD or _has_digit(word)


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _find_supports(turns: Sequence[SaidTurn], telling: set[str]) -> list[SaidTurn]:
    """Return the turns that share the most telling words with an answer, in their order."""
    scores = [sum(_weigh(word) for word in turn.words & telling) for turn in turns]
    candidates = [index for index, score in enumerate(scores) if score >= _LEAST_SHARED]
    # The sort keeps the order of equals, so the earlier of equally good turns are taken.
    candidates.sort(key=lambda index: scores[index], reverse=True)
    return [turns[index] for index in sorted(candidates[:_MOST_SUPPORTS])]


def _weigh(word: str) -> int:
    """Return how much a telling word counts: a number or a code twice as much as another word."""
    return 2 if _has_digit(word) else 1
