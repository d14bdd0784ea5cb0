"""Another relative than the gold: who asks for an aunt is not answered by a mother.

``pattern`` fills the list of relatives, ``names.kin`` of ``words.toml``, into a regular expression.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mabench.scoring.lexicon import pattern
from mabench.scoring.stated.reading import new_words
from mabench.scoring.tokens import plain

# A relative, and what makes one of another generation of it: "grandmother", "great-uncle".
_RELATIVE = r"\b(?P<before>(?:great|grand|step|half|god)[- ]?){0,3}(?P<kin>%s)s?\b"
# Behind a relative who only tells of whom another is one: "her mother's sister".
_OWNS = re.compile(r"'| of |-in-")
_IS_RELATIVE = (
    r"(?:(?:his|her|their|my|your|the|an?|[\w ]{1,40}'s) )?"
    r"(?P<before>(?:great|grand|step|half|god)[- ]?){0,3}(?P<kin>%s)(?: (?-i:[A-Z])[\w ]*)?"
)


class _Relative(NamedTuple):
    """A relative: as what, and whether a generation further away."""

    kin: str
    is_grand: bool


def find_other_relative(gold: str, text: str, question: str) -> tuple[int, int] | None:
    """Return where ``plain`` text names another relative than a gold that is one.

    None if the gold is no relative, or the text has a word of it, or names no relative beside those
    of the question, or several, or a relative of a relative.
    """
    wanted = pattern(_IS_RELATIVE, "names.kin").fullmatch(plain(gold).strip())
    if wanted is None or new_words(plain(gold), question) & new_words(text, question):
        return None
    relatives = pattern(_RELATIVE, "names.kin")
    asked = {_read_relative(match) for match in relatives.finditer(plain(question))}
    told = [match for match in relatives.finditer(text) if _read_relative(match) not in asked]
    is_one = len({_read_relative(match) for match in told}) == 1
    if not is_one or any(_OWNS.match(text, match.end()) for match in told):
        return None
    return told[0].span("kin") if _read_relative(told[0]) != _read_relative(wanted) else None


def _read_relative(match: re.Match[str]) -> _Relative:
    """Return the relative of a match; great, step, half and god make no other one of it."""
    before = match["before"] or ""
    return _Relative(match["kin"].lower(), "grand" in before.lower())
