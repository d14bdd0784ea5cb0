"""What a question asks for: the kind of thing, the noun that names it, and where it would stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import takewhile
from typing import NamedTuple

from mabench.text.stems import content_words, is_function_word, stem

IsVerb = Callable[[str], bool]
_WH = re.compile(r"\b(?:who|whom|whose|where|when|why|how|what|which)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_RELATIVE = re.compile(r"\b(?:who|whom|whose|which|that|where)\b", re.IGNORECASE)
_SOME = re.compile(r"\b(?:by|of|with|for|from|in|to) an? [a-z]")
_ITSELF = re.compile(r" (?:is|are|was|were) (?:the|an?) ")
_DESCRIPTION = re.compile(r"\b(?:the|an?) (?:[a-z-]+ ){1,3}(?:of|by|from|in|with|on|at|to|for)\b")
# Everyday words of a class each: they know nothing of any data set.
_COPULA_WORDS = "is are was were"
_AUXILIARY_WORDS = """is are was were be been being do does did has have had can could will would
shall should may might must"""
_MEASURE_WORDS = "many much old long far tall high large big deep wide heavy often"
_EMPTY_WORDS = "kind type sort name term title one form example part"
_NAMING_WORDS = "name names named called title term known termed alias nickname"
_DATE_WORDS = """year date day month century decade time birthday birthdate era period season"""
_NUMBER_WORDS = """number population age height length distance price cost percentage amount size
sum total salary speed weight depth width share capacity elevation altitude circulation attendance
enrollment budget temperature rate score"""
_PERSON_WORDS = """person man woman boy girl people actor actress author writer novelist poet
painter artist singer musician composer director producer player politician president king queen
emperor ruler leader minister governor mayor general scientist physicist philosopher historian
economist engineer architect inventor founder owner boss spouse husband wife brother sister son
daughter father mother uncle aunt nephew niece cousin friend teacher student doctor lawyer judge
pope bishop saint monk explorer character hero coach captain athlete duke count prince princess
lord lady chief chairman chancellor senator"""
_PLACE_WORDS = """country city town village state county province region place location area
district continent island river lake sea ocean mountain valley street road park port harbour
capital nation kingdom territory territories neighborhood neighbourhood suburb borough municipality
airport station building homeland birthplace hometown"""
_DETERMINER_WORDS = "the a an his her its their this that these those"
_PREPOSITION_WORDS = """in on at to from by with for of into through under against after before
about as over between among during near"""
_COPULAS = frozenset(_COPULA_WORDS.split())
_AUXILIARIES = frozenset(_AUXILIARY_WORDS.split())
_MEASURES = frozenset(_MEASURE_WORDS.split())
_EMPTY = frozenset(_EMPTY_WORDS.split())
_NAMING = frozenset(_NAMING_WORDS.split())
_DETERMINERS = frozenset(_DETERMINER_WORDS.split())
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
PEOPLE = frozenset(_PERSON_WORDS.split())
_DOING = ("do", "does", "did")
_HAVING = ("has", "have", "had")
_OPEN_ENDS = ("called", "named", "in", "of", "to")


class Kind(Enum):
    """The kinds of things that a question may ask for."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    THING = "thing"


_NUMBERS = frozenset(_NUMBER_WORDS.split())
_KINDS = (
    (frozenset(_DATE_WORDS.split()), Kind.DATE),
    (_NUMBERS, Kind.NUMBER),
    (PEOPLE, Kind.PERSON),
    (frozenset(_PLACE_WORDS.split()), Kind.PLACE),
)
_KNOWN = frozenset[str]().union(*(nouns for nouns, _ in _KINDS))


class Asked(NamedTuple):
    """What a question asks for.

    Attributes:
        words: the stems of the question's content words.
        kind: the kind of thing.
        noun: the stem of the noun that names it ("which river"), or "".
        one_of: whether that noun follows the question word, or a name is asked for.
        naming: whether the question asks how something is called.
        plural: whether several things are asked for.
        unit: the stem of what is counted ("how many seats"), or "".
        measure: whether the answer is a number of units, as after "how long".
        much: whether it is an amount, as after "how much".
        before: the stems that would stand before the answer in a statement,
        after: and those after it; both empty when the order tells nothing.
        focus: the stems of the verb, or of the noun that says what the answer is to something.
        preposition: the one that governs the answer, or "".
        nested: whether the question describes what it is about by another thing.
        holder: the noun that describes what the answer is told of ("the band that"), or "",
        said: and the stems of what the question says of that thing.
    """

    words: frozenset[str]
    kind: Kind = Kind.THING
    noun: str = ""
    one_of: bool = False
    naming: bool = False
    plural: bool = False
    unit: str = ""
    measure: bool = False
    much: bool = False
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    focus: frozenset[str] = frozenset()
    preposition: str = ""
    nested: bool = False
    holder: str = ""
    said: frozenset[str] = frozenset()


def asked_by(question: str, is_verb: IsVerb) -> Asked:
    """Analyse ``question``; ``is_verb`` tells verbs in lower case from nouns."""
    found = question_word(question)
    asked = Asked(content_words(question))
    if not found:
        return asked
    lead, word = question[: found.start()], found.group().lower()
    rest = _WORD.findall(question[found.end() :])
    lower = [each.lower() for each in rest]
    asked = asked._replace(
        preposition=_preposition(lead, lower), nested=_is_nested(question, found)
    )
    if word == "how":
        return _measured(asked, lower)
    noun, start = _noun_after(lower, is_verb) if word in ("what", "which") else ("", 0)
    described = "" if noun else _described(lower, is_verb)
    before, after = _order(rest[start:], content_words(lead), word)
    naming = word in ("what", "which") and not _NAMING.isdisjoint(lower)
    named = noun or described
    return asked._replace(
        kind=_kind_of(word, named),
        noun=stem(named),
        unit=stem(named) if _kind_of(word, named) is Kind.NUMBER else "",
        one_of=bool(noun) or naming,
        naming=naming,
        plural=named.endswith("s") or lower[start : start + 1] in (["are"], ["were"]),
        before=before,
        after=after,
        focus=(_focus(rest[start:], described, is_verb) or _last_said(lead, rest[start:]))
        & asked.words,
    )


