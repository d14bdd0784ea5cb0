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
    match = question_word(question)
    if not match:
        return Asked(content_words(question))
    word = match.group().lower()
    rest = _WORD.findall(question[match.end() :])
    lower = [following.lower() for following in rest]
    # The answer's preposition is right before the question word, or ends the question.
    around = [*question[: match.start()].lower().split()[-1:], *lower[-1:]]
    asked = Asked(
        content_words(question),
        naming=not WORDS["naming"].isdisjoint(lower),
        preposition=next((w for w in around if w in WORDS["prepositions"]), ""),
    )
    if word in ("why", "how"):
        return _measured(asked._replace(family=word), lower)
    if word in ("what", "which"):
        noun, start = _noun_after(lower, is_verb)
    else:
        noun, start = "", 0
    named = noun or _described(rest, is_verb)
    kind = _KIND_OF.get(word) or kind_of(named)
    one_of = bool(noun) or (word in ("what", "which") and asked.naming)
    return asked._replace(
        kind=kind,
        family=_family(named, one_of=one_of) if kind == "thing" else kind,
        noun=stem(named),
        one_of=one_of,
        unit=stem(named) if kind == "number" else "",
        focus=_focus(rest[start:], "" if noun else named, is_verb),
        acts=0 if asked.preposition else _acts(lower[start:]),
    )


def _family(noun: str, *, one_of: bool) -> str:
    """Return the family of what is no date, number, person or place."""
    if noun in WORDS["works"]:
        return "work"
    return "one" if one_of else "thing"


def _acts(words: Sequence[str]) -> int:
    """Return whether the answer acts, from the words after the question word and its noun.

    It is 1 in "who built", -1 in "what did Ann build", and 0 in "who was" and without a verb.
    """
    if not words:
        return 0
    if words[0] in ("do", "does", "did"):
        return -1
    return 0 if is_function_word(words[0]) else 1


def kind_of(noun: str) -> str:
    """Return the kind of thing that a noun, or its stem, names."""
    return next((kind for nouns, kind in _KINDS if noun in nouns or stem(noun) in nouns), "thing")


def question_word(question: str) -> re.Match[str] | None:
    """Return the question word: the first one, unless the question begins with a statement.

    After a statement ("X is a song by a band formed in which city?") it is the first "what" or
    "how", else the last "which", because earlier ones may be relative, else the last one.
    """
    words = list(_WH.finditer(question))
    if not words:
        return None
    begins_with_statement = len(question[: words[0].start()].split()) > 1
    if not begins_with_statement:
        return words[0]
    what_or_how = [word for word in words if word.group().lower() in ("what", "how")]
    if what_or_how:
        return what_or_how[0]
    which = [word for word in words if word.group().lower() == "which"]
    return which[-1] if which else words[-1]


def _measured(asked: Asked, words: Sequence[str]) -> Asked:
    """Return what "why" or "how" asks for, with the words after it.

    "How long" asks for a number of any unit, "how many seats" for one of seats.
    """
    if asked.family == "why" or not words or words[0] not in WORDS["measures"]:
        return asked
    unit = ""
    if words[0] in ("many", "much"):
        unit = next((stem(word) for word in words[1:3] if not is_function_word(word)), "")
    measure = unit == "money" or (words[0] != "much" and not unit)
    return asked._replace(kind="number", family="number", unit=unit, measure=measure)


def _noun_after(words: Sequence[str], is_verb: IsVerb) -> tuple[str, int]:
    """Return the noun after the question word, or "", and where the rest begins.

    In "which old kind of lace was made" the noun is "lace", and the rest begins at "was".
    """
    run: list[str] = []
    for place, word in enumerate(words):
        noun = run[-1] if run else ""
        if word == "of" and run and noun.removesuffix("s") in _EMPTY:
            run = []
        elif is_function_word(word) or (noun in _NOUNS and word not in _NOUNS):
            # "Which company owns the": the verb may be taken for the noun.
            may_be_verb = word in WORDS["determiners"] or noun.endswith("s")
            if len(run) > 1 and may_be_verb and noun not in _NOUNS and word not in _AUXILIARIES:
                return run[-2], place - 1
            return noun, place
        elif (is_verb(word) and word not in _NOUNS) or (run and word.endswith("ly")):
            return noun, place
        else:
            run.append(word)
    return (run[-1] if run else ""), len(words)


