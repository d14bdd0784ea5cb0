"""Opening a data set by whatever names it: a path, ``hub``, ``synthetic:small``, or an object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard

from mabench.data import Dataset, Problem, load_entities, open_dataset
from mabench.data import validate as validate_dataset
from mabench.errors import UsageError
from mabench.scoring import Catalogue
from mabench.synthesis import DATASETS, RowSpec, entities_of, make_rows, manifest_of

_SYNTHETIC = "synthetic:"
_SEED = 0


def load(data: object, *, offline: bool = False) -> Dataset:
    """Open a data set; its rows are read when they are asked for, one at a time.

    Args:
        data: a folder in the hub's layout, a parquet, JSON or JSONL file, ``hub``,
            ``synthetic:small``, ``synthetic:medium`` or ``synthetic:full``, or an object: a
            ``datasets.DatasetDict`` or ``Dataset``, or any iterable of dicts.
        offline: never touch the network.

    Raises:
        DataError: when the data cannot be found, fetched or read.
        UsageError: when there is no synthetic data of that name.
    """
    return _synthetic(data) if _is_synthetic(data) else open_dataset(data, offline=offline)


def validate(data: object, *, complete: bool = False, offline: bool = False) -> list[Problem]:
    """Return every problem of a data set that is named as for ``load``.

    Raises:
        UsageError: when ``data`` names nothing that can hold rows.
    """
    rows = _synthetic(data) if _is_synthetic(data) else data
    return validate_dataset(rows, complete=complete, offline=offline)


def catalogue_of(dataset: Dataset | None, entities: str | Path | None) -> Catalogue | None:
    """Prepare the titles of an entity file, else those of a data set; None without either.

    Raises:
        DataError: when the entity file cannot be read.
    """
    known = load_entities(Path(entities)) if entities else dataset.entities if dataset else None
    return None if known is None else Catalogue(known)


def _is_synthetic(data: object) -> TypeGuard[str]:
    return isinstance(data, str) and data.startswith(_SYNTHETIC)


def synthetic_dataset(name: str, orders: Sequence[RowSpec], location: str | None = None) -> Dataset:
    """Return a data set whose rows are made when they are asked for.

    Args:
        name: a short name to show.
        orders: the rows, in the order of the hub.
        location: what ``load`` opens again, if anything.
    """
    dataset = Dataset.from_rows(
        name,
        lambda: make_rows(orders),
        of_sources=lambda sources: make_rows(orders, sources),
        entities=entities_of(orders),
        location=location,
    )
    dataset.manifest = manifest_of(orders)
    return dataset


def _synthetic(name: str) -> Dataset:
    plan = DATASETS.get(name.removeprefix(_SYNTHETIC))
    if plan is None:
        known = ", ".join(_SYNTHETIC + size for size in DATASETS)
        raise UsageError(f"no synthetic data named {name!r}; there is {known}")
    return synthetic_dataset(name, list(plan(_SEED)), location=name)
