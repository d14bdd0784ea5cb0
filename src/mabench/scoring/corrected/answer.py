"""The rule for answers taken from the history: ruler and factconsolidation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import islice

from mabench.scoring.corrected.comparison import compared, rival_offered
from mabench.scoring.corrected.naming import is_of_another, otherwise_named
from mabench.scoring.corrected.rivals import rivalled
from mabench.scoring.corrected.rule import (
    Corrected,
    declines_before,
    is_same,
    refuses,
    right,
    unclear,
    wrong,
)
from mabench.scoring.corrected.verdict import VERDICTS, read_verdict
from mabench.scoring.final_answer import Form, Found, final_answers
from mabench.scoring.mentions import Mention, Token, mentions, plain, tokens, wanted_tokens
from mabench.scoring.official.text import normalize
from mabench.scoring.standing import Standing, sentence_around, standing
from mabench.scoring.words import fold

_SHORT = 6  # Words of a line that is an answer by itself.
_MOST = 20  # Mentions that are looked at.
_MONTH_FIRST = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_ECHO_WORDS = frozenset({"question", "q", "answer", "a", "the", "is"})
_LISTED = re.compile(r"^\s*(?:[-*\u2022+]|\(?\d{1,2}[.)])\s+\S", re.MULTILINE)
_FILLER = re.compile(
    r"^\W*(?:sure|certainly|of course|okay|ok|here|let|based on|according to|i|to|well|hello"
    r"|hi|step|fact|facts)\b|:\s*$",
    re.IGNORECASE,
)


def correct_answer(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` gives an acceptable answer as its own.

    Case, accents, typographic signs, inflection and the way a number or date is written play no
    part. A mention that is rejected, superseded, offered beside a rival or part of a refusal is
    no answer. Golds ``yes`` and ``no`` take a verdict. An answer that normalises to nothing is
    right only word for word.
    """
    if is_same(prediction, answers, lambda text: fold(text.strip())):
        return right("answer-alone")
    if not prediction.strip():
        return wrong("no-answer")
    golds = [gold for gold in answers if normalize(gold)]
    if not golds:
        return wrong("empty-gold")
    for found in final_answers(prediction):
        results = [_read(found, gold, question) for gold in dict.fromkeys(golds)]
        known = [result for result in results if result is not None]
        if known:
            return max(known, key=_rank)
        if found.is_final:
            return wrong("no-candidate")
    return wrong("no-answer")


def _rank(result: Corrected) -> float:
    return 0.5 if result.value is None else result.value


def _read(found: Found, gold: str, question: str | None) -> Corrected | None:
    """Return what a text says of one gold; None if it does not tell."""
    verdict = VERDICTS.get(normalize(gold))
    if verdict is not None:
        return read_verdict(found, verdict, question)
    text = plain(found.line if found.form is Form.MARKED else found.text).strip()
    if found.form is Form.FIRST_LINE and not _is_answer_line(found, text):
        return None
    text, echoed = _beyond_question(text, question)
    if not _says_something(text):
        return wrong("question-echo") if echoed and found.form is Form.WHOLE else None
    wanted = wanted_tokens(gold)
    where = list(islice(mentions(wanted, text), _MOST))
    if not where and _MONTH_FIRST.search(found.text):
        text = plain(_MONTH_FIRST.sub(r"\2/\1/\3", found.text))
        where = list(islice(mentions(wanted, text), _MOST))
    if not where:
        wanted, where = otherwise_named(gold, text)
    if not where:
        return _unmentioned(found, text, gold, echoed)
    return _judged(text, wanted, where, question)


class _Kind(IntEnum):
    """What speaks against a mention, from the least."""

    NOTHING = 0
    DOUBT = 1
    RIVAL = 2
    DECLINED = 3
    REJECTED = 4


_RULES = {
    _Kind.RIVAL: "rivals",
    _Kind.DECLINED: "refusal",
    _Kind.REJECTED: "answer-rejected",
}


