"""What speaks for a span as the answer to a question, by where it stands in a sentence."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from mabench.agents.floor.likeness import likeness
from mabench.agents.floor.qa.candidates import Span
from mabench.agents.floor.qa.questions import Asked, Kind
from mabench.agents.floor.qa.search import Hit, Search
from mabench.text.stems import content_words, is_function_word, stem, tokens

_FADES = 4.0  # The distance in words at which a word of the question counts half,
_FOCUS_FADES = 2.0  # and the verb, or the noun that the answer is to something.
_TOLD = 0.2  # What a word counts for that was told earlier in the paragraph.
_BREAK = 2  # A comma or bracket counts as so many words.
_ALIKE = 0.7
_BEFORE = 14  # Characters before a span in which words are looked for.
_WORD = re.compile(r"[^\W_]+")
_PLACE = re.compile(r"\b(?:in|at|to|near|on|from|into|of|across|through) (?:the )?$", re.IGNORECASE)
_DETERMINER = re.compile(r"\b(?:the|an?|his|her|its|their) $", re.IGNORECASE)
_CALLED = re.compile(
    r"\b(?:called|named|known as|termed|dubbed) (?:the |an? )?[\"\u201c']?$", re.IGNORECASE
)
_BY = re.compile(r"\bby (?:the |an? )?$", re.IGNORECASE)
_JOINING = frozenset(["", "-", "'", "\u2019", " "])
_LEAST = 0.05
_UNIT_WITHIN, _NOUN_BEFORE, _NOUN_BEHIND = 4, 3, 5  # Words around a span.
_RAREST = 10.0
# What each sign counts for: fitted (a softmax over all spans found, with a quadratic penalty) on
# questions of our own about documents and on made-up rows, none of them of a benchmark. "mixed",
# which too few of them show, was set by hand.
WEIGHTS = {
    "beside": 1.5,
    "by": 1.6,
    "called": 1.5,
    "determined": -0.4,
    "focus": 1.8,
    "governed": 2.7,
    "headed": 3.0,
    "located": 0.6,
    "long": 0.1,
    "long name one": 1.6,
    "long name person": 2.1,
    "long name place": 0.2,
    "long name thing": -0.2,
    "mixed": -1.0,
    "modifier": -0.2,
    "money": 0.3,
    "name one": 0.6,
    "name person": 1.5,
    "name place": 1.1,
    "name thing": 0.5,
    "near": 2.8,
    "noun after": 0.2,
    "noun before": 0.4,
    "nounless": -1.0,
    "numeric": -0.9,
    "order": 1.4,
    "placed person": -0.4,
    "placed place": 0.8,
    "rare": 1.7,
    "trust": 4.0,
    "unfocused": -0.9,
    "unit": 0.7,
}


class Sighting(NamedTuple):
    """A sentence in which spans are weighed.

    Read once for all its spans: a sentence may be as long as a chunk.
    """

    text: str
    asked: Asked
    search: Search
    share: float
    ends: list[int]
    at: list[int]
    stems: list[str]
    words: list[str]
    said: Mapping[str, list[int]]
    alike: set[str]
    told: list[str]
    total: float

    @classmethod
    def of(cls, text: str, asked: Asked, hit: Hit, best: float, search: Search) -> Self:
        """Read a sentence."""
        ends: list[int] = []
        at: list[int] = []
        stems: list[str] = []
        plain: list[str] = []
        others: list[tuple[int, str]] = []
        said: defaultdict[str, list[int]] = defaultdict(list)
        for match in _WORD.finditer(text):
            joined = not ends or text[ends[-1] : match.start()] in _JOINING
            word = stem(match.group().lower())
            if word in asked.words:
                said[word].append(len(ends))
            elif not is_function_word(match.group().lower()):
                others.append((len(ends), word))
            at.append((at[-1] if at else 0) + 1 + (0 if joined else _BREAK))
            ends.append(match.end())
            stems.append(word)
            plain.append(match.group())
        meant: set[str] = set()
        for wanted in sorted(asked.words.difference(said)):
            alike = [place for place, word in others if likeness(wanted, word) >= _ALIKE]
            if alike:
                said[wanted] = alike
                meant.update(stems[place] for place in alike)
        told = sorted(asked.words & search.told_before(hit.place))
        total = search.index.total_rarity(asked.words) or 1.0
        return cls(
            text,
            asked,
            search,
            hit.score / best,
            ends,
            at,
            stems,
            plain,
            said,
            meant,
            told,
            total,
        )

    def weight(self, span: Span) -> float:
        """Return how well a span would answer, as the logarithm of its odds."""
        return math.fsum(WEIGHTS.get(sign, 0.0) * value for sign, value in self.signs(span).items())

    def signs(self, span: Span) -> dict[str, float]:
        """Return what speaks for and against a span, each mostly from 0 to 1."""
        first, last = bisect_right(self.ends, span.start), bisect_left(self.ends, span.end)
        signs = self._signs_of_place(span, first, last)
        if self.asked.kind is Kind.NUMBER:
            follows = self.stems[last + 1 : last + _UNIT_WITHIN]
            signs["unit"] = float(bool(self.asked.unit) and self.asked.unit in follows)
            signs["money"] = float(self.asked.much and span.text.startswith("$"))
        elif self.asked.kind is not Kind.DATE:
            signs |= self._signs_of_kind(span)
            signs |= self._signs_of_noun(span, first, last)
        return signs

    def _signs_of_place(self, span: Span, first: int, last: int) -> dict[str, float]:
        """Weigh where a span stands among the words of the question."""
        asked, rarity = self.asked, self.search.index.rarity
        near = {
            word: _gap(places, first, last, self.at)
            for word, places in sorted(self.said.items())
            if bisect_left(places, first) == bisect_right(places, last)  # Not in the span.
        }
        said = math.fsum(rarity(word) / (1 + gap / _FADES) for word, gap in near.items())
        told = math.fsum(_TOLD * rarity(word) for word in self.told if word not in near)
        focus = [near[word] for word in asked.focus if word in near]
        before = self.text[max(span.start - _BEFORE, 0) : span.start]
        is_agent = bool(focus) and bool(asked.after) and not asked.before
        return {
            "trust": math.log(self.share),
            "near": math.log((said + told) / self.total + _LEAST),
            "order": self._order(first, last),
            "focus": 1 / (1 + min(focus) / _FOCUS_FADES) if focus else 0.0,
            "unfocused": float(bool(asked.focus) and not focus),
            "by": float(is_agent and bool(_BY.search(before))),
            "governed": float(_word_before(before) == asked.preposition != ""),
            "called": float(asked.naming and bool(_CALLED.search(before))),
        }

    def _signs_of_kind(self, span: Span) -> dict[str, float]:
        """Weigh whether a span is a name or a phrase, and of what."""
        asked, lexicon = self.asked, self.search.lexicon
        kind = "one" if asked.kind is Kind.THING and asked.one_of else asked.kind.value
        several = float(" " in span.text)
        before = self.text[max(span.start - _BEFORE, 0) : span.start]
        if not span.is_name:
            return {
                "long": several,
                "nounless": float(not lexicon.is_noun(span.text.rpartition(" ")[2])),
                "determined": float(bool(_DETERMINER.search(before))),
                "numeric": float(not span.text[0].isalpha()),
            }
        standing = lexicon.standing(span.text)
        return {
            f"name {kind}": 1.0,
            f"long name {kind}": several,
            f"placed {kind}": standing.place,
            "modifier": standing.modifier,
            "beside": float(asked.noun in standing.near),
        }

    def _signs_of_noun(self, span: Span, first: int, last: int) -> dict[str, float]:
        """Weigh the words of a span, and whether the noun asked for stands in or beside it."""
        asked, words = self.asked, content_words(span.text)
        repeated = words & (asked.words | self.alike)
        headed = asked.one_of and repeated == {asked.noun}
        before = self.text[max(span.start - _BEFORE, 0) : span.start]
        behind = self.stems[last + 1 : last + _NOUN_BEHIND]
        return {
            "headed": float(headed),
            "mixed": float(bool(repeated) and not headed),
            "located": float(asked.kind is Kind.PLACE and bool(_PLACE.search(before))),
            "noun before": float(asked.noun in self.stems[max(first - _NOUN_BEFORE, 0) : first]),
            "noun after": float(asked.noun in behind),
            "rare": min(max(map(self.search.index.rarity, words), default=0.0) / _RAREST, 1.0),
        }

    def _order(self, first: int, last: int) -> float:
        """Return from -1 to 1 how far words of the question stand on the side they should."""
        a = self.asked
        if a.after and first and "by" in self.stems[max(first - 2, 0) : first]:
            if any(place < first for w in a.focus for place in self.said.get(w, [])):
                return 1.0
            if any(word.endswith("ed") for word in self.words[max(first - 5, 0) : first]):
                return 0.5
        right = wrong = 0.0
        for word, places in sorted(self.said.items()):
            sides = places[0] < first, places[-1] > last
            if word in a.after:
                sides = sides[::-1]
            elif word not in a.before:
                continue
            weight = self.search.index.rarity(word)
            right += weight * sides[0]
            wrong += weight * (sides[1] and not sides[0])
        return (right - wrong) / (right + wrong) if right + wrong else 0.0


def _word_before(text: str) -> str:
    """Return the last word of ``text``, articles left out."""
    words = [word for word in tokens(text) if word not in ("the", "a", "an")]
    return words[-1] if words and text[-1:].isspace() else ""


def _gap(places: Sequence[int], first: int, last: int, at: Sequence[int]) -> int:
    """Return how far the nearest of ``places``, which ascend, is from ``first`` to ``last``."""
    after = bisect_left(places, first)
    before = at[first] - at[places[after - 1]] if after else None
    behind = max(at[places[after]] - at[last], 0) if after < len(places) else None
    return min(gap for gap in (before, behind) if gap is not None)
