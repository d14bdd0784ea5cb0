"""The rule for answers taken from the history, of one part or several; and for none to be had."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.corrected.rule import (
    VERDICTS,
    Corrected,
    guesses,
    is_same,
    read_verdict,
    refuses,
    right,
    standing_asked,
    unclear,
    without_question,
    wrong,
)
from mabench.scoring.corrected.unmentioned import unmentioned
from mabench.scoring.final_answer import Form, Found, final_answers, without_reasoning
from mabench.scoring.lexicon import entries, pattern, words
from mabench.scoring.official import normalize
from mabench.scoring.reading import is_content, refers
from mabench.scoring.sameness.kin import may_be
from mabench.scoring.sameness.same import Mention, mentions
from mabench.scoring.sameness.wordings import parts_of, stems_of, wanted_tokens
from mabench.scoring.settle import Choice, settles_on
from mabench.scoring.standing import Standing, sentence_around
from mabench.scoring.tokens import fold, plain, tokens
from mabench.text.stems import stem

_ECHO_WORDS = frozenset({"question", "q", "answer", "a", "the", "is"})
_LEAD = re.compile(
    r"(?:(?:most )?likely,? |probably,? |presumably,? )?(yes|no)\b(?=\W?$|[,.;:])", re.IGNORECASE
)
_ABOUT = re.compile(r"\b(?:about|regarding|concerning) (.+)", re.IGNORECASE)
_BECAUSE = re.compile(r"\w\W+because\b")
_COURTESY = r"(?:^|(?<=[.!?:\n])[ ])(?:(?:%s)|(?:%s)[^.!?\n]{0,120})(?:[.!?:]+(?=\s|$)|\n|$)\s?"
_COURTESIES = {
    "alone": pattern(_COURTESY, "courtesies.alone", "courtesies.opening"),
    "agreeing": pattern(_COURTESY, "courtesies.agreeing", "courtesies.opening"),
}
_WITH_REASON = re.compile(r"[,;]\s(?:since|because|as|given|due to)\b")
_OR = re.compile(r"\sor\s(?=[a-z])")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
_OWNED = re.compile(r"\s+(?:[\w-]+\s+){0,3}[\w-]+(?:\W*$|,?\s+[A-Z])")
_NAME = re.compile(
    r"[A-Z0-9][\w'.:-]*(?:\s+(?:(?:of|for|the|and|de|la|in|on|to|a|an|&|from"
    r"|with)\s+){0,2}(?=[A-Z0-9])[A-Z0-9][\w'.:-]*)*"
)


def correct_answer(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` gives an acceptable answer as its own.

    What is the same as a gold (``same``) must be the value that the text settles on
    (``chosen``); all parts of a gold that is a list must be. Golds ``yes`` and ``no`` take a
    verdict. An answer that normalises to nothing is right only word for word.
    """
    return _score(prediction, answers, question, shares=False)


