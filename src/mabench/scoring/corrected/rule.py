"""What corrected rules share: their result, how they decide, what declines or says yes or no.

A gold is a text of an acceptable answer. ``pattern`` fills word lists of ``words.toml`` into a
regular expression. A yes is true, a no is false, and what is neither is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from mabench.scoring.final_answer import final_answer
from mabench.scoring.language import identity, speaks_english
from mabench.scoring.lexicon import pattern
from mabench.text.stems import content_words

_NEGATION = re.compile(r"\b(?:not|never|neither|nor|cannot|no(?! doubt)|none)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|because|since)\b", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")
_MOST_SENTENCES = 5  # Sentences of which one may open with yes or no.
_LONGEST_GOLD = 10_000  # Characters of a prediction that is a gold and nothing else.

_UNKNOWN = (
    r"(?:(?:do|does|did|can|could|would|am|are|is|was|were|has|have|had|ca|wo)"
    r"(?: not|n['\u2019]t)|['\u2019]m not|['\u2019]re not|cannot|never)(?: \w+){0,2}? (?:%s)\b"
)
_REFUSAL = (
    rf"\b(?:%s)(?: \w+ly| also| still| just)?\s?{_UNKNOWN}"
    rf"|\b(?:%s)\b[^.,;\n]{{0,40}}?\s{_UNKNOWN}"
    r"|(?:^|[.,;:(\u2014]\s*|\b(?:is|are|was|be|remains?)\s)(?:%s)\b|\b(?:%s)\b"
)
_NOT_SURE = r"[^.,;:\n]{0,80}?\b(?:%s|%s)(?: (?:%s))*\s?(?:[.,;:!)\u2014-]|\Z)"
_ANSWERS_ANYWAY = r"\b(?:%s)\b|;(?! (?:(?:it|that) was )?(?-i:[A-Z])\w+ (?:who |that )?did)"

# What opens an answer to a question that takes yes or no, and yes and no by themselves.
_BEFORE_VERDICT = (
    r"^[\W_]*(?:(?:well|ok|okay|so|hmm|actually|in fact|therefore|thus)\b[,: ]*)?"
    r"(?:(?:%s),? (?=yes\b|no\b))?"
)
_CONCLUSION = (
    r"\b(?:(?:answer|it) is|so|thus|hence|therefore),?:? (?:(?:%s),?:? )?[\"'*]*"
    r"(?=(?:(?:%s),? )?(?:yes|no)\b)"
)
_YES = r"(?:%s)\b(?!,? (?:not|and no|or no)\b)|(?:%s)(?=\W*$|[;.] )"
_NO = (  # Not before a noun, as in "no cats".
    r"(?:%s)(?=\W*\Z|\s*[^\w\s-]| -|\s+(?:%s)\b|\s+(?-i:[A-Z]))"
    r"|(?:(?:%s),? )?(?:not|never)\b(?! (?:%s)\b)"
)
_TAKES_UP_WORDS = (  # "They are not."
    r"^\W*(?:(?:%s) (?:that )?)?(?:%s)\b(?: \w+){0,2}? ?(?:%s)(?: not)?(?: indeed| (?:%s))?"
    r"(?=\W*$|\s?[,;:(\u2014])"
)
_ANY_WORD_OF = r"\b(?:%s)\b"
_CONTRAST = re.compile(r"\b(?:while|whereas|but|only)\b", re.IGNORECASE)


class Corrected(NamedTuple):
    """What a rule makes of a prediction, with the rule's short, stable name."""

    # From 0 to 1; None if the rule cannot tell, so that the official value holds.
    value: float | None
    rule: str  # One of the names listed in ``docs/reference/scoring.md``.

    @property
    def verdict(self) -> str:
        """``right``, ``wrong``, ``partial``, or ``unclear`` where the rule cannot tell."""
        if self.value is None:
            return "unclear"
        return "right" if self.value >= 1 else "wrong" if self.value <= 0 else "partial"


# Each makes a result of the name of the rule that decides, or cannot decide.
right, wrong, unclear = (partial(Corrected, value) for value in (1.0, 0.0, None))


def decide(
    prediction: str,
    answers: Sequence[str],
    key: Callable[[str], object],
    read: Callable[[str], Corrected],
    alone: str,
    question: str | None = None,
) -> Corrected:
    """Return what a rule makes of a prediction: the order in which every rule decides.

    A prediction that is one of the golds and nothing else is right, by the rule named ``alone``.
    It is one if their ``key`` is the same, or if it is letter for letter the same in any language.
    Else ``read`` decides by the final answer, if that is English.

    Args:
        prediction: the whole output.
        answers: the golds.
        key: returns what is compared of a text; what is empty is never the same.
        read: returns what a final answer is.
        alone: the name of the rule for a gold and nothing else.
        question: what is asked, for its language.
    """
    said_key = key(prediction[:_LONGEST_GOLD])
    if said_key and said_key in map(key, answers):
        return right(alone)
    text = final_text(prediction)
    said_identity = identity(text[:_LONGEST_GOLD])
    if said_identity and said_identity in map(identity, answers):
        return right(alone)
    if not re.search(r"\w", text):
        return wrong("no-answer")
    if not speaks_english(text, question, tuple(answers)):
        return unclear("not-english")
    return read(text)


