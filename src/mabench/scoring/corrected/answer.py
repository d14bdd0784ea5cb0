"""The rule for answers taken from the history, of one part or several.

*Right* needs the gold to be stated and chosen. *Wrong* needs a rival of the gold's kind to be
stated and chosen (another name, number, date or term, yes for no), or a refusal, or nothing.
Everything else is *unclear*: no certain error is worth a decision.

A gold is a text of an acceptable answer; a mention is a place where a text says it. What a text
says of values is read as a line of signs (``stated``), on which ``choose`` decides. ``pattern``
fills word lists of ``words.toml`` into a regular expression.
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

_YES_OR_NO_FIRST = re.compile(
    r"(?:(?:most )?likely,? |probably,? |presumably,? )?(yes|no)\b(?=\W?$|[,.;:])", re.IGNORECASE
)
# A sentence that is nothing but thanks or the like.
_COURTEOUS_SENTENCE = r"(?:^|(?<=[.!?:\n])[ ])(?:%s)(?:[.!?:]+(?=\s|$)|\n|$)\s?"
# Where a gold goes on with a reason: "Yes, since she lives there".
_START_OF_REASON = re.compile(r"[,;]\s(?:since|because|as|given|due to)\b")
_END_OF_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
# Where an item of a list, or a clause, begins.
_END_OF_ITEM = re.compile(r"[,;:.!?()\n]|\s(?:and|or|but|plus)\s")
_RELATIVE_CLAUSE = re.compile(r"\s*(?:who|whom|whose|which|where|when)\b", re.IGNORECASE)
_MARK_OF_SAID = "\0"  # In the place of a part that is said.
# Before and behind whom somebody is only named beside: "the brother of", "'s brother".
_NAMED_BESIDE_BEHIND = r"\b(?:(?:%s)(?:-in-law)? (?:of|to)|%s) (?:(?:the|his|her|their) )?$"
_RELATIVE_BEHIND = r"(?:\s\w+){0,2}\s(?:%s)\b"
_NEGATION = re.compile(r"\b(?:not|never|no|nor|neither|without)\b|n't\b", re.IGNORECASE)
_START_OF_GUESS = re.compile(
    r"(?:^|(?<=[.!?\n]))\s{0,9}"
    r"(?:but|however|still|though|my|probably|perhaps|maybe|likely|most likely"
    r"|i(?:['\u2019]d| would)? (?:think|guess|say|believe))\b",
    re.IGNORECASE,
)
_NOTHING_BUT_LIST = signs(
    "OTHER_THAN(VALUE)* VALUE (?: (?: COMMA | AND | OR )+ VALUE )* OTHER_THAN(VALUE)* FINISH"
)
_CHARACTERS_BEFORE = 40  # Characters before a mention in which a relative is looked for.
_FEWEST_NEW_WORDS = 2  # Words of a gold that the question does not have.
_WORDS_OF_BRIEF = 3  # Words of a brief gold; a term that is surely a rival has fewer.


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
        prediction,
        answers,
        key=lambda text: fold(text.strip()),
        read=read,
        alone="answer-alone",
        question=question,
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
    A final answer that only points to a value (``the newer one``) is read with all before it.
    """
    if refers(plain(text)):
        text = readable_text(prediction)
    text = pattern(_COURTEOUS_SENTENCE, "courtesies.alone").sub(" ", text).strip() or text
    text, question = plain(text).strip(), question or ""
    own_readings, golds_together = list[Reading](), list[str]()
    for gold in golds:
        reading = _read_verdict(text, gold, question) or _read_parts(text, gold, question, shares)
        if reading:
            own_readings.append(reading)
        else:
            golds_together.append(gold)
    together = [_read_whole(text, golds_together, question)] if golds_together else []
    return [*together, *own_readings]


def wordings(answers: Sequence[str]) -> list[str]:
    """Return the golds that say something, and each without a reason that it gives."""
    golds = [gold for gold in answers if normalize(gold)]
    return list(dict.fromkeys(golds + [_START_OF_REASON.split(gold)[0] for gold in golds]))


