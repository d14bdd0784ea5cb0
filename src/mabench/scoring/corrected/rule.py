"""What corrected rules share: their result, how they decide, what declines or says yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from mabench.scoring.final_answer import Form, Found, final_answers
from mabench.scoring.lexicon import pattern
from mabench.scoring.sameness.wordings import stems_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import plain
from mabench.text.stems import is_function_word, stem

VERDICTS = {"yes": True, "no": False}

_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|no(?! doubt)|none)\b|n['\u2019]t\b", re.IGNORECASE
)
_CONTENT = re.compile(r"\b[a-z]{4,}\b")
_END = re.compile(r"(?<=[.!?])\s|\n")
_EARLIER = re.compile(r"\b(?:original|initial|former|previous|earlier|used to)", re.IGNORECASE)
_LETTERS = re.compile(r"[a-z]{4,}")
_NEGATED = re.compile(r"\b(?:not|never|dislike|hate|except|besides|other than)\b|n't\b")
_MOST_LONGER = 4  # Times that a question is longer than a text that repeats it.
_NEAR = 80  # Characters behind a correction or conclusion in which a value is what it says.
_SPARE = 1000  # Characters by which a prediction may be longer than the answer that it is.

_UNKNOWN = (
    r"(?:(?:do|does|did|can|could|would|am|are|is|was|were|has|have|had|ca|wo)"
    r"(?: not|n['\u2019]t)|['\u2019]m not|['\u2019]re not|cannot|never)(?: \w+){0,2}? (?:%s)\b"
)
_REFUSAL = pattern(
    rf"\b(?:%s)(?: \w+ly| also| still| just)?\s?{_UNKNOWN}"
    rf"|\b(?:%s)\b[^.,;\n]{{0,40}}?\s{_UNKNOWN}"
    r"|(?:^|[.,;:(\u2014]\s*|\b(?:is|are|was|be|remains?)\s)(?:%s)\b|\b(?:%s)\b",
    *("refusal.speakers", "refusal.unknown", "refusal.histories", "refusal.unknown"),
    *("refusal.heads", "refusal.phrases"),
)
_HEDGE = pattern(
    r"[^.,;:\n]{0,80}?\b(?:%s|%s)(?: (?:%s))*\s?(?:[.,;:!)\u2014-]|\Z)",
    *("refusal.certainty", "refusal.hedges", "refusal.hedges"),
)
_ANYWAY = pattern(
    r"\b(?:%s)\b|;(?! (?:(?:it|that) was )?(?-i:[A-Z])\w+ (?:who |that )?did)", "refusal.anyway"
)

# What opens an answer to a question that takes yes or no, and yes and no by themselves.
_LEAD = pattern(
    r"^[\W_]*(?:(?:well|ok|okay|so|hmm|actually|in fact|therefore|thus)\b[,: ]*)?"
    r"(?:(?:%s),? (?=yes\b|no\b))?",
    "verdict.sureness",
)
_YES = pattern(
    r"(?:%s)\b(?!,? (?:not|and no|or no)\b)|(?:%s)\W*$", "verdict.yes", "verdict.sureness"
)
_NO = pattern(  # What follows is no noun of which there is none.
    r"(?:%s)(?=\W*\Z|\s*[^\w\s-]| -|\s+(?:%s)\b|\s+(?-i:[A-Z]))"
    r"|(?:(?:%s),? )?(?:not|never)\b(?! (?:%s)\b)",
    *("verdict.no", "verdict.after_no", "verdict.sureness", "verdict.not_unknown"),
)
_TAKES_UP = pattern(  # "They are not."
    r"^\W*(?:(?:%s) (?:that )?)?(?:%s)\b(?: \w+)? ?(?:%s)(?: not|n['\u2019]t)?(?: indeed| (?:%s))?"
    r"(?=\W*$|\s?[,;:(\u2014])",
    *("verdict.opinions", "verdict.pronouns", "verdict.auxiliaries", "verdict.sureness"),
)
_SAME = pattern(r"\b(?:%s)\b", "verdict.same")
_DIFFERENT = pattern(r"\b(?:%s)\b", "verdict.different")
_CONTRAST = re.compile(r"\b(?:while|whereas|but|only)\b", re.IGNORECASE)

_CORRECTS = pattern(r"(?:^|[\W_])(?:%s)(?=\W)", "label.corrections")
# Between two values of which none is more than the other, and what says more than a sign.
_JOINT = re.compile(
    r"[\"')\].]{0,3}\s*(?:,|/|\bor\b|\band\b|&|\|)[\s,]*(?:or |and |an? |the |option |\(|\"|')*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\b(?!the\b)\w", re.IGNORECASE)


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


# What a prediction is that a rule reads, or of which it cannot tell.
right, wrong, unclear = (partial(Corrected, value) for value in (1.0, 0.0, None))


class Stated(NamedTuple):
    """A value that a text states: where, which, how it stands, and whether it is called one."""

    start: int
    end: int
    value: int | str  # The place of an option, or a label.
    stands: Standing
    is_marked: bool = False


def values_chosen(text: str, stated: Sequence[Stated]) -> set[int | str]:
    """Return the values that a text settles on: one, or several if it chooses none of them.

    What it asserts counts, else what it does not take back; a correction replaces all before it.
    Of several the one counts that it comes back to, or that opens it with no other beside it.
    """
    for cue in reversed([*_CORRECTS.finditer(text)]):
        later = [one for one in stated if one.start >= cue.end()]
        is_near = bool(later) and later[0].start - cue.end() < _NEAR
        if is_near and any(one.stands is Standing.ASSERTED for one in later):
            stated = later
            break
    kept = [one for one in stated if one.stands is not Standing.REJECTED]
    left = [one for one in kept if one.stands is Standing.ASSERTED] or kept
    left = [one for one in left if one.is_marked] or left
    values = {one.value for one in left}
    if len(values) > 1:
        last, place = kept[-1], next(n for n, one in enumerate(left) if one.value != left[0].value)
        if any(one.value == last.value and _WORD.search(text, one.end, last.start) for one in kept):
            return {last.value}
        between = text[left[place - 1].end : left[place].start]
        is_below = not (_WORD.search(between) or re.match(r".*\w", text[left[place].end :]))
        if not (is_below or _JOINT.match(between) or _WORD.search(text[: left[0].start])):
            values = {left[0].value}
    return values


def decide(
    prediction: str,
    answers: Sequence[str],
    key: Callable[[str], object],
    read: Callable[[Found], Corrected | None],
    rules: tuple[str, str],
) -> Corrected:
    """Return what a rule makes of the first text found in a prediction that says something.

    Args:
        prediction: what was answered.
        answers: the golds.
        key: by what a prediction is compared with them; none is one whose key is empty.
        read: what the rule makes of a text that was found; None if that says nothing.
        rules: what decides if the prediction is a gold, and if nothing that was found says it.
    """
    whole = prediction.strip()
    if len(prediction) <= 2 * max(map(len, answers), default=0) + _SPARE:
        is_told = re.search(r"[^\W_]", whole) and whole in map(str.strip, answers)
        if is_told or ((said := key(whole)) and said in map(key, answers)):
            return right(rules[0])
    found = None
    for found in final_answers(prediction):
        result = read(found)
        if result is not None:
            return result
        if found.is_final:
            break
    return wrong(rules[1] if found else "no-answer")


def refuses(text: str, place: int | None = None, hedges: bool = False) -> bool:
    """Return whether a text declines to answer, and comes to no answer before ``place``, its end.

    Who declines is the speaker, the memory or the documents: "they did not know" is none. With
    ``hedges``, who only is not sure of what is said does not decline.
    """
    cues = _REFUSAL.finditer(text)
    cue = next((c for c in cues if not (hedges and _HEDGE.match(text, c.start()))), None)
    end = len(text) if place is None else place
    return cue is not None and _ANYWAY.search(text, cue.end(), end) is None


def guesses(text: str) -> bool:
    """Return whether a text goes on to an answer after all."""
    return _ANYWAY.search(text) is not None


def standing_asked(text: str, start: int, end: int, question: str | None) -> Standing:
    """Return how a mention stands where what is not so, or was so before, is asked for.

    A word that the question asks by (``How often was it rejected?``) rejects nothing.
    """
    stands = standing(text, start, end)
    if stands is Standing.REJECTED and question:
        asked = stems_of(question)
        text = _LETTERS.sub(lambda w: "x" * len(w[0]) if stem(w[0]) in asked else w[0], text)
        stands = standing(text, start, end)
    asks = {Standing.REJECTED: _NEGATED, Standing.PASSED: _EARLIER}.get(stands)
    return Standing.ASSERTED if asks and asks.search(question or "") else stands


def without_question(text: str, question: str | None) -> str:
    """Return ``plain`` text without the question, where it repeats it."""
    if not question or _MOST_LONGER * len(text) < len(question):
        return text
    asked = plain(question).strip().rstrip("?.! ")
    if not asked or asked.lower() not in text.lower():
        return text
    return re.sub(re.escape(asked) + r"[?.! \"']*", "\n", text, flags=re.IGNORECASE).strip()


def read_verdict(found: Found, gold: bool, question: str | None) -> Corrected | None:
    """Return whether what was found says yes or no as ``gold`` does; None if it says neither.

    It does if it opens with yes or no, or takes up the question's words, or says that things are
    the same or different where that is asked.
    """
    is_last = found.is_final or found.form is Form.WHOLE
    text = _LEAD.sub("", found.text if found.form is Form.WHOLE else found.line)
    sentence, asked = _END.split(text, maxsplit=1)[0], _content(question or "")
    negated = len(_NEGATION.findall(sentence)) % 2 == 1
    alike = _SAME.search(question or "")
    if opening := _NO.match(text) or _YES.match(text):
        said = opening.re is _YES
    elif refuses(text):
        return wrong("refusal") if is_last else None
    elif alike and _DIFFERENT.search(sentence):
        said = negated
    elif alike and not _SAME.search(sentence) and _CONTRAST.search(sentence):
        said = False
    elif (
        _TAKES_UP.match(sentence)
        or (alike and _SAME.search(sentence))
        or (asked and len(asked & _content(sentence)) * 2 >= len(asked))
    ):
        said = not negated
    else:
        return wrong("no-verdict") if is_last else None
    return (right if said is gold else wrong)("verdict-said")


def _content(text: str) -> set[str]:
    return {word for word in _CONTENT.findall(text) if not is_function_word(word)}