def question_word(question: str) -> re.Match[str] | None:
    """Return the word that asks: the first, unless the question opens with a statement."""
    found = list(_WH.finditer(question))
    if not found or len(question[: found[0].start()].split()) <= 1:
        return found[0] if found else None
    for words, place in ((("what", "how"), 0), (("which",), -1)):  # "which" may be relative.
        asking = [each for each in found if each.group().lower() in words]
        if asking:
            return asking[place]
    return found[-1]


def _is_nested(question: str, asking: re.Match[str]) -> bool:
    """Say whether a question describes what it asks about, rather than names it."""
    lead, rest = question[: asking.start()], question[asking.end() :]
    itself = _ITSELF.match(rest) if asking.group().lower() in ("who", "what", "which") else None
    start = itself.end() if itself else 0
    found = _RELATIVE.search(rest) or _RELATIVE.search(lead) or _SOME.search(lead)
    return bool(found or _DESCRIPTION.search(rest, start))


def _measured(asked: Asked, words: Sequence[str]) -> Asked:
    """Return what is asked by "how" and ``words``."""
    if not words or words[0] not in _MEASURES:
        return asked
    counted = next((word for word in words[1:] if word in _NUMBERS), "")
    if counted and words[0] not in ("many", "much"):  # "How large is the population"
        return asked._replace(kind=Kind.NUMBER, noun=stem(counted), unit=stem(counted))
    follows = words[1:3] if words[0] in ("many", "much") else ()
    unit = next((stem(word) for word in follows if not is_function_word(word)), "")
    much = words[0] == "much"
    return asked._replace(kind=Kind.NUMBER, unit=unit, much=much, measure=not (unit or much))


def _kind_of(word: str, noun: str) -> Kind:
    if word in ("who", "whom", "whose"):
        return Kind.PERSON
    if word in ("when", "where"):
        return Kind.DATE if word == "when" else Kind.PLACE
    return next((k for nouns, k in _KINDS if noun in nouns or stem(noun) in nouns), Kind.THING)


def _noun_after(words: Sequence[str], is_verb: IsVerb) -> tuple[str, int]:
    """Return the noun that follows the question word, or "", and where the rest begins."""
    run: list[str] = []
    for place, word in enumerate(words):
        if run and run[-1] in _KNOWN and word not in _KNOWN:
            return run[-1], place
        if word == "of" and run and run[-1].rstrip("s") in _EMPTY:
            run = []
        elif is_function_word(word):
            verb_last = len(run) > 1 and (word in _DETERMINERS or run[-1].endswith("s"))
            if word in _AUXILIARIES or not verb_last:
                return (run[-1] if run else "", place)
            return run[-2], place - 1
        elif (is_verb(word) and word not in _KNOWN) or (run and word.endswith("ly")):
            return (run[-1] if run else "", place)
        else:
            run.append(word)
    return run[-1] if run else "", len(words)


def _described(words: Sequence[str], is_verb: IsVerb) -> str:
    """Return the head of what follows a copula: "husband" in "who was Ann's husband"."""
    if not words or words[0] not in _COPULAS:
        return ""
    head = ""
    for word in words[1:]:
        if word == "of" and head in _EMPTY:
            head = ""
        elif not is_function_word(word) and not is_verb(word):
            head = word
        elif head:
            break
    return head


def _order(
    rest: Sequence[str], lead: frozenset[str], word: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems that would stand before and after the answer in a statement."""
    nothing: frozenset[str] = frozenset()
    if not rest or word in ("when", "why"):
        return nothing, nothing
    content = content_words(" ".join(rest))
    first, last = rest[0].lower(), rest[-1].lower()
    if first not in _AUXILIARIES:
        return lead, content
    if first in _DOING or last in _OPEN_ENDS:
        return content | lead, nothing
    return nothing, nothing


def _focus(rest: Sequence[str], described: str, is_verb: IsVerb) -> frozenset[str]:
    """Return the stem of the main verb, or of the noun that is described."""
    if not rest:
        return frozenset()
    first = rest[0].lower()
    if first not in _AUXILIARIES:
        skipped = len(list(takewhile(lambda word: is_function_word(word.lower()), rest)))
        return frozenset(stem(word.lower()) for word in rest[skipped : skipped + 1])
    words = [word for word in rest[1:] if word.islower() and not is_function_word(word)]
    verbs = [word for word in words if is_verb(word)]
    if first in _COPULAS or first in _HAVING:
        verbs = [word for word in verbs if word.endswith(("ed", "n", "t"))] or [described]
    return frozenset(stem(word) for word in verbs[:1] if word)


def _last_said(lead: str, rest: Sequence[str]) -> frozenset[str]:
    """Return the stem of the last content word before a question word that ends a question."""
    said = [word for word in _WORD.findall(lead.lower()) if not is_function_word(word)]
    return frozenset(stem(word) for word in said[-1:]) if len(said) > 1 else frozenset()


def _preposition(lead: str, words: Sequence[str]) -> str:
    """Return the preposition before the question word, or at the end of the question."""
    before = [word for word in lead.lower().split()[-1:] if word in _PREPOSITIONS]
    behind = [word for word in words[-1:] if word in _PREPOSITIONS]
    return next(iter(before + behind), "")
