"""What corrected rules share: their result, and what declines or says yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Generic, NamedTuple, TypeVar

from mabench.scoring.final_answer import Form, Found
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.wordings import stems_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import plain, spelling, tokens
from mabench.text.stems import is_function_word, stem

VERDICTS = {"yes": True, "no": False}

_LEAD = re.compile(
    r"^[\W_]*(?:(?:well|ok|okay|so|hmm|actually|in fact|therefore|thus)\b[,: ]*)?", re.IGNORECASE
)
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|no(?! doubt)|none)\b|n['\u2019]t\b", re.IGNORECASE
)
_CONTRAST = re.compile(r"\b(?:while|whereas|but)\b", re.IGNORECASE)
_ONLY = re.compile(r"\W*[Oo]nly (?:one\b|1\b|the\b|[A-Z])")
_CONTENT = re.compile(r"\b[a-z]{4,}\b")
_END = re.compile(r"(?<=[.!?])\s|\n")
_EARLIER = re.compile(r"\b(?:original|initial|former|previous|earlier|used to)", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|never|dislike|hate|except|besides|other than)\b|n't\b")
_MOST_LONGER = 4  # Times that a question is longer than a text that repeats it.
_SPARE = 1000  # Characters by which a prediction may be longer than the answer that it is.

_Value = TypeVar("_Value", int, str)


class Corrected(NamedTuple):
    """What a rule makes of a prediction, with the rule's short, stable name."""

    # From 0 to 1; None where the rule cannot tell, so that the official value holds.
    value: float | None
    rule: str  # One of the names listed in ``docs/reference/scoring.md``.

    @property
    def verdict(self) -> str:
        """``right``, ``wrong``, ``partial``, or ``unclear`` where the rule cannot tell."""
        if self.value is None:
            return "unclear"
        return "right" if self.value >= 1 else "wrong" if self.value <= 0 else "partial"


class Stated(NamedTuple, Generic[_Value]):
    """A value that a text states: where, which, how it stands, and whether it is called one."""

    start: int
    end: int
    value: _Value
    stands: Standing
    is_marked: bool = False


def values_left(text: str, stated: Sequence[Stated[_Value]]) -> list[Stated[_Value]]:
    """Return what a text asserts, else what it does not take back; a correction replaces all."""
    for cue in reversed([*pattern(r"(?:^|[\W_])(?:%s)(?=\W)", "label.corrections").finditer(text)]):
        later = [one for one in stated if one.start >= cue.end()]
        if any(one.stands is Standing.ASSERTED for one in later):
            stated = later
            break
    asserted = [one for one in stated if one.stands is Standing.ASSERTED]
    return asserted or [one for one in stated if one.stands is not Standing.REJECTED]


def right(rule: str) -> Corrected:
    """Return that a prediction is right."""
    return Corrected(1.0, rule)


def wrong(rule: str) -> Corrected:
    """Return that a prediction is wrong."""
    return Corrected(0.0, rule)


def unclear(rule: str) -> Corrected:
    """Return that the rule cannot tell."""
    return Corrected(None, rule)


def is_same(prediction: str, answers: Sequence[str], key: Callable[[str], object]) -> bool:
    """Return whether a prediction is one of the answers, compared by ``key``; no empty key is."""
    longest = max(map(len, answers), default=0)
    if len(prediction) > 2 * longest + _SPARE:
        return False
    whole = prediction.strip()
    if re.search(r"[^\W_]", whole) and whole in map(str.strip, answers):
        return True
    said = key(prediction)
    return bool(said) and any(said == key(answer) for answer in answers)


def refuses(text: str, place: int | None = None, hedges: bool = False) -> bool:
    """Return whether a text declines to answer, and comes to no answer before ``place``, its end.

    Who declines is the speaker, the memory or the documents: "they did not know" is none. With
    ``hedges``, who only is not sure of what is said does not decline.
    """
    cues = _refusal().finditer(text)
    cue = next((c for c in cues if not (hedges and _hedge().match(text, c.start()))), None)
    end = len(text) if place is None else place
    return cue is not None and _anyway().search(text, cue.end(), end) is None


def guesses(text: str) -> bool:
    """Return whether a text goes on to an answer after all."""
    return _anyway().search(text) is not None


def _hedge() -> re.Pattern[str]:
    return pattern(
        r"[^.,;:\n]{0,80}?\b(?:%s|%s)(?: (?:%s))*\s?(?:[.,;:!)\u2014-]|\Z)",
        *("refusal.certainty", "refusal.hedges", "refusal.hedges"),
    )


def _anyway() -> re.Pattern[str]:
    return pattern(
        r"\b(?:%s)\b|;(?! (?:(?:it|that) was )?(?-i:[A-Z])\w+ (?:who |that )?did)", "refusal.anyway"
    )


