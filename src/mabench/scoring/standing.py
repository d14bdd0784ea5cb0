"""How a name stands in a sentence: is it asserted, or only mentioned to be rejected?

``Kenya, not Israel`` asserts Kenya and rejects Israel. The rules are those of English grammar
(negation and its scope, contrast, past states, succession, concession, reasons), and hold for
answers, labels and options alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import cache

from mabench.scoring.lexicon import entries, pattern, words

_WINDOW = 240  # Characters on either side of a mention that bear on it.
_SENTENCE_END = re.compile(r"[.!?](?=[\"'\u201d\u2019)*_]*(?:\s|$))|\n")
# A full stop that ends no sentence: of an abbreviation, or of an initial after a name's part.
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|Vol|Prof|Gen|Col|Lt|Capt|Mt|Inc|Ltd|Co|Corp|etc|i\.e|e\.g)|^\s*\d{1,2}|(?:[A-Z][\w.]{0,40}\s|^"
    r"|\.)[A-Z])\Z"
)
# A list of options goes on over commas: "ruling out A, C and D".
_LETTERS_ALONE = re.compile(r"(?:\b(?:[A-Z]|and|or|options?)\b|\W)*")
_RULED_OUT, _NUMBERS_ALONE = re.compile(r"rul|reject|exclu|elimin", re.I), re.compile(r"[\d\W]*")
_ALL_BUT = re.compile(
    r"\b(?:any(?:one|body|thing|where)?|every(?:one|body|thing)?|all)(?: \w+){0,2} but\b", re.I
)
_LABELLED = re.compile(
    r"\b(not|was|instead of|wrong|rejected|(?:ruled|ruling) out"
    r"|(?:previously|formerly|earlier|before|old|former|superseded|outdated)(?:\s\w+){0,2}?)\s?:",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:changed|moved|switched|went|updated|revised|corrected)\b[^.;]{0,60}"
    r"\bfrom(?: [a-z]+)?\s*$",
    re.I,
)
_QUESTION = re.compile(r"[^.!\n]*\?")
_CONTRAST_SIGNS = (
    r"[;\u2192:)]|->|=>|\binstead,"
    r"|,(?=\s+(?:it['\u2019]?s|it is|it was|he is|she is|they are|i (?:choose|would|['\u2019]d"
    r"|think|pick|say)))"
)


class Standing(IntEnum):
    """How a mention stands, from worst to best; one that is passed counts if nothing else does."""

    REJECTED = 0
    PASSED = 1
    ASKED = 2
    REASON = 3
    ASSERTED = 4


def standing(text: str, start: int, end: int) -> Standing:
    """Return how what stands at ``text[start:end]`` is meant in its sentence."""
    before = _back_to_sentence(text[max(0, start - _WINDOW) : start])
    after = text[end : end + _WINDOW]
    stands = _by_before(before, text[start].islower())
    if stands is Standing.REJECTED or _after("rejected").match(after):
        return Standing.REJECTED
    if stands is Standing.PASSED or _after("passed").match(after):
        return Standing.PASSED
    is_hedged = pattern(r"\b(?:%s)\b", "standing.hedges").search(before)
    if _QUESTION.match(after[: next(_ends(after), None)]) and not is_hedged:
        return Standing.ASKED
    held = before[_contrast_end(before) :]
    is_reason = pattern(r"\b(?:%s)\b", "standing.reasons").search(held)
    return Standing.REASON if is_reason else Standing.ASSERTED


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence in which ``text[start:end]`` stands, as far as it is near."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    return _back_to_sentence(before) + text[start:end] + after[: next(_ends(after), None)]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where each sentence or line of a text starts and ends."""
    ends = [*_ends(text), len(text)]
    bounds = zip([0, *ends], ends, strict=False)
    return [(start, end) for start, end in bounds if text[start:end].strip()]


def _ends(text: str) -> Iterator[int]:
    for end in _SENTENCE_END.finditer(text):
        if not _ABBREVIATED.search(text[max(0, end.start() - 20) : end.start()]):
            yield end.end()


_GAP = (
    r"[\"'\u201d\u2019)\]*_.]{0,4}\s*(?:\([^()\n]{0,40}\)\s*)?"
    r"(?:in (?:fact|entry|document) \d+)?(?:[,(\[]\s*)?"
)


@cache
def _after(kind: str) -> re.Pattern[str]:
    after = "|".join(entries(f"standing.{kind}_after"))
    for name, listed in (("BE", "be"), ("NOT_SO", "not_so"), ("NO_MORE", "no_more")):
        after = after.replace(name, f"(?:{'|'.join(entries(f'standing.{listed}'))})")
    return re.compile(f"{_GAP}(?:{after})", re.IGNORECASE)


def _by_before(before: str, is_small: bool) -> Standing:
    before = _LABELLED.sub(r"\1 ", before)
    affirms = pattern(r"\b(?:%s)\b", "standing.affirms")
    plain = _ALL_BUT.sub("except", affirms.sub(" ", before))
    held = plain[_contrast_end(plain) :]
    cues = list(pattern(r"\b(?:(%s)|(%s))\b", "standing.rejects", "standing.passes").finditer(held))
    if not cues:
        return Standing.PASSED if _FROM.search(before) else Standing.ASSERTED
    cue = cues[-1]
    kind = Standing.REJECTED if cue[1] else Standing.PASSED
    between = held[cue.end() :]
    if cue[0].casefold() in words("standing.adjectives") and between.strip() not in ("", "the"):
        return Standing.ASSERTED  # "A former footballer, Ann Hale" rejects no Ann Hale.
    if is_small and re.search(r"(?i)\ban? old $", before):
        return Standing.ASSERTED  # Of a thing it only says how old it is.
    # A comma ends the hold, unless a list that is taken back goes on.
    is_list = "," not in between or _LETTERS_ALONE.fullmatch(between)
    is_list = is_list or (_RULED_OUT.match(cue[0]) and _NUMBERS_ALONE.fullmatch(between))
    return kind if is_list else Standing.ASSERTED


def _contrast_end(text: str) -> int:
    cues = pattern(rf"{_CONTRAST_SIGNS}|\b(?:%s)\b", "standing.contrast")
    return max((match.end() for match in cues.finditer(text)), default=0)


def _back_to_sentence(before: str) -> str:
    return before[max(_ends(before), default=0) :]
