"""The titles that recommendations are matched against, prepared once for many questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from mabench.scoring.nearest import Nearest
from mabench.scoring.words import spelling

_CHARACTERS_PER_EDIT = 5
_NUMERAL = re.compile(r"\d|\A[ivx]+\Z")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SEPARATORS = str.maketrans("_->", "   ")


class Catalogue:
    """Entity names by id, with the titles indexed for the nearest one by edit distance.

    Args:
        entities: entity name (``<http://dbpedia.org/resource/Water_(1985_film)>``) to id, as in
            the data set's ``entity2id.json``.

    Attributes:
        names: entity id to entity name.
    """

    def __init__(self, entities: Mapping[str, int]) -> None:
        self._entities = dict(entities)
        self.names = {entity: name for name, entity in entities.items()}

    def __reduce__(self) -> tuple[type[Catalogue], tuple[dict[str, int]]]:
        """Let another process prepare the titles again, which is quicker than sending them."""
        return type(self), (self._entities,)

    def is_of(self, entities: Mapping[str, int]) -> bool:
        """Whether these are the entities that it was made of, with the same ids."""
        return self._entities == entities

    def titles(self, ids: Iterable[str]) -> list[str]:
        """Return the titles of the entities in ``ids``, in order; unknown ids are left out."""
        known = (self._titles.get(entity) for entity in map(entity_id, ids) if entity is not None)
        return [title for title in known if title is not None]

    def nearest(self, item: str) -> str | None:
        """Return the title at the least edit distance from ``item``, case aside.

        The published code breaks ties arbitrarily. Here, of titles at the same distance the one
        whose entity comes first in the catalogue is taken; of titles that differ in case only,
        the one spelt as ``item`` is, else the first. None when the catalogue is empty.
        """
        lowered = self._index.nearest(item.lower())
        if lowered is None:
            return None
        spellings = self._spellings[lowered]
        return item if item in spellings else spellings[0]

    def entities_titled(self, title: str) -> frozenset[int]:
        """Return the ids of the entities whose title a careful reader takes ``title`` for.

        Spellings are folded (``words.spelling``) and may then differ by one edit for every
        five characters of ``title``, but numerals must be the same: a sequel is another film.
        """
        folded = " ".join(spelling(title))
        near = self._folded_index.nearest(folded, len(folded) // _CHARACTERS_PER_EDIT)
        if near is None or _numerals(near) != _numerals(folded):
            return frozenset()
        return frozenset(self._by_folded[near])

    # Made when they are first needed: most processes that have a catalogue score no titles.
    @cached_property
    def _titles(self) -> dict[int, str]:
        return {entity: _title(name) for entity, name in self.names.items()}

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        spellings: dict[str, list[str]] = {}
        for title in dict.fromkeys(self._titles.values()):
            spellings.setdefault(title.lower(), []).append(title)
        return spellings

    @cached_property
    def _index(self) -> Nearest:
        return Nearest(list(self._spellings))

    @cached_property
    def _by_folded(self) -> dict[str, list[int]]:
        by_folded: dict[str, list[int]] = {}
        for entity, title in self._titles.items():
            by_folded.setdefault(" ".join(spelling(title)), []).append(entity)
        by_folded.pop("", None)
        return by_folded

    @cached_property
    def _folded_index(self) -> Nearest:
        return Nearest(list(self._by_folded))


# The catalogue that was made last: whoever scores one answer after the other passes the same one.
_LAST: list[Catalogue] = []


def prepared(entities: Mapping[str, int] | Catalogue) -> Catalogue:
    """Return the catalogue of entities, the one of the last call where they are the same.

    They are compared, since a mapping may have changed; that takes half a millisecond for 30,000.
    """
    if isinstance(entities, Catalogue):
        return entities
    last = next(iter(_LAST), None)
    if last is None or not last.is_of(entities):
        _LAST[:] = [last := Catalogue(entities)]
    return last


def entity_id(answer: str) -> int | None:
    """Return the entity id that a gold string holds, or None when it holds no number."""
    try:
        return int(answer)
    except ValueError:
        return None


def _title(name: str) -> str:
    """Return the title in an entity's name: ``<.../Water_(1985_film)>`` gives ``Water``."""
    last = name.rpartition("/")[2].translate(_SEPARATORS)
    return " ".join(_PARENTHESES.sub("", last).split())


def _numerals(folded: str) -> list[str]:
    return sorted(filter(_NUMERAL.search, folded.split()))
