"""The rule for answers taken from the history, of one part or several.

*Right* needs the gold to be stated and chosen. *Wrong* needs a rival of the gold's kind to be
stated and chosen (another name, number, date or term, yes for no), or a refusal, or nothing.
Everything else is *unclear*: no certain error is worth a decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mabench.scoring.corrected.rule import (
    Corrected,
    decide,
    read_verdict,
    refuses,
    right,
    unclear,
    wrong,
)
from mabench.scoring.final_answer import readable_text
from mabench.scoring.lexicon import pattern
from mabench.scoring.official import normalize
from mabench.scoring.sameness.order import keeps_order
from mabench.scoring.sameness.same import Mention, mentions
from mabench.scoring.sameness.times import same_time
from mabench.scoring.sameness.wordings import parts_of, words_of
from mabench.scoring.stated.choosing import Choice, ChosenValue, choose
from mabench.scoring.stated.decisions import Effect
from mabench.scoring.stated.kinds import GoldKind, kind_of
from mabench.scoring.stated.line import SignLine
from mabench.scoring.stated.offers import offered_beside
from mabench.scoring.stated.reading import new_words, read_line, refers
from mabench.scoring.stated.relatives import find_other_relative
from mabench.scoring.stated.rivals import find_other_number, may_mean_name, only_repeats
from mabench.scoring.stated.signs import FoundSign, Sign, signs
from mabench.scoring.tokens import fold, plain, tokens
from mabench.text.stems import content_words

_LEAD = re.compile(
    r"(?:(?:most )?likely,? |probably,? |presumably,? )?(yes|no)\b(?=\W?$|[,.;:])", re.IGNORECASE
)
_COURTESY = r"(?:^|(?<=[.!?:\n])[ ])(?:%s)(?:[.!?:]+(?=\s|$)|\n|$)\s?"
_WITH_REASON = re.compile(r"[,;]\s(?:since|because|as|given|due to)\b")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
_ITEMS = re.compile(r"[,;:.!?()\n]|\s(?:and|or|but|plus)\s")
_RELATIVE = re.compile(r"\s*(?:who|whom|whose|which|where|when)\b", re.IGNORECASE)
_SAID = "\0"  # In the place of a part that is said.
# Before and behind whom somebody is only named beside: "the brother of", "'s brother".
_BESIDE = r"\b(?:(?:%s)(?:-in-law)? (?:of|to)|%s) (?:(?:the|his|her|their) )?$"
_OWNED = r"(?:\s\w+){0,2}\s(?:%s)\b"
_NEGATION = re.compile(r"\b(?:not|never|no|nor|neither|without)\b|n't\b", re.IGNORECASE)
_GUESS = re.compile(
    r"(?:^|(?<=[.!?\n]))\s{0,9}"
    r"(?:but|however|still|though|my|probably|perhaps|maybe|likely|most likely"
    r"|i(?:['\u2019]d| would)? (?:think|guess|say|believe))\b",
    re.IGNORECASE,
)
_ONE_LIST = signs(
    "OTHER_THAN(VALUE)* VALUE (?: (?: COMMA | AND | OR )+ VALUE )* OTHER_THAN(VALUE)* FINISH"
)
_BRIEF = 3  # Words of a term that may be another one.


class Reading(NamedTuple):
    """What an answer is read as, and how: the kind of the gold, the signs, what they choose."""

    result: Corrected
    kind: GoldKind | None = None
    line: SignLine | None = None
    choice: Choice | None = None


def correct_answer(
    prediction: str, answers: Sequence[str], question: str | None = None, *, shares: bool = False
) -> Corrected:
    """Score whether ``prediction`` gives an acceptable answer as its own.

    All parts of a gold that is a list must be said, or count for a share each (``shares``). An
    answer that normalises to nothing is right only word for word.
    """
    golds = wordings(answers)

    def read(text: str) -> Corrected:
        if not golds:
            return wrong("empty-gold")
        readings = read_answer(prediction, text, golds, question, shares=shares)
        return max((reading.result for reading in readings), key=_preference)

    return decide(
        prediction, answers, lambda text: fold(text.strip()), read, "answer-alone", question
    )


def read_answer(
    prediction: str,
    text: str,
    golds: Sequence[str],
    question: str | None = None,
    *,
    shares: bool = False,
) -> list[Reading]:
    """Return what an answer is read as; ``text`` is its final answer.

    The first reading is for all golds together; those that are lists, or yes or no, have their own.
    """
    if refers(plain(text)):
        text = readable_text(prediction)  # "Answer: the newer one"
    text = pattern(_COURTESY, "courtesies.alone").sub(" ", text).strip() or text
    text, question = plain(text).strip(), question or ""
    readings, whole = list[Reading](), list[str]()
    for gold in golds:
        special = _read_verdict(text, gold, question) or _read_parts(text, gold, question, shares)
        readings += [special] if special else []
        whole += [] if special else [gold]
    return [*([_read_whole(text, whole, question)] if whole else []), *readings]


def wordings(answers: Sequence[str]) -> list[str]:
    """Return the golds that say something, and each without a reason that it gives."""
    golds = [gold for gold in answers if normalize(gold)]
    return list(dict.fromkeys(golds + [_WITH_REASON.split(gold)[0] for gold in golds]))


def _preference(result: Corrected) -> float:
    return 0.5 if result.value is None else result.value


def _read_verdict(text: str, gold: str, question: str) -> Reading | None:
    lead = _LEAD.match(gold)
    if not lead:
        return None
    result = read_verdict(text, lead[1].casefold() == "yes", question)
    is_all = not re.search(r"\w", gold[lead.end() :])
    return Reading(result) if is_all or result.rule == "verdict-said" else None


def _read_parts(text: str, gold: str, question: str, shares: bool) -> Reading | None:
    """Return how much of a gold that is a list a text says; None if no part surely."""
    parts = parts_of(gold)
    results = [_read_whole(text, [part], question, is_part=True).result for part in parts]
    said = sum(result.verdict == "right" for result in results)
    if not said:
        return None
    if said == len(parts):
        return Reading(right("answer-parts"))
    is_said = dict(zip(parts, (result.verdict == "right" for result in results), strict=True))
    told = [part for part in parts if is_said[part]]
    missing = [part for part in parts if not is_said[part]]
    if not shares or _may_say_more(text, told, missing, question):
        return Reading(unclear("answer-partly-said"))
    return Reading(Corrected(said / len(parts), "answer-parts"))


def _may_say_more(text: str, told: Sequence[str], missing: Sequence[str], question: str) -> bool:
    """Return whether a text that says some parts of a list may say a missing one in other words.

    A name or a term has no other words. Other parts may be meant where the text has one of their
    words, or an item of a list, or a clause, in which no part is said.
    """
    missing_words = frozenset[str]()
    for part in missing:
        kind = kind_of(part, question)
        if kind not in (GoldKind.NAME, GoldKind.TERM):
            missing_words |= new_words(plain(part), question)
        elif _may_mean(part, text, question, kind):
            return True
    if not missing_words:
        return False
    for part in told:
        for mention in reversed(mentions(part, text, question)):
            text = text[: mention.start] + _SAID + text[mention.end :]
    told_words = [new_words(plain(part), question) for part in told]
    for item in _ITEMS.split(text):
        said = new_words(item, question)
        is_of_part = _SAID in item or any(part <= said for part in told_words)
        if missing_words & said.difference(*told_words):
            return True
        if said and not (is_of_part or _RELATIVE.match(item) or refuses(item)):
            return True
    return False


def _read_whole(
    text: str, golds: Sequence[str], question: str, *, is_part: bool = False
) -> Reading:
    """Return what a text is read as that should say one of several wordings of the gold."""
    kind = min((kind_of(gold, question) for gold in golds), key=[*GoldKind].index)
    found = _find_wordings(text, golds, question)
    stated = [mention for mention in found if not _is_beside(text, mention, question)]
    offered = [rival for gold in golds if (rival := offered_beside(gold, question))]
    rivals = [FoundSign(Sign.RIVAL, m.start, m.end, r) for r in offered for m in mentions(r, text)]
    if not found:
        return _read_without(text, golds, question, kind, rivals)
    if not stated:  # It only says whose relative, or beside whom, somebody is.
        return Reading(unclear("answer-alike"), kind)
    if _is_refused(text, stated):
        return Reading(wrong("refusal"), kind)
    known = [FoundSign(Sign.GOLD, m.start, m.end, golds[0]) for m in stated]
    sought = None if is_part else _rival_kind(golds[0], kind)
    line = read_line(text, known + rivals, question, golds, sought)
    if not line.has(Sign.GOLD):  # It is said behind all that is read.
        return Reading(unclear("answer-taken-back"), kind, line)
    choice = choose(line)
    return Reading(_result(choice, kind, line), kind, line, choice)


def _find_wordings(text: str, golds: Sequence[str], question: str) -> list[Mention]:
    """Return where a text surely says one of several wordings, none within another."""
    every = [m for gold in golds for m in mentions(gold, text, question) if m.sure]
    apart = list[Mention]()
    for mention in sorted(every, key=lambda m: (m.start, -m.end)):
        if not apart or mention.start >= apart[-1].end:
            apart.append(mention)
    return apart


def _rival_kind(gold: str, kind: GoldKind) -> GoldKind:
    """Return the kind of what may take the place of a gold that is said: a few words, too."""
    is_brief = len(tokens(plain(gold))) <= _BRIEF
    if kind is not GoldKind.WORDS or not is_brief:
        return kind
    return GoldKind.NAME if gold[:1].isupper() else GoldKind.TERM


def _result(choice: Choice, kind: GoldKind, line: SignLine) -> Corrected:
    if choice.outcome is ChosenValue.GOLD:
        return right("answer-asserted")
    took_back = any(step.decision.effect in (Effect.DENIES, Effect.PASSES) for step in choice.steps)
    if choice.outcome is ChosenValue.RIVAL and (kind is not GoldKind.WORDS or took_back):
        return wrong("another-chosen")
    is_single = kind not in (GoldKind.WORDS, GoldKind.DATE)  # It may be that an event has two days.
    is_conflict = line.has(Sign.CLASH, Sign.UNDECIDED, Sign.BOTH, Sign.CITATION, Sign.OR)
    if choice.outcome is ChosenValue.NEITHER and (is_single or is_conflict):
        return wrong("answer-unsettled")
    return unclear("answer-taken-back")


def _read_without(
    text: str, golds: Sequence[str], question: str, kind: GoldKind, offered: Sequence[FoundSign]
) -> Reading:
    """Return what a text is read as that does not surely say the gold."""
    if _declines(text):
        return Reading(wrong("refusal"), kind)
    if kind is GoldKind.DATE and any(same_time(gold, text) for gold in golds):
        return Reading(right("answer-asserted"), kind)
    is_asked = any(content_words(plain(gold)) <= content_words(question) for gold in golds)
    if not is_asked and only_repeats(text, question):
        return Reading(wrong("no-answer"), kind)
    offered = offered or _find_others(find_other_relative, golds, text, question)
    if not offered:
        if kind is GoldKind.WORDS:
            is_said = any(_says_all_words(gold, text, question) for gold in golds)
            return Reading(right("answer-asserted") if is_said else unclear("no-rival"), kind)
        if any(_may_mean(gold, text, question, kind) for gold in golds):
            return Reading(unclear("answer-alike"), kind)
        if kind is GoldKind.DATE:
            return Reading(wrong("another-chosen"), kind)
    is_number = kind is GoldKind.NUMBER
    others = _find_others(find_other_number, golds, text, question) if is_number else []
    known = [*offered, *others]
    line = read_line(text, known, question, golds, kind)
    choice = choose(line)
    is_other = choice.outcome is ChosenValue.RIVAL and (
        bool(offered) or _are_surely_rivals(line, kind)
    )
    result = wrong("another-chosen") if is_other else unclear("no-rival")
    return Reading(result, kind, line, choice)


def _are_surely_rivals(line: SignLine, kind: GoldKind) -> bool:
    """Return whether what is read as rivals of a gold that is not said surely are rivals.

    Names are. A number is if it is the only one, and terms are if they are brief and one list.
    """
    rivals = {item.said for item in line.items if item.sign is Sign.RIVAL}
    if kind is GoldKind.TERM:
        are_brief = all(len(rival.split()) < _BRIEF for rival in rivals)
        return are_brief and (len(rivals) == 1 or bool(_ONE_LIST.fullmatch(line.signs)))
    return kind is GoldKind.NAME or (kind is GoldKind.NUMBER and len(rivals) == 1)


def _find_others(
    find: Callable[[str, str, str], tuple[int, int] | None],
    golds: Sequence[str],
    text: str,
    question: str,
) -> list[FoundSign]:
    """Return the signs of what surely is another number, or another relative, than a gold."""
    found = [find(gold, text, question) for gold in golds]
    places = dict.fromkeys(place for place in found if place)
    return [FoundSign(Sign.RIVAL, start, end, text[start:end]) for start, end in places]


def _declines(text: str) -> bool:
    """Return whether a text declines to answer at its head, and does not guess behind it."""
    first = _SENTENCE.split(text)[0]
    return refuses(text) or (refuses(first) and not _GUESS.search(text, len(first)))


def _says_all_words(gold: str, text: str, question: str) -> bool:
    """Return whether a text says all words of a gold in some form, two of them new, and no not."""
    wanted = content_words(plain(gold))
    is_new = len(wanted - content_words(question)) > 1
    is_denied = bool(_NEGATION.search(text)) is not bool(_NEGATION.search(gold))
    return is_new and wanted <= content_words(text) and not is_denied and keeps_order(gold, text)


def _may_mean(gold: str, text: str, question: str, kind: GoldKind) -> bool:
    """Return whether a text may mean a gold that it does not surely say."""
    if kind is GoldKind.DATE:
        return same_time(gold, text) is not False
    if kind is GoldKind.NUMBER:
        return find_other_number(gold, text, question) is None
    return bool(mentions(gold, text, question)) or may_mean_name(gold, text, question)


def _is_beside(text: str, mention: Mention, question: str) -> bool:
    """Return whether a mention only says whose relative, or beside whom, somebody is."""
    if "whose" in words_of(question):
        return False
    owned = pattern(_OWNED, "names.relatives")
    beside = pattern(_BESIDE, "names.relatives", "names.beside")
    is_owner = text[: mention.end].endswith("'s") and owned.match(text, mention.end)
    return bool(is_owner or beside.search(text[max(0, mention.start - 40) : mention.start]))


def _is_refused(text: str, stated: Sequence[Mention]) -> bool:
    """Return whether every sentence that states the gold says that it is not known."""
    for mention in reversed(stated):
        text = text[: mention.start] + "\0" + text[mention.end :]
    return all(refuses(part, hedges=True) for part in _SENTENCE.split(text) if "\0" in part)