@cache
def _refusal() -> re.Pattern[str]:
    negated = (
        r"(?:(?:do|does|did|can|could|would|am|are|is|was|were|has|have|had|ca|wo)"
        r"(?: not|n['\u2019]t)|['\u2019]m not|['\u2019]re not|cannot|never)(?: \w+){0,2}? (?:%s)\b"
    )
    heads = r"(?:^|[.,;:(\u2014]\s*|\b(?:is|are|was|be|remains?)\s)(?:%s)\b"
    return pattern(
        rf"\b(?:%s)(?: \w+ly| also| still| just)?\s?{negated}"
        rf"|\b(?:%s)\b[^.,;\n]{{0,40}}?\s{negated}|{heads}|\b(?:%s)\b",
        *("refusal.speakers", "refusal.unknown", "refusal.histories", "refusal.unknown"),
        *("refusal.heads", "refusal.phrases"),
    )


def standing_asked(text: str, start: int, end: int, question: str | None) -> Standing:
    """Return how a mention stands where what is not so, or was so before, is asked for.

    A word that the question asks by (``How often was it rejected?``) rejects nothing.
    """
    stands = standing(text, start, end)
    if stands is Standing.REJECTED and question:
        asked, letters = stems_of(question), list(text)
        for token in tokens(text):
            is_asked = stem(token.word) in asked and not is_function_word(token.word)
            if is_asked and not start <= token.start < end:
                letters[token.start : token.end] = "x" * (token.end - token.start)
        stands = standing("".join(letters), start, end)
    if stands is Standing.REJECTED and _NEGATED.search(question or ""):
        return Standing.ASSERTED
    is_past = stands is Standing.PASSED and _EARLIER.search(question or "")
    return Standing.ASSERTED if is_past else stands


def without_question(text: str, question: str | None) -> tuple[str, bool]:
    """Return ``plain`` text without the question, where it repeats it, and whether it does."""
    if _MOST_LONGER * len(text) < len(question or ""):
        return text, False
    asked = plain(question or "").strip().rstrip("?.! ")
    if not asked:
        return text, False
    if asked.lower() in text.lower():
        bare = re.sub(re.escape(asked) + r"[?.! \"']*", "\n", text, flags=re.IGNORECASE)
        return bare.strip(), True
    unnamed = re.sub(r"(?i)^question:", "", text[: 2 * len(asked) + _SPARE])
    return ("", True) if spelling(unnamed) == spelling(asked) else (text, False)


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
    start = pattern(r"^(?:%s),? (?=yes\b|no\b)", "verdict.sureness").sub("", _LEAD.sub("", text))
    if _no().match(start):
        return "no"
    yes = (
        r"(?:%s)\b(?!,? (?:not\b|and no\b|or no\b))|i (?:think|believe) so\b"
        r"|(?:%s)(?=\W*$|[,.;:]|\s(?:because|since|as|given)\b)(?!,? (?:no|not|neither)\b)"
    )
    if pattern(yes, "verdict.yes", "verdict.sureness").match(start):
        return "yes"
    sentence = _END.split(text, maxsplit=1)[0]
    if refuses(text):
        return None
    of_one = _CONTRAST.search(sentence) and not _same().search(sentence)
    if _same().search(question) and (of_one or _ONLY.match(sentence)):
        return "no"
    clause = (
        r"^\W*(?:%s)\b(?: \w+)? ?(?:%s)(?: not|n['\u2019]t)?(?: indeed| (?:%s))?"
        r"(?=\W*$|\s?[,;:(\u2014]|\s(?P<verb>\w+))"
    )
    said = pattern(clause, "verdict.pronouns", "verdict.auxiliaries", "verdict.sureness").search(
        sentence
    )
    if said and (said["verb"] is None or said["verb"] in _content(question)):
        return "no" if _NEGATION.search(said[0]) else "yes"
    return _by_predicate(sentence, question)


def _by_predicate(sentence: str, question: str) -> str | None:
    """Return what a statement says to a question whose words it takes up."""
    negated = len(_NEGATION.findall(sentence)) % 2 == 1
    if _same().search(question):
        if pattern(r"\b(?:%s)\b", "verdict.different").search(sentence):
            return "yes" if negated else "no"
        if _same().search(sentence):
            return "no" if negated else "yes"
    asked = _content(question)
    taken_up = asked & _content(sentence)
    if asked and len(taken_up) * 2 >= len(asked):
        return "no" if negated else "yes"
    return None if len(sentence.split()) < 4 or not taken_up else "unclear"


def _content(text: str) -> set[str]:
    return {word for word in _CONTENT.findall(text) if not is_function_word(word)}


def _same() -> re.Pattern[str]:
    return pattern(r"\b(?:%s)\b", "verdict.same")


@cache
def _no() -> re.Pattern[str]:
    """Return what says no by itself: what follows is no noun of which there is none."""
    return pattern(
        r"(?:(?:%s)(?=\W*\Z|\s*[,.;:!\u2013\u2014\n)\"'*]| -|\s*\(|\s+(?:%s)\b|\s+(?-i:[A-Z]))"
        r"|(?:(?:%s),? )?(?:not|never)\b(?! (?:%s)\b)"
        r"|i (?:do not|don't) (?:think|believe) (?:so|they|s?he|it|we)\b"
        r"|i (?:think|believe|guess) not\b)",
        *("verdict.no", "verdict.after_no", "verdict.sureness", "verdict.not_unknown"),
    )
