"""The thing that an answer is told of, where a question describes it: "the band that ..."."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mabench.text.stems import content_words, is_function_word, stem
from mabench_floor.likeness import same_meaning
from mabench_floor.qa.questions import PEOPLE, Asked, question_word

if TYPE_CHECKING:
    from mabench_floor.qa.search import Hit, Search

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[,;]")
_PLAIN = re.compile(r"[^\W_]+")
_AROUND = 4  # Words around a name in which the noun that describes it may stand.
_DETERMINERS = frozenset(["the", "a", "an", "his", "her", "its", "their"])
_RELATIVES = frozenset(["who", "whom", "whose", "which", "that", "where"])
_AUXILIARIES = frozenset(["is", "are", "was", "were", "has", "have", "had", "did", "does", "do"])
_COPULAS = ("is", "are", "was", "were")
_EMPTY = ("kind", "type", "sort", "name", "title", "one", "part", "closest")
_ACTING = re.compile(r"[a-z]{3}(?:er|or|ist|ian|ess|man)$")
_BREAKING = frozenset(["born", "die", "first", "written", "launch", "found", "held", "made"])
_MEANT = 0.5  # What a paragraph counts for that opens with a word of the same meaning.


class Holder(NamedTuple):
    """The thing that an answer is told of.

    Attributes:
        noun: the noun that describes it, or "".
        said: the stems of what the question says of it, beside what describes it.
    """

    noun: str
    said: frozenset[str]


NONE = Holder("", frozenset())


class Phrase(NamedTuple):
    """A noun phrase: its last word, and where it begins and ends among the words."""

    noun: str
    start: int
    end: int


def holder_of(question: str, is_verb: Callable[[str], bool]) -> Holder:
    """Return the noun that describes the thing that the answer is told of.

    That is "band" in "In which city was the band formed that ...?", in "Who is the singer of the
    band that ...?" and in "X is a song by a band formed in which city?".
    """
    asking = question_word(question)
    if not asking:
        return NONE
    lead, rest = question[: asking.start()], question[asking.end() :]
    if len(lead.split()) > 1:
        return _last_or_first(_WORD.findall(lead), _WORD.findall(rest), is_verb)
    words = _WORD.findall(rest)
    phrases = _phrases(words, is_verb)
    asked_itself = words[:1] and words[0].lower() in _COPULAS and words[1:2] == ["the"]
    if asked_itself and asking.group().lower() in ("who", "what", "which"):
        phrases = phrases[1:]
    if not phrases:
        return NONE
    last = words[-1:] if words[-1].islower() else []
    return Holder(phrases[0].noun, _content([*words[: phrases[0].end], *last]))


def _content(words: Sequence[str]) -> frozenset[str]:
    return content_words(" ".join(words))


def _last_or_first(words: list[str], rest: list[str], is_verb: Callable[[str], bool]) -> Holder:
    """Return the last described thing before the question word, or the subject of the sentence."""
    phrases = _phrases(words, is_verb)
    if not phrases:
        return NONE
    first, last = phrases[0], phrases[-1]
    between = [word.lower() for word in words[last.end :]]
    auxiliary = next((n for n, word in enumerate(between) if word in _AUXILIARIES), None)
    is_said_of_last = auxiliary is None or not _RELATIVES.isdisjoint(between[:auxiliary])
    if is_said_of_last or auxiliary is None:
        return Holder(last.noun, _content([*words[last.start :], *rest]))
    said = words[last.end + auxiliary :]
    return Holder(first.noun, _content([first.noun, *said, *rest]))


def _phrases(words: list[str], is_verb: Callable[[str], bool]) -> list[Phrase]:
    """Return the noun phrases in lower case that begin with an article or the like."""
    found: list[Phrase] = []
    for start, word in enumerate(words):
        if word.lower() not in _DETERMINERS:
            continue
        noun, end = "", start + 1
        for place, each in enumerate(words[start + 1 :], start + 1):
            plain = each.isalnum() or "-" in each
            if not plain or is_function_word(each.lower()) or (noun and not each.islower()):
                break
            if each in _BREAKING or (noun and is_verb(each)):
                break
            noun, end = (each if each.islower() and not each[0].isdigit() else noun), place + 1
        if noun and noun not in _EMPTY and not _is_part_of_named(noun, words[end : end + 2]):
            found.append(Phrase(noun, start, end))
    return found


def _is_part_of_named(noun: str, after: list[str]) -> bool:
    """Say whether a noun belongs to what a name stands for, as in "the story of Ness"."""
    return after[:1] == ["of"] and after[-1][:1].isupper() and not _is_person(noun)


def _is_person(noun: str) -> bool:
    return noun in PEOPLE or bool(_ACTING.search(noun))


def is_such(noun: str, opening: frozenset[str]) -> float:
    """Return how far a paragraph that opens with these stems is about a thing of that noun."""
    wanted = stem(noun)
    if wanted in opening:
        return 1.0
    if not opening.isdisjoint(same_meaning(wanted)) or (_is_person(noun) and "born" in opening):
        return _MEANT
    return 0.0


def signs_of_holder(asked: Asked, hit: Hit, search: Search) -> dict[str, float]:
    """Weigh whether the paragraph of a hit is about a thing such as ``asked.holder``.

    The noun may also stand beside the name that led there, as in "the singer Ann Lee".
    """
    if not asked.holder:
        return {}
    held = is_such(asked.holder, frozenset(search.opening(hit.place)))
    return {
        "held": held,
        "unheld": float(not held and hit.start is None),
        "link held": float(_names_it(asked.holder, hit, search)),
    }


def _names_it(noun: str, hit: Hit, search: Search) -> bool:
    """Say whether a noun, or one that means the same, stands beside the name that led to a hit."""
    if hit.start is None:
        return False
    words = [stem(word.lower()) for word in _PLAIN.findall(search.sentences[hit.start].text)]
    wanted = {stem(noun), *same_meaning(stem(noun))}
    named = [place for place, word in enumerate(words) if word in hit.name]
    return any(
        not wanted.isdisjoint(words[max(place - _AROUND, 0) : place + _AROUND]) for place in named
    )
