"""Reads the titles that a recommendation may name, from an entity file or from a data set."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mabench.data import Dataset, load_entities
from mabench.families import Family
from mabench.scoring import Catalogue


def catalogue_of(
    dataset: Dataset | None,
    entities: str | Path | None = None,
    families: Iterable[Family] | None = None,
) -> Catalogue | None:
    """Return the titles that answers are scored with; None if there are none.

    Args:
        dataset: the data set, whose own titles count if ``entities`` is not given.
        entities: an entity file.
        families: the families of the questions: no titles are read unless one of them recommends.
            When None, they are read anyway.

    Raises:
        DataError: when the entity file cannot be read.
    """
    if families is not None and not any(family.needs_entities for family in families):
        return None
    if entities:
        return Catalogue(load_entities(Path(entities)))
    if dataset is None or dataset.entities is None:
        return None
    return Catalogue(dataset.entities)
