"""What a text says to a question that is answered by yes or no."""

from __future__ import annotations

import re
from functools import cache

from mabench.scoring.corrected.rule import (
    Corrected,
    refuses,
    right,
    unclear,
    wrong,
)
from mabench.scoring.final_answer import Form, Found
from mabench.scoring.lexicon import pattern
from mabench.text.stems import is_function_word

VERDICTS = {"yes": True, "no": False}

_LEAD = re.compile(
    r"^[\W_]*(?:(?:well|ok|okay|so|hmm|actually|in fact|therefore|thus)\b[,: ]*)?", re.IGNORECASE
)
_BOTH = re.compile(r"\byes\W+(?:and|or)\W+no\b|\bno\W+(?:and|or)\W+yes\b|\byes/no\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|no longer|none)\b|n['\u2019]t\b", re.IGNORECASE
)
_BUT_NOT = re.compile(
    r"\b(?:but|while|whereas)\b[^.\n]{1,80}\b(?:is|was|are|were|does|did|has|had|do)"
    r"(?: not|n['\u2019]t)\W*$",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:while|whereas|but)\b", re.IGNORECASE)
_ONLY = re.compile(r"\W*[Oo]nly (?:one\b|[A-Z])")
_CONTENT = re.compile(r"\b[a-z]{4,}\b")
_END = re.compile(r"(?<=[.!?])\s|\n")


def read_verdict(found: Found, gold: bool, question: str | None) -> Corrected | None:
    """Return whether what was found says yes or no as ``gold`` does; None if it says neither."""
    text = found.line if found.form is not Form.WHOLE else found.text.strip()
    is_last = found.is_final or found.form is Form.WHOLE
    said = _verdict(text.strip("\"'*_` \t"), question or "")
    if said == "unclear":
        return unclear("verdict-unclear") if is_last else None
    if said is None:
        return wrong("refusal" if refuses(text) else "no-verdict") if is_last else None
    return (right if (said == "yes") is gold else wrong)("verdict-said")


def _verdict(text: str, question: str) -> str | None:
    """Return yes, no or unclear; None for neither."""
    if _BOTH.search(text):
        return None
    lead = _LEAD.match(text)
    start = text[lead.end() if lead else 0 :]
    no = _no().match(start)
    if no:
        rest = start[no.end() :]
        return None if re.match(r"\.?\s?\d", rest) or refuses(rest) else "no"
    yes = r"(?:%s)\b(?!,? (?:not\b|and no\b|or no\b))|i (?:think|believe) so\b"
    if pattern(yes, "verdict.yes").match(start):
        return "yes"
    sentence = _END.split(text, maxsplit=1)[0]
    if refuses(text):
        return None
    if _same().search(question) and (_BUT_NOT.search(sentence) or _ONLY.match(sentence)):
        return "no"
    if _same().search(question) and _CONTRAST.search(sentence) and not _same().search(sentence):
        return "no"
    clause = r"^\W*(?:%s)\b(?: \w+)? ?(?:%s)(?: not|n['\u2019]t)?(?: indeed)?\W*$"
    if pattern(clause, "verdict.pronouns", "verdict.auxiliaries").search(sentence):
        return "no" if _NEGATION.search(sentence) else "yes"
    return _by_predicate(sentence, question)


def _by_predicate(sentence: str, question: str) -> str | None:
    """Return what a statement says to a question whose words it takes up."""
    negated = len(_NEGATION.findall(sentence)) % 2 == 1
    different = pattern(r"\b(?:%s)\b", "verdict.different")
    if _same().search(question) or different.search(question):
        is_same_asked = _same().search(question) is not None
        if different.search(sentence):
            return "yes" if is_same_asked is negated else "no"
        if _same().search(sentence):
            return "no" if is_same_asked is negated else "yes"
    asked = {word for word in _CONTENT.findall(question) if not is_function_word(word)}
    taken_up = asked & set(_CONTENT.findall(sentence))
    if asked and len(taken_up) * 2 >= len(asked):
        return "no" if negated else "yes"
    return None if len(sentence.split()) < 4 or not taken_up else "unclear"


def _same() -> re.Pattern[str]:
    return pattern(r"\b(?:%s)\b", "verdict.same")


@cache
def _no() -> re.Pattern[str]:
    """Return what says no by itself: what follows is no noun of which there is none."""
    return pattern(
        r"(?:(?:%s)(?=\W*\Z|\s*[,.;:!\u2013\u2014\n)\"'*]| -|\s*\(|\s+(?:%s)\b|\s+(?-i:[A-Z]))"
        r"|(?:(?:%s),? )?(?:not|never)\b(?! (?:%s)\b)"
        r"|i (?:do not|don't) (?:think|believe) so\b|i (?:think|believe|guess) not\b)",
        *("verdict.no", "verdict.after_no", "verdict.sureness", "verdict.not_unknown"),
    )
