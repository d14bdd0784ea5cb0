"""What speaks for a span as the answer to a question, by where it stands in a sentence."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from mabench.text.stems import is_function_word, stem, tokens
from mabench_floor.likeness import likeness, same_meaning
from mabench_floor.qa.holders import signs_of_holder
from mabench_floor.qa.nature import family_of, signs_of_date, signs_of_form, signs_of_head
from mabench_floor.qa.questions import Asked, Kind
from mabench_floor.qa.runs import Span
from mabench_floor.qa.search import Hit, Search
from mabench_floor.qa.weights import WEIGHTS
from mabench_floor.sentences import stems

_FADES = 4.0  # The distance in words at which a word of the question counts half,
_FOCUS_FADES = 2.0  # and the verb, or the noun that the answer is to something.
_TOLD = 0.2  # What a word counts for that was told earlier in the paragraph.
_BREAK = 2  # A comma or bracket counts as so many words.
_ALIKE = 0.7
_BEFORE = 14  # Characters before a span in which words are looked for.
_WORD = re.compile(r"[^\W_]+")
_CALLED = re.compile(
    r"\b(?:called|named|known as|termed|dubbed) (?:the |an? )?[\"\u201c']?$", re.IGNORECASE
)
_BY = re.compile(r"\bby (?:the |an? )?$", re.IGNORECASE)
_JOINING = frozenset(["", "-", "'", "\u2019", " "])
_LEAST = 0.05
_UNIT_WITHIN, _NOUN_BEFORE, _NOUN_BEHIND = 4, 3, 5  # Words around a span.
_ENDS, _LONGEST_TITLE = (".", "!", "?", '"'), 80


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
    stemmed: list[str]
    words: list[str]
    said: Mapping[str, list[int]]
    alike: set[str]
    told: list[str]
    total: float
    hit: Hit
    own: float
    opening: bool
    is_title: bool
    named: float
    paragraph: float
    holder: dict[str, float]
    left: frozenset[str]

    @classmethod
    def of(cls, asked: Asked, whole: Asked, hit: Hit, best: float, search: Search) -> Self:
        """Read a sentence: for what is left to ``asked`` of the ``whole`` question."""
        text = search.sentences[hit.place].text
        ends: list[int] = []
        at: list[int] = []
        stemmed: list[str] = []
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
            stemmed.append(word)
            plain.append(match.group())
        meant: set[str] = set()
        for wanted in sorted(asked.words.difference(said)):
            alike = _alike(wanted, others)
            if alike:
                said[wanted] = alike
                meant.update(stemmed[place] for place in alike)
        told = sorted(asked.words & search.told_before(hit.place))
        total = search.index.total_rarity(asked.words) or 1.0
        return cls(
            text,
            asked,
            search,
            hit.score / best,
            ends,
            at,
            stemmed,
            plain,
            said,
            meant,
            told,
            total,
            hit,
            search.index.total_rarity(said) / total,
            *_standing(hit.place, text, whole, search),
            _said_by_paragraph(hit, whole, search),
            signs_of_holder(whole, hit, search),
            whole.said & whole.words,
        )

    def weight(self, span: Span) -> float:
        """Return how well a span would answer, as the logarithm of its odds."""
        signs = self.signs(span).items()
        return sum(WEIGHTS.get(sign, 0.0) * value for sign, value in signs if value)

    def signs(self, span: Span) -> dict[str, float]:
        """Return what speaks for and against a span, each mostly from 0 to 1."""
        first, last = bisect_right(self.ends, span.start), bisect_left(self.ends, span.end)
        signs = self._signs_of_place(span, first, last)
        if self.asked.kind is Kind.NUMBER:
            follows = self.stemmed[last + 1 : last + _UNIT_WITHIN]
            signs["unit"] = float(bool(self.asked.unit) and self.asked.unit in follows)
            signs["money"] = float(self.asked.much and span.text.startswith("$"))
            signs["bare"] = float(self.asked.measure and span.text[-1:].isdigit())
            signs["thousands"] = float("," in span.text and bool(self.asked.unit))
        elif self.asked.kind is Kind.DATE:
            signs |= signs_of_date(span, self.text, self.asked)
        else:
            signs |= signs_of_form(span, self.text, self.asked, self.search)
            signs |= signs_of_head(span, self.text, self.asked, self.search, self.alike)
            behind = self.stemmed[last + 1 : last + _NOUN_BEHIND]
            noun = self.asked.noun
            signs["noun before"] = float(noun in self.stemmed[max(first - _NOUN_BEFORE, 0) : first])
            signs["noun after"] = float(noun in behind)
        if span.parts:
            signs[f"{span.parts} {family_of(self.asked)}"] = 1.0
            signs[f"{span.parts} plural"] = float(self.asked.plural)
        return signs | self._signs_of_sentence(span) | self.holder

    def _signs_of_sentence(self, span: Span) -> dict[str, float]:
        """Weigh the sentence, and what the span is to its paragraph."""
        hit, documents = self.hit, self.search.documents
        words = stems(span.text)
        kind = family_of(self.asked)
        return {
            "trust": math.log(self.share),
            "own": math.log(self.own + _LEAST),
            "paragraph": math.log(self.paragraph + _LEAST),
            "hop": float(hit.start is not None),
            "hop to subject": float(hit.is_subject),
            "opening": float(self.opening),
            "title": float(self.is_title),
            f"subject {kind}": float(documents.opens_with(hit.place, words)),
            "link": float(bool(hit.name) and set(words) <= set(hit.name)),
            "named": self.named,
            "hop nested": float(self.asked.nested and hit.start is not None),
            "hop to subject nested": float(self.asked.nested and hit.is_subject),
            "named nested": self.named * self.asked.nested,
        }

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
            "near": math.log((said + told) / self.total + _LEAST),
            "near what is said": self._nearness(self.left, near),
            "order": self._order(first, last),
            "focus": 1 / (1 + min(focus) / _FOCUS_FADES) if focus else 0.0,
            "unfocused": float(bool(asked.focus) and not focus),
            "by": float(is_agent and bool(_BY.search(before))),
            "governed": float(_word_before(before) == asked.preposition != ""),
            "bracketed": float(asked.naming and before[-1:] == "("),
            "called": float(asked.naming and bool(_CALLED.search(before))),
        }

    def _nearness(self, words: frozenset[str], near: Mapping[str, int]) -> float:
        """Return how near a span stands to ``words``, given how far each is: 1 for beside all."""
        index = self.search.index
        found = sorted(words & self.asked.words & near.keys())
        said = math.fsum(index.rarity(word) / (1 + near[word] / _FOCUS_FADES) for word in found)
        return said / (index.total_rarity(words) or 1.0)

    def _order(self, first: int, last: int) -> float:
        """Return from -1 to 1 how far words of the question stand on the side they should."""
        a = self.asked
        if a.after and first and "by" in self.stemmed[max(first - 2, 0) : first]:
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


def _alike(wanted: str, others: Sequence[tuple[int, str]]) -> list[int]:
    """Return the places of the words that mean ``wanted``, or are spelt much like it."""
    meant, initial = same_meaning(wanted), wanted[:1]
    return [
        place
        for place, word in others
        if word in meant or (word[:1] == initial and likeness(wanted, word) >= _ALIKE)
    ]


def _standing(place: int, text: str, whole: Asked, search: Search) -> tuple[bool, bool, float]:
    """Say whether a sentence opens its paragraph, is its title, and if the question names that."""
    start = int(search.documents.starts[place])
    head = search.sentences[start]
    has_title = head.text[-1:] not in _ENDS and len(head.text) < _LONGEST_TITLE
    names = search.documents.names_in(start)[:1]
    shared = whole.words.intersection(*names) if names else frozenset()
    total = search.index.total_rarity(set(*names)) if names else 0.0
    named = search.index.total_rarity(shared) / total if total else 0.0
    return place == start + has_title, has_title and place == start, named


def _said_by_paragraph(hit: Hit, whole: Asked, search: Search) -> float:
    """Return the share of a question that a paragraph says, with the one that led to it."""
    documents, index = search.documents, search.index
    said: set[str] = set()
    for place in (hit.place, hit.start):
        if place is not None:
            start, end = int(documents.starts[place]), int(documents.ends[place])
            places = {word: index.places(word) for word in whole.words - said}
            said |= {w for w, p in places.items() if bisect_left(p, start) < bisect_left(p, end)}
    return index.total_rarity(said) / (index.total_rarity(whole.words) or 1.0)


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
