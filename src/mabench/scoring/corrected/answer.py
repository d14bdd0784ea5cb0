"""The rule for answers taken from the history, of one part or several; and for none to be had."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.conflict import Choice
from mabench.scoring.corrected.rule import (
    VERDICTS,
    Corrected,
    decide,
    guesses,
    read_verdict,
    refuses,
    right,
    standing_asked,
    unclear,
    without_question,
    wrong,
)
from mabench.scoring.corrected.unmentioned import unmentioned
from mabench.scoring.final_answer import Form, Found, readable_text, without_reasoning
from mabench.scoring.lexicon import pattern, words
from mabench.scoring.official import normalize
from mabench.scoring.reading import is_content, is_value, refers
from mabench.scoring.sameness.kin import may_be
from mabench.scoring.sameness.same import Mention, mentions
from mabench.scoring.sameness.wordings import parts_of, stems_of, wanted_tokens, words_of
from mabench.scoring.settle import settles_on
from mabench.scoring.standing import Standing, sentence_around
from mabench.scoring.tokens import fold, plain, tokens
from mabench.text.stems import stem

_LEAD = re.compile(
    r"(?:(?:most )?likely,? |probably,? |presumably,? )?(yes|no)\b(?=\W?$|[,.;:])", re.IGNORECASE
)
_ABOUT = re.compile(r"\b(?:about|regarding|concerning) (.+)", re.IGNORECASE)
_BECAUSE = re.compile(r"\w\W+because\b")
_COURTESY = pattern(
    r"(?:^|(?<=[.!?:\n])[ ])(?:(?:%s)|(?:%s)[^.!?\n]{0,120})(?:[.!?:]+(?=\s|$)|\n|$)\s?",
    *("courtesies.alone", "courtesies.opening"),
)
_WITH_REASON = re.compile(r"[,;]\s(?:since|because|as|given|due to)\b")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
# Before and behind whom somebody is only named beside: "the brother of", "'s brother".
_BESIDE = pattern(
    r"\b(?:(?:%s)(?:-in-law)? (?:of|to)|'s (?:%s) (?:is|was)|%s) (?:(?:the|his|her|their) )?$",
    *("names.relatives", "names.relatives", "standing.beside"),
)
_OWNED = pattern(r"(?:\s\w+){0,2}\s(?:%s)\b", "names.relatives")
_NAME = re.compile(
    r"[A-Z0-9][\w'.:-]*(?:\s+(?:(?:of|for|the|and|de|la|in|on|to|a|an|&|from"
    r"|with)\s+){0,2}(?=[A-Z0-9])[A-Z0-9][\w'.:-]*)*"
)
_COMPARISON = pattern(r"\b(?:(%s)|(%s))\b", "chosen.less", "chosen.more")


def correct_answer(
    prediction: str, answers: Sequence[str], question: str | None = None, *, shares: bool = False
) -> Corrected:
    """Score whether ``prediction`` gives an acceptable answer as its own.

    What is the same as a gold (``same``) must be the value that the text settles on
    (``chosen``); all parts of a gold that is a list must be, or count for a share each
    (``shares``). Golds ``yes`` and ``no`` take a verdict. An answer that normalises to nothing is
    right only word for word.
    """
    golds = [gold for gold in answers if normalize(gold)]
    golds += [_WITH_REASON.split(gold)[0] for gold in golds]

    def read(found: Found) -> Corrected | None:
        if not golds:
            return wrong("empty-gold")
        if found.form is not Form.WHOLE and refers(plain(found.text)):
            found = Found(readable_text(prediction), Form.WHOLE)  # "Answer: the newer one"
        results = [_read(found, gold, question, shares) for gold in dict.fromkeys(golds)]
        known = [result for result in results if result is not None]
        return max(known, key=lambda one: 0.5 if one.value is None else one.value, default=None)

    rules = ("answer-alone", "no-candidate")
    return decide(prediction, answers, lambda text: fold(text.strip()), read, rules)


def correct_parts(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score which of the parts of a gold a prediction gives as its own, in any order."""
    return correct_answer(prediction, answers, question, shares=True)


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
    denial = pattern(r"^\W*(?:%s)\b", "refusal.denials").search(text)
    cue = pattern(r"\b(?:%s)\b", "refusal.nothing").search(text)
    hedges = " but " in text  # "She got a scarf, but I'm not sure" tells what she got.
    return bool(denial or refuses(text, hedges=hedges) or (cue and not guesses(text[cue.end() :])))


