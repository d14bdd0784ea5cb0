"""What a text says to a question that is answered by yes or no."""

from __future__ import annotations

import re

from mabench.scoring.corrected.rule import (
    Corrected,
    declines_before,
    refuses,
    right,
    unclear,
    wrong,
)
from mabench.scoring.final_answer import Form, Found

VERDICTS = {"yes": True, "no": False}

_LEAD = re.compile(
    r"^[\W_]*(?:(?:well|ok|okay|so|hmm|actually|in fact|therefore|thus)\b[,: ]*)?", re.IGNORECASE
)
_YES = re.compile(
    r"(?:yes|yeah|yep|yup|true|correct|affirmative|indeed|certainly|absolutely|definitely|of "
    r"course|sure(?:ly)?)"
    r"\b(?!,? (?:not\b|and no\b|or no\b))|i (?:think|believe) so\b",
    re.IGNORECASE,
)
# "No" by itself: what follows is no noun of which there is none.
_NO = re.compile(
    r"(?:(?:no|nope|nah|false|negative|incorrect)(?=\W*\Z|\s*[,.;:!\u2013\u2014\n)\"'*]| -|\s*\("
    r"|\s+(?:they|he|she|it|we|i|there|this|that|both|neither|not|these|those|the|its?|their"
    r"|because|since|as)\b"
    r"|\s+(?-i:[A-Z]))"
    r"|(?:(?:definitely|certainly|absolutely|of course|probably|surely|clearly|apparently"
    r"|likely|most likely),? )?"
    r"(?:not|never)\b(?! (?:sure|certain|enough|mentioned|known|stated|specified|provided"
    r"|available|given|found|clear"
    r"|possible|applicable|only|just))|i (?:do not|don't) (?:think|believe) so\b|i (?:think"
    r"|believe|guess) not\b)",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\byes\W+(?:and|or)\W+no\b|\bno\W+(?:and|or)\W+yes\b|\byes/no\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|no longer|none)\b|n['\u2019]t\b", re.IGNORECASE
)
_SAME = re.compile(r"\b(?:same|both|share[sd]?|alike|identical|equally|also|too)\b", re.IGNORECASE)
_DIFFERENT = re.compile(
    r"\b(?:different(?:ly)?|differ(?:s|ed)?|distinct|dissimilar|unlike)\b", re.IGNORECASE
)
_BUT_NOT = re.compile(
    r"\b(?:but|while|whereas)\b[^.\n]{1,80}\b(?:is|was|are|were|does|did|has|had|do)"
    r"(?: not|n['\u2019]t)\W*$",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\W*[Oo]nly (?:one\b|[A-Z])")
_CLAUSE = re.compile(
    r"^\W*(?:they|it|he|she|we|i|this|that|these|those|both)\b(?: \w+)? ?"
    r"(?:are|is|was|were|do|does|did|has|have|had|can|could|will|would|isn't|aren't|wasn't"
    r"|weren't|don't|doesn't"
    r"|didn't|hasn't|haven't)(?: not)?(?: indeed)?\W*$",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"\b[a-z]{4,}\b")
_EMPTY = frozenset(
    [
        "were",
        "was",
        "does",
        "have",
        "that",
        "this",
        "with",
        "they",
        "both",
        "which",
        "what",
        "when",
        "from",
        "than",
        "them",
        "then",
        "their",
        "there",
    ]
)
_END = re.compile(r"(?<=[.!?])\s|\n")


def read_verdict(found: Found, gold: bool, question: str | None) -> Corrected | None:
    """Return whether what was found says yes or no as ``gold`` does; None if it says neither."""
    text = found.line if found.form is not Form.WHOLE else found.text.strip()
    said = _said(text.strip("\"'*_` \t"), question or "")
    if said is None:
        if found.form is not Form.WHOLE and not found.is_final:
            return None
        return wrong("refusal" if refuses(text) else "no-verdict")
    if said is _UNCLEAR:
        return unclear("verdict-unclear") if found.form is Form.WHOLE or found.is_final else None
    return (right if said is gold else wrong)("verdict-said")


_UNCLEAR = object()


def _said(text: str, question: str) -> object:
    """Return True for yes, False for no, None for neither."""
    if _BOTH.search(text):
        return None
    lead = _LEAD.match(text)
    start = text[lead.end() if lead else 0 :]
    no = _NO.match(start)
    if no:
        return (
            None
            if re.match(r"\.?\s?\d", start[no.end() :]) or refuses(start[no.end() :])
            else False
        )
    if _YES.match(start):
        return True
    sentence = _END.split(text, maxsplit=1)[0]
    if declines_before(text, len(text)):
        return None
    if _SAME.search(question) and (_BUT_NOT.search(sentence) or _ONLY.match(sentence)):
        return False
    if _CLAUSE.match(sentence):
        return not _NEGATION.search(sentence)
    return _by_predicate(sentence, question)


def _by_predicate(sentence: str, question: str) -> object:
    """Return what a statement says to a question whose words it takes up."""
    negated = len(_NEGATION.findall(sentence)) % 2 == 1
    if _SAME.search(question) or _DIFFERENT.search(question):
        asked_same = _SAME.search(question) is not None
        if _DIFFERENT.search(sentence):
            return asked_same is negated
        if _SAME.search(sentence):
            return asked_same is not negated
    asked = set(_CONTENT.findall(question)) - _EMPTY
    taken_up = asked & set(_CONTENT.findall(sentence))
    if asked and len(taken_up) * 2 >= len(asked):
        return not negated
    return None if len(sentence.split()) < 4 or not taken_up else _UNCLEAR
