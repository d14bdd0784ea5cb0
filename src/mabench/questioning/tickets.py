"""Questions that people really asked later, and the answers that they were given, as drafts.

Such a question is asked at the point where it was asked, so that a memory knows neither it nor its
answer. It is a draft only if something earlier in the history holds what the answer says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mabench.data.sheets import QuestionStatus, SheetLine
from mabench.questioning.conversations import SaidHistory, SaidTurn, words_of

_LONGEST_QUESTION, _LONGEST_ANSWER = 300, 400
# Telling words that a turn shares with the answer that it supports; one with a digit counts twice.
_FEWEST_SHARED = 2
_MOST_SUPPORTS = 3
_SHORTEST_WORD = 4
# A word is telling if at most this many turns of the history have it, or this share of them.
_RARE, _RARE_SHARE = 3, 0.05


def find_tickets(conversation: SaidHistory) -> Iterator[SheetLine]:
    """Yield what was asked in a later session, was answered at once, and could be known before."""
    turns = conversation.turns
    counts = Counter(word for turn in turns for word in turn.words)
    most = max(_RARE, int(len(turns) * _RARE_SHARE))
    first_of: dict[str, int] = {}
    for number, turn in enumerate(turns):
        first_of.setdefault(turn.session, number)
    for number, (asked, answered) in enumerate(pairwise(turns)):
        earlier = turns[: first_of[asked.session]]
        if not earlier or not _is_asked_and_answered(asked, answered):
            continue
        telling = _telling_words(answered, asked, counts, most)
        supports = _find_supports(earlier, telling)
        if supports:
            yield SheetLine(
                history=conversation.id,
                question=" ".join(asked.text.split()),
                answers=(" ".join(answered.text.replace("|", "/").split()),),
                supports=tuple(turn.id for turn in supports),
                asked_after=turns[number - 1].id,
                kind="asked later",
                status=QuestionStatus.DRAFT,
                note=f"asked in {asked.id}, answered in {answered.id}; shorten the answer",
            )


def _is_asked_and_answered(asked: SaidTurn, answered: SaidTurn) -> bool:
    return (
        asked.text.rstrip().endswith("?")
        and len(asked.text) <= _LONGEST_QUESTION
        and asked.speaker != answered.speaker
        and asked.session == answered.session
        and not answered.text.rstrip().endswith("?")
        and len(answered.text) <= _LONGEST_ANSWER
    )


def _telling_words(
    answered: SaidTurn, asked: SaidTurn, counts: Mapping[str, int], most: int
) -> set[str]:
    """Return what an answer says beyond the question: its rare words, and its numbers."""
    said = answered.words - asked.words
    return {
        word
        for word in said
        if counts[word] <= most and (len(word) >= _SHORTEST_WORD or any(map(str.isdigit, word)))
    }


def _find_supports(earlier: Sequence[SaidTurn], telling: set[str]) -> list[SaidTurn]:
    """Return the turns that share the most telling words with an answer, in their order."""
    scored = [(sum(map(_weigh, words_of(turn.text) & telling)), turn) for turn in earlier]
    shared = [(score, turn) for score, turn in scored if score >= _FEWEST_SHARED]
    best = sorted(shared, key=lambda each: -each[0])[:_MOST_SUPPORTS]
    chosen = {turn.id for _, turn in best}
    return [turn for turn in earlier if turn.id in chosen]


def _weigh(word: str) -> int:
    """Return how much a word tells: a number or a code more than another word."""
    return 2 if any(map(str.isdigit, word)) else 1
