"""The titles that recommendations are matched against, prepared once for many questions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import inf

from mabench.scoring.lexicon import entries
from mabench.scoring.tokens import fold, spelling

_LONGEST = 10_000  # Characters of an item that are compared; no title is a hundredth as long.
_CHARACTERS_PER_EDIT = 8
_SHORTEST_CHANGED = 6  # Letters of a word in which one letter may be another.
_DIGIT = re.compile(r"\d")
_LETTER_DIGIT = re.compile(r"(?<=[a-z])\d(?=[a-z])")  # Se7en.
_PARTS = re.compile(r":\s+|(?<!\s)\s+[-\u2013\u2014]\s+")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SEPARATORS = str.maketrans("_->", "   ")
_SHORT = dict(pair.split(":") for pair in entries("titles.short"))


class Catalogue:
    """Entity names by id, with the titles indexed for the nearest one by edit distance.

    ``entities`` has the id of each entity's name (``<http://dbpedia.org/resource/Water_(film)>``),
    as ``entity2id.json`` of the data set; ``names`` the name of each id.
    """

    def __init__(self, entities: Mapping[str, int]) -> None:
        self.entities = dict(entities)
        self.names = {entity: name for name, entity in entities.items()}
        self._nearest = lru_cache(maxsize=16_384)(self._search)

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
        lowered = self._nearest(item.lower()[:_LONGEST])
        if lowered is None:
            return None
        spellings = self._spellings[lowered]
        return item if item in spellings else spellings[0]

    def entities_spelt(self, title: str) -> frozenset[int]:
        """Return the ids of the entities that have this title, as ``_folded`` spells it."""
        return frozenset(self._by_folded.get("".join(_folded(title)), ()))

    def entities_called(self, part: str) -> frozenset[int]:
        """Return the ids of the only title that has ``part`` before or after a colon or dash."""
        wholes = self._by_part.get("".join(_folded(part)), set())
        return frozenset(self._by_folded[next(iter(wholes))] if len(wholes) == 1 else ())

    def entities_titled(self, title: str) -> frozenset[int]:
        """Return the ids of the entities whose title ``title`` is with a slip of the pen.

        One edit for every eight characters is let pass, in long words only: ``Token`` is not
        ``Taken``. Numerals must be the same, since a sequel is another film; a digit within a
        word may be any letter of the officially nearest title (``Se7en``).
        """
        folded = _folded(title)
        joined = "".join(folded)
        edits = max(len(joined) // _CHARACTERS_PER_EDIT, int(len(joined) >= _SHORTEST_CHANGED - 1))
        near = self._nearest(joined[:_LONGEST], edits)
        if near is not None:
            entities = frozenset(self._by_folded[near])
            if _is_slip(folded, _folded(self._titles[min(entities)])):
                return entities
        plain = fold(title).strip()
        official = self.nearest(title) if _LETTER_DIGIT.search(plain) else None
        letters = "[a-z]".join(map(re.escape, _LETTER_DIGIT.split(plain)))
        is_official = official is not None and re.fullmatch(letters, fold(official))
        return self.entities_spelt(official) if official and is_official else frozenset()

    def _search(self, text: str, within: int | None = None) -> str | None:
        """Return the nearest title in lower case, or folded one within edits; the first of equals.

        Titles of nearly its length come first: the lengths differ by no more than the distance.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        by_length = self._by_length[within is not None]
        best: tuple[float, int, str | None] = (inf if within is None else within + 0.5, 0, None)
        for length in sorted(by_length, key=lambda length: abs(length - len(text))):
            if abs(length - len(text)) > best[0]:
                break
            most = None if best[0] == inf else int(best[0])
            near = process.extractOne(
                text, by_length[length], scorer=Levenshtein.distance, score_cutoff=most
            )
            if near:
                best = min(best, (near[1], near[2], near[0]))
        return best[2]

    # Made when they are first needed: most processes that have a catalogue score no titles.
    @cached_property
    def _titles(self) -> dict[int, str]:
        return {entity: _title(name) for entity, name in self.names.items()}

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        spellings = defaultdict(list)
        for title in dict.fromkeys(self._titles.values()):
            spellings[title.lower()].append(title)
        return spellings

    @cached_property
    def _by_length(self) -> tuple[dict[int, dict[int, str]], ...]:
        indexes = defaultdict[int, dict[int, str]](dict), defaultdict[int, dict[int, str]](dict)
        for index, texts in zip(indexes, ([*self._spellings], [*self._by_folded]), strict=True):
            for place, text in enumerate(texts):
                index[len(text)][place] = text
        return indexes

    @cached_property
    def _by_folded(self) -> dict[str, list[int]]:
        by_folded: dict[str, list[int]] = {}
        for entity, title in self._titles.items():
            by_folded.setdefault("".join(_folded(title)), []).append(entity)
        by_folded.pop("", None)
        return by_folded

    @cached_property
    def _by_part(self) -> dict[str, set[str]]:
        """The folded titles by each part of several words that a colon or dash parts off."""
        parts = defaultdict(set)
        for entity, name in self.names.items():
            title = _PARENTHESES.sub("", name.rpartition("/")[2].replace("_", " "))
            whole = "".join(_folded(self._titles[entity]))
            for part in _PARTS.split(title) if whole and _PARTS.search(title) else ():
                if len(part.split()) > 1:
                    parts["".join(_folded(part))].add(whole)
        parts.pop("", None)
        return dict(parts)


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


def _title(name: str) -> str:
    """Return the title in an entity's name: ``<.../Water_(1985_film)>`` gives ``Water``."""
    last = name.rpartition("/")[2].translate(_SEPARATORS)
    return " ".join(_PARENTHESES.sub("", last).split())


def _folded(title: str) -> tuple[str, ...]:
    """Return the words of a title in one spelling: no article in front, numerals in digits.

    Case, accents, punctuation and spaces play no part.
    """
    words = spelling(title)
    if len(words) > 1 and words[0] in ("a", "an"):
        words = words[1:]
    return words[:1] + tuple(_SHORT.get(word, word) for word in words[1:])


def _is_slip(said: Sequence[str], known: Sequence[str]) -> bool:
    """Say whether words differ as slips of the pen do: in long words, by their letters."""
    if len(said) != len(known):
        return list(filter(_DIGIT.search, said)) == list(filter(_DIGIT.search, known))
    return all(
        one == other
        or (
            min(len(one), len(other)) >= _SHORTEST_CHANGED - (len(one) != len(other))
            and one[0] == other[0]
            and not _DIGIT.search(one + other)
        )
        for one, other in zip(said, known, strict=True)
    )
