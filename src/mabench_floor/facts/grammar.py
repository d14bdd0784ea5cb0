"""What English grammar says about a frame: who acts, whom it is about, and the kinds of names."""

from __future__ import annotations

from itertools import pairwise

from mabench.text.stems import is_function_word, stem
from mabench_floor.facts.frames import Frame, Words

_BE = frozenset(("is", "are", "was", "were", "be", "been", "being"))
_COPULAS = _BE | {"as"}
_RELATIVES = frozenset(("who", "that", "which"))
_AGENT_ENDINGS = ("er", "or", "ist", "ent", "ant", "man", "woman")
_PLACING = frozenset(("in", "at"))
_PREPOSITIONS = _PLACING | {"by", "to", "for", "from", "with", "on", "as", "under", "into"}
_LEADING = frozenset(("name", "kind", "type", "sort"))
# The kinds of the one who acts, and of a place.
WHO, WHERE = "who", "where"
# The largest number of words from an article to its noun.
_REACH = 3


def _acting_slot(frame: Frame) -> int | None:
    """Return the slot (0 or 1) of the one who acts; None if nobody does.

    In ``X was taught by Y`` and ``The teacher of X is Y`` that is the second; in ``X taught Y`` and
    ``It was X who taught Y``, the first.
    """
    before, between, _ = _lowered(frame)
    if between[-1] == "by":
        return 1
    if _is_role(frame):
        is_agent = _role(before).endswith(_AGENT_ENDINGS)
        return 1 if is_agent else None
    if _is_cleft(before, between):
        first_acts = len(between) > 1 and between[1] not in _BE
    else:
        first_acts = not before and between[0] not in _BE
    return 0 if first_acts else None


def key_slot(frame: Frame) -> int | None:
    """Return the slot of the name that a statement is about, which has one partner at a time.

    ``The teacher of X is Y`` and ``It was Y who taught X`` are about X. So is ``Y is the teacher of
    X``, where the article says that there is only one. Return None if grammar does not tell.
    """
    before, between, _ = _lowered(frame)
    if _is_role(frame) or between[-1] == "by":
        return 0
    if _is_cleft(before, between) or (not before and _says_role(between)):
        return 1
    return None


def _is_role(frame: Frame) -> bool:
    """Return whether a frame has the form ``The role of X is Y``, perhaps with more words."""
    before, between, after = _lowered(frame)
    without_article = between[:-1] if between[-1] == "the" else between
    opens_with_role = len(before) > 1 and before[0] == "the"
    return opens_with_role and not after and bool(_BE.intersection(without_article[-1:]))


def kind_of_second(frame: Frame) -> str | None:
    """Return the stem of the noun that names the kind of the second name.

    That is the noun before it, as in ``lives in the city of Y``. But in ``is the mayor of Y`` that
    noun names the first.
    """
    _, between, _ = _lowered(frame)
    if _says_role(between):
        return None
    phrase = between[:-1] if between[-1] == "of" else between
    words_before_noun = phrase[-_REACH - 1 : -1]
    if "the" in words_before_noun and not is_function_word(phrase[-1]):
        return stem(phrase[-1])
    return None


def kind_of_first(frame: Frame) -> str | None:
    """Return the stem of the noun that names the kind of the first name.

    That is the noun before it, as in ``The city of X lies in Y``. But in ``The mayor of X is Y``
    that noun names the second.
    """
    before, _, _ = _lowered(frame)
    if _is_role(frame) or len(before) != 3:
        return None
    article, noun, preposition = before
    if article != "the" or preposition != "of" or is_function_word(noun):
        return None
    return stem(noun)


def asked_of(frame: Frame, slot: int) -> str | None:
    """Return the interrogative for a slot: who, for the one who acts, or where, for a place."""
    if _acting_slot(frame) == slot:
        return WHO
    _, between, _ = _lowered(frame)
    prepositions = [word for word in between if word in _PREPOSITIONS]
    if slot == 1 and prepositions and prepositions[-1] in _PLACING:
        return WHERE
    return None


def _says_role(between: Words) -> bool:
    """Return whether the words between two names have the form ``is the role of``.

    The article says that the first name alone has the role.
    """
    pairs = pairwise(between)
    is_definite = any(copula in _COPULAS and article == "the" for copula, article in pairs)
    return is_definite and between[-1] == "of"


def _role(before: Words) -> str:
    """Return the noun in ``The role of``: the last of the first words that carry content.

    A noun that only leads to another is skipped: in ``The name of the present owner of`` it is
    ``owner``. Return "" if there is none.
    """
    noun = ""
    for word, following in pairwise((*before, "of")):
        ends_phrase = is_function_word(following) and not is_function_word(word)
        if ends_phrase:
            noun = word
            if noun not in _LEADING:
                break
    return noun


def _is_cleft(before: Words, between: Words) -> bool:
    """Return whether a frame has the form ``It was X who`` or ``It was in X that``."""
    it_is = before[:1] == ("it",) and (len(before) == 1 or before[1] in _BE)
    return it_is and between[0] in _RELATIVES


def _lowered(frame: Frame) -> tuple[Words, Words, Words]:
    """Return the words before, between and after the names, in lower case."""
    before, between, after = (tuple(map(str.lower, part)) for part in frame)
    return before, between, after
