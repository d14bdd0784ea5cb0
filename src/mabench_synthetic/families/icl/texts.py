"""Makes texts that all differ: wordings have alternatives and slots, which are filled."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.text.names import NameInventor
from mabench_synthetic.language import tokens_of

_GROUP = re.compile(r"\(([^()]*)\)")
# Of two blanks the first, and a blank before a mark.
_BLANKS = re.compile(r" (?=[ ?.,:])")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])")
# A word that two parts of a text meet in.
_TWICE = re.compile(r"\b(\w{2,}) \1\b")
_SLOT = re.compile(r"\{(\w+)\}")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SPANS = ("two days", "a week", "ten days", "three weeks", "a month", "six months", "a year")
_BODIES = ("Institute", "Museum", "Press", "Shipyard", "Society", "Theatre", "Bank", "Works")
# How often a name is one that was there before.
_AGAIN = 0.7


def varied(rng: Random, wording: str) -> str:
    """Choose one of the alternatives in each pair of brackets: ``(big/large) house``.

    An alternative may be empty; the spaces that it leaves are removed.
    """
    text = "".join(rng.choice(part) for part in _parts(wording))
    return _BLANKS.sub("", text).strip()


@lru_cache(maxsize=20_000)
def _parts(wording: str) -> tuple[tuple[str, ...], ...]:
    """Return the parts of a wording, each as its alternatives: one, if it is not in brackets."""
    outside, *pieces = _GROUP.split(wording)
    parts: list[tuple[str, ...]] = [(outside,)]
    for in_brackets, after in zip(pieces[::2], pieces[1::2], strict=True):
        parts += [tuple(in_brackets.split("/")), (after,)]
    return tuple(parts)


class SlotFiller:
    """Fills slots with invented names, some of which recur, and with days, spans and numbers."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._names = NameInventor(rng)
        self._known: dict[str, list[str]] = {}

    def fill(self, wording: str) -> str:
        """Fill the slots of a wording from left to right; ``a`` becomes ``an`` where needed.

        A word that would occur twice in a row occurs once.
        """
        text = _SLOT.sub(lambda slot: self._value(slot[1]), wording)
        return _ARTICLE.sub(r"\1n ", _TWICE.sub(r"\1", text))

    def _value(self, slot: str) -> str:
        """Return a value for a slot."""
        rng = self._rng
        if slot == "day":
            return rng.choice(_DAYS)
        if slot == "span":
            return rng.choice(_SPANS)
        if slot == "number":
            return str(rng.randrange(2, 60))
        if slot == "year":
            return str(rng.randrange(1720, 1990))
        if slot == "letters":
            return "".join(rng.sample("ABCDEFGHIKLMNOPRSTUVW", rng.choice((2, 3, 3, 4))))
        return self._name(slot)

    def _name(self, kind: str) -> str:
        """Return a name of a kind: often one that was there before, the more so if it recurred."""
        used = self._known.setdefault(kind, [])
        if used and self._rng.random() < _AGAIN:
            name = self._rng.choice(used)
        else:
            name = self._invented(kind)
        used.append(name)
        return name

    def _invented(self, kind: str) -> str:
        """Return a new name of a kind."""
        names, rng = self._names, self._rng
        if kind == "person":
            return names.person() if rng.random() < 0.25 else names.word()
        if kind == "body":
            return f"the {names.word()} {rng.choice(_BODIES)}"
        if kind == "country":
            return names.word(rng.choice(("ia", "land", "or")))
        return names.word()


_CHOICES = 2
_TRIES = 200
_MARKS = re.compile(r"\W+")


class Manner(NamedTuple):
    """How often texts are hard; the fields are knobs of the same names."""

    rare: float
    overlap: float


class TextClass(NamedTuple):
    """A class of texts.

    ``situation`` returns a new situation for the class: a wording with open slots and alternatives.
    ``vague`` returns a wording that also fits other classes. ``text`` returns a text with a
    wording. ``with_aside`` returns a text as it is shown, perhaps with an aside after it.
    ``weight`` is how common the class is, if classes differ in that.
    """

    weight: int
    situation: Callable[[], str]
    vague: Callable[[], str]
    text: Callable[[str], str]
    with_aside: Callable[[str], str] = str


class Texts:
    """Makes texts that differ in their words, with a mean length of about ``tokens``.

    With the probability ``fresh`` a text is about a situation of its own, else about one that is
    common in its class. Common situations are those of ``earlier`` texts, each of which was about a
    new situation with that probability, else about the situation of an earlier text (Simon, 1955).
    So a few situations have many close paraphrases, in short rows as in long ones. The share
    ``arguable`` of the texts is vague.
    """

    def __init__(
        self, rng: Random, tokens: float, *, fresh: float, arguable: float, earlier: int
    ) -> None:
        self._rng = rng
        self._tokens = tokens
        self._fresh = fresh
        self._arguable = arguable
        self._earlier = earlier
        self._ahead = 0.0
        self._seen: set[str] = set()
        self._situations: dict[int, list[str]] = {}

    def new(self, number: int, text_class: TextClass) -> str:
        """Return a new text of the class ``number``; a longer one if texts were too short so far.

        Raises:
            UsageError: when the class has no more different texts.
        """
        choices = [self._new(number, text_class) for _ in range(_CHOICES)]
        is_too_long_so_far = self._ahead > 0
        text = min(choices, key=tokens_of) if is_too_long_so_far else max(choices, key=tokens_of)
        self._seen.add(_words(text))
        told = text_class.with_aside(text)
        self.count(told)
        return told

    def count(self, text: str) -> None:
        """Count the length of a text that is used."""
        self._ahead += tokens_of(text) - self._tokens

    def _new(self, number: int, text_class: TextClass) -> str:
        """Return a new text of a class, or raise a ``UsageError`` after many attempts."""
        if number not in self._situations:
            self._situations[number] = self._recurring(text_class)
        known = self._situations[number]
        for _ in range(_TRIES):
            text = text_class.text(self._wording(text_class, known))
            if _words(text) not in self._seen:
                return text
        raise UsageError("a class has no more different texts; ask for fewer shots or questions")

    def _wording(self, text_class: TextClass, known: list[str]) -> str:
        """Return a vague wording, one of a new situation, or one of the ``known`` situations."""
        if self._rng.random() < self._arguable:
            return text_class.vague()
        fresh = self._rng.random() < self._fresh
        return text_class.situation() if fresh else self._rng.choice(known)

    def _recurring(self, text_class: TextClass) -> list[str]:
        """Return the situations of the earlier texts of a class; some recur often."""
        situations = [text_class.situation()]
        while len(situations) < self._earlier:
            fresh = self._rng.random() < self._fresh
            situations.append(text_class.situation() if fresh else self._rng.choice(situations))
        return situations


def _words(text: str) -> str:
    """Return the form in which texts are compared: words in lower case."""
    return _MARKS.sub(" ", text.lower()).strip()
