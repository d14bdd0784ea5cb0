"""The titles that recommendations are matched against, prepared once for many questions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from mabench.scoring.lexicon import entries, remembered
from mabench.scoring.tokens import spelling

_LONGEST = 10_000  # Characters of an item that are compared; no title is a hundredth as long.
_CHARACTERS_PER_EDIT = 8
_SHORTEST_CHANGED = 5  # Letters of a word in which one may be another, or missing.
_DIGIT = re.compile(r"\d")
_LETTER_DIGIT = re.compile(r"(?<=[a-z])\d(?=[a-z])")  # Se7en.
_PARTS = re.compile(r":\s|\s[\u2013\u2014]\s")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SEPARATORS = str.maketrans("_->", "   ")

_Words = tuple[str, ...]


class Catalogue:
    """Entity names by id, and their titles: the nearest one, and those spelt freely.

    ``entities`` has the id of each entity's name (``<http://dbpedia.org/resource/Water_(film)>``),
    as ``entity2id.json`` of the data set; ``names`` the name of each id.
    """

    def __init__(self, entities: Mapping[str, int]) -> None:
        self.entities = dict(entities)
        self.names = {entity: name for name, entity in entities.items()}
        self._nearest = lru_cache(maxsize=16_384)(
            lambda text: process.extractOne(text, [*self._spellings], scorer=Levenshtein.distance)[
                0
            ]
        )

    def __reduce__(self) -> tuple[type[Catalogue], tuple[dict[str, int]]]:
        """Let another process prepare the titles again, which is quicker than sending them."""
        return type(self), (self.entities,)

    def titles(self, ids: Iterable[str]) -> list[str]:
        """Return the titles of the entities in ``ids``, in order; unknown ids are left out."""
        known = map(self.entity, ids)
        return [self._titles[entity] for entity in known if entity is not None]

    def entity(self, answer: str) -> int | None:
        """Return the entity id that a gold string holds; None when it holds none that is known."""
        try:
            return int(answer) if int(answer) in self.names else None
        except ValueError:
            return None

    def nearest(self, item: str) -> str | None:
        """Return the title at the least edit distance from ``item``, case aside.

        The published code breaks ties arbitrarily; here the entity that comes first wins, and of
        titles that differ in case only the one spelt as ``item``. None in an empty catalogue.
        """
        if not self._spellings:
            return None
        lowered = item.lower()[:_LONGEST]
        known = lowered if lowered in self._spellings else self._nearest(lowered)
        spellings = self._spellings[known]
        return item if item in spellings else spellings[0]

    def entities_called(self, title: str, slips: bool = False) -> frozenset[int]:
        """Return the ids of the entities of a title, or of the only title that it is a part of.

        Parts have several words and end at a colon or dash. Case, accents, punctuation and spaces
        play no part. With ``slips``, one edit for every eight characters is let pass, in long
        words only: ``Token`` is not ``Taken``. Numerals must be the same, since a sequel is
        another film; only a digit within a word may be a letter (``Se7en``).
        """
        near = self.nearest(title) if slips and _LETTER_DIGIT.search(title) else None
        if near and re.fullmatch(_LETTER_DIGIT.sub(".", re.escape(title)), near):
            title = near
        said = _fold(title)
        letters = "".join(said)[:_LONGEST]
        if slips and letters not in self._by_letters:
            letters = self._correct_slip(said, letters)
        return frozenset(self._by_letters.get(letters, ((), ()))[1])

    def _correct_slip(self, said: _Words, letters: str) -> str:
        """Return the letters of the nearest title, if these are a slip of it, or nothing."""
        edits = max(len(letters) // _CHARACTERS_PER_EDIT, int(len(letters) >= _SHORTEST_CHANGED))
        lengths = range(len(letters) - edits, len(letters) + edits + 1)
        alike = [known for length in lengths for known in self._by_length.get(length, ())]
        near = process.extract(
            letters, alike, scorer=Levenshtein.distance, score_cutoff=edits, limit=None
        )
        return next((known for known, *_ in near if _is_slip(said, self._by_letters[known][0])), "")

    # Made when they are first needed: most processes that have a catalogue score no titles.
    @cached_property
    def _titles(self) -> dict[int, str]:
        """The title in each name: of ``<.../Water_(1985_film)>`` that is ``Water``."""
        ends = {e: name.rpartition("/")[2].translate(_SEPARATORS) for e, name in self.names.items()}
        return {e: " ".join(_PARENTHESES.sub("", end).split()) for e, end in ends.items()}

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        spellings = defaultdict(list)
        for title in dict.fromkeys(self._titles.values()):
            spellings[title.lower()].append(title)
        return dict(spellings)

    @cached_property
    def _by_letters(self) -> dict[str, tuple[_Words, list[int]]]:
        """The words and the ids of each title by its letters, and of a part that it has alone."""
        known: dict[str, tuple[_Words, list[int]]] = {}
        parts = defaultdict[_Words, set[str]](set)
        for entity, title in self._titles.items():
            whole = _fold(title)
            known.setdefault("".join(whole), (whole, []))[1].append(entity)
            for part in map(_fold, _PARTS.split(title)):
                if len(part) > 1:
                    parts[part].add("".join(whole))
        for part, wholes in parts.items():
            if len(wholes) == 1:
                known.setdefault("".join(part), (part, known[wholes.pop()][1]))
        known.pop("", None)
        return known

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        by_length = defaultdict(list)
        for letters in self._by_letters:
            by_length[len(letters)].append(letters)
        return by_length


# The catalogue that was made last: whoever scores one answer after the other passes the same one.
_LAST: list[Catalogue] = []


def prepared(entities: Mapping[str, int] | Catalogue) -> Catalogue:
    """Return the catalogue of entities, the one of the last call where they are the same.

    They are compared, since a mapping may have changed; that takes half a millisecond for 30,000.
    """
    if isinstance(entities, Catalogue):
        return entities
    if not (_LAST and _LAST[0].entities == entities):
        _LAST[:] = [Catalogue(entities)]
    return _LAST[0]


@remembered(8192)
def _fold(title: str) -> _Words:
    """Return the words of a title in one spelling: no articles, numerals in digits."""
    said = spelling(title)
    words = tuple(word for word in said if word not in ("a", "an")) or said
    return words[:1] + tuple(_short().get(word, word) for word in words[1:])


@remembered()
def _short() -> dict[str, str]:
    """Return what stands for some words behind the first: a numeral's digits, ``pt``."""
    return dict(pair.split(":") for pair in entries("titles.short"))


def _is_slip(said: _Words, known: _Words) -> bool:
    """Say whether words differ by slips of the pen, which are in long words."""
    for one, other in zip(said, known, strict=False):
        shortest = _SHORTEST_CHANGED + (len(one) == len(other))
        is_long = min(len(one), len(other)) >= shortest and one[0] == other[0]
        if one != other and (not is_long or _DIGIT.search(one + other)):
            return False
    return len(said) == len(known)
