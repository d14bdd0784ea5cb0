"""The titles that can be recommended, of an entity file or of a data set."""

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
    """Prepare the titles of an entity file, else of a data set; raises ``DataError``.

    There are none unless one of the given ``families`` recommends.
    """
    if families is not None and not any(family.needs_entities for family in families):
        return None
    ids = load_entities(Path(entities)) if entities else dataset.entities if dataset else None
    return None if ids is None else Catalogue(ids)