def _preference(result: Corrected) -> float:
    """Return how good a reading is: of several golds the best one counts, unclear before wrong."""
    return 0.5 if result.value is None else result.value


def _read_verdict(text: str, gold: str, question: str) -> Reading | None:
    """Return how a text is read whose gold opens with yes or no; None for other golds.

    Of a gold that goes on, such as ``No, she lives in Rome``, only a yes or no that the text surely
    says is read so.
    """
    lead = _YES_OR_NO_FIRST.match(gold)
    if not lead:
        return None
    result = read_verdict(text, gold=lead[1].casefold() == "yes", question=question)
    goes_on = re.search(r"\w", gold[lead.end() :]) is not None
    return None if goes_on and result.rule != "verdict-said" else Reading(result)


def _read_parts(text: str, gold: str, question: str, shares: bool) -> Reading | None:
    """Return how much of a gold that is a list a text says; None if it surely says no part."""
    told, missing = list[str](), list[str]()
    for part in parts_of(gold):
        reading = _read_whole(text, [part], question, is_part=True)
        (told if reading.result.verdict == "right" else missing).append(part)
    if not told:
        return None
    if not missing:
        return Reading(right("answer-parts"))
    if not shares or _may_say_more(text, told, missing, question):
        return Reading(unclear("answer-partly-said"))
    return Reading(Corrected(len(told) / (len(told) + len(missing)), "answer-parts"))


