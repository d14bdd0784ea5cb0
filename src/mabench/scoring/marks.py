"""The marks of a conflict: all that a text says of two values but the sentences around it.

``Fact 3 says A and fact 9 B, of which the latter is newer`` is ``3 A 9 B latter newer``: values,
what is cited for each, which is newer or older, which gives way to which, what settles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from mabench.scoring.alternatives import ends_at_slot, is_content
from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import words_of
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import Token, tokens

_KINDS = (
    *("cited", "newer", "older", "latter", "former", "beats", "yields", "settles", "supposes"),
    "undecided",
)
_MOST = 60  # Marks that are read.
_NUMBER = (
    r"(?:facts?|documents?|entr(?:y|ies)|statements?|lines?|passages?|items?|no\.?|number(?:ed)?)"
    r"\s?\#?(?P<number>\d+)|(?:^|(?<=[\n\"]))(?P<listed>\d{1,6})\.(?=\s)|(?P<bare>(?<![\w.,/-])\d{1,6}(?![\w%%-]|[.,/]\d))"
)
_WORDS = "|".join(rf"(?P<{kind}>(?<![\w'-])(?:%s)(?![\w']))" for kind in _KINDS)
_FINDER = pattern(
    rf"{_NUMBER}|{_WORDS}|(?P<end>[.!?](?=[\"')*_]{{0,4}}(?:\s|$))|[;\n])",
    *(f"conflict.{kind}" for kind in _KINDS),
)
_ASIDE = re.compile(r"(?:(?<=[.!?]\s)|(?<=\n))\([^()\n]*\)")  # A sentence of its own.
_LISTED = re.compile(r"\d(?: and| or|,| &| vs\.?) $")  # "Facts 3 and 9"
_BESIDE = re.compile(r", (?:while|whereas)(?= )")  # Says one thing beside another here.
_RULE = re.compile(r"[^,;)]{0,25}")  # What may stand between the parts of "the newest holds".


class Mark(NamedTuple):
    """A value, or a word that bears on which holds."""

    kind: str  # One of ``_KINDS``, ``value``, or ``rule`` (``the newest holds``).
    said: str  # Of a value its words, none of the gold; of what is cited its number or its words.
    start: int  # Where it starts in the text.
    end: int  # Where it ends.
    stands: Standing = Standing.ASSERTED  # How a value stands in its sentence.


def find_marks(
    text: str, gold: Sequence[Mention], question: str | None, name: str
) -> list[list[Mark]]:
    """Return the marks of each sentence of ``plain`` text that has some.

    Args:
        text: the text.
        gold: where it says the gold.
        question: the question, whose words are no marks.
        name: the gold.
    """
    found = [
        mark
        for mark in islice(_FINDER.finditer(text), 4 * _MOST)
        if not any(m.start < mark.end() and mark.start() < m.end for m in gold)
    ]
    numbers, asked = _cited_numbers(text, found, gold[0]), words_of(question or "")
    marks = [Mark("value", "", m.start, m.end) for m in gold]
    for match in found:
        kind, said = match.lastgroup or "", match[0].casefold()
        is_name = match[0][0].isupper() and re.search(r"[\w,] $", text[: match.start()])
        if kind in ("number", "listed", "bare"):
            kind, said = "cited", match[kind]
            if said not in numbers:
                continue
        elif kind not in ("cited", "end") and (is_name or {*said.split()} <= asked):
            continue
        marks.append(Mark(kind, said, *match.span()))
    marks += _rivals(text, marks, asked, name)
    asides = [aside.span() for aside in _ASIDE.finditer(text)]
    marks = [m for m in marks if not any(a <= m.start < b for a, b in asides)]
    sentences = groupby(sorted(marks, key=_start)[:_MOST], lambda mark: mark.kind == "end")
    return [list(_read(text, [*marks])) for is_end, marks in sentences if not is_end]


def refers(text: str) -> bool:
    """Return whether a text names no value, but says which one is meant: ``the newer``."""
    kinds = {mark.lastgroup for mark in _FINDER.finditer(text)} - {
        "bare",
        "listed",
        "end",
        "settles",
    }
    return bool(kinds) and not any(map(is_content, tokens(_FINDER.sub(" ", text))))


def _start(mark: Mark) -> int:
    return mark.start


def _cited_numbers(text: str, found: Sequence[re.Match[str]], gold: Mention) -> set[str]:
    """Return the numbers that are cited: behind a word, in brackets, compared, in a table."""
    numbers = {match["number"] or match["listed"] for match in found} - {None}
    is_number = text[gold.start].isdigit()
    for match in found:
        number = match["bare"]
        if number is None or (is_number and len(number) == gold.end - gold.start):
            continue
        before, after = text[: match.start()], text[match.end() :].lstrip()[:1]
        around = before.rstrip()[-1:] + after
        is_set_off = around in {"()", "(,", "||"} or after == "(" or {*around} & {*"<>"}
        if is_set_off or _LISTED.search(before):
            numbers.add(number)
    return numbers


def _rivals(text: str, marks: Sequence[Mark], asked: frozenset[str], name: str) -> Iterator[Mark]:
    """Yield where a text names what may be another value of the kind of the gold."""
    gold = marks[0]
    named = tokens(text[gold.start : gold.end])
    years = (token.raw for token in named if token.raw.isdigit() and len(token.raw) == len("1999"))
    opening = next((token.raw for token in named if token.raw[0].isupper()), named[0].raw)
    opening = next(years, opening)
    known = words_of(name) | {token.word for token in named} | words("names.titles")
    roots = {*map(root, asked)}
    run: list[Token] = []
    for token in tokens(text):
        is_next = run and not re.search(r"[^\s'\"-]", text[run[-1].end : token.start])
        is_open = token.word not in known and root(token.word) not in roots
        is_open &= not any(m.start < token.end and token.start < m.end for m in marks)
        is_value = is_open and _may_be_value(text, token, opening, bool(is_next))
        if run and not (is_next and (is_value or token.is_name)):
            yield _value(run)
            run = []
        run += [token] * is_value
    if run:
        yield _value(run)


def _value(run: Sequence[Token]) -> Mark:
    return Mark("value", " ".join(token.word for token in run), run[0].start, run[-1].end)


def _may_be_value(text: str, token: Token, opening: str, goes_on: bool) -> bool:
    if token.article or token.word in words("conflict.noise") or not is_content(token):
        return False
    if opening.isdigit():
        return token.raw.isdigit() and (len(token.raw) == 4) == (len(opening) == 4)
    before = text[max(0, token.start - 40) : token.start]
    if opening[0].islower():
        return token.raw.isalpha() and (goes_on or ends_at_slot(before))
    is_first = before.rstrip(" ")[-1:] in {"", *".!?:|*-\n"}
    return token.raw[0].isupper() and not (is_first and token.word.endswith(("ly", "ed", "ing")))


def _read(text: str, marks: list[Mark]) -> Iterator[Mark]:
    """Yield the marks of a sentence with how values stand, and a rule as one mark."""
    text = _BESIDE.sub(lambda word: ";" + " " * (len(word[0]) - 1), text)
    place = 0
    while place < len(marks):
        mark, after = marks[place], marks[place + 1 : place + 2]
        is_rule = bool(after) and (mark.kind, after[0].kind) == ("newer", "settles")
        if is_rule and _RULE.fullmatch(text, mark.end, after[0].start):
            mark, place = mark._replace(kind="rule", end=after[0].end), place + 1
        if mark.kind == "value":
            mark = mark._replace(stands=standing(text, mark.start, mark.end))
        yield mark
        place += 1
