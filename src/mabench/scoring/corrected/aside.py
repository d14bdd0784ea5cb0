"""Whether a mention is of what was asked, or only says something of another value.

``Delft, near Leiden`` is not Leiden, ``Ann Hale's brother`` not Ann Hale; of ``It was begun in
1932 and completed in 1934`` the year of the completion is 1934. Of two that a question offers, a
comparison chooses one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from mabench.scoring.lexicon import entries, pattern, words
from mabench.scoring.sameness.same import Mention, mentions
from mabench.scoring.sameness.wordings import is_place, words_of
from mabench.scoring.standing import sentences
from mabench.scoring.tokens import plain, tokens
from mabench.text.stems import is_function_word, stem

_ASIDE = re.compile(r",\s| \(|\s[-\u2013\u2014]\s")
_RELATIVE = re.compile(r",\s(?:(?:of|to|by|in|for|with) )?(?:who|whom|whose|which|where)\b")
_DOER = re.compile(r"\s*(?:The )?((?!The\b)(?:[A-Z][\w.'-]* ){1,4})([a-z]+(?:ed|s|t|[aeo]ught)) ")
_ALIAS = re.compile(
    r"\W*(?:also|aka|or|i\.?e|that is|now|formerly|once|known|called|named)\b", re.I
)
_OWNED = re.compile(r"\s+(?:[\w-]+\s+){0,3}[\w-]+(?:\W*$|,?\s+[A-Z])")
_SIDE = re.compile(r"\b(?:before|after|prior to|until) $", re.IGNORECASE)
_SIDE_ASKED = re.compile(r"\b(?:before|after|prior|until|to|since)\b|\d\D+\d", re.IGNORECASE)
_YEAR = re.compile(r"\b\d{4}\b")
_CLAUSES = re.compile(r",|;|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|\.\s|\u2192|->")
_CONTENT = re.compile(r"(?<!\d)\d{1,3}(?:st|nd|rd|th)|[a-z]{3,}|\d{4}")
_NO_TARGET = frozenset({"what", "who", "which", "where", "when", "how", "name", "did", "does"})
_NAME = re.compile(
    r"[A-Z0-9][\w'.:-]*(?:\s+(?:(?:of|for|the|and|de|la|in|on|to|a|an|&|from"
    r"|with)\s+){0,2}(?=[A-Z0-9])[A-Z0-9][\w'.:-]*)*"
)


def is_of_another(text: str, gold: str, mention: Mention, question: str | None) -> bool | None:
    """Return whether a mention only says whose or when something else is.

    ``Ann Hale's brother`` is not Ann Hale; of ``It was begun in 1932 and completed in 1934`` the
    year of the completion is 1934.
    """
    said, asked = text[mention.start : mention.end], plain(question or "").casefold()
    if said.endswith("'s") and not gold.rstrip().endswith("s"):
        owned = re.match(r"\s(\w+)", text[mention.end :])
        if owned and owned[1] in words("names.relatives") and owned[1] not in asked:
            return True
        is_bare = not re.search(r"\w", text[: mention.start])
        return is_bare and "whose" not in asked and bool(_OWNED.match(text[mention.end :]))
    lead = text[max(0, mention.start - 40) : mention.start]
    side = _SIDE.search(lead)  # Before 1871 is not 1871.
    if side and _YEAR.search(said) and not _SIDE_ASKED.search(f"{asked} {gold}"):
        return re.search(r"\bnot\b", lead) is None
    kin = re.search(r"\b(\w+)(?:-in-law)? (?:of|to) (?:the )?$", lead)
    owned = re.search(r"'s (\w+) (?:is|was|named|called) $", text[: mention.start][-40:])
    if owned and owned[1] in words("names.relatives") and owned[1] not in asked:
        return True
    if kin and kin[1].casefold() in words("names.relatives"):
        return True
    if re.search(r"\b(?:near|outside|close to|next to) (?:the )?$", text[: mention.start][-20:]):
        return not re.search(r"\b(?:near|close|next|outside)\b", asked)
    if _is_object(text, mention, asked):
        return None
    return _is_elsewhere(text, mention, asked)


def _is_object(text: str, mention: Mention, asked: str) -> bool:
    """Return whether another name does to what is mentioned what nobody asked for."""
    start, end = next(s for s in sentences(text) if s[0] <= mention.start < s[1])
    if not text[mention.start].isupper() or not _stems(asked).isdisjoint(
        _stems(text[start:end].casefold())
    ):
        return False
    doer = _DOER.match(text, start, mention.start)
    if doer is None or _CLAUSES.search(text, doer.end(), mention.start):
        return False
    if any(map(is_function_word, (doer[1].strip().casefold(), doer[2]))):
        return False
    return doer[1].casefold() not in asked


def _is_elsewhere(text: str, mention: Mention, asked: str) -> bool | None:
    """Return whether another clause has such a value and words of the question that its own lacks.

    Such a value is another year, or a name after the same preposition. None where that cannot be
    known: its own clause has other words of the question, or the value is any name.
    """
    value, stems = text[mention.start : mention.end], _stems(asked)
    lead = re.search(r"\b(in|on|at|by|to|from|for)\s$", text[: mention.start][-6:])
    year = _YEAR.search(value) or re.match(r"\d+\b", value)
    if not (year or value[0].isupper()):
        return False
    digits = f"{{{len(year[0])}}}" if year and len(year[0]) > 2 else "{1,2}"
    other = rf"\b(?!{year[0]}\b)\d{digits}\b" if year else rf"(?!{re.escape(value)})[A-Z]"
    if not year and lead:
        other = rf"\b{lead[1]}\s{other}"
    bounds = [0, *(cut.start() for cut in _CLAUSES.finditer(text)), len(text)]
    clauses = [text[start:end] for start, end in pairwise(bounds)]
    held = next(n for n, end in enumerate(bounds[1:]) if mention.start < end)
    words_beside = clauses[held].replace(value, " ")
    if held == 0 and not _stems(words_beside.casefold()):
        return False
    own = stems & _stems(words_beside.casefold())
    if not own and any(_is_opposite(pair, stems, words_beside) for pair in _opposites()):
        return True
    heads = _CONTENT.findall(re.sub(r"\b\w+'s\b", "", asked))
    target = next((stem(word) for word in heads if _is_target(word)), "")
    if target in own:
        return False
    for number, clause in enumerate(clauses):
        lacks = stems & _stems(clause.casefold()) - own
        if number == held or not lacks:
            continue
        if re.match(r"\W*who\b", clause) and not own and bounds[number] > mention.end:
            return None
        if re.search(other, clause) and (year or lead):
            if not own:
                return True
            if abs(number - held) == 1:
                return None
        if target in lacks and number > held and _has_name(clause, asked):
            return None
    return False


@cache
def _opposites() -> list[tuple[str, str]]:
    return [
        (one, other) for one, _, other in (p.partition("/") for p in entries("names.opposites"))
    ]


def _is_opposite(pair: Sequence[str], stems: set[str], clause: str) -> bool:
    """Return whether a clause says the opposite of what is asked: was born, not died."""
    said = _stems(clause.casefold())
    one, other = ({stem(word) for word in side.split()} for side in pair)
    return bool((one & stems and other & said) or (other & stems and one & said))


def _is_target(word: str) -> bool:
    return not is_function_word(word) and word not in _NO_TARGET


def _has_name(clause: str, asked: str) -> bool:
    return any(t.raw[0].isupper() and t.word not in asked for t in tokens(clause)[1:])


def _stems(text: str) -> set[str]:
    return {stem(word) for word in _CONTENT.findall(text) if not is_function_word(word)}


def is_aside(text: str, mention: Mention, question: str | None) -> bool:
    """Return whether a mention only explains the name before it: ``Delft, near Leiden``."""
    start, end = next(s for s in sentences(text) if s[0] <= mention.start < s[1])
    sign = _ASIDE.search(text, start, mention.start)
    if sign is None or _ALIAS.match(text, sign.end()) or ")" in text[sign.end() : mention.start]:
        return False
    asked = _stems((question or "").casefold()) - set(map(stem, words("names.kinds")))
    head = [token for token in tokens(text[start : sign.start()]) if not token.article]
    head = head[1:] if head and head[0].word in ("in", "at", "on", "by", "to", "from") else head
    own = tokens(text[mention.start : mention.end])
    if sign.end() == mention.start and {t.word for t in own} & {t.word for t in head}:
        return False  # Louis the Stammerer (Louis II of France).
    tail = tokens(text[sign.end() : mention.start]) + tokens(text[mention.end : end])
    if text[mention.start].isdigit() and not any(token.raw[0].isdigit() for token in head):
        return False
    is_value = all(t.is_name or t.word in words("names.small") or sign[0] == " (" for t in head)
    return (
        (is_value and 0 < len(head) <= 4)
        and not any(is_function_word(token.word) for token in (head[0], head[-1]))
        and not {stem(token.word) for token in head} & asked
        and not {stem(token.word) for token in tail} & asked
        and any(not (token.is_name or token.article) for token in tail)
        and not pattern(r"\b(?:%s)\b", "standing.contrast").search(text, sign.end(), mention.start)
    )


def is_in_relative(text: str, mention: Mention, question: str | None) -> bool | None:
    """Return whether a relative clause of another value has the mention: wrong, or None: maybe.

    ``Ann married Karl, who became son-in-law to Otto`` is not Otto: it is the main clause that
    takes up the question.
    """
    start, _ = next(s for s in sentences(text) if s[0] <= mention.start < s[1])
    relative = _RELATIVE.search(text, start, mention.start)
    if relative is None or "," in text[relative.end() : mention.start]:
        return False
    asked = _stems((question or "").casefold())
    main, clause = text[start : relative.start()], text[relative.end() : mention.start]
    known = words_of(question or "")
    if not any(t.is_name and t.word not in known and t.start for t in tokens(main)):
        return False
    if asked & _stems(clause.casefold()):
        return False
    return True if asked & _stems(main.casefold()) or len(tokens(main)) <= 4 else None


def is_beside_name(text: str, mention: Mention, question: str | None) -> bool:
    """Return whether all that is said is the mention and another name, which is no place of it.

    ``Rome, Italy`` is Rome; of ``Rome, Paris`` nobody can tell.
    """
    parts = [part.strip(" .!\"'") for part in text.split(",", 2)]
    if re.fullmatch(r"\w+(?: \w+){0,2} and \w+(?: \w+){0,2}\.?", text):
        said = text[mention.start : mention.end]
        return said.islower() and " and " not in said
    if len(parts) != 2 or not all(part[:1].isupper() for part in parts):
        return False
    said = text[mention.start : mention.end]
    if said not in parts or any(len(tokens(part)) > 4 for part in parts) or parts[0] in parts[1]:
        return False
    return not (is_place(parts[1]) or words_of(parts[1]) <= words_of(question or ""))


def compared(text: str, gold: Sequence[Mention], wanted: str, question: str | None) -> bool | None:
    """Say whether a text that compares the two that a question offers chooses the gold.

    The subject of ``X was founded before Y`` is the earlier; the question says which is wanted.
    None if the question offers no two, or the text does not compare them.
    """
    asked = plain(question or "")
    rival = None
    for own in mentions(wanted, asked) if " or " in asked else ():
        offered = re.search(r"\bor\s(?:[Tt]he\s)?[\"']?$", asked[: own.start])
        if offered:
            rival = next(reversed(_NAME.findall(asked[: offered.start()])), None)
        elif offered := re.match(r"[\"',]{0,2}\sor\s(?:the\s)?", asked[own.end :]):
            rest = _NAME.match(asked, own.end + offered.end())
            rival = rest[0].rstrip("?.") if rest else None
    others = mentions(rival, text) if rival else []
    if not others:
        return None
    first, second = sorted((gold[0], others[0]))
    between = text[first.end : second.start]
    kinds = pattern(r"\b(?:(%s)|(%s))\b", "chosen.less", "chosen.more")
    said, sought = kinds.search(between), kinds.search(question or "")
    if said is None or sought is None or re.search(r"[.!?]\s", between):
        return None
    if re.search(r"\b(?:not|never)\b|n't\b", between, re.IGNORECASE):
        return None
    subject = (said[1] is None) is (sought[1] is None)
    return subject is (first == gold[0])
