"""What speaks for a span as the answer by what it is: its form, its head, its own paragraph."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from mabench.text.stems import content_words, stem, tokens
from mabench_floor.likeness import same_meaning
from mabench_floor.qa.candidates import modifies
from mabench_floor.qa.questions import PEOPLE, Asked, Kind
from mabench_floor.qa.runs import Span

if TYPE_CHECKING:
    from mabench_floor.qa.search import Search

_DEMONYM = re.compile(r"\A[A-Z][a-z]+(?:an|ese|ish|ch|ic|i)\Z")
_PLACE = re.compile(r"\b(?:in|at|to|near|on|from|into|of|across|through) (?:the )?$", re.IGNORECASE)
_DETERMINER = re.compile(r"\b(?:the|an?|his|her|its|their) $", re.IGNORECASE)
_TRADE = re.compile(r"[a-z]{3}(?:er|or|ist|ian|man|woman|eer|ess|smith|wright)s?\Z")
_BORN = re.compile(r"\bborn (?:on |in )?(?:[A-Z]\S* )?$|\((?:born |b\. )?$")
_DIED = re.compile(r"\bdied (?:on |in )?$|\d{4} ?[-\u2013\u2014] ?$")
_BEFORE = 24
_RAREST = 10.0
# Everyday words with which names of bodies, places, events and works end.
_BODY_WORDS = """company university college school parliament association party army navy force
council court church club institute society academy museum library bank press agency union league
committee corporation group orchestra department ministry office board congress senate assembly
team act war battle treaty empire kingdom republic dynasty revolution movement conference festival
award prize cup tour season river lake sea ocean island islands mountain mountains street road
avenue building tower castle bridge station airport park stadium arena hall house palace theatre
theater county state city town province district region valley bay records studios studio band"""
_BODIES = frozenset(_BODY_WORDS.split())
_QUALITY_WORDS = """nationality genre style language religion ethnicity culture descent origin"""
_TRADE_WORDS = """profession occupation job career trade living work"""
_WORK_WORDS = """film movie book novel song album series show play game poem single story painting
opera program programme magazine newspaper article"""
_QUOTES = '"\u201c'


@cache
def _stems(words: str) -> frozenset[str]:
    """Return the stems of words; not at import, since stemming takes a second to load."""
    return frozenset(stem(word) for word in words.split())


def family_of(asked: Asked) -> str:
    """Return the kind of answer, finer than ``Kind``: what signs of form are told apart by."""
    if asked.kind is not Kind.THING:
        return str(asked.kind.value)
    if asked.noun in _stems(_QUALITY_WORDS):
        return "quality"
    if asked.noun in _stems(_TRADE_WORDS):
        return "trade"
    if asked.noun in _stems(_WORK_WORDS):
        return "work"
    return "one" if asked.one_of else "thing"


def signs_of_form(span: Span, text: str, asked: Asked, search: Search) -> dict[str, float]:
    """Weigh whether a span is a name or a phrase, and of what."""
    kind, lexicon = family_of(asked), search.lexicon
    several = float(" " in span.text)
    before = text[max(span.start - _BEFORE, 0) : span.start]
    last = span.text.rpartition(" ")[2]
    if not span.is_name:
        return {
            "long": several,
            "nounless": float(not lexicon.is_noun(last)),
            "determined": float(bool(_DETERMINER.search(before))),
            "numeric": float(not span.text[0].isalpha()),
            f"acting {kind}": float(bool(_TRADE.search(last)) or last in PEOPLE),
        }
    standing = lexicon.standing(span.text)
    ending = last.lower()
    return {
        f"name {kind}": 1.0,
        f"long name {kind}": several,
        f"placed {kind}": standing.place,
        f"modifier {kind}": standing.modifier,
        f"modifies {kind}": float(modifies(span.end, span.text, text, lexicon)),
        f"body {kind}": float(ending in _BODIES),
        f"demonym {kind}": float(bool(_DEMONYM.search(span.text))),
        f"quoted {kind}": float(span.start > 0 and text[span.start - 1] in _QUOTES),
        "beside": float(asked.noun in standing.near),
    }


def signs_of_head(
    span: Span, text: str, asked: Asked, search: Search, alike: set[str]
) -> dict[str, float]:
    """Weigh the words of a span, and what the paragraph about it says that it is."""
    words = content_words(span.text)
    repeated = words & (asked.words | alike)
    headed = asked.one_of and repeated == {asked.noun}
    before = text[max(span.start - _BEFORE, 0) : span.start]
    signs = {
        "headed": float(headed),
        "mixed": float(bool(repeated) and not headed),
        "located": float(asked.kind is Kind.PLACE and bool(_PLACE.search(before))),
        "rare": min(max(map(search.index.rarity, words), default=0.0) / _RAREST, 1.0),
    }
    if span.is_name:
        signs |= _signs_of_own(span, asked, search)
    return signs


def _signs_of_own(span: Span, asked: Asked, search: Search) -> dict[str, float]:
    """Weigh what the paragraph about a name opens with."""
    about = search.about(span.text)
    if about is None:
        return {}
    family = family_of(asked)
    told = bool(asked.noun) and asked.noun in about
    meant = bool(asked.noun) and not told and not same_meaning(asked.noun).isdisjoint(about)
    return {
        f"known {family}": 1.0,
        "told to be": float(told) + 0.5 * meant,
        f"born {family}": float("born" in about),
    }


def signs_of_date(span: Span, text: str, asked: Asked) -> dict[str, float]:
    """Weigh whether a date is one of birth or of death, and whether it is whole."""
    before = text[max(span.start - _BEFORE, 0) : span.start]
    born, died = bool(_BORN.search(before)), bool(_DIED.search(before))
    wanted = {word for word in ("born", "birth", "birthday", "bear") if word in asked.words}
    deadly = bool(asked.words & {"die", "death", "dead"})
    return {
        "birth": float(bool(wanted) and born) - float(bool(wanted) and died and not born),
        "death": float(deadly and died) - float(deadly and born and not died),
        "whole date": float(
            asked.noun in ("date", "day", "birthday") and len(tokens(span.text)) > 2
        ),
    }