def _read(found: Found, gold: str, question: str | None, shares: bool) -> Corrected | None:
    said = _COURTESY.sub(" ", found.text).strip()
    found = found._replace(text=said if re.search(r"\w", said) else found.text)
    if lead := _LEAD.match(gold):
        result = read_verdict(found, VERDICTS[lead[1].casefold()], question)
        if normalize(gold) in VERDICTS or (result and result.rule == "verdict-said"):
            return result
    text = plain(found.line if found.form is Form.MARKED else found.text).strip()
    text = without_question(text, question)
    if not tokens(text):
        return wrong("question-echo") if found.form is Form.WHOLE else None
    result = _read_text(text, gold, question)
    if result is None or result.value != 1:
        result = _of_parts(text, gold, question, shares) or result
    if result is None and (is_value(text) or found.form not in (Form.SAID, Form.CONCLUDED)):
        result = unmentioned(text, gold, question)
    return result


def _of_parts(text: str, gold: str, question: str | None, shares: bool) -> Corrected | None:
    """Return how much of a gold that is a list a text says; None if no part."""
    parts = parts_of(gold)
    results = [_read_text(text, part, question, is_part=True) for part in parts]
    said = sum(result is not None and result.value == 1 for result in results)
    if not said:
        return None
    if said == len(parts):
        return right("answer-parts")
    due = [part for part, result in zip(parts, results, strict=True) if result is None]
    heads = [token for part in due for token in wanted_tokens(part) if is_content(token)]
    if any(may_be(token, other) for token in heads for other in tokens(text)):
        return unclear("answer-partly-said")
    return Corrected(said / len(parts) if shares else 0.0, "answer-parts")


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
        return (right if choice else wrong)("answer-compared")
    where = [mention for mention in where if not _is_of_another(text, mention, question)]
    stands = [standing_asked(text, m.start, m.end, question) for m in where]
    if all(stand is Standing.REJECTED for stand in stands):
        return wrong("answer-rejected")
    asserted = [m for m, s in zip(where, stands, strict=True) if s >= Standing.ASKED]
    settled = Choice.GOLD
    if not (is_part and asserted):
        stated = dict(zip(where, stands, strict=True))
        settled = settles_on(text, stated, question, others, gold)
    # Who is not sure which of two it is gives no answer.
    said = [(sentence_around(text, m.start, m.end), text[m.start : m.end]) for m in where]
    if not refuses(gold) and all(refuses(s, s.find(name), hedges=True) for s, name in said):
        return wrong("refusal")
    if settled is Choice.GOLD and asserted and stands[-1] is Standing.REJECTED:
        settled = Choice.UNSURE  # It is said first, and denied behind.
    if settled is Choice.GOLD:
        rule = "answer-parts" if is_part else "answer-asserted"
        return right(rule) if is_part or where[0].sure else unclear("answer-alike")
    if settled is Choice.UNSURE:
        return unclear("answer-taken-back")
    return wrong("answer-unsettled" if settled is Choice.NONE else "answer-rejected")


def _is_of_another(text: str, mention: Mention, question: str | None) -> bool:
    """Return whether a mention only says whose relative, or beside whom, somebody else is."""
    if words("names.relatives") & words_of(question or ""):
        return False
    is_owner = text[: mention.end].endswith("'s") and _OWNED.match(text, mention.end)
    lead = text[max(0, mention.start - 40) : mention.start]
    return bool(is_owner or _BESIDE.search(lead))


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

    The subject of ``X was founded before Y`` is the earlier. None if it does not compare them.
    """
    first, second = sorted((gold, other))
    between = text[first.end : second.start]
    said, sought = _COMPARISON.search(between), _COMPARISON.search(question or "")
    if said is None or sought is None or re.search(r"[.!?]\s", between):
        return None
    return ((said[1] is None) is (sought[1] is None)) is (first == gold)