def final_text(prediction: str) -> str:
    """Return the final answer of a prediction.

    Of one behind a mark such as ``Answer:`` it is the first line: others explain it.
    """
    text, is_marked = final_answer(prediction)
    return text.strip().partition("\n")[0].strip() if is_marked else text


def refuses(text: str, hedges: bool = False) -> bool:
    """Return whether a text declines to answer, and goes on to no answer after all.

    Who declines is the speaker, the memory or the documents: "they did not know" does not decline.
    With ``hedges``, neither does who only is not sure: "I am not sure, but it is Rome".
    """
    not_sure = pattern(_NOT_SURE, "refusal.certainty", "refusal.hedges", "refusal.hedges")
    for cue in _refusal().finditer(text):
        is_hedge = hedges and not_sure.match(text, cue.start())
        if not is_hedge:
            answers_anyway = pattern(_ANSWERS_ANYWAY, "refusal.anyway").search(text, cue.end())
            return answers_anyway is None
    return False


def _refusal() -> re.Pattern[str]:
    """Return the pattern of what declines to answer."""
    return pattern(
        _REFUSAL,
        "refusal.speakers",
        "refusal.unknown",
        "refusal.histories",
        "refusal.unknown",
        "refusal.heads",
        "refusal.phrases",
    )


def _no() -> re.Pattern[str]:
    """Return the pattern of a no that opens an answer."""
    return pattern(_NO, "verdict.no", "verdict.after_no", "verdict.sureness", "verdict.not_unknown")


def _taking_up() -> re.Pattern[str]:
    """Return the pattern of what takes up the question's words: ``They are not``."""
    return pattern(
        _TAKES_UP_WORDS,
        "verdict.opinions",
        "verdict.pronouns",
        "verdict.auxiliaries",
        "verdict.sureness",
    )


def _without_lead(text: str) -> str:
    """Return a text without what may precede a yes or no: ``Well, probably yes``."""
    return pattern(_BEFORE_VERDICT, "verdict.sureness").sub("", text)


def _opening_verdict(text: str) -> bool | None:
    """Return whether a text opens with yes, or with no; None if with neither."""
    if _no().match(text):
        return False
    return True if pattern(_YES, "verdict.yes", "verdict.sureness").match(text) else None


def read_verdict(text: str, *, gold: bool, question: str) -> Corrected:
    """Return whether a text says yes or no as the ``gold`` does, which is true for yes.

    It says it where it concludes or opens with yes or no, or claims that what is asked is so, or
    is not so. One that says neither is wrong, but unclear if it has a word of the question.
    """
    concluded = pattern(_CONCLUSION, "verdict.opinions", "verdict.sureness")
    text = _without_lead(concluded.split(text)[-1])
    said = _opening_verdict(text)
    if said is None:
        if refuses(text):
            return wrong("refusal")
        first_sentence, *others = _END_OF_SENTENCE.split(text, maxsplit=_MOST_SENTENCES)
        said = _claimed_verdict(first_sentence, others, question)
        if said is None:
            is_of_question = not content_words(question).isdisjoint(content_words(first_sentence))
            return unclear("no-verdict") if is_of_question else wrong("no-verdict")
    return right("verdict-said") if said is gold else wrong("verdict-said")


def _claimed_verdict(sentence: str, others: Sequence[str], question: str) -> bool | None:
    """Return whether a sentence claims that what is asked is so; None if it claims neither.

    It claims it if it takes up half of the question's words, or refers to them (``They are not``),
    or says that things are the same or different where that is asked. If it has no word of the
    question, one of the ``others`` behind it may open with yes or no: ``Let me check my memory.
    No.`` Two negations cancel each other; those of a condition or reason do not count.
    """
    asked, same = content_words(question), pattern(_ANY_WORD_OF, "verdict.same")
    taken_up = asked & content_words(sentence)
    claim = _CONDITION.split(sentence)[0] or sentence
    is_affirmed = len(_NEGATION.findall(claim)) % 2 == 0
    asks_alike = same.search(question) is not None  # "Are they the same?"
    if asks_alike and pattern(_ANY_WORD_OF, "verdict.different").search(sentence):
        return not is_affirmed
    if _taking_up().match(sentence) or (asks_alike and same.search(sentence)):
        return is_affirmed
    openings = [_opening_verdict(_without_lead(other)) for other in others]
    later = [opening for opening in openings if opening is not None]
    if later and not taken_up:
        return later[0]
    if asks_alike and _CONTRAST.search(sentence):  # "One is American, while the other is not."
        return False
    return is_affirmed if taken_up and len(taken_up) * 2 >= len(asked) else None
