"""What a text says in answer to a question: its clauses, and the marks that bear on which holds.

``Fact 3 says A and fact 9 B, of which the latter is newer`` is ``3 A 9 B latter newer``: the gold
and other values of its kind, what is cited for each, which is newer or older, which gives way to
which, what concludes. All else that a clause says is its frame.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.lexicon import pattern, words
from mabench.scoring.sameness.kin import root
from mabench.scoring.sameness.same import Mention
from mabench.scoring.sameness.wordings import is_place, words_of
from mabench.scoring.standing import Standing, sentences, standing
from mabench.scoring.tokens import Token, tokens
from mabench.text.stems import is_function_word

NOTHING = -99  # Behind the last word of a question.
_MOST = 40  # Clauses that are read.
LONGEST = 6  # Words of a value.
_KINDS = ["cited", "newer", "older", "latter", "former", "beats", "yields", "settles", "undecided"]
_NUMBER = (
    r"(?:facts?|documents?|entr(?:y|ies)|statements?|lines?|passages?|items?|no\.?|number(?:ed)?)"
    r"\s?\#?(?P<number>\d+)|(?:^|(?<=[\n\"]))(?P<listed>\d{1,6})\.(?=\s)"
    r"|(?P<bare>(?<![\w.,/-])\d{1,6}(?![\w%%-]|[.,/]\d))"
)
_FINDER = pattern(
    "|".join(rf"(?P<{kind}>(?<![\w'-])(?:%s)(?![\w']))" for kind in _KINDS) + f"|{_NUMBER}",
    *(f"conflict.{kind}" for kind in _KINDS),
)
_SET_OFF = ("()", "(,", "||")  # What is around a number that is cited.
_ASIDE = re.compile(
    r".?\(|(?:,\s|.?[\u2013\u2014]|-\s)(?:an?|the(?! other)|i\.?e|that is|also|aka|namely"
    r"|or rather|in other words|specifically)\b"
)
_TAIL = re.compile(r",\s(?=(?P<same>(?:\d+ )?[a-z])?)")
_AT_SLOT = re.compile(r"(?:^|[^\w\s'\"])\s{0,2}[\"'(]{0,3}(?:(?:an?|the) )?$")
_LINK = re.compile(r"\bof\b|(?<![Ww]ho)(?<![Ww]hat)['\u2019]s\b|(?<=\w\s)(?:where|whose|who)\b")


class Mark(NamedTuple):
    """A value, or a word that bears on which holds."""

    kind: str  # One of ``_KINDS``, or ``value``.
    said: str  # Of a value its words, none of the gold; of what is cited its number or its words.
    start: int  # Where it starts in the text.
    end: int  # Where it ends.
    stands: Standing = Standing.ASSERTED  # How a value stands in its sentence.

    @property
    def counts(self) -> bool:
        """Whether it is a value that is not taken back."""
        return self.kind == "value" and self.stands >= Standing.ASKED


class Clause(NamedTuple):
    """A clause: where, in which sentence, its marks, and its words but those of whom it cites.

    One that leads up to the next is no statement, and one in brackets only explains.
    """

    start: int
    end: int
    sentence: int
    is_lead: bool
    is_aside: bool
    marks: Sequence[Mark] = ()
    said: Sequence[Token] = ()

    def holds(self, place: int) -> bool:
        """Return whether a place is in it."""
        return self.start <= place < self.end

    @property
    def cited(self) -> frozenset[str]:
        """What it cites."""
        return frozenset(mark.said for mark in self.marks if mark.kind == "cited")

    @property
    def frame(self) -> list[Token]:
        """Its words that are neither a value nor noise."""
        values = [mark for mark in self.marks if mark.kind == "value"]
        open_ = (t for t in self.said if not any(v.start <= t.start < v.end for v in values))
        return [token for token in open_ if is_content(token)]


class Reading(NamedTuple):
    """A text with its clauses and marks, and the words that its question asks by."""

    text: str
    clauses: Sequence[Clause]
    marks: Sequence[Mark]
    asked: Mapping[str, int]  # The root and the place of each, from 0 down.
    is_chain: bool  # Whether the question asks for something of something of another.
    opening: str  # The word of the gold that tells its kind: its year, a name or its first.

    def own(self, clause: Clause) -> int:
        """Return the place of the first word of the question that a clause says, from 0 down."""
        golds = [m for m in clause.marks if m.kind == "value" and not m.said]
        said = (t for t in clause.said if not any(m.start <= t.start < m.end for m in golds))
        return max((self.asked.get(root(token.word), NOTHING) for token in said), default=NOTHING)

    def is_bare(self, clause: Clause) -> bool:
        """Return whether a clause says values and nothing else, but what is asked."""
        return all(root(token.word) in self.asked for token in clause.frame)


def read(
    text: str,
    gold: Mapping[Mention, Standing],
    question: str | None,
    name: str,
    offered: Sequence[Mention] = (),
) -> Reading:
    """Return the clauses of ``plain`` text with their marks.

    Args:
        text: the text.
        gold: where it says the gold, and how that stands.
        question: the question, whose words are no marks and no values.
        name: the gold, whose words are no other value.
        offered: where it says what the question offers beside the gold.
    """
    asked: dict[str, int] = {}
    for token in sorted(tokens(question or ""), key=lambda token: token.is_name):
        if not is_function_word(token.word):
            asked.setdefault(root(token.word), -len(asked))
    marks = [Mark("value", "", m.start, m.end, stands) for m, stands in gold.items()]
    marks += [
        Mark("value", "offered", m.start, m.end, standing(text, m.start, m.end)) for m in offered
    ]
    golds = tokens(text[marks[0].start : marks[0].end])
    years = [t.raw for t in golds if t.raw.isdigit() and len(t.raw) == len("1999")]
    opening = [*years, *(t.raw for t in golds if t.raw[0].isupper()), golds[0].raw][0]
    marks = _find_marks(text, marks, question, name, asked, opening)
    read_ = list[Clause]()
    every, places = tokens(text), [token.start for token in tokens(text)]
    for clause in _clauses(text, [*gold]):
        own = [mark for mark in marks if clause.holds(mark.start)]
        cites = [mark for mark in own if mark.kind == "cited"]
        first, last = (bisect_left(places, place) for place in clause[:2])
        said = [t for t in every[first:last] if not any(m.start <= t.start < m.end for m in cites)]
        if read_ and read_[-1].is_lead and len(read_[-1].said) <= LONGEST:  # "Spouse: Ann Hale"
            said = [*read_[-1].frame, *said]
        read_.append(clause._replace(marks=own, said=said))
    is_chain = len(_LINK.findall(question or "")) > 1
    return Reading(text, read_, marks, asked, is_chain, opening)


def is_content(token: Token) -> bool:
    """Return whether a word may belong to a value: it is no function word and no noise."""
    noise = words("chosen.says", "standing.passes", "standing.not_so")
    return not (is_function_word(token.word) or token.word in noise)


def refers(text: str) -> bool:
    """Return whether a text names no value, but says which one is meant: ``the newer``."""
    kinds = {mark.lastgroup for mark in _FINDER.finditer(text)} - {"bare", "listed", "settles"}
    return bool(kinds) and not any(map(is_content, tokens(_FINDER.sub(" ", text))))


def _clauses(text: str, kept: Sequence[Mention] = ()) -> list[Clause]:
    """Return the first clauses of ``plain`` text; nothing that is kept is cut in two."""
    listed: list[Clause] = []
    for sentence, bounds in enumerate(sentences(text)[:_MOST]):
        for start, end in _parts(text, *bounds, sentence, kept):
            if not re.search(r"\w", text[start:end]):
                continue
            is_lead = text[end : end + 1] in {*":-\u2192"} and not text[:end].endswith("\n")
            is_aside = _ASIDE.match(text, max(0, start - 2)) is not None
            listed.append(Clause(start, end, sentence, is_lead, is_aside))
    return listed[:_MOST]


def _parts(
    text: str, first: int, last: int, sentence: int, kept: Sequence[Mention]
) -> list[tuple[int, int]]:
    """Return where the clauses of a sentence start and end."""
    found = islice(pattern(r"%s", "chosen.cuts").finditer(text, first, last), _MOST)
    cuts = {cut.span() for cut in found}
    comma = None if sentence else _TAIL.search(text, first, last)
    if comma and is_value(text[first : comma.start()]):
        tail, *rest = (part.strip(" .!?") for part in text[comma.end() : last].split(","))
        is_city = is_place(tail) is not (bool(rest) and is_place(rest[0]))  # London, England
        if comma["same"] or (is_value(tail) and not is_city):
            cuts.add(comma.span())
    bounds = [
        cut
        for cut in sorted(cuts)[:_MOST]
        if not any(m.start < cut[1] and cut[0] < m.end for m in kept)
    ]
    starts = [first, *(end for _, end in bounds)]
    return list(zip(starts, [*(start for start, _ in bounds), last], strict=True))


def is_value(text: str) -> bool:
    """Return whether a text is a value by itself, with no more than a preposition before it."""
    said = [t for t in tokens(text) if not t.article and t.word not in words("names.small")]
    return 0 < len(said) <= LONGEST and not any(is_function_word(t.word) for t in said)


def _find_marks(
    text: str,
    marks: list[Mark],
    question: str | None,
    name: str,
    asked: Mapping[str, int],
    opening: str,
) -> list[Mark]:
    """Return the marks of a text, those that are known and others, in its order."""
    found = [
        mark
        for mark in islice(_FINDER.finditer(text), 4 * _MOST)
        if not any(m.start < mark.end() and mark.start() < m.end for m in marks)
    ]
    numbers, said_there = _cited_numbers(text, found, opening), words_of(question or "")
    for match in found:
        kind, said = match.lastgroup or "", match[0].casefold()
        is_name = match[0][0].isupper() and re.search(r"[\w,] $", text[: match.start()])
        if kind in ("number", "listed", "bare"):
            kind, said = "cited", match[kind]
            if said not in numbers or match[0].casefold().split()[0] in said_there:
                continue
        elif kind != "cited" and (is_name or {*said.split()} <= said_there):
            continue
        marks.append(Mark(kind, said, *match.span()))
    marks += _others(text, marks, asked, name, opening)
    return sorted(marks, key=lambda mark: mark.start)


def _cited_numbers(text: str, found: Sequence[re.Match[str]], opening: str) -> set[str]:
    """Return the numbers that are cited: behind a word, in brackets, before one, in a table."""
    numbers = {match["number"] for match in found}
    for match in found:
        number = match["listed"] or match["bare"] or ""
        around = text[: match.start()].rstrip()[-1:] + text[match.end() :].lstrip()[:1]
        is_set_off = match["listed"] or around in _SET_OFF or around.endswith("(")
        if is_set_off and not (opening.isdigit() and len(number) == len(opening)):
            numbers.add(number)
    return numbers - {None, ""}


def _others(
    text: str, marks: Sequence[Mark], asked: Mapping[str, int], name: str, opening: str
) -> list[Mark]:
    """Return where a text names what may be another value of the kind of the gold."""
    known = words_of(name) | {t.word for t in tokens(text[marks[0].start : marks[0].end])}
    ends = {mark.end for mark in marks if mark.kind != "value"}
    runs: list[list[Token]] = []
    for token in tokens(text):
        is_next = bool(runs) and not re.search(r"[^\s'\"-]", text[runs[-1][-1].end : token.start])
        is_asked = root(token.word) in asked
        is_open = not is_asked and token.word not in known
        is_open &= not any(m.start < token.end and token.start < m.end for m in marks)
        in_slot = is_next or len(text[: token.start].rstrip()) in ends
        may_be = is_open and _may_be_value(text, token, opening, in_slot)
        if is_next and (may_be or text[token.start - 1] == "-"):
            runs[-1].append(token)
        elif may_be:
            runs.append([token])
        if in_slot if token.article else is_asked or not is_content(token):
            ends.add(token.end)
    spans = [(run[0].start, run[-1].end, " ".join(t.word for t in run)) for run in runs]
    return [Mark("value", said, a, b, standing(text, a, b)) for a, b, said in spans]


def _may_be_value(text: str, token: Token, opening: str, in_slot: bool) -> bool:
    """Return whether a word is of the kind of a gold that opens so, and where a value may be."""
    if token.article or token.word in words("conflict.noise") or not is_content(token):
        return False
    if opening.isdigit():
        return token.raw.isdigit() and (len(token.raw) == 4) == (len(opening) == 4)
    before = text[max(0, token.start - 40) : token.start]
    if opening[0].islower():
        in_slot = in_slot or _AT_SLOT.search(before) is not None
        return token.raw.isalpha() and in_slot and not token.word.endswith(("ly", "ed"))
    is_first = before.rstrip(" ")[-1:] in {"", *".!?:|*-\n"}
    return token.raw[0].isupper() and not (is_first and token.word.endswith(("ly", "ed", "ing")))
