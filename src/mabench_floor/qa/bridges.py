"""Questions about a thing that they describe: the description is answered first."""

from __future__ import annotations

import re
from typing import NamedTuple

from mabench.text.stems import is_function_word, tokens
from mabench_floor.answer_types import NAME
from mabench_floor.qa.questions import PEOPLE

_ACTING = re.compile(r"[a-z]{3}(?:er|or|ist|ian|ess)$")
_WHOLES_WORDS = """company organisation organization society institution body team band club city
town school university film book novel song album series"""
_WHOLES = frozenset(_WHOLES_WORDS.split())
MOST = 3  # How many descriptions are answered, one inside the other.
_QUOTED = re.compile(r"[\"\u201c][^\"\u201c\u201d]{1,80}[\"\u201d]")
_REACH = 120  # Characters before a name in which its description may begin.
_DESCRIBED = re.compile(
    r"\b(?:the|an?|this) (?P<noun>(?:(?!the |of |who |that |which |what )[\w'-]+ ){1,4})"
    r"(?:of |(?:who|that|which) (?P<verb>(?:(?!who |that |which |what )[\w'-]+ ){1,5}))(?:the )?$"
)
_WEAK_WORDS = """is are was were who what which where when how name whom does did do has have"""
_WEAK = frozenset(_WEAK_WORDS.split())


def _stands_for_one(noun: str) -> bool:
    """Say whether a noun is likely to describe a person, a town or a body by its relation."""
    return noun in PEOPLE or noun in _WHOLES or bool(_ACTING.search(noun))


class Description(NamedTuple):
    """A description in a question: the question that it answers, and what stands around it."""

    asked: str
    before: str
    after: str


def described(question: str) -> Description | None:
    """Return the description in ``question`` of what it is about, or None.

    "Where was the author of Ness born?" asks first "What is the name of the author of Ness?",
    and has "Where was " and " born?" around it. A description that is the whole question, or of
    which the rest only says more, is none.
    """
    found = [*_QUOTED.finditer(question), *NAME.finditer(question)]
    for name in found:
        start = max(name.start() - _REACH, 0)
        before = _DESCRIBED.search(question[start : name.start()])
        if not before:
            continue
        head, tail = question[: start + before.start()], question[name.end() :]
        modified = tokens(tail)[:1] and is_function_word(tokens(tail)[0])
        around = tokens(head if modified else head + tail)
        if all(w in _WEAK or is_function_word(w) for w in around):
            continue
        if not before.group("verb") and not _stands_for_one(before.group("noun").split()[-1]):
            continue
        description = question[start + before.start() : name.end()]
        verb = before.group("verb")
        if verb is None:
            asked = f"What is the name of {description}?"
        else:
            clause = question[start + before.start("verb") : name.end()]
            asked = f"Which {before.group('noun').strip()} {clause}?"
        return Description(asked, head, tail)
    return None