def _may_say_more(text: str, told: Sequence[str], missing: Sequence[str], question: str) -> bool:
    """Return whether a text that says some parts of a list may say a missing one in other words.

    A name or a term has no other words, so that it must be alike. Other parts may be meant where
    the text has one of their words, or an item of a list, or a clause, in which no part is said.
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
            text = text[: mention.start] + _MARK_OF_SAID + text[mention.end :]
    told_words = [new_words(plain(part), question) for part in told]
    for item in _END_OF_ITEM.split(text):
        said = new_words(item, question)
        if missing_words & said.difference(*told_words):
            return True
        says_told_part = _MARK_OF_SAID in item or any(part <= said for part in told_words)
        if said and not (says_told_part or _RELATIVE_CLAUSE.match(item) or refuses(item)):
            return True
    return False


def _read_whole(
    text: str, golds: Sequence[str], question: str, *, is_part: bool = False
) -> Reading:
    """Return what a text is read as that should say one of several wordings of the gold.

    Where it should say a part of a list, other values are expected beside it, so that no rivals are
    looked for but what the question offers.
    """
    # The kinds are in the order of how surely something is a rival.
    kind = min((kind_of(gold, question) for gold in golds), key=[*GoldKind].index)
    places = _find_wordings(text, golds, question)
    stated = [place for place in places if not _is_beside(text, place, question)]
    rivals = _find_offered(text, golds, question)
    if not places:
        return _read_without(text, golds, question, kind, rivals)
    if not stated:  # It only says whose relative, or beside whom, somebody is.
        return Reading(unclear("answer-alike"), kind)
    if _is_refused(text, stated):
        return Reading(wrong("refusal"), kind)
    gold_signs = [FoundSign(Sign.GOLD, place.start, place.end, golds[0]) for place in stated]
    sought = None if is_part else _rival_kind(golds[0], kind)
    line = read_line(text, gold_signs + rivals, question, golds, sought)
    if not line.has(Sign.GOLD):  # It is said behind all that is read.
        return Reading(unclear("answer-taken-back"), kind, line)
    choice = choose(line)
    return Reading(_result(choice, kind, line), kind, line, choice)


def _find_offered(text: str, golds: Sequence[str], question: str) -> list[FoundSign]:
    """Return where a text says what the question offers beside a gold."""
    offered = [rival for gold in golds if (rival := offered_beside(gold, question))]
    return [
        FoundSign(Sign.RIVAL, place.start, place.end, rival)
        for rival in offered
        for place in mentions(rival, text)
    ]


def _find_wordings(text: str, golds: Sequence[str], question: str) -> list[Mention]:
    """Return where a text surely says one of several wordings, none within another."""
    found = [place for gold in golds for place in mentions(gold, text, question) if place.sure]
    apart = list[Mention]()
    for mention in sorted(found, key=lambda place: (place.start, -place.end)):
        if not apart or mention.start >= apart[-1].end:
            apart.append(mention)
    return apart


def _rival_kind(gold: str, kind: GoldKind) -> GoldKind:
    """Return the kind of value that is looked for as a rival beside a gold that is said.

    Mere words have no rivals by themselves. Where they are few, another name or term that the text
    chooses instead is one.
    """
    is_brief = len(tokens(plain(gold))) <= _WORDS_OF_BRIEF
    if kind is not GoldKind.WORDS or not is_brief:
        return kind
    return GoldKind.NAME if gold[:1].isupper() else GoldKind.TERM


def _result(choice: Choice, kind: GoldKind, line: SignLine) -> Corrected:
    """Return what an answer is that states the gold, by what it chooses.

    To choose another value is wrong, but for a gold of words only where the text takes a value
    back: else it may be the gold in other words. To choose none of several is wrong, but where the
    text says nothing of a conflict, an event may have two days, and words may be two of one thing.
    """
    if choice.outcome is ChosenValue.GOLD:
        return right("answer-asserted")
    effects = {step.decision.effect for step in choice.steps}
    takes_back = bool(effects & {Effect.DENIES, Effect.PASSES})
    if choice.outcome is ChosenValue.RIVAL and (kind is not GoldKind.WORDS or takes_back):
        return wrong("another-chosen")
    has_one_value = kind not in (GoldKind.WORDS, GoldKind.DATE)
    is_conflict = line.has(Sign.CLASH, Sign.UNDECIDED, Sign.BOTH, Sign.CITATION, Sign.OR)
    if choice.outcome is ChosenValue.NEITHER and (has_one_value or is_conflict):
        return wrong("answer-unsettled")
    return unclear("answer-taken-back")


def _read_without(
    text: str, golds: Sequence[str], question: str, kind: GoldKind, offered: Sequence[FoundSign]
) -> Reading:
    """Return what a text is read as that does not surely say the gold.

    ``offered`` are the signs of what the question offers beside the gold, where the text says it.
    """
    sure_rivals = offered or _find_others(find_other_relative, golds, text, question)
    result = _decide_at_once(text, golds, question, kind)
    if result is None and not sure_rivals:
        result = _decide_without_rivals(text, golds, question, kind)
    if result is not None:
        return Reading(result, kind)
    rivals = [*sure_rivals]
    if kind is GoldKind.NUMBER:
        rivals += _find_others(find_other_number, golds, text, question)
    line = read_line(text, rivals, question, golds, kind)
    choice = choose(line)
    are_rivals = bool(sure_rivals) or _are_surely_rivals(line, kind)
    chooses_rival = choice.outcome is ChosenValue.RIVAL and are_rivals
    result = wrong("another-chosen") if chooses_rival else unclear("no-rival")
    return Reading(result, kind, line, choice)


def _decide_at_once(
    text: str, golds: Sequence[str], question: str, kind: GoldKind
) -> Corrected | None:
    """Return what a text is that declines, tells the gold's time, or only repeats the question.

    None for any other text. Where a gold has only words of the question, to repeat them may be the
    answer.
    """
    if _declines(text):
        return wrong("refusal")
    if kind is GoldKind.DATE and any(same_time(gold, text) for gold in golds):
        return right("answer-asserted")
    is_gold_asked = any(content_words(plain(g)) <= content_words(question) for g in golds)
    if not is_gold_asked and only_repeats(text, question):
        return wrong("no-answer")
    return None


def _decide_without_rivals(
    text: str, golds: Sequence[str], question: str, kind: GoldKind
) -> Corrected | None:
    """Return what a text is in which no rival is known; None if it must be read sign by sign.

    A gold of words has no rivals: all its words make it right. A time that cannot be the gold's is
    another, and what may mean the gold is unclear.
    """
    if kind is GoldKind.WORDS:
        is_said = any(_says_all_words(gold, text, question) for gold in golds)
        return right("answer-asserted") if is_said else unclear("no-rival")
    if any(_may_mean(gold, text, question, kind) for gold in golds):
        return unclear("answer-alike")
    return wrong("another-chosen") if kind is GoldKind.DATE else None


def _are_surely_rivals(line: SignLine, kind: GoldKind) -> bool:
    """Return whether what is read as rivals of a gold that is not said surely are rivals.

    Names are. A number is if it is the only one, and terms are if they are brief and one list.
    """
    rivals = {item.said for item in line.items if item.sign is Sign.RIVAL}
    if kind is GoldKind.TERM:
        are_brief = all(len(rival.split()) < _WORDS_OF_BRIEF for rival in rivals)
        return are_brief and (len(rivals) == 1 or bool(_NOTHING_BUT_LIST.fullmatch(line.signs)))
    return kind is GoldKind.NAME or (kind is GoldKind.NUMBER and len(rivals) == 1)


def _find_others(
    find: Callable[[str, str, str], tuple[int, int] | None],
    golds: Sequence[str],
    text: str,
    question: str,
) -> list[FoundSign]:
    """Return the signs of what surely is another number, or another relative, than a gold.

    ``find`` is the function that looks for one, by a gold, the text and the question.
    """
    found = [find(gold, text, question) for gold in golds]
    places = dict.fromkeys(place for place in found if place)
    return [FoundSign(Sign.RIVAL, start, end, text[start:end]) for start, end in places]


def _declines(text: str) -> bool:
    """Return whether a text declines to answer at its head, and does not guess behind it."""
    first = _END_OF_SENTENCE.split(text)[0]
    return refuses(text) or (refuses(first) and not _START_OF_GUESS.search(text, len(first)))


def _says_all_words(gold: str, text: str, question: str) -> bool:
    """Return whether a text says all words of a gold of words, in whatever form.

    At least two of them must be new beside the question, text and gold must both have a negation or
    none, and names must be in the same order.
    """
    wanted = content_words(plain(gold))
    if (
        not wanted <= content_words(text)
        or len(wanted - content_words(question)) < _FEWEST_NEW_WORDS
    ):
        return False
    gold_denies, text_denies = bool(_NEGATION.search(gold)), bool(_NEGATION.search(text))
    return gold_denies is text_denies and keeps_order(gold, text)


def _may_mean(gold: str, text: str, question: str, kind: GoldKind) -> bool:
    """Return whether a text may mean a gold that it does not surely say."""
    if kind is GoldKind.DATE:
        return same_time(gold, text) is not False
    if kind is GoldKind.NUMBER:
        return find_other_number(gold, text, question) is None
    return bool(mentions(gold, text, question)) or may_mean_name(gold, text, question)


def _is_beside(text: str, mention: Mention, question: str) -> bool:
    """Return whether a mention only says whose relative, or beside whom, somebody is.

    ``the brother of Rome`` and ``Rome's brother`` name Rome beside another. A question with
    ``whose`` asks for just that.
    """
    if "whose" in words_of(question):
        return False
    owned = pattern(_RELATIVE_BEHIND, "names.relatives")
    beside = pattern(_NAMED_BESIDE_BEHIND, "names.relatives", "names.beside")
    if text[: mention.end].endswith("'s") and owned.match(text, mention.end):
        return True
    before = text[max(0, mention.start - _CHARACTERS_BEFORE) : mention.start]
    return beside.search(before) is not None


def _is_refused(text: str, stated: Sequence[Mention]) -> bool:
    """Return whether every sentence that states the gold says that it is not known."""
    for mention in reversed(stated):
        text = text[: mention.start] + _MARK_OF_SAID + text[mention.end :]
    return all(
        refuses(part, hedges=True) for part in _END_OF_SENTENCE.split(text) if _MARK_OF_SAID in part
    )