def _judged(
    text: str, wanted: Sequence[Token], where: Sequence[Mention], question: str | None
) -> Corrected:
    """Return what a text says in which a gold is mentioned."""
    rival = rival_offered(wanted, question)
    if rival:
        chosen = compared(text, where, list(mentions(rival, text)), question or "")
        if chosen is not None:
            return right("answer-compared") if chosen else wrong("answer-compared")
    kinds = [_against(text, wanted, mention, question) for mention in where]
    best, worst = min(kinds), max(kinds)
    if best is _Kind.NOTHING:
        if worst in (_Kind.REJECTED, _Kind.RIVAL) and kinds[-1] is not _Kind.NOTHING:
            return unclear("answer-taken-back")
        return right("answer-asserted")
    if best is _Kind.DOUBT:
        return unclear("answer-beside-name")
    return wrong(_RULES[best])


def _against(text: str, wanted: Sequence[Token], mention: Mention, question: str | None) -> _Kind:
    stands = standing(text, *mention)
    if stands is Standing.REJECTED or is_of_another(text, wanted, mention, question):
        return _Kind.REJECTED
    sentence = sentence_around(text, *mention)
    if declines_before(sentence, sentence.find(text[mention.start : mention.end])):
        return _Kind.DECLINED
    if stands is Standing.ASKED and sentence.strip() != text.strip():
        return _Kind.REJECTED
    beside = rivalled(text, mention, wanted, question)
    if beside is None:
        return _Kind.NOTHING
    return _Kind.RIVAL if beside else _Kind.DOUBT


def _is_answer_line(found: Found, line: str) -> bool:
    """Say whether a first line is an answer by itself that the rest explains."""
    return (
        found.explained
        and len(line.split()) <= _SHORT
        and not _FILLER.search(line)
        and not _LISTED.match(found.text)
        and not refuses(line)
    )


def _unmentioned(found: Found, text: str, gold: str, echoed: bool) -> Corrected | None:
    """Return what a text says that does not mention the gold."""
    if found.form in (Form.SAID, Form.CONCLUDED, Form.FIRST_LINE) and not _is_name(text):
        return None
    if _is_acronym(gold, text):
        return right("acronym")
    words = wanted_tokens(gold)
    if found.form is not Form.FIRST_LINE and _is_surname(words, text):
        return unclear("surname")
    return wrong("question-echo" if echoed else "no-candidate")


def _is_name(text: str) -> bool:
    """Say whether a text is a bare name or number, and so an answer."""
    said = [token for token in tokens(text) if not token.article]
    named = said and all(t.raw[0].isupper() or t.raw[0].isdigit() for t in (said[0], said[-1]))
    return bool(named) and len(said) <= 4


def _is_acronym(gold: str, text: str) -> bool:
    capitals = "".join(token.raw[0] for token in wanted_tokens(gold) if token.raw[0].isupper())
    said = [token for token in tokens(text) if not token.article]
    return len(capitals) > 1 and len(said) == 1 and said[0].raw == capitals


def _is_surname(gold: Sequence[Token], text: str) -> bool:
    said = [token for token in tokens(text) if not token.article]
    named = len(gold) > 1 and all(token.raw[0].isupper() for token in gold)
    return named and len(said) == 1 and said[0].word == gold[-1].word


def _beyond_question(text: str, question: str | None) -> tuple[str, bool]:
    """Return a text without the question, where it repeats it, and whether it does."""
    asked = plain(question or "").strip().rstrip("?.! ")
    if not asked:
        return text, False
    bare, count = re.subn(re.escape(asked) + r"[?.! ]*", "\n", text, flags=re.IGNORECASE)
    if not count and _words(text) and _words(asked) == _words(re.sub(r"(?i)^question:", "", text)):
        return "", True
    return bare.strip(), bool(count)


def _words(text: str) -> list[str]:
    return [token.word for token in tokens(text)]


def _says_something(text: str) -> bool:
    return any(token.word not in _ECHO_WORDS for token in tokens(text))
