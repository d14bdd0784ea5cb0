"""Analyses a question: which kind of thing it asks for, with which noun, and about what."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import NamedTuple

from mabench.text.stems import content_words, is_function_word, stem

IsVerb = Callable[[str], bool]
_WH = re.compile(r"\b(?:who|whom|whose|where|when|why|how|what|which)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_PHRASE_WORD = re.compile(rf"{_WORD.pattern}|[,;]")
_ACTING = re.compile(r"[a-z]{3}(?:er|or|ist|ian|ess|man)$")
_ARTICLES = frozenset(["the", "a", "an", "his", "her", "its", "their"])
# Everyday words, by class.
WORDS = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(
        files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
    ).items()
}
_COPULAS, _AUXILIARIES, _EMPTY = WORDS["copulas"], WORDS["auxiliaries"], WORDS["empty"]


# The nouns of each kind of thing that a question may ask for; the rest ask for a "thing".
_KINDS = tuple((WORDS[kind], kind) for kind in ("date", "number", "person", "place"))
_KIND_OF = {"who": "person", "whom": "person", "whose": "person", "when": "date", "where": "place"}
_NOUNS = frozenset[str]().union(*(nouns for nouns, _ in _KINDS))


class Asked(NamedTuple):
    """What a question asks for.

    Attributes:
        words: the stems of the question's content words.
        kind: the kind of thing: "date", "number", "person", "place" or "thing".
        family: the same in more detail: "thing" is divided into "work", "one" (of a noun), "why",
            "how" and "thing".
        noun: the stem of the noun that names it ("which river"), or "".
        naming: whether it asks what something is called.
        one_of: whether it does, or the noun follows the question word.
        unit: the stem of what is counted ("how many seats"), or "".
        measure: whether the answer is a number of units, as after "how long".
        holder: the stem of the noun for what the answer is about ("the band that"), or "".
        held: the stems of what the question says about that thing.
        preposition: the preposition before the answer, or "".
        focus: the stem of the verb, or of the noun for the answer's relation to something.
        acts: 1 if the answer does what the verb says ("who built"), -1 if it is done to it
            ("what did Ann build"), else 0.
    """

    words: frozenset[str]
    kind: str = "thing"
    family: str = "thing"
    noun: str = ""
    naming: bool = False
    one_of: bool = False
    unit: str = ""
    measure: bool = False
    holder: str = ""
    held: frozenset[str] = frozenset()
    preposition: str = ""
    focus: str = ""
    acts: int = 0


def asked_by(question: str, is_verb: IsVerb) -> Asked:
    """Analyse a question; ``is_verb`` tells verbs in lower case from nouns."""
    asked, match = Asked(content_words(question)), question_word(question)
    if not match:
        return asked
    word = match.group().lower()
    rest = _WORD.findall(question[match.end() :])
    lower = [each.lower() for each in rest]
    governing = [*question[: match.start()].lower().split()[-1:], *lower[-1:]]
    asked = asked._replace(
        family=word if word in ("why", "how") else "thing",
        naming=not WORDS["naming"].isdisjoint(lower),
        preposition=next((w for w in governing if w in WORDS["prepositions"]), ""),
    )
    if word in ("why", "how"):
        return _measured(asked, lower)
    noun, start = _noun_after(lower, is_verb) if word in ("what", "which") else ("", 0)
    named = noun or _described(rest, is_verb)
    kind = _KIND_OF.get(word) or kind_of(named)
    verb = lower[start] if start < len(lower) else "is"
    acts = -1 if verb in ("do", "does", "did") else int(not is_function_word(verb))
    one_of = bool(noun) or (word in ("what", "which") and asked.naming)
    family = "work" if named in WORDS["works"] else "one" if one_of else "thing"
    return asked._replace(
        kind=kind,
        family=family if kind == "thing" else kind,
        noun=stem(named),
        one_of=one_of,
        unit=stem(named) if kind == "number" else "",
        focus=_focus(rest[start:], "" if noun else named, is_verb),
        acts=0 if asked.preposition else acts,
    )


def kind_of(noun: str) -> str:
    """Return the kind of thing that a noun, or its stem, names."""
    return next((kind for nouns, kind in _KINDS if noun in nouns or stem(noun) in nouns), "thing")


def question_word(question: str) -> re.Match[str] | None:
    """Return the question word: the first one, unless the question begins with a statement."""
    words = list(_WH.finditer(question))
    if not words or len(question[: words[0].start()].split()) <= 1:
        return words[0] if words else None
    # "Which" may be relative.
    asking = [word for word in words if word.group().lower() in ("what", "how")]
    which = [word for word in words if word.group().lower() == "which"]
    return (asking[:1] or which[-1:] or words[-1:])[0]


def _measured(asked: Asked, words: Sequence[str]) -> Asked:
    """Return what "why" or "how" asks for, with the words after it."""
    if asked.family == "why" or not words or words[0] not in WORDS["measures"]:
        return asked
    follows = words[1:3] if words[0] in ("many", "much") else ()
    unit = next((stem(word) for word in follows if not is_function_word(word)), "")
    measure = unit == "money" or (words[0] != "much" and not unit)
    return asked._replace(kind="number", family="number", unit=unit, measure=measure)


def _noun_after(words: Sequence[str], is_verb: IsVerb) -> tuple[str, int]:
    """Return the noun after the question word, or "", and where the rest begins."""
    run: list[str] = []
    for place, word in enumerate(words):
        if word == "of" and run and run[-1].removesuffix("s") in _EMPTY:
            run = []
        elif is_function_word(word) or (run and run[-1] in _NOUNS and word not in _NOUNS):
            # "Which company owns the": the verb may be taken for the noun.
            is_verb_last = len(run) > 1 and (word in WORDS["determiners"] or run[-1].endswith("s"))
            if is_verb_last and run[-1] not in _NOUNS and word not in _AUXILIARIES:
                return run[-2], place - 1
            return (run[-1] if run else "", place)
        elif (is_verb(word) and word not in _NOUNS) or (run and word.endswith("ly")):
            return (run[-1] if run else "", place)
        else:
            run.append(word)
    return (run[-1] if run else "", len(words))


def _described(words: Sequence[str], is_verb: IsVerb) -> str:
    """Return the head noun after a copula: "husband" in "who was Ann's husband"."""
    head = ""
    for word in words[1:] if words and words[0] in _COPULAS else ():
        if word == "of" and head in _EMPTY:
            head = ""
        elif word.islower() and not is_function_word(word) and not is_verb(word):
            head = word.rpartition("-")[2]
        elif head:
            break
    return head


def _focus(rest: Sequence[str], described: str, is_verb: IsVerb) -> str:
    """Return the stem of the main verb, or of the noun that is described."""
    content = [word for word in rest if not is_function_word(word.lower())]
    if not rest or rest[0].lower() not in _AUXILIARIES:
        return stem(content[0].lower()) if content else ""
    verbs = [word for word in content if word.islower() and is_verb(word)]
    if rest[0] in _COPULAS or rest[0] in ("has", "have", "had"):
        verbs = [word for word in verbs if word.endswith(("ed", "n", "t"))] or [described]
    return stem(verbs[0]) if verbs else ""


def holder_of(question: str, is_verb: IsVerb) -> tuple[str, frozenset[str]]:
    """Return the noun for the thing that the answer is about, and what is said about that thing.

    That is the stem of "band" in "In which city was the band formed that ...?", in "Who is the
    singer of the band that ...?" and in "X is a song by a band formed in which city?"; or "". What
    the question says about it is returned as stems.
    """
    asking = question_word(question)
    if not asking:
        return "", frozenset()
    lead = _PHRASE_WORD.findall(question[: asking.start()])
    words = _PHRASE_WORD.findall(question[asking.end() :])
    if len(lead) > 1:  # The question word comes late: the last thing before it.
        for noun, start, _ in _phrases(lead, is_verb)[-1:]:
            return stem(noun), content_words(" ".join([*lead[start:], *words]))
        return "", frozenset()
    phrases = _phrases(words, is_verb)
    is_itself = words[:1] and words[0].lower() in _COPULAS and words[1:2] == ["the"]
    if is_itself and asking.group().lower() in ("who", "what", "which"):
        phrases = phrases[1:]
    for noun, _, end in phrases[:1]:
        last = words[-1:] if words[-1].islower() else []
        return stem(noun), content_words(" ".join([*words[:end], *last]))
    return "", frozenset()


def _phrases(words: list[str], is_verb: IsVerb) -> list[tuple[str, int, int]]:
    """Yield the noun of each phrase that begins with an article or the like, and its places."""
    phrases: list[tuple[str, int, int]] = []
    for start, word in enumerate(words):
        if word.lower() not in _ARTICLES:
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
            phrases.append((noun, start, end))
    return phrases


def is_person(noun: str) -> bool:
    """Return whether a noun is likely to describe a person."""
    return noun in WORDS["person"] or bool(_ACTING.search(noun))