def correct_parts(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score which of the parts of a gold a prediction gives as its own, in any order."""
    return _score(prediction, answers, question, shares=True)


def correct_unanswerable(prediction: str, question: str | None = None) -> Corrected:
    """Score whether a prediction declines to answer, and gives no answer after all.

    It declines in its first sentence, with no guess or reason behind it, or in its last. What it
    declines to say must be of what the question asks, if there is one.
    """
    if not prediction.strip():
        return wrong("no-answer")
    text = without_reasoning(prediction)
    parts = [part.rstrip(";") for part in _SENTENCE.split(text) if part.strip()] or [""]
    asked = stems_of(question or "")
    goes_on = any(guesses(part) or _BECAUSE.search(part) for part in parts[1:])
    if (_declines(parts[0], asked) and not goes_on) or _declines(parts[-1], asked):
        return right("declined-rightly")
    return wrong("answer-invented")


def _declines(text: str, asked: frozenset[str]) -> bool:
    subject = _ABOUT.search(text)
    told = {stem(t.word) for t in tokens(subject[1]) if is_content(t)} if subject else set()
    if asked and told and not told & asked:
        return False
    cue = pattern(r"\b(?:%s)\b", "refusal.nothing").search(text)
    if pattern(r"^\W*(?:%s)\b", "refusal.denials").search(text):
        return True
    return refuses(text) or (cue is not None and not guesses(text[cue.end() :]))


def _score(
    prediction: str, answers: Sequence[str], question: str | None, shares: bool
) -> Corrected:
    if is_same(prediction, answers, lambda text: fold(text.strip())):
        return right("answer-alone")
    if not prediction.strip():
        return wrong("no-answer")
    golds = [said for gold in answers if normalize(gold) for said in (gold, *_parts_told(gold))]
    if not golds:
        return wrong("empty-gold")
    for found in final_answers(prediction):
        if found.form is not Form.WHOLE and refers(plain(found.text)):
            found = Found(without_reasoning(prediction), Form.WHOLE)  # "Answer: the newer one"
        results = [_read(found, gold, question, shares) for gold in dict.fromkeys(golds)]
        known = [result for result in results if result is not None]
        if known:
            best = max(known, key=lambda result: 0.5 if result.value is None else result.value)
            denied = [result for result in known if result.rule == "answer-rejected"]
            # "Not gold, but silver" says nothing of golden.
            return denied[0] if best.value is None and denied else best
        if found.is_final:
            return wrong("no-candidate")
    return wrong("no-answer")


def _parts_told(gold: str) -> list[str]:
    """Return what a gold says without its reason (``Oslo, since she skis``), or each of two."""
    said = _WITH_REASON.split(gold)[0]
    either = [part for part in _OR.split(said) if part[:1].islower()]
    return [said] * (said != gold) + either * (len(either) > 1)


def _read(found: Found, gold: str, question: str | None, shares: bool) -> Corrected | None:
    if found.form is Form.FIRST_LINE:
        return None
    found = found._replace(text=_without("alone", found.text))
    lead = _LEAD.match(gold)
    if lead:
        result = read_verdict(found, VERDICTS[lead[1].casefold()], question)
        if normalize(gold) in VERDICTS or (result and result.value == 1):
            return result
    text = plain(found.line if found.form is Form.MARKED else found.text).strip()
    text = _without("agreeing", text)
    text, echoed = without_question(text, question)
    if not any(token.word not in _ECHO_WORDS for token in tokens(text)):
        return wrong("question-echo") if echoed and found.form is Form.WHOLE else None
    result = _read_text(text, gold, question)
    if result is None or result.value != 1:
        result = _of_parts(text, gold, question, shares, result)
    if result is not None:
        return result
    named = [token.is_name for token in tokens(text) if not token.article]
    is_name = 0 < len(named) <= 4 and named[0] and named[-1]
    if found.form in (Form.SAID, Form.CONCLUDED) and not is_name:
        return None
    return unmentioned(text, gold, question, echoed)


def _without(courtesies: str, text: str) -> str:
    """Return a text without sentences that say nothing of the matter, if any is left."""
    said = _COURTESIES[courtesies].sub(" ", text).strip()
    return said if re.search(r"\w", said) else text


def _of_parts(
    text: str, gold: str, question: str | None, shares: bool, whole: Corrected | None
) -> Corrected | None:
    """Return how much of a gold that is a list a text says; the verdict of the whole if none."""
    parts = parts_of(gold)
    results = [_read_text(text, part, question, is_part=True) for part in parts]
    said = sum(result is not None and result.value == 1 for result in results)
    if not said:
        return whole
    if said == len(parts):
        return right("answer-parts")
    spoken = tokens(text)
    known = stems_of(" ".join(parts)) | stems_of(question or "")
    others = [t for t in spoken if is_content(t) and stem(t.word) not in known]
    open_ = [part for part, result in zip(parts, results, strict=True) if result is None]
    heads = [token for part in open_ for token in wanted_tokens(part)]
    is_denied = any(result is not None and result.value == 0 for result in results)
    if any(may_be(token, other) for token in filter(is_content, heads) for other in spoken):
        return unclear("answer-partly-said")
    if shares:
        return Corrected(said / len(parts), "answer-parts")
    is_named = parts[-1][0].isupper() and all(token.is_name for token in others)
    is_named &= gold != ", ".join(parts) or open_ != parts[1:]  # A quarter, and its city?
    return wrong("answer-parts") if is_named or is_denied else unclear("answer-partly-said")


def _read_text(
    text: str, gold: str, question: str | None, is_part: bool = False
) -> Corrected | None:
    """Return what a text says of a gold; None if it does not mention it."""
    where = mentions(gold, text, question)
    if not where:
        return None
    rival = _offered_beside(gold, question)
    others = mentions(rival, text) if rival else []
    choice = _compared(text, where[0], others[0], question) if others else None
    if choice is not None:
        return right("answer-compared") if choice else wrong("answer-compared")
    where = [m for m in where if not _is_of_another(text, gold, m, question)]
    stands = [standing_asked(text, m.start, m.end, question) for m in where]
    stands = [  # What a text asks itself and goes on from is no answer.
        Standing.REJECTED
        if stand is Standing.ASKED and sentence_around(text, m.start, m.end).strip() != text
        else stand
        for m, stand in zip(where, stands, strict=True)
    ]
    if all(stand is Standing.REJECTED for stand in stands):
        return wrong("answer-rejected")
    asserted = [m for m, s in zip(where, stands, strict=True) if s >= Standing.ASKED]
    settled = Choice.GOLD
    if not (is_part and asserted):
        stated = dict(zip(where, stands, strict=True))
        settled = settles_on(text, stated, question, others, gold)
    if not refuses(gold) and all(_is_declined(text, mention) for mention in where):
        return wrong("refusal")
    if settled is Choice.GOLD and asserted and stands[-1] is Standing.REJECTED:
        settled = Choice.UNSURE  # It is said first, and denied behind.
    if settled is Choice.GOLD:
        rule = "answer-parts" if is_part else "answer-asserted"
        return right(rule) if is_part or where[0].sure else unclear("answer-alike")
    if settled is Choice.UNSURE:
        return unclear("answer-taken-back")
    return wrong("answer-unsettled" if settled is Choice.NONE else "answer-rejected")


def _is_declined(text: str, mention: Mention) -> bool:
    sentence = sentence_around(text, mention.start, mention.end)
    return refuses(sentence, sentence.find(text[mention.start : mention.end]), hedges=True)


def _is_of_another(text: str, gold: str, mention: Mention, question: str | None) -> bool:
    """Return whether a mention only says whose or beside whom something else is."""
    said, asked = text[mention.start : mention.end], plain(question or "").casefold()
    lead, tail = text[max(0, mention.start - 40) : mention.start], text[mention.end :]
    if said.endswith("'s") and not gold.rstrip().endswith("s"):
        is_bare = "whose" not in asked and not re.search(r"\w", text[: mention.start])
        owned = re.match(r"(?:\s\w+){0,3}", tail)  # "Ann Hale's younger brother"
        behind = {*owned[0].split()} if owned else set()
        is_kin = bool(words("names.relatives") & behind - {*asked.split()})
        if is_kin or (is_bare and _OWNED.match(tail)):
            return True
    beside = pattern(
        r"\b(?:(%s)(?:-in-law)? (?:of|to)|'s (%s) (?:is|was|named|called)|(%s))"
        r" (?:(?:the|his|her|their) )?$",
        *("names.relatives", "names.relatives", "standing.beside"),
    ).search(lead)
    if beside is None:
        return False
    word = next(filter(None, beside.groups()))
    is_name = said[0].isupper() or word == beside[3] or re.match(r"(?:his|her|their) ", gold, re.I)
    groups = (group for group in entries("names.kin") if word.casefold() in group.split())
    kin = next(groups, word.casefold()).replace(" ", "|")
    is_asked = re.search(rf"\b(?:{kin})\b", asked) is not None
    if beside[1]:  # "The wife of Ann Hale is Lena" answers who the wife of somebody is.
        is_asked &= not re.search(rf"\b(?:{kin}) of (?!wh)|'s (?:{kin})\b", asked)
    return bool(is_name) and not is_asked


def _offered_beside(gold: str, question: str | None) -> str | None:
    """Return what a question offers beside the gold, if it offers two: ``X or Y?``."""
    asked = plain(question or "")
    for own in mentions(gold, asked) if " or " in asked else ():
        if offered := re.search(r"\bor\s(?:[Tt]he\s)?[\"']?$", asked[: own.start]):
            return next(reversed(_NAME.findall(asked[: offered.start()])), None)
        if offered := re.match(r"[\"',]{0,2}\sor\s(?:the\s)?", asked[own.end :]):
            rest = _NAME.match(asked, own.end + offered.end())
            return rest[0].rstrip("?.") if rest else None
    return None


def _compared(text: str, gold: Mention, other: Mention, question: str | None) -> bool | None:
    """Say whether a text that compares the two that a question offers chooses the gold.

    The subject of ``X was founded before Y`` is the earlier; the question says which is wanted.
    None if the text does not compare them.
    """
    first, second = sorted((gold, other))
    between = text[first.end : second.start]
    kinds = pattern(r"\b(?:(%s)|(%s))\b", "chosen.less", "chosen.more")
    said, sought = kinds.search(between), kinds.search(question or "")
    if said is None or sought is None or re.search(r"[.!?]\s", between):
        return None
    if re.search(r"\b(?:not|never)\b|n't\b", between, re.IGNORECASE):
        return None
    return ((said[1] is None) is (sought[1] is None)) is (first == gold)
