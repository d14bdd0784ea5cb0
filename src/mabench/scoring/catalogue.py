"""The titles that recommendations are matched against, prepared once for many questions.

A title is what an entity, such as a film, is called. Titles are compared by their letters: those
of their words in one spelling, without spaces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from mabench.scoring.lexicon import entries, remembered
from mabench.scoring.tokens import spelling

_MOST_CHARACTERS = (
    10_000  # Characters of an item that are compared; no title is a hundredth as long.
)
_CHARACTERS_PER_EDIT = 8  # Of a title, for each slip that is let pass.
_SHORTEST_WITH_MISSING = 5  # Letters of a word in which one may be missing.
_SHORTEST_WITH_OTHER = 6  # Letters of a word in which one may be another: Token is not Taken.
_DIGIT = re.compile(r"\d")
_DIGIT_WITHIN_WORD = re.compile(r"(?<=[a-z])\d(?=[a-z])")  # Se7en.
_END_OF_PART = re.compile(r":\s|\s[\u2013\u2014]\s")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SEPARATORS_AS_SPACES = str.maketrans("_->", "   ")

_Words = tuple[str, ...]


class _SpeltTitle(NamedTuple):
    """The words of a title in one spelling, and the entities that have it."""

    words: _Words
    entities: list[int]


class Catalogue:
    """Entity names by id, and their titles: the nearest one, and those spelt freely.

    ``entities`` has the id of each entity's name (``<http://dbpedia.org/resource/Water_(film)>``),
    as ``entity2id.json`` of the data set; ``names`` the name of each id.
    """

    def __init__(self, entities: Mapping[str, int]) -> None:
        self.entities = dict(entities)
        self.names = {entity: name for name, entity in entities.items()}
        # Runs recommend the same films again and again, and each search reads all titles.
        self._nearest_in_lower_case = lru_cache(maxsize=16_384)(self._find_nearest)

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
        if not self._by_lower_case:
            return None
        lowered = item.lower()[:_MOST_CHARACTERS]
        is_known = lowered in self._by_lower_case
        spellings = self._by_lower_case[
            lowered if is_known else self._nearest_in_lower_case(lowered)
        ]
        return item if item in spellings else spellings[0]

    def _find_nearest(self, lowered: str) -> str:
        """Return the title, in lower case, at the least edit distance; of several the first."""
        titles = [*self._by_lower_case]
        title: str = process.extractOne(lowered, titles, scorer=Levenshtein.distance)[0]
        return title

    def entities_called(self, title: str, slips: bool = False) -> frozenset[int]:
        """Return the ids of the entities of a title, or of the only title that it is a part of.

        Parts have several words and end at a colon or dash. Case, accents, punctuation and spaces
        play no part. With ``slips``, one edit for every eight characters is let pass, in long
        words only: ``Token`` is not ``Taken``. Numerals must be the same, since a sequel is
        another film; only a digit within a word may be a letter (``Se7en``).
        """
        said = _spell(self._with_letters(title) if slips else title)
        letters = "".join(said)[:_MOST_CHARACTERS]
        if slips and letters not in self._by_letters:
            letters = self._correct_slip(said, letters)
        known = self._by_letters.get(letters)
        return frozenset(known.entities) if known else frozenset()

    def _with_letters(self, title: str) -> str:
        """Return the known title that has letters where another has digits within words, if any."""
        near = self.nearest(title) if _DIGIT_WITHIN_WORD.search(title) else None
        is_same = near and re.fullmatch(_DIGIT_WITHIN_WORD.sub(".", re.escape(title)), near)
        return near if near and is_same else title

    def _correct_slip(self, said: _Words, letters: str) -> str:
        """Return the letters of the nearest title of which words are a slip; empty if of none.

        ``letters`` are those of the words ``said``.
        """
        fewest_edits = 1 if len(letters) >= _SHORTEST_WITH_MISSING else 0
        edits = max(len(letters) // _CHARACTERS_PER_EDIT, fewest_edits)
        lengths = range(len(letters) - edits, len(letters) + edits + 1)
        alike = [known for length in lengths for known in self._by_length.get(length, ())]
        nearest_first = process.extract(
            letters, alike, scorer=Levenshtein.distance, score_cutoff=edits, limit=None
        )
        for known, *_ in nearest_first:
            if _is_slip(said, self._by_letters[known].words):
                return str(known)
        return ""

    # Made when they are first needed: most processes that have a catalogue score no titles.
    @cached_property
    def _titles(self) -> dict[int, str]:
        """The title in each name: of ``<.../Water_(1985_film)>`` that is ``Water``."""
        titles = dict[int, str]()
        for entity, name in self.names.items():
            end = name.rpartition("/")[2].translate(_SEPARATORS_AS_SPACES)
            titles[entity] = " ".join(_PARENTHESES.sub("", end).split())
        return titles

    @cached_property
    def _by_lower_case(self) -> dict[str, list[str]]:
        """The titles that are the same in lower case, each once, in the order of the entities."""
        spellings = defaultdict(list)
        for title in dict.fromkeys(self._titles.values()):
            spellings[title.lower()].append(title)
        return dict(spellings)

    @cached_property
    def _by_letters(self) -> dict[str, _SpeltTitle]:
        """Each title by its letters, and by those of a part that no other title has.

        The letters are those of the spelt words without spaces. A part of one word, such as the
        first of ``Alien: Romulus``, is too short to tell a title by.
        """
        known = dict[str, _SpeltTitle]()
        wholes_with = defaultdict[_Words, set[str]](set)  # The letters of the titles with a part.
        for entity, title in self._titles.items():
            whole = _spell(title)
            letters = "".join(whole)
            known.setdefault(letters, _SpeltTitle(whole, [])).entities.append(entity)
            for part in map(_spell, _END_OF_PART.split(title)):
                if len(part) > 1:
                    wholes_with[part].add(letters)
        for part, wholes in wholes_with.items():
            if len(wholes) == 1:
                (whole_letters,) = wholes
                entities = known[whole_letters].entities
                known.setdefault("".join(part), _SpeltTitle(part, entities))
        known.pop("", None)  # A title of signs only.
        return known

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        """The letters of titles, by how many they are."""
        by_length = defaultdict(list)
        for letters in self._by_letters:
            by_length[len(letters)].append(letters)
        return by_length


# The catalogue that was made last: whoever scores one answer after the other passes the same one.
_LAST_PREPARED: list[Catalogue] = []


def prepared(entities: Mapping[str, int] | Catalogue) -> Catalogue:
    """Return the catalogue of entities, the one of the last call where they are the same.

    They are compared, since a mapping may have changed; that takes half a millisecond for 30,000.
    """
    if isinstance(entities, Catalogue):
        return entities
    if not (_LAST_PREPARED and _LAST_PREPARED[0].entities == entities):
        _LAST_PREPARED[:] = [Catalogue(entities)]
    return _LAST_PREPARED[0]


@remembered(8192)
def _spell(title: str) -> _Words:
    """Return the words of a title in one spelling: no articles, numerals in digits.

    The first word is no numeral: ``X`` is a film, and ``Rocky II`` is ``rocky 2``.
    """
    said = spelling(title)
    words = tuple(word for word in said if word not in ("a", "an")) or said
    return words[:1] + tuple(_short_forms().get(word, word) for word in words[1:])


@remembered()
def _short_forms() -> dict[str, str]:
    """Return what is written for some words behind the first: a numeral's digits, ``pt``."""
    return dict(pair.split(":") for pair in entries("titles.short"))


def _is_slip(said: _Words, known: _Words) -> bool:
    """Return whether as many words differ from known ones by slips only.

    A slip is in a long word without digits, behind its first letter.
    """
    if len(said) != len(known):
        return False
    for one, other in zip(said, known, strict=True):
        if one == other:
            continue
        is_missing = len(one) != len(other)
        shortest = _SHORTEST_WITH_MISSING if is_missing else _SHORTEST_WITH_OTHER
        is_long = min(len(one), len(other)) >= shortest
        if not is_long or one[0] != other[0] or _DIGIT.search(one + other):
            return False
    return True
