"""The shortest sensible answer within a statement."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from mabench.agents.floor.answer_types import new_things, wanted
from mabench.text import estimate_tokens
from mabench.text.stems import content_words, is_function_word, stem

_WORD = re.compile(r"[^\W_]+")


def answer_span(question: str, statement: str, max_tokens: int) -> str:
    """Cut from ``statement`` what answers ``question``.

    That is the name, date or number closest to the words of the question, if it asks for one;
    else all from the first to the last word that is not in the question; and if that takes
    more than ``max_tokens``, its longest run without a word of the question. A statement
    without any new word is returned whole.
    """
    asked = content_words(question)
    runs = [run for run in _new_runs(statement, asked) if run]
    if not runs:
        return statement
    wanted_span = _closest(question, statement, asked)
    if wanted_span:
        return wanted_span
    whole = statement[runs[0][0].start() : runs[-1][-1].end()]
    if estimate_tokens(whole) <= max_tokens:
        return whole
    longest = max(runs, key=len)
    return statement[longest[0].start() : longest[-1].end()]


def _new_runs(statement: str, asked: frozenset[str]) -> Iterator[list[re.Match[str]]]:
    """Yield the runs of words that are not asked about, without function words at the ends.

    A word of the question counts once: said again, it belongs to the answer.
    """
    run: list[re.Match[str]] = []
    unsaid = set(asked)
    for word in _WORD.finditer(statement):
        if _is_asked(word, unsaid):
            unsaid.discard(stem(word.group().lower()))
            yield _trimmed(run)
            run = []
        else:
            run.append(word)
    yield _trimmed(run)


def _trimmed(run: list[re.Match[str]]) -> list[re.Match[str]]:
    # A capital within a sentence belongs to a name ("The Hague") where one follows.
    telling = [i for i, word in enumerate(run) if not is_function_word(word.group())]
    if all(is_function_word(run[i].group().lower()) for i in telling):
        return []
    if run[telling[0]].start() == 0 and is_function_word(run[telling[0]].group().lower()):
        telling.pop(0)
    return run[telling[0] : telling[-1] + 1]


def _is_asked(word: re.Match[str], asked: Container[str]) -> bool:
    lowered = word.group().lower()
    return not is_function_word(lowered) and stem(lowered) in asked


def _closest(question: str, statement: str, asked: frozenset[str]) -> str | None:
    """Return the thing of the wanted kind that stands nearest to the words asked about."""
    kind = wanted(question)
    if kind is None:
        return None
    new = new_things(kind, statement, asked)
    places = [m.start() for m in _WORD.finditer(statement) if _is_asked(m, asked)]
    if not new:
        return None
    return min(new, key=lambda m: sum(abs(m.start() - place) for place in places)).group()
