"""What speaks for a span as the answer to a question: where it stands, and what it is."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Self

from mabench.text.stems import content_words, is_function_word, stem, tokens
from mabench_floor.likeness import likeness, same_meaning
from mabench_floor.qa.candidates import Span
from mabench_floor.qa.holders import is_such
from mabench_floor.qa.questions import Asked, Kind
from mabench_floor.qa.search import Hit, Search

# Plain choices: the distance in words at which a word of the question counts half,
_FADES = 4.0
_FOCUS_FADES = 2.0  # and the verb, or the noun that the answer is to something;
_EARLIER = 0.2  # what a word counts for that stands earlier in the paragraph;
_ALIKE = 0.7  # how alike words must be;
_LEAST = 0.05  # and what is added to what a logarithm is taken of.
_AROUND = 3  # Words before and behind a span in which the noun asked for may stand.
_BREAK, _JOINING = 2, frozenset(["", "-", "'", "\u2019", " "])
_RAREST = 10.0
_BEFORE = 24  # Characters before a span that are read.
_BORN = re.compile(r"\bborn (?:on |in )?(?:[A-Z]\S* )?$|\((?:born |b\. )?$")
_DIED = re.compile(r"\bdied (?:on |in )?$|\d{4} ?[-\u2013\u2014] ?$")
_BIRTH, _DEATH = frozenset(["born", "birth", "birthday"]), frozenset(["die", "death", "dead"])
_LONGEST_TITLE = 80
# Everyday words with which names of bodies, events and places end.
_BODY_WORDS = """company university college school parliament association party army navy force
council court church club institute society academy museum library bank press agency union league
committee corporation group orchestra department ministry office board congress senate assembly
team act war battle treaty empire kingdom republic dynasty revolution movement conference festival
award prize cup tour season river lake sea ocean island islands mountain mountains street road
avenue building tower castle bridge station airport park stadium arena hall house palace theatre
theater county state city town province district region valley bay records studios studio band"""
_BODIES = frozenset(_BODY_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_BY = re.compile(r"\bby (?:the |an? )?$", re.IGNORECASE)
_TRADE = re.compile(r"[a-z]{3}(?:er|or|ist|ian|man|woman|eer|ess|smith|wright)s?\Z")
_PLACE = re.compile(r"\b(?:in|at|to|near|on|from|into|of|across|through) (?:the )?$", re.IGNORECASE)


@cache
def weights() -> Mapping[str, float]:
    """Return what each sign of a span counts for, as ``make fit`` writes it."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    fitted: dict[str, float] = json.loads(text)
    return fitted