def _described(words: Sequence[str], is_verb: IsVerb) -> str:
    """Return the head noun after a copula: "husband" in "who was Ann's husband".

    It is "" if the words do not begin with a copula.
    """
    if not words or words[0] not in _COPULAS:
        return ""
    head = ""
    for word in words[1:]:
        if word == "of" and head in _EMPTY:
            head = ""
        elif word.islower() and not is_function_word(word) and not is_verb(word):
            head = word.rpartition("-")[2]
        elif head:
            break
    return head


def _focus(rest: Sequence[str], described: str, is_verb: IsVerb) -> str:
    """Return the stem of the main verb, or of the noun that is described.

    After a form of "be" or "have" only a participle is a verb.
    """
    content = [word for word in rest if not is_function_word(word.lower())]
    if not rest or rest[0].lower() not in _AUXILIARIES:
        return stem(content[0].lower()) if content else ""
    verbs = [word for word in content if word.islower() and is_verb(word)]
    if rest[0] in _COPULAS or rest[0] in ("has", "have", "had"):
        participles = [word for word in verbs if word.endswith(("ed", "n", "t"))]
        return stem(participles[0] if participles else described)
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
        phrases = _phrases(lead, is_verb)
        if not phrases:
            return "", frozenset()
        said = [*lead[phrases[-1].start :], *words]
        return stem(phrases[-1].noun), content_words(" ".join(said))
    phrases = _phrases(words, is_verb)
    is_copula_first = bool(words) and words[0].lower() in _COPULAS and words[1:2] == ["the"]
    if is_copula_first and asking.group().lower() in ("who", "what", "which"):
        phrases = phrases[1:]  # "Who is the singer of the band": the first one is the answer.
    if not phrases:
        return "", frozenset()
    last = words[-1:] if words[-1].islower() else []  # It may be the verb.
    said = [*words[: phrases[0].end], *last]
    return stem(phrases[0].noun), content_words(" ".join(said))


class _Phrase(NamedTuple):
    """A phrase such as "the old band": its noun, the place of its article, the place after it."""

    noun: str
    start: int
    end: int


def _phrases(words: list[str], is_verb: IsVerb) -> list[_Phrase]:
    """Return the phrases that begin with an article or possessive, and have a noun of their own.

    "The story of Ness" is a name, "the author of Ness" is not; "the oldest of" has no noun.
    """
    phrases: list[_Phrase] = []
    for start, word in enumerate(words):
        if word.lower() not in _ARTICLES:
            continue
        phrase = _phrase_at(start, words, is_verb)
        noun, after = phrase.noun, words[phrase.end : phrase.end + 2]
        is_in_name = bool(after) and after[-1][:1].isupper() and not is_person(noun)
        is_no_noun = after[:1] == ["of"] and (is_in_name or noun.endswith("est"))
        if noun and noun not in _EMPTY and not is_no_noun:
            phrases.append(phrase)
    return phrases


def _phrase_at(start: int, words: list[str], is_verb: IsVerb) -> _Phrase:
    """Return the phrase that begins with the article at a place; its noun is "" if it has none."""
    noun, end = "", start + 1
    for word in words[start + 1 :]:
        is_plain = word.isalnum() or "-" in word
        if not is_plain or is_function_word(word.lower()) or (noun and not word.islower()):
            break
        if word == "born" or (noun and is_verb(word)):
            break
        if word.islower() and not word[0].isdigit():
            noun = word
        end += 1
    return _Phrase(noun, start, end)


def is_person(noun: str) -> bool:
    """Return whether a noun is likely to describe a person."""
    return noun in WORDS["person"] or bool(_ACTING.search(noun))
