"""The thing that an answer is about, where a question describes it: "the band that ..."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mabench.text.stems import content_words, is_function_word, stem
from mabench_floor.qa.questions import PEOPLE, IsVerb, question_word

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[,;]")
_DETERMINERS = frozenset(["the", "a", "an", "his", "her", "its", "their"])
_COPULAS = frozenset(["is", "are", "was", "were"])
_EMPTY = frozenset(["kind", "type", "sort", "name", "title", "one", "part"])
_ACTING = re.compile(r"[a-z]{3}(?:er|or|ist|ian|ess|man)$")


class Holder(NamedTuple):
    """The thing that an answer is about.

    Attributes:
        noun: the stem of the noun that describes it, or "".
        words: the stems of what the question says of it, beside what describes it.
    """

    noun: str = ""
    words: frozenset[str] = frozenset()


class _Phrase(NamedTuple):
    noun: str
    start: int
    end: int


def holder_of(question: str, is_verb: IsVerb) -> Holder:
    """Return the noun that describes the thing that the answer is about.

    That is "band" in "In which city was the band formed that ...?", in "Who is the singer of the
    band that ...?" and in "X is a song by a band formed in which city?".
    """
    asking = question_word(question)
    if not asking:
        return Holder()
    lead, words = _WORD.findall(question[: asking.start()]), _WORD.findall(question[asking.end() :])
    if len(lead) > 1:  # The question word comes late: the last thing before it.
        last_phrases = _phrases(lead, is_verb)[-1:]
        said = [word for phrase in last_phrases for word in [*lead[phrase.start :], *words]]
        return Holder(stem(last_phrases[0].noun), _content(said)) if said else Holder()
    phrases = _phrases(words, is_verb)
    is_itself = words[:1] and words[0].lower() in _COPULAS and words[1:2] == ["the"]
    if is_itself and asking.group().lower() in ("who", "what", "which"):
        phrases = phrases[1:]
    if not phrases:
        return Holder()
    last = words[-1:] if words[-1].islower() else []
    return Holder(stem(phrases[0].noun), _content([*words[: phrases[0].end], *last]))


def _content(words: Sequence[str]) -> frozenset[str]:
    return content_words(" ".join(words))


def _phrases(words: list[str], is_verb: IsVerb) -> list[_Phrase]:
    """Return the noun phrases in lower case that begin with an article or the like."""
    phrases: list[_Phrase] = []
    for start, word in enumerate(words):
        if word.lower() not in _DETERMINERS:
            continue
        noun, end = "", start + 1
        for place, each in enumerate(words[start + 1 :], start + 1):
            is_plain = each.isalnum() or "-" in each
            if not is_plain or is_function_word(each.lower()) or (noun and not each.islower()):
                break
            if each == "born" or (noun and is_verb(each)):
                break
            noun, end = (each if each.islower() and not each[0].isdigit() else noun), place + 1
        after = words[end : end + 2]
        # "The story of Ness" is a name, "the author of Ness" is not; "the oldest of" has no noun.
        is_named = after[-1:] != [] and after[-1][:1].isupper() and not is_person(noun)
        is_empty = after[:1] == ["of"] and (is_named or noun.endswith("est"))
        if noun and noun not in _EMPTY and not is_empty:
            phrases.append(_Phrase(noun, start, end))
    return phrases


def is_person(noun: str) -> bool:
    """Return whether a noun is likely to describe a person."""
    return noun in PEOPLE or bool(_ACTING.search(noun))


def is_such(noun: str, opening: frozenset[str]) -> float:
    """Return how far a paragraph that opens with these stems is about a thing of that noun."""
    if noun in opening:
        return 1.0
    return 0.5 if is_person(noun) and "born" in opening else 0.0