class Sighting(NamedTuple):
    """A sentence in which spans are weighed.

    Read once for all its spans: a sentence may be as long as a chunk.

    Attributes:
        text: the sentence.
        asked: what is left to ask of it.
        hit: how the search came to it.
        search: the search.
        ends: where each of its words ends,
        at: its place, where a comma or bracket counts as two words,
        stemmed: and its stem.
        said: the places of the words of the question, or of words that mean the same.
        earlier: the words of the question that stand before it in its paragraph.
        shared: the signs that all spans of the sentence have.
    """

    text: str
    asked: Asked
    hit: Hit
    search: Search
    ends: list[int]
    at: list[int]
    stemmed: list[str]
    said: Mapping[str, list[int]]
    earlier: frozenset[str]
    shared: Mapping[str, float]

    @classmethod
    def of(cls, asked: Asked, whole: Asked, hit: Hit, best: float, search: Search) -> Self:
        """Read a sentence: for what is left to ``asked`` of the ``whole`` question."""
        text = search.sentences[hit.place].text
        ends: list[int] = []
        at: list[int] = []
        stemmed: list[str] = []
        said: defaultdict[str, list[int]] = defaultdict(list)
        others: list[tuple[int, str]] = []
        for place, match in enumerate(_WORD.finditer(text)):
            word = match.group().lower()
            joined = not ends or text[ends[-1] : match.start()] in _JOINING
            at.append((at[-1] if at else 0) + 1 + (0 if joined else _BREAK))
            ends.append(match.end())
            stemmed.append(stem(word))
            if stemmed[-1] in asked.words:
                said[stemmed[-1]].append(place)
            elif not is_function_word(word):
                others.append((place, stemmed[-1]))
        for wanted in sorted(asked.words.difference(said)):
            if alike := _alike(wanted, others):
                said[wanted] = alike
        documents, index = search.documents, search.index
        start = int(documents.starts[hit.place])
        names = documents.names_in(start)[:1]
        named = index.total_rarity(whole.words.intersection(*names)) if names else 0.0
        heads = [start] if hit.start is None else [start, int(documents.starts[hit.start])]
        ranges = [(head, int(documents.ends[head])) for head in heads]
        told = set[str]().union(*(search.stand_in(whole.words, *own) for own in ranges))
        shared = {
            "trust": math.log(hit.score / best),
            "paragraph": math.log(
                index.total_rarity(told) / (index.total_rarity(whole.words) or 1.0) + _LEAST
            ),
            "hop": float(hit.start is not None),
            "hop to subject": float(hit.is_subject),
            "opening": float(hit.place == start + _is_title(search.sentences[start].text)),
            "named": named / (index.total_rarity(set(*names)) or 1.0) if names else 0.0,
        }
        if whole.nested:
            nested = ("hop", "hop to subject", "named")
            shared |= {f"{sign} nested": shared[sign] for sign in nested}
        if whole.holder:
            meant = {whole.holder, *same_meaning(whole.holder)}
            words = search.sentences[hit.start].words if hit.start is not None else ()
            around = (
                words[max(place - _AROUND, 0) : place + _AROUND]
                for place, word in enumerate(words)
                if word in hit.name
            )
            shared |= {
                "held": is_such(whole.holder, documents.introduction(hit.place)),
                "link held": float(any(not meant.isdisjoint(own) for own in around)),
            }
        earlier = frozenset(search.stand_in(asked.words, start, hit.place))
        return cls(text, asked, hit, search, ends, at, stemmed, said, earlier, shared)

    def weight(self, span: Span) -> float:
        """Return how well a span would answer, as the logarithm of its odds."""
        signs = self.signs(span).items()
        return sum(weights().get(sign, 0.0) * value for sign, value in signs if value)

    def signs(self, span: Span) -> dict[str, float]:
        """Return what speaks for and against a span, each mostly from 0 to 1."""
        first, last = bisect_right(self.ends, span.start), bisect_left(self.ends, span.end)
        before = self.text[max(span.start - _BEFORE, 0) : span.start]
        signs = {**self.shared, **self._signs_of_place(first, last, before)}
        if self.asked.kind is Kind.NUMBER:
            signs["unit"] = float(
                bool(self.asked.unit)
                and self.asked.unit in self.stemmed[last + 1 : last + 1 + _AROUND]
            )
        elif self.asked.kind is Kind.DATE:
            signs["life"] = _life(before, self.asked)
        else:
            signs |= self._signs_of_form(span, first, last, before)
        return signs

    def _signs_of_place(self, first: int, last: int, before: str) -> dict[str, float]:
        """Weigh where a span stands among the words of the question."""
        asked, index = self.asked, self.search.index
        near = {
            word: _gap(places, first, last, self.at)
            for word, places in sorted(self.said.items())
            if bisect_left(places, first) == bisect_right(places, last)  # Not in the span.
        }
        said = math.fsum(index.rarity(word) / (1 + gap / _FADES) for word, gap in near.items())
        said += _EARLIER * index.total_rarity(self.earlier.difference(near))
        focus = near.get(asked.focus)
        governs = [word for word in tokens(before) if word not in ("the", "a", "an")][-1:]
        return {
            "near": math.log(said / (index.total_rarity(asked.words) or 1.0) + _LEAST),
            "focus": 1 / (1 + focus / _FOCUS_FADES) if focus is not None else 0.0,
            "order": asked.side * self._order(first, last) if asked.side else 0.0,
            "by": float(asked.side > 0 and bool(_BY.search(before))),
            "governed": float(governs == [asked.preposition]),
        }

    def _order(self, first: int, last: int) -> float:
        """Return from -1 to 1 how far words of the question stand behind rather than before."""
        behind = before = 0.0
        for word, places in sorted(self.said.items()):
            behind += self.search.index.rarity(word) * (places[-1] > last)
            before += self.search.index.rarity(word) * (places[0] < first)
        return (behind - before) / (behind + before) if behind + before else 0.0

    def _signs_of_form(self, span: Span, first: int, last: int, before: str) -> dict[str, float]:
        """Weigh what a span is: a name or a phrase, and of what."""
        asked, search = self.asked, self.search
        kind = asked.family
        words, several = content_words(span.text), float(" " in span.text)
        repeated = words & asked.words
        headed = asked.one_of and repeated == {asked.noun}
        signs = {
            "headed": float(headed),
            "noun before": float(asked.noun in self.stemmed[max(first - _AROUND, 0) : first]),
            "noun after": float(asked.noun in self.stemmed[last + 1 : last + 1 + _AROUND]),
            "located": float(asked.kind is Kind.PLACE and bool(_PLACE.search(before))),
            "rare": min(max(map(search.index.rarity, words), default=0.0) / _RAREST, 1.0),
        }
        if not span.is_name:
            return signs | {
                "long": several,
                "numeric": float(not span.text[0].isalpha()),
                f"acting {kind}": float(bool(_TRADE.search(span.text))),
                "compound": float(not span.text.islower()),
                "joined": float(" and " in span.text or " or " in span.text),
            }
        placed, near = search.standing(span.text)
        return signs | {
            f"name {kind}": 1.0,
            f"long name {kind}": several,
            f"placed {kind}": placed,
            "beside": float(asked.noun in near),
            f"body {kind}": float(span.text.rpartition(" ")[2].lower() in _BODIES),
        }


def _life(before: str, asked: Asked) -> float:
    """Return 1 for a date of the birth or death that a question asks for, -1 for the other."""
    wanted = bool(asked.words & _DEATH) - bool(asked.words & _BIRTH)
    return float(wanted * (bool(_DIED.search(before)) - bool(_BORN.search(before))))


def _is_title(text: str) -> bool:
    return text[-1:] not in '.!?"' and len(text) < _LONGEST_TITLE


def _alike(wanted: str, others: Sequence[tuple[int, str]]) -> list[int]:
    """Return the places of the words that mean ``wanted``, or are spelt much like it."""
    meant, initial = same_meaning(wanted), wanted[:1]
    return [
        place
        for place, word in others
        if word in meant or (word[:1] == initial and likeness(wanted, word) >= _ALIKE)
    ]


def _gap(places: Sequence[int], first: int, last: int, at: Sequence[int]) -> int:
    """Return how far the nearest of ``places``, which ascend, is from ``first`` to ``last``."""
    after = bisect_left(places, first)
    gaps = [at[first] - at[place] for place in places[max(after - 1, 0) : after]]
    return min(gaps + [max(at[place] - at[last], 0) for place in places[after : after + 1]])
