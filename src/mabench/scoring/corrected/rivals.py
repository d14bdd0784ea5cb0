"""Whether an answer is offered beside rivals: ``Peru or Chile``, a list of names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from mabench.scoring.mentions import Mention, Token, mentions, plain, tokens

_WINDOW = 80
_MOST = 60  # Items of a list and parts of a line that are looked at.
_AFTER = re.compile(
    r"[\"')\]]{0,3}\s*+(?:\([^()\n]{0,40}\))?\s*+,?\s*+(?P<joint>\bor\b|\band\b|/|\||;|&"
    r"|\bvs\b\.?|\bversus\b)\s*"
    r"(?P<hedge>(?:(?:also|possibly|perhaps|maybe|probably|even|in|the|a|an|to|at|from"
    r"|of)\s+){0,3})"
    r"[\"'(]?(?P<other>[^\W_][\w'.-]*(?:\s+[^\W_][\w'.-]*)?)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![\w'.-])['._-]*+(?P<other>[^\W_][\w'.-]*)[\"')]{0,2}\s*+(?:\([^()\n]{0,40}\))?\s*+,?\s*+(?P<joint>\bor\b"
    r"|\band\b|/|\||;|&|\bvs\b\.?|\bversus\b)\s*"
    r"(?:(?:also|possibly|perhaps|maybe|probably|even|in|the|a|an|to|at|from|of)\s+){0,3}[\"'(]?$",
    re.IGNORECASE,
)
_NO_RIVAL = re.compile(
    r"(?:so|more|less|about|thereabouts|rather|later|earlier|its?|his|her|their|this|that"
    r"|which|who|was|is|the rest|other)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:possibly|maybe|perhaps|could be|might be|either|potentially)\b", re.IGNORECASE
)
_ITEM = re.compile(r"^\s{0,20}(?:[-*\u2022+]|\(?\d{1,2}[.)])\s+(\S.*)$", re.MULTILINE)
_OTHER_PLACE = re.compile(
    r"(?:^|[^\w-])(?:New|Equatorial|Papua New|North|South|East|West|Northern|Southern|Eastern"
    r"|Western"
    r"|Upper|Lower|Little|Mount|Port|Saint|San|St\.?|Fort|Lake)\s$"
)
_KNOWN_AS = re.compile(r"\b(?:known|called|named|styled) (?:as )?", re.IGNORECASE)
_NAME_GOES_ON = re.compile(r" ([A-Z][a-z]+)")
# What only says which kind of thing is named.
_KINDS = frozenset(
    {"church", "language", "empire", "republic", "kingdom", "city", "state", "people", "peoples"}
    | {"faith", "religion", "catholic", "catholics", "citizen", "citizenship", "nationality"}
)
_NAMEY = 4
_LINKS = frozenset(
    {"of", "the", "de", "la", "von", "van", "al", "el", "and", "for", "in", "on", "le", "du"}
)
_TALK = frozenset(
    [
        "actually",
        "no",
        "yes",
        "well",
        "so",
        "probably",
        "likely",
        "maybe",
        "perhaps",
        "possibly",
        "i",
        "it",
        "he",
        "she",
        "they",
        "correction",
        "wait",
        "now",
        "hence",
        "thus",
    ]
)


def rivalled(
    text: str, mention: Mention, wanted: Sequence[Token], question: str | None
) -> bool | None:
    """Say whether what is mentioned stands beside a rival; None if it stands alone.

    Returns:
        True for a rival (``Peru or Chile``), False for a second name of which a rule cannot
        tell whether it is one (``Rome, Italy``; ``Rome, Paris``).
    """
    before = text[max(0, mention.start - _WINDOW) : mention.start]
    after = text[mention.end : mention.end + _WINDOW]
    if wanted[0].raw[0].isupper() and _OTHER_PLACE.search(before):
        return True
    if len(wanted) == 1 and wanted[0].raw[0].isupper() and _is_longer_name(text, after):
        return True
    if _joined(_AFTER.match(after), wanted, question) or _joined(
        _BEFORE.search(before), wanted, question
    ):
        return True
    return True if _is_hedged(text) else _listed(text, mention, wanted)


def _is_longer_name(text: str, after: str) -> bool:
    """Say whether a text is but a name that begins with the mention: ``English Channel``."""
    goes_on = _NAME_GOES_ON.match(after)
    return goes_on is not None and goes_on[1].casefold() not in _KINDS and _is_name(text)


def _joined(found: re.Match[str] | None, wanted: Sequence[Token], question: str | None) -> bool:
    """Say whether a conjunction joins the mention with a rival."""
    if found is None or _NO_RIVAL.match(found["other"]):
        return False
    other, joint = found["other"], found["joint"].casefold()
    if list(mentions(wanted, other)) or _KNOWN_AS.search(
        found.string[max(0, found.start() - 60) : found.end()]
    ):
        return False
    if wanted[0].raw[0].isdigit() and joint in ("and", "or", "/"):
        return other[0].isdigit()
    if joint in ("or", "/", "|", "vs", "vs.", "versus"):
        return other[0].isupper() or not wanted[0].raw[0].isupper()
    named = other[0].isupper() and wanted[0].raw[0].isupper()
    known = question is not None and other.split()[0].casefold() in plain(question).casefold()
    return named and not known


def _listed(text: str, mention: Mention, wanted: Sequence[Token]) -> bool | None:
    """Say whether the mention is one of several items: of lines, or between commas."""
    items = _items(text)
    if len(items) > 1:
        own = [item for item in items if list(mentions(wanted, item))]
        others = [item for item in items if item not in own and len(tokens(item)) <= _NAMEY]
        if own and others:
            return True
    if _is_list_of_names(text):
        return True
    start, end = text.rfind("\n", 0, mention.start) + 1, text.find("\n", mention.end)
    line = text[start : end if end >= 0 else len(text)].strip(" .!\"'")
    parts = [part.strip() for part in re.split(r"[,;]", line, maxsplit=_MOST)]
    named = [part for part in parts if _is_name(part)]
    if wanted[0].raw[0].isdigit() and not all(part[:1].isdigit() for part in parts):
        return None
    if len(parts) < 2 or len(named) < len(parts) or any(w.article for w in wanted):
        return None
    if any(separator in "".join(token.raw for token in wanted) for separator in ",;"):
        return None
    if len(tokens(line)) <= len(wanted):
        return None
    return len(parts) > 2 or ";" in line


@lru_cache(maxsize=64)
def _items(text: str) -> list[str]:
    """Return the items of the list that a text holds."""
    return [match[1] for match in islice(_ITEM.finditer(text), _MOST)]


@lru_cache(maxsize=64)
def _is_hedged(text: str) -> bool:
    """Say whether a text names more than one thing as possible."""
    return len(list(islice(_HEDGED.finditer(text), 2))) > 1


@lru_cache(maxsize=64)
def _is_list_of_names(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) > 1 and all(map(_is_name, lines))


def _is_name(part: str) -> bool:
    """Say whether a part is a bare name or number, and no clause."""
    said = tokens(part)
    if not 0 < len(said) <= _NAMEY or said[0].word in _TALK or "?" in part:
        return False
    return all(t.raw[0].isupper() or t.raw[0].isdigit() or t.word in _LINKS for t in said)
