"""How a name stands in a sentence: is it asserted, or only mentioned to be rejected?

``Kenya, not Israel`` asserts Kenya and rejects Israel. The rules are those of English grammar
(negation and its scope, contrast, past states, succession, concession, reasons), and hold for
answers, labels and options alike.
"""

from __future__ import annotations

import re
from enum import IntEnum

_WINDOW = 240  # Characters on either side of a mention that bear on it.
_SENTENCE_END = re.compile(r"[.!?](?=[\"'\u201d\u2019)*_]*(?:\s|$))|\n")
# A full stop that ends no sentence: of an abbreviation, or of an initial after a name's part.
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|Vol|Prof|Gen|Col|Lt|Capt|Mt|etc)|(?:[A-Z][\w.]{0,40}\s|^"
    r"|\.)[A-Z])\Z"
)

# Words that take back what follows them, up to a contrast.
_REJECTS = re.compile(
    r"\b(?:not|never|neither|nor|cannot|isn['\u2019]?t|n['\u2019]t|no longer|without"
    r"|(?:wasn|aren|weren|don|doesn|didn|can|couldn|won|wouldn|hasn|haven|hadn|shouldn)['\u2019]?t"
    r"|instead of|rather than|other than|as opposed to|contrary to|in place of|unlike"
    r"|except(?: for)?"
    r"|excluding|exclud(?:es?|ed)|apart from|aside from|besides|but for"
    r"|(?<=[(\[])(?:was|were)|previously|formerly|originally|initially|at first|first "
    r"(?:thought|considered|guessed|suspected)"
    r"|once|earlier|before(?:hand)?|used to be|was (?:once|previously|formerly|originally)|until"
    r"|supersed(?:es|ing|ed)|replac(?:es|ing|ed)|overrid(?:es|ing|den)|overrul(?:es|ing|ed)"
    r"|overwrit(?:es|ing|ten)|(?:old(?:er)?|former|earlier|previous|outdated) (?:fact|one"
    r"|answer|value|version|statement|entry|record|name|label)"
    r"|old(?:er)?|outdated|obsolete|former|ex|wrong(?:ly)?|incorrect(?:ly)?|false(?:ly)?"
    r"|rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|dismiss(?:ed|ing)?|reject(?:s|ed|ing)?"
    r"|untrue|not true|doubt(?:s|ed|ful)?|far from|discard(?:ed|ing)?|disregard(?:ed|ing)?"
    r"|ignor(?:e|ed|ing)|impossible|unlikely"
    r"|no (?:label|option|class|category|event|answer)|(?<=\b[\dA-Z] )over|(?:choose|chose"
    r"|prefer(?:red)?|pick(?:ed)?|favou?r(?:ed)?)\b[^.;]{1,40}\bover"
    r"|although|though|even though|despite|while|whereas|left|(?:than))\b",
    re.IGNORECASE,
)
# Adjectives that take back only the very next word.
_JUST_BEFORE = re.compile(r"old(?:er)?|former|ex|once|left|earlier", re.IGNORECASE)
# A list of options goes on over commas: "ruling out A, C and D".
_LETTERS_ALONE = re.compile(r"(?:\b(?:[A-Z]|and|or|options?)\b|\W)*")
_ALL_BUT = re.compile(
    r"\b(?:any(?:one|body|thing|where)?|every(?:one|body|thing)?|all)(?: \w+){0,2} but\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"\b(not|was|previously|formerly|earlier|old|former|instead of|wrong|superseded|outdated)\s?:",
    re.IGNORECASE,
)
# Negations that assert all the same.
_AFFIRMS = re.compile(
    r"\b(?:no doubt|without (?:a |any )?doubt|not only|none other than|no other (?:\w+ )?than"
    r"|(?:no ?(?:one|body|thing)|none|nowhere)(?: else)? (?:but|except|other than)"
    r"|(?:not|n['\u2019]t) (?:be )?any(?:one|body|thing)(?: else)? (?:but|except|other than)"
    r"|not (?:(?:entirely|completely|absolutely|totally|100%|quite) )?(?:sure|certain)\b(?!,? "
    r"(?:if|whether|that|which|who))"
    r"|not mistaken|not surprising(?:ly)?|not until|replaced by|replaced with|superseded by"
    r"|overridden by"
    r"|overruled by|overwritten by|ruled by|no less than|nothing less than|not just|not "
    r"(?:explicitly|directly) \w+)\b",
    re.IGNORECASE,
)
# Where what was said before loses its hold.
_CONTRAST = re.compile(
    r"[;\u2192:]|->|=>|\bbut\b|\bhowever\b|\byet\b|\bnow\b|\bcurrently\b|\bpresently\b"
    r"|\bsuperseded by\b|\breplaced (?:by|with)\b|\boverridden by\b|\boverruled by\b"
    r"|\boverwritten by\b"
    r"|\b(?:changed|updated|corrected|switched|revised)(?: \w+)? to\b"
    r"|\bin favou?r of\b|\)|\bbecame\b"
    r"|\bbecoming\b"
    r"|\b(?:left with|leaves?|leaving|points? to|pointing to|down to|finally|in the end"
    r"|eventually)\b"
    r"|\btherefore\b|\bso\b|\bthus\b|\bhence\b|\binstead,"
    r"|,(?=\s+(?:it['\u2019]?s|it is|it was|he is|she is|they are|i (?:choose|would|['\u2019]d"
    r"|think|pick|say)))",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|as|due to|given(?: that)?|for example|e\.g\.|similar to|similarly to"
    r"|like|seeing that"
    r"|which is why|according to|based on|compared (?:to|with)|in contrast to)\b",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:changed|moved|switched|went|updated|revised|corrected)\b[^.;]{0,60}\bfrom\s*$"
    r"|\bfrom\s*$",
    re.IGNORECASE,
)
_TO = re.compile(r"[^.;]{0,40}?\bto\b", re.IGNORECASE)
_NOT_SO = (
    r"(?:not|never|no longer|superseded|overridden|overruled|overwritten|replaced|outdated|obsolete"
    r"|ruled out|excluded|eliminated|dismissed|rejected|innocent|wrong|incorrect|false|impossible"
    r"|unlikely|cleared|discarded|framed|suspected|too)"
)
_REJECTED_AFTER = re.compile(
    r"[\"'\u201d\u2019)\]*_.]{0,4}\s*(?:\([^()\n]{0,40}\)\s*)?(?:[,(\[]\s*)?"
    rf"(?:(?:is|was|are|were|has been|have been|had been|got|being|which (?:is|was)|seems"
    rf"|appears|(?:can|could|may|must) (?:\w+ )?be)\s+(?:\w+ly\s+)?{_NOT_SO}\b"
    r"|(?:isn|wasn|aren|weren|doesn|don|didn|can|couldn|won|wouldn|hasn|haven)['\u2019]?t\b"
    r"|cannot\b"
    r"|(?:did|does|do|could|would|can|will|has|have|had) (?:not|never)\b"
    r"|(?:has|have|had) an? (?:\w+ )?alibi\b"
    r"|(?:superseded|replaced|overridden|overruled|overwritten|updated|changed|corrected) "
    r"(?:by|to|with|in)\b"
    r"|(?:later|then|since) (?:superseded|replaced|overridden|changed|updated|corrected)\b"
    r"|(?:was|is|were|are) (?:later|then|subsequently|since|soon) (?:superseded|replaced"
    r"|overridden|changed|updated|corrected)\b"
    r"|(?:old|outdated|obsolete|superseded|wrong|incorrect|previous(?:ly)?|former(?:ly)?|no "
    r"longer)\b\s*(?:[).,;]|$)"
    r"|(?:is|was|are|were) (?:the|an?) (?:wrong|incorrect|false)\b"
    r"|\W{1,5}(?:no(?= ?[,.:-])|wait|actually|sorry|correction|i mean|scratch that)[,.: "
    r"-]+(?:[a-z']+ ){0,3}(?-i:[A-Z0-9])"
    r"|[:=-]\s*(?:no|wrong|incorrect|false|out|impossible|ruled out|eliminated)\b"
    r"|would (?:not be|be (?:wrong|incorrect|false))\b|before (?:it|he|she|they|being|becoming)\b"
    r"|(?:is|was|are|were) (?:the|an?) (?:old|former|previous|original|outdated|earlier)\b"
    r"|(?:was|were)\b[^.;\n]{0,50}\buntil\b[^.;\n]{0,60}\b(?:changed|became|replaced"
    r"|superseded|updated)\b"
    r"|until [^.;\n]{1,30}[,;]|, then (?-i:[A-Z])|, (?:and )?(?:then|later|now) (?:it (?:is"
    r"|was) )?(?-i:[A-Z])"
    r"|(?:was|were)\b[^.;\n]{0,50}\b(?:is|it is|it['\u2019]s|are|but) now\b"
    r"|[^.;\n]{0,30}[.;]\s+(?:but |however,? )?(?:it|he|she|they|this)(?:['\u2019]s| is| are)?"
    r" now\b"
    r"|(?:\u2192|->|=>)\s*(?-i:[A-Z0-9])"
    r"|(?:but|now)\b(?!\s+(?:not|was|previously|formerly|earlier|originally))[^.]*\b(?:now"
    r"|later|is|fact|newer|became|says?|according|then|changed|it)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"[^.!\n?]*\?\W{0,3}(?:no|nope|not)\b", re.IGNORECASE)
_HEDGE = re.compile(r"\b(?:possibly|maybe|perhaps|probably)\b", re.IGNORECASE)
_QUESTION = re.compile(r"[^.!\n]*\?")


class Standing(IntEnum):
    """How a mention stands, from worst to best."""

    REJECTED = 0
    ASKED = 1
    REASON = 2
    ASSERTED = 3


def standing(text: str, start: int, end: int) -> Standing:
    """Return how what stands at ``text[start:end]`` is meant in its sentence."""
    before = _back_to_sentence(text[max(0, start - _WINDOW) : start])
    after = text[end : end + _WINDOW]
    if _rejected_before(before, after) or _REJECTED_AFTER.match(after):
        return Standing.REJECTED
    if _QUESTION.match(_to_sentence_end(after)) and not _HEDGE.search(before):
        return Standing.REJECTED if _DENIED.match(after) else Standing.ASKED
    held = before[_last_end(_CONTRAST, before) :]
    return Standing.REASON if _REASON.search(held) else Standing.ASSERTED


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence in which ``text[start:end]`` stands, as far as it is near."""
    before = _back_to_sentence(text[max(0, start - _WINDOW) : start])
    return before + text[start:end] + _to_sentence_end(text[end : end + _WINDOW])


def _rejected_before(before: str, after: str) -> bool:
    before = _LABELLED.sub(r"\1 ", before)
    plain = _ALL_BUT.sub("except", _AFFIRMS.sub(" ", before))
    held = plain[_last_end(_CONTRAST, plain) :]
    cues = list(_REJECTS.finditer(held))
    if cues:
        cue = cues[-1]
        between = held[cue.end() :]
        if _JUST_BEFORE.fullmatch(cue[0]) and between.strip():
            return False  # "A former footballer, Ann Hale" rejects no Ann Hale.
        if "," not in between or _LETTERS_ALONE.fullmatch(between):
            return True
        # A comma ends the hold, unless a list that is taken back goes on.
        listed = re.search(
            r"(?:,\s*+|(?<!\s)\s++)?\b(?:or|nor)\s+(?:\w+\s+)?$", between
        ) or re.match(r"[^.;]{0,60}?,?\s+(?:or|nor)\s", after)
        return bool(listed) and cue[0].casefold() in ("not", "neither", "nor", "except", "cannot")
    return bool(_FROM.search(before) and _TO.match(after))


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    end = 0
    for match in pattern.finditer(text):
        end = match.end()
    return end


def _back_to_sentence(before: str) -> str:
    start = 0
    for end in _SENTENCE_END.finditer(before):
        if not _ABBREVIATED.search(before[max(0, end.start() - 20) : end.start()]):
            start = end.end()
    return before[start:]


def _to_sentence_end(after: str) -> str:
    for end in _SENTENCE_END.finditer(after):
        if not _ABBREVIATED.search(after[max(0, end.start() - 20) : end.start()]):
            return after[: end.end()]
    return after
