"""Which of the values that a text states in answer to a question it settles on.

The text is read as a line of signs (``signs``), and the first of these decides: a value that is
all of the first sentence; the last relation, reference or conclusion; what is called newer or
older; else, unless several are listed, the clause that takes up the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mabench.scoring.lexicon import entries, pattern
from mabench.scoring.signs import LETTERS, Known, Sign, read

_FEW = 4  # Values of a text that is an answer rather than a passage.
_VALUE = re.compile(f"[{LETTERS}]")
_SENTENCE = re.compile(r"[^.;?]*[.;?]?")
_BOUNDS, _OPENING, _CLOSING = (
    re.compile(entries(f"reading.{name}")[0]) for name in ("bounds", "opening", "closing")
)
_LINK = pattern(r"\b(?:%s)\b|'s\b|(?<=\w )(?:who|which)\b", "reading.links")
_NEGATED = pattern(r"\b(?:%s)\b|n't\b", "reading.negated")


class Clause(NamedTuple):
    """A clause: where, its signs, the values that it states, and its other words."""

    start: int
    end: int
    signs: str
    values: str
    frame: Counter[str]
    is_aside: bool
    focus: float  # How far it takes up the question, from 0 to 3.


class SignLine:
    """A line of signs, and what is left of it without values that are taken back."""

    def __init__(self, items: Sequence[Sign], question: str) -> None:
        self.items = items
        self.is_chain = len(_LINK.findall(question)) > 1
        self.signs = "".join(item.sign for item in items)
        self.sentences = [match.span() for match in _SENTENCE.finditer(self.signs)]
        rejected = () if _NEGATED.search(question) else entries("lowers.rejected")
        passed, weak = entries("lowers.passed"), entries("lowers.asked") + entries("lowers.reasons")
        self.unrejected = _lowered(self.signs, rejected)
        self.current = _lowered(self.signs, rejected + passed)
        self.asserted = _lowered(self.signs, rejected + passed + weak)

    def clauses(self) -> Iterator[Clause]:
        """Yield the clauses that state a value which is not taken back."""
        signs, start, depth = self.signs, 0, 0
        for end in [*(m.start() for m in _BOUNDS.finditer(signs)), len(signs)]:
            part, mark = signs[start:end], signs[end : end + 1]
            if re.fullmatch("[w#]+", part) and mark == ",":
                continue  # "Per fact 9, Rome"
            values = "".join(_VALUE.findall(self.current, start + max(part.find(":"), 0), end))
            if values:
                frame = Counter(i.said for i in self.items[start:end] if i.sign in "pqQR_")
                opens = start == 0 or signs[start - 1] in ".;?:-("
                said = signs[signs.rfind(".", 0, start) + 1 : end] if part[0] == "=" else part
                focus = next((w for s, w in (("Q", 3), ("R", 2), ("q", 1)) if s in said), 0.0)
                is_bare = opens and not re.search(r"_|[A-H].*:", part)
                focus = (1.5 if is_bare and not focus else focus) + ("p" in part) / 4
                yield Clause(start, end, part, values, frame, depth > 0 or part[0] == "~", focus)
            depth += (mark == "(") - (mark == ")")
            start = end + (mark not in {*"&y"})


def _lowered(signs: str, patterns: Sequence[str]) -> str:
    """Return signs in which the values that patterns find are words like any other."""
    found = (match for p in patterns for match in re.finditer(f"(?=(?:{p}))", signs))
    places = {place for match in found for place in range(*match.span(match.lastindex or 0))}
    return "".join("_" if n in places and s in LETTERS else s for n, s in enumerate(signs))


def settles_on(text: str, known: Sequence[Known], question: str | None, gold: str | None) -> str:
    """Return the letter of the value that a text settles on: none if it chooses none of several.

    ``-`` is a value that is not named, and ``?`` where the choice is not plain. In the ``plain``
    text, ``known`` is where it names A, and others that the question offers; ``gold`` is what A
    is, which tells others of its kind, or None if no others are looked for.
    """
    line = SignLine(read(text, known, question or "", gold), question or "")
    live: set[str] = {*_VALUE.findall(line.current)}
    signs, every = line.signs, {*_VALUE.findall(line.signs)}
    is_name = text[known[0][0]].isupper()
    if "A" not in every or (is_name and re.fullmatch(r"([A-H]),(?!\1)[A-H]\.?", signs)):
        return "?"  # It is said behind all that is read; "Munich, Bavaria".
    if len(every) == 1:
        if re.search(r"v.*A|v[^.]*\.*$", signs):
            return ""
        return "A" if "A" in line.unrejected else "-"
    if "A" not in live:
        return next(iter(live), "?" if "A" in line.unrejected else "-")
    if letter := _opening(line):
        return letter
    letter, place = _concluded(line)
    if letter and place > max(map(signs.rfind, "ujv")):
        return letter
    if len(live) > 1 and "u" in signs:
        return ""
    uncited = [c.values for c in line.clauses() if not (c.is_aside or "#" in c.signs)]
    if {*"".join(uncited)} == {"A"} and not re.search("[vj]", signs):
        return "A"
    left = live - _labelled(line)[1]
    if len(left) == 1:
        return left.pop()
    is_passage = len(every) > _FEW
    if _is_listed(line) or (re.search("[vj]", signs) and not is_passage):
        return ""
    letter = _by_focus(line)
    # A passage names many: only what it opens with is surely another answer.
    return "?" if is_passage and letter not in ("A", _VALUE.findall(signs)[0]) else letter


def values_chosen(
    text: str, stated: Sequence[tuple[int, int, int | str]], question: str = ""
) -> set[int | str]:
    """Return the values that ``plain`` text settles on: one, or several if it chooses none of them.

    ``stated`` says where it names a value, and which.
    """
    values = list(dict.fromkeys(value for *_, value in stated))[: len(LETTERS)]
    known = [(a, b, LETTERS[values.index(value)]) for a, b, value in stated if value in values]
    line = SignLine(read(text, known, question, None), question)
    found = map(_VALUE.findall, (line.asserted, line.current, line.unrejected))
    live = set(next(filter(None, found), ()))
    if len(live) > 1:
        letter = _opening(line) or _concluded(line)[0]
        live = {letter} if letter else live
    return {values[LETTERS.index(letter)] for letter in live}


def _opening(line: SignLine) -> str:
    """Return the value that is all of the first sentence, if the others only explain it."""
    match = _OPENING.match(line.current)
    if not match:
        return ""
    later = {*re.findall(r"(?:s[^.]*?|z[^A-H]{0,25})([A-H])", match[2])}
    return "" if later - {match[1]} else str(match[1])


def _concluded(line: SignLine) -> tuple[str, int]:
    """Return the value that the last relation, reference or conclusion lets hold, and where."""
    signs, chosen = line.signs, ("", -1)
    for start, end in line.sentences:
        part, asserted = signs[start:end], line.asserted[start:end]
        for sign in re.finditer("[<>]", part):
            place = start + sign.start()
            later = _named(line.items[place:end])[:1]
            first = 0 if signs[place - 1] == ";" else start  # "Rome; replaces Paris"
            pair = _named(line.items[first:place])[-1:] + later
            is_led = sign.start() or line.items[place].start < line.items[place - 1].end + 3
            is_back = sign[0] == "<" and is_led and later and len({*pair}) == 1
            if is_back or ("A" in pair and len({*pair}) == 2):
                chosen = pair[-(sign[0] == "<")], place
        turn = re.search(r"([A-H][^(]*)t([^A-Hj]*[A-H](?![&/]).*)", asserted)
        behind = {*_VALUE.findall(turn[2])} if turn else set[str]()
        if turn and (len(behind) == 1 or behind.isdisjoint(_VALUE.findall(turn[1]))):
            chosen = "A" if "A" in behind else min(behind), start + turn.start(2)
        tail = part[max(part.rfind("s"), part.rfind("z")) :] if re.search("[sz]", part) else ""
        if tail and not re.search("[uvj]", tail):
            behind = {*_VALUE.findall(line.current[end - len(tail) : end])}
            again = behind & {*_VALUE.findall(signs[: end - len(tail)])}
            behind = again if len(again) == 1 else behind
            chosen = (behind.pop(), end) if len(behind) == 1 else chosen
        tail = _VALUE.split(part)[-1]
        named = {letter.upper() for letter in re.findall("[a-h]", tail)}
        if len(named) == 1 and re.search("[wsz]", tail):
            chosen = named.pop(), end
        if praised := re.search(
            r"(?<![&/])([A-H])(?:[,;-][&y]?)?=s\.?$", asserted
        ):  # "Rome, which is right."
            chosen = praised[1], end
    for corrected in re.finditer(r"z[^A-H]{0,25}([A-H])", line.asserted):
        chosen = max(chosen, (corrected[1], corrected.end()), key=lambda choice: choice[1])
    if closing := _CLOSING.search(line.asserted):
        return closing[closing.lastindex or 0], len(signs)
    newer = _labelled(line)[0] & {*_VALUE.findall(signs)}
    return chosen if chosen[0] or len(newer) != 1 else (newer.pop(), signs.rfind("w"))


def _named(items: Sequence[Sign]) -> list[str]:
    """Return the values that signs state, refer to or cite."""
    return [i.value or i.sign.upper() for i in items if i.value or i.sign.upper() in LETTERS]


def _labelled(line: SignLine) -> tuple[set[str], set[str]]:
    """Return the values that are called newer, and those called older: the nearest ones."""
    signs, called = line.signs, {"w": set[str](), "o": set[str]()}
    for start, end in line.sentences:
        part = signs[start:end]
        values = {n: line.items[n].value or signs[n].upper() for n in range(start, end)}
        near = [n for n, letter in values.items() if letter in LETTERS]
        for label in re.finditer("[wo](?!_)", part) if near else ():
            nearest = values[max((-abs(n - start - label.start()), n) for n in near)[1]]
            if re.search("[A#v]", part) or (end == len(signs) and signs.count(nearest) > 1):
                called[label[0]].add(nearest)
    return called["w"] - called["o"], called["o"] - called["w"]


def _is_listed(line: SignLine) -> bool:
    """Return whether the gold and another value are side by side, or in one frame."""
    signs = line.asserted if "A" in line.asserted else line.current
    found = (m[1] for p in entries("reading.listed") for m in re.finditer(f"(?=({p}))", signs))
    if any("A" in part and len({*_VALUE.findall(part)}) > 1 for part in found):
        return True
    stating = [clause for clause in line.clauses() if not clause.is_aside]
    for gold in (c for c in stating if "A" in c.values):
        for other in (c for c in stating if "A" not in c.values):
            between = line.signs[min(gold.end, other.end) : max(gold.start, other.start)]
            is_cited = "#" in gold.signs
            is_step = line.is_chain and gold.signs[0] == other.signs[0] == ":"
            if is_step or is_cited is not ("#" in other.signs):
                continue
            is_apart = between not in (",", "") and not re.search("[pqQR_]", between)
            is_within = gold.frame <= other.frame or other.frame <= gold.frame
            is_same = gold.frame == other.frame and (gold.frame or is_apart)
            if is_within if is_cited or min(gold.focus, other.focus) >= 3 else is_same:
                return True
    return False


def _by_focus(line: SignLine) -> str:
    """Return the value of the clause that takes up the question; of equals, the first."""
    stating = [*line.clauses()]
    named = sorted((c for c in stating if "A" in c.values), key=lambda c: (c.is_aside, -c.focus))
    if not named:
        return "?"
    gold = named[0]
    is_unsure = False
    for other in (c for c in stating if "A" not in c.values and not c.is_aside):
        is_before, more = other.start < gold.start, other.focus - gold.focus
        is_step = other.focus < (3 if line.is_chain else 1.5 * (gold.signs[0] == "y"))
        is_alias = re.search(r"[B-H](?:\(~?|[,-]?~)A$", line.signs[: gold.end])
        if is_before and (is_step or is_alias):
            continue  # "Roma Nova (Rome)"
        is_first = is_before and gold.focus == other.focus > 1
        is_first |= is_before and gold.is_aside and gold.signs[0] != "~"
        is_first |= line.is_chain and 0 < gold.focus == other.focus and gold.frame < other.frame
        if is_first or (is_before and more > 0.5) or (other.focus >= 2 and gold.focus < 0.5):
            return other.values[-1]
        is_unsure |= more > 0
    return "?" if is_unsure else "A"


def refers(text: str) -> bool:
    """Return whether a text names no value, but says which is meant: ``the newer``, ``fact 9``."""
    signs = "".join(sign.sign for sign in read(text, [], "", "x"))
    return re.fullmatch("[wo12#=.:]*[wo12#][wo12#=.:]*", signs) is not None
