"""What a phrase says of a verdict: yes, no, or something that leaves it open."""

from __future__ import annotations

import re
from enum import Enum

from mabench.scoring.lexicon import pattern


class StatedVerdict(Enum):
    """What a statement says."""

    YES = "yes"
    NO = "no"
    OPEN = "open"  # It is about the verdict, and leaves it open.


# Typographic apostrophes are written as plain ones before.
_VERDICT_FIRST = pattern(
    r"(?:(?:%s|(?:my|the|our)(?: final| overall)? (?:%s) is|%s)[,:]? )*"
    r"(?P<hedge>(?:%s)[,:]? )?(?P<negation>not (?:an? )?)?"
    r"(?:(?P<yes>%s)|(?P<no>%s))(?![\w'-])(?P<rest>[\s\S]*)",
    *("judge.conclusions", "judge.nouns", "judge.leads", "judge.hedges", "judge.yes", "judge.no"),
)
_DECORATION = re.compile(r"^[\s>#|\-\u2022\u2192=]+|[*_`~]+")
_NOTHING_BEHIND = re.compile(r"[\s.!)\]}\"'|]*")
_SIGN_BEHIND = re.compile(r"\s*[,;:.!(\u2013\u2014\uff0c\u3002]|\s-+\s|\s*\[")
_CLAUSE_BEHIND = pattern(r"\s+(?:%s)\b", "judge.clauses")
_REASON_BEHIND = pattern(r"\s+(?:%s)\b", "judge.reasons")
# Behind a verdict, what makes it an offer of two, or a limited one: "yes or no", "yes, partly".
_ANOTHER_BEHIND = pattern(
    r"\W{0,5}(?:and|or|/|&|vs\.?)\W{0,5}(?:also )?(?:%s|%s)\b|\s?/", "judge.yes", "judge.no"
)
_LIMITATION_BEHIND = pattern(r"\W{1,5}(?:%s|%s)\b", "judge.limits", "judge.hedges")
# Words that are a verdict before a sentence that explains it: "correct, since" and "correct."
_MAY_OPEN_SENTENCE = pattern(r"%s", "judge.opening")
_YES_AND_NO = ("yes", "no")
# What a reason may say against a verdict: "nothing is missing", "a name is missing", "although".
_DENIED_FAULT = pattern(r"\b(?:%s)\b(?:\W+\w+){0,4}?\W+(?:%s)\b", "judge.denials", "judge.faults")
_FAULT = pattern(r"\b(?:%s)\b", "judge.faults")
_CONCESSION = pattern(r"\W*(?:%s)\b", "judge.concessions")


def said_by(phrase: str, *, alone: bool = False) -> StatedVerdict | None:
    """Return what a sentence, or the value of a field, says of the verdict that it begins with.

    None if it begins with none: ``no issues`` does not say ``no``. A verdict that is hedged,
    limited, or contradicted by the reason behind it is open. With ``alone``, nothing else may be
    said.
    """
    phrase = _DECORATION.sub("", phrase.translate(_PLAIN_QUOTES)).strip(" \t\n\"'([{")
    found = _VERDICT_FIRST.match(phrase)
    if found is None:
        return None
    said = StatedVerdict.YES if found["yes"] else StatedVerdict.NO
    word, rest = found["yes"] or found["no"], found["rest"]
    is_mark = not word[0].isalpha()  # "\u2705 Yes"
    if is_mark and (said_beside := said_by(rest)) is not None:
        return said if said_beside is said else StatedVerdict.OPEN
    if said is StatedVerdict.NO and re.match(r"\.?\s?\d", rest):
        return None  # "No. 1"
    if rest.lstrip().startswith("?") or _ANOTHER_BEHIND.match(rest):
        return StatedVerdict.OPEN  # "yes?", "yes and no"
    is_limited = bool(_LIMITATION_BEHIND.match(rest))
    is_ended = is_limited or _NOTHING_BEHIND.fullmatch(rest) is not None
    if not is_ended and (alone or not _is_verdict_before(word, rest)):
        return None
    if found["hedge"] or is_limited:
        return StatedVerdict.OPEN
    if found["negation"]:  # What is not wrong need not be right.
        return StatedVerdict.NO if said is StatedVerdict.YES else StatedVerdict.OPEN
    return StatedVerdict.OPEN if _speaks_against(said, rest) else said


_PLAIN_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u201e", '\'\'"""')


def _is_verdict_before(word: str, rest: str) -> bool:
    """Return whether a word is a verdict before what follows it: "no, it does not", not "no issue".

    Yes and no are before a sign or a clause, other words only before a reason, or before a sign if
    they may open a sentence.
    """
    if word.casefold() in _YES_AND_NO:
        return bool(_SIGN_BEHIND.match(rest) or _CLAUSE_BEHIND.match(rest))
    if rest.lstrip().startswith(":"):
        return False  # "Correct: Rome. Given: Oslo."
    is_sentence = _MAY_OPEN_SENTENCE.fullmatch(word) and _SIGN_BEHIND.match(rest)
    return bool(is_sentence or _REASON_BEHIND.match(rest))


def _speaks_against(said: StatedVerdict, reason: str) -> bool:
    """Return whether the reason for a verdict speaks for the opposite: "no, nothing is missing".

    A fault speaks against a yes unless it is conceded at once: "yes, although a date is missing".
    """
    if said is StatedVerdict.NO:
        return _DENIED_FAULT.search(reason) is not None
    names_fault = _FAULT.search(_DENIED_FAULT.sub("", reason)) is not None
    return names_fault and not _CONCESSION.match(reason)
