"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise

from mabench.scoring.clauses import clauses
from mabench.scoring.corrected.options import ITEM, LEAD, Named, Options, numbered_options, readable
from mabench.scoring.corrected.rule import Corrected, is_same, refuses, right, unclear, wrong
from mabench.scoring.final_answer import Form, Found, count_replaced, final_answers
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.same import Mention
from mabench.scoring.settle import settled
from mabench.scoring.standing import Standing, sentence_around
from mabench.scoring.words import spelling
from mabench.text import options_in

_JOINT = re.compile(
    r"^[\"')\].]{0,3}\s*(?:,|/|\bor\b|\band\b|&|\|)[\s,]*(?:or |and |the |option |\(|\"|')*$",
    re.IGNORECASE,
)
# An option by itself, or said to be the answer.
_ALONE = re.compile(
    r"[\"')\]*]{0,3}\s*(?:$|[.\n,;:!(\u2013\u2014-]|(?:because|since|as|did)\b"
    r"|(?:is|was) (?:the|right|correct)\b)"
)
_EVENT_IS = re.compile(
    r"^[^.\n]{0,60}\bevent\b[^.\n]{0,40}?\b(?:is|was)\b(?: that)?[:\s\"']*", re.IGNORECASE
)
_SHORT = 12


def correct_choice(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` chooses the option of ``question`` that is the answer.

    An option is chosen by its letter, its number, its text, or by the words that tell it from
    the others. Options that are ruled out, or named in a reason, are not chosen; to choose
    several is no choice. Where no option that is offered is the answer, the prediction as a
    whole must be.
    """
    if is_same(prediction, answers, spelling):
        return right("option-alone")
    if not prediction.strip():
        return wrong("no-answer")
    listed = options_in(question or "") or numbered_options(question or "")
    asked = (question or "").partition(listed[0].text)[0].rstrip().split("\n") if listed else []
    options = Options(listed, asked[-2:])
    golds = {options.called(answer) for answer in answers} - {None}
    wanted = {spelling(answer) for answer in answers} - {()}
    for found in final_answers(prediction):
        if golds:
            result = _read(found, options, golds)
            if result is not None:
                return result
        elif any(spelling(x) in wanted for x in (found.text, found.line, LEAD.sub("", found.text))):
            return right("no-options")
        if found.is_final:
            break
    return wrong("no-option" if golds else "no-options")


def _read(found: Found, options: Options, golds: Container[int | None]) -> Corrected | None:
    is_whole, is_first = found.form is Form.WHOLE, found.form is Form.FIRST_LINE
    text = readable(found.text if is_whole else found.line).strip()
    option, rule = options.called(found.line), "option-alone"
    if option is not None and not (is_whole and "\n" in found.text.strip()):
        following = next(filter(str.strip, found.rest.split("\n")), "")
        if is_first and not found.explained and options.called(following) is not None:
            return None  # The first of several options, one a line.
        return (right if option in golds else wrong)(rule)
    option, rule = _chosen(text, options)
    if is_first and (rule != "option-first" or _goes_on(found, options)):
        return None
    if option is not None:
        return (right if option in golds else wrong)("option-named")
    if rule == "options-unclear" and refuses(text):
        return wrong("refusal")
    if rule == "options-unclear" and any(one.option in golds for one in options.named(text)):
        return unclear(rule)
    if rule != "no-option":
        return wrong("several-options" if rule == "options-unclear" else rule)
    if refuses(text):
        return None if found.form in (Form.SAID, Form.CONCLUDED) else wrong("refusal")
    told = options.nearest(_EVENT_IS.sub("", text), golds)
    if told is None:
        return unclear("option-near")
    if told or found.form not in (Form.SAID, Form.CONCLUDED):
        return right("option-nearest") if told else wrong("no-option")
    return None


def _goes_on(found: Found, options: Options) -> bool:
    return not found.explained and len(options.named(readable(found.line))) > 1


def _chosen(text: str, options: Options) -> tuple[int | None, str]:
    named = options.named(text)
    named = named[count_replaced(text, [(one.start, one.stands) for one in named]) :]
    if not named:
        return None, "no-option"
    asserted = [one for one in named if one.stands is Standing.ASSERTED]
    if not asserted:
        left = [one for one in named if one.stands is not Standing.REJECTED]
        if len({one.option for one in left}) == 1 and not refuses(text):
            return left[0].option, "option-in-text"
        return None, "several-options" if left else "option-rejected"
    if len({one.option for one in asserted}) == 1:
        first = asserted[0]
        if refuses(sentence_around(text, first.start, first.end)) and not _leads(text, first):
            return None, "refusal"
        return first.option, "option-first" if _leads(text, first) else "option-in-text"
    return _of_several(text, asserted)


def _of_several(text: str, named: Sequence[Named]) -> tuple[int | None, str]:
    stated = clauses(text, [Mention(one.start, one.end) for one in named])
    held = [[one for one in named if clause.holds(one.start)] for clause in stated]
    place = {one: n for n, side in enumerate(held) for one in side}
    between = [(a, b, text[a.end : b.start]) for a, b in pairwise(named) if a.option != b.option]
    joined = [(a, b) for a, b, words in between if _JOINT.match(words)]
    beside = [
        (a, b)
        for a, b, words in between
        if not (re.search(r"\w", words) or _JOINT.match(words))
        and re.match(r"[^\w\n]*(?:$|\n)", text[b.end :])
    ]
    listed = {place[one] for pair in joined + beside for one in pair if one in place}
    if _leads(text, named[0]) and _ALONE.match(text, named[0].end) and 0 not in listed:
        return named[0].option, "option-first"
    strong = pattern(r"\b(?:%s)\b", "choice.strong")
    cued = [n for n, c in enumerate(stated) if strong.search(text, c.start, c.end)]
    option = settled([{one.option for one in side} for side in held], cued, listed)
    if option is not None:
        return option, "option-in-text"
    is_pair = len({one.option for one in named}) == 2 and not beside  # "A or C" may count half.
    return None, "options-unclear" if is_pair or not listed else "several-options"


def _leads(text: str, named: Named) -> bool:
    lead = text[: named.start]
    return not re.search(r"\w", lead) or bool(ITEM.fullmatch(lead))
