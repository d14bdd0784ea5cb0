"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise

from mabench.scoring.corrected.options import ITEM, LEAD, Named, Options, readable
from mabench.scoring.corrected.rule import Corrected, is_same, refuses, right, unclear, wrong
from mabench.scoring.final_answer import Form, Found, count_replaced, final_answers
from mabench.scoring.lexicon import pattern
from mabench.scoring.standing import Standing, sentence_around
from mabench.scoring.tokens import tokens
from mabench.scoring.words import spelling
from mabench.text import options_in

_JOINT = re.compile(
    r"^[\"')\].]{0,3}\s*(?:,|/|\bor\b|\band\b|&|\|)[\s,]*(?:or |and |the |option |\(|\"|')*$",
    re.IGNORECASE,
)
_EVENT_IS = re.compile(
    r"^[^.\n]{0,60}\bevent\b[^.\n]{0,40}?\b(?:is|was)\b(?: that)?[:\s\"']*", re.IGNORECASE
)
_LIKE = 0.5  # Of the words that another option shares, from how many on a gold may be meant.
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
    options = Options(options_in(question or ""))
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
    if rule == "options-unclear" and any(one.option in golds for one in options.named(text)):
        return unclear(rule)
    if rule != "no-option":
        return wrong("several-options" if rule == "options-unclear" else rule)
    if refuses(text):
        return None if found.form in (Form.SAID, Form.CONCLUDED) else wrong("refusal")
    option, is_sure = options.nearest(_EVENT_IS.sub("", text))
    if option is not None and is_sure:
        return (right if option in golds else wrong)("option-nearest")
    likeness = options.likeness(text, golds)
    if option is not None:
        return unclear("option-near") if likeness >= _LIKE else wrong("option-nearest")
    if found.form not in (Form.SAID, Form.CONCLUDED) and likeness >= 1:
        return unclear("option-near")
    return None if found.form in (Form.SAID, Form.CONCLUDED) else wrong(rule)


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
    first = named[0]
    other = next(number for number, one in enumerate(named) if one.option != first.option)
    between = text[named[other - 1].end : named[other].start]
    joined = bool(_JOINT.match(between))
    stands_alone = pattern(
        r"[\"')\]*]{0,3}\s*(?:$|[.\n,;:!(\u2013\u2014-]|(?:%s)\b)", "choice.stops"
    )
    if _leads(text, first) and not joined and stands_alone.match(text, named[other - 1].end):
        is_bare = not re.search(r"\w", between) and not _explains(text, named)
        return (None, "several-options") if is_bare else (first.option, "option-first")
    # "A or B, most likely A" settles on the one that it names again, joined to no other.
    joints = [bool(_JOINT.match(text[a.end : b.start])) for a, b in pairwise(named)]
    beside = zip(named, [False, *joints], [*joints, False], strict=True)
    free = [one for one, before, after in beside if not before and not after]
    strong = {one.option for one in free if _is_strong(text, one)}
    if len(strong) == 1:
        return strong.pop(), "option-in-text"
    is_pair = len({one.option for one in named}) == 2  # "A or C" may count half.
    return None, "several-options" if joined and not is_pair else "options-unclear"


def _is_strong(text: str, named: Named) -> bool:
    before = pattern(
        r"\b(?:%s)\b[:,]?\s*(?:that\s+)?(?:option|event|choice|the|that of)?\s*[\"'(]{0,2}$",
        "choice.strong",
    )
    return before.search(text[max(0, named.start - 60) : named.start]) is not None


def _leads(text: str, named: Named) -> bool:
    lead = text[: named.start]
    return not re.search(r"\w", lead) or bool(ITEM.fullmatch(lead))


def _explains(text: str, named: Sequence[Named]) -> bool:
    said = sum(len(tokens(text[one.start : one.end])) for one in named)
    return len(tokens(text)) > said
