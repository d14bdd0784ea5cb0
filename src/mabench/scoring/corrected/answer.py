"""The rule for answers taken from the history, of one part or several; and for none to be had."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.chosen import refers, settles_on
from mabench.scoring.corrected.rule import (
    Corrected,
    decide,
    read_verdict,
    refuses,
    right,
    unclear,
    wrong,
)
from mabench.scoring.corrected.unmentioned import share_said, unmentioned
from mabench.scoring.final_answer import readable_text, without_reasoning
from mabench.scoring.lexicon import pattern
from mabench.scoring.official import normalize
from mabench.scoring.sameness.same import mentions
from mabench.scoring.sameness.wordings import parts_of, wanted_tokens, words_of
from mabench.scoring.tokens import fold, plain
from mabench.text.stems import content_words

_LEAD = re.compile(
    r"(?:(?:most )?likely,? |probably,? |presumably,? )?(yes|no)\b(?=\W?$|[,.;:])", re.IGNORECASE
)
_ABOUT = re.compile(r"\b(?:about|regarding|concerning) (.+)", re.IGNORECASE)
_GOES_ON = re.compile(r"\w\W+because\b|\bmy (?:best )?guess\b", re.IGNORECASE)
_COURTESY = pattern(
    r"(?:^|(?<=[.!?:\n])[ ])(?:(?:%s)|(?:%s)[^.!?\n]{0,120})(?:[.!?:]+(?=\s|$)|\n|$)\s?",
    *("courtesies.alone", "courtesies.opening"),
)
_WITH_REASON = re.compile(r"[,;]\s(?:since|because|as|given|due to)\b")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
# Before and behind whom somebody is only named beside: "the brother of", "'s brother".
_BESIDE = pattern(
    r"\b(?:(?:%s)(?:-in-law)? (?:of|to)|%s) (?:(?:the|his|her|their) )?$",
    *("names.relatives", "names.beside"),
)
_OWNED = pattern(r"(?:\s\w+){0,2}\s(?:%s)\b", "names.relatives")
_NAME = re.compile(
    r"[A-Z0-9][\w'.:-]*(?: (?:(?:of|for|the|and|de|la|in|on|to|an?|&|from|with) ){0,2}"
    r"[A-Z0-9][\w'.:-]*)*"
)


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

    def read(text: str) -> Corrected:
        if not golds:
            return wrong("empty-gold")
        if refers(plain(text)):
            text = readable_text(prediction)  # "Answer: the newer one"
        results = [_read(text, gold, question, shares) for gold in dict.fromkeys(golds)]
        return max(results, key=lambda result: 0.5 if result.value is None else result.value)

    return decide(prediction, answers, lambda text: fold(text.strip()), read, "answer-alone")


def correct_unanswerable(prediction: str, question: str | None = None) -> Corrected:
    """Score whether a prediction declines to answer, and gives no answer after all.

    It declines in its first sentence, with no guess or reason behind it, or in its last. What it
    declines to say must be of what the question asks, if there is one.
    """
    if not prediction.strip():
        return wrong("no-answer")
    text = without_reasoning(prediction)
    parts = [part.rstrip(";") for part in _SENTENCE.split(text) if part.strip()] or [""]
    asked = content_words(question or "")
    goes_on = any(map(_GOES_ON.search, parts[1:]))
    if (_declines(parts[0], asked) and not goes_on) or _declines(parts[-1], asked):
        return right("declined-rightly")
    return wrong("answer-invented")


def _declines(text: str, asked: frozenset[str]) -> bool:
    subject = _ABOUT.search(text)
    topic = content_words(subject[1]) if subject else asked
    if topic and topic.isdisjoint(asked):
        return False
    denial = pattern(r"^\W*(?:%s)\b", "refusal.denials").search(text)
    cue = pattern(r"\b(?:%s)\b", "refusal.nothing").search(text)
    hedges = " but " in text  # "She got a scarf, but I'm not sure" tells what she got.
    return bool(denial or cue or refuses(text, hedges=hedges))


def _read(text: str, gold: str, question: str | None, shares: bool) -> Corrected:
    text = plain(_COURTESY.sub(" ", text).strip() or text).strip()
    if lead := _LEAD.match(gold):
        result = read_verdict(text, lead[1].casefold() == "yes", question)
        if result.rule == "verdict-said" or not re.search(r"\w", gold[lead.end() :]):
            return result
    stated = _of_parts(text, gold, question, shares)
    stated = stated or _read_text(text, gold, question, is_part=False)
    return stated or unmentioned(text, gold, question)


def _of_parts(text: str, gold: str, question: str | None, shares: bool) -> Corrected | None:
    """Return how much of a gold that is a list a text says; None if no part."""
    parts = parts_of(gold)
    results = [_read_text(text, part, question, is_part=True) for part in parts]
    said = [p for p, result in zip(parts, results, strict=True) if result and result.value == 1]
    if not said:
        return None
    if len(said) == len(parts):
        return right("answer-parts")
    rest = text
    for part in said:
        for mention in reversed(mentions(part, rest, question)):
            rest = rest[: mention.start] + rest[mention.end :]
    due = [part for part, result in zip(parts, results, strict=True) if result is None]
    for part in due:
        share, _, spare = share_said(wanted_tokens(part), rest, content_words(question or ""))
        if share or (spare and " but " in gold):  # "Tired but happy" has many wordings.
            return unclear("answer-partly-said")
    return Corrected(len(said) / len(parts) if shares else 0.0, "answer-parts")


def _read_text(text: str, gold: str, question: str | None, is_part: bool) -> Corrected | None:
    """Return what a text says of a gold; None if it does not mention it."""
    where = mentions(gold, text, question)
    if not where:
        return None
    rival = _offered_beside(gold, question)
    others = mentions(rival, text) if rival else []
    for mention in list(where) if "whose" not in words_of(question or "") else ():
        is_owner = text[: mention.end].endswith("'s") and _OWNED.match(text, mention.end)
        if is_owner or _BESIDE.search(text[max(0, mention.start - 40) : mention.start]):
            where.remove(mention)  # It only says whose relative, or beside whom, somebody is.
    if not where:
        return wrong("answer-rejected")
    # Who is not sure which of two it is gives no answer.
    masked = text
    for mention in reversed(where):
        masked = masked[: mention.start] + "\0" + masked[mention.end :]
    if all(refuses(part, hedges=True) for part in _SENTENCE.split(masked) if "\0" in part):
        return wrong("refusal")
    known = [(m.start, m.end, "A") for m in where] + [(m.start, m.end, "B") for m in others]
    chosen = settles_on(text, known, question, None if is_part else gold)
    if chosen == "A":
        return right("answer-asserted") if where[0].sure else unclear("answer-alike")
    if chosen == "?":
        return unclear("answer-taken-back")
    return wrong("answer-rejected" if chosen else "answer-unsettled")


def _offered_beside(gold: str, question: str | None) -> str | None:
    """Return what a question offers beside the gold, if it offers two: ``X or Y?``."""
    asked = plain(question or "")
    for own in mentions(gold, asked) if " or " in asked else ():
        before, after = asked[: own.start], asked[own.end :]
        if offered := re.search(r"\bor (?:[Tt]he )?[\"']?$", before):
            return next(reversed(_NAME.findall(before[: offered.start()])), None)
        if offered := re.match(r"[\"',]{0,2} or (?:the )?", after):
            rival = _NAME.match(after, offered.end())
            return rival[0].rstrip("?.") if rival else None
    return None
