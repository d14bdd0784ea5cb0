"""Opening a data set by whatever names it: a path, ``hub``, ``synthetic:small``, or an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeGuard

from mabench.data import Dataset, Problem, Source, load_entities, open_dataset
from mabench.data.readers.objects import row_records
from mabench.data.validation import find_problems
from mabench.errors import DataError, UsageError
from mabench.families import families_of, family_of
from mabench.scoring import Catalogue
from mabench.suggestions import unknown
from mabench.synthesis import DATASETS, RowSpec, entities_of, make_rows, manifest_of

_SYNTHETIC = "synthetic:"
_SEED = 0


def load(
    data: object, *, offline: bool = False, sources: Mapping[str, Source] | None = None
) -> Dataset:
    """Open a data set; its rows are read when they are asked for, one at a time.

    Args:
        data: a folder in the hub's layout, a parquet, JSON or JSONL file, ``hub``,
            ``synthetic:small``, ``synthetic:medium`` or ``synthetic:full``, or an object: a
            ``datasets.DatasetDict`` or ``Dataset``, or any iterable of dicts.
        offline: never touch the network.
        sources: sources of your own that the rows name, by name.

    Raises:
        DataError: when the data cannot be found, fetched or read.
        UsageError: when there is no synthetic data of that name, a source has the name of one of
            the benchmark, or its family cannot be loaded.
    """
    dataset = _synthetic(data) if _is_synthetic(data) else open_dataset(data, offline=offline)
    if not sources:
        return dataset
    families_of(sources)  # Complain now rather than at the first row.
    return dataset.with_sources(sources)


def validate(
    data: object,
    *,
    complete: bool = False,
    offline: bool = False,
    sources: Mapping[str, Source] | None = None,
) -> list[Problem]:
    """Return every problem of a data set, as ``find_problems`` does.

    Args:
        data: as for ``load``, like the others.
        complete: whether the data should be all of the public data set; see ``find_problems``.
        offline: never touch the network.
        sources: sources of your own that the rows name.

    Raises:
        UsageError: when ``data`` names nothing that can hold rows, or for ``sources`` as ``load``.
    """
    try:
        dataset = load(data, offline=offline, sources=sources)
    except DataError as error:
        return [Problem("error", str(data), None, None, str(error), "a data set to read")]
    return find_problems(dataset, family_of, complete=complete)


def catalogue_of(dataset: Dataset | None, entities: str | Path | None) -> Catalogue | None:
    """Prepare the titles of an entity file, else those of a data set; None without either.

    Raises:
        DataError: when the entity file cannot be read.
    """
    known = load_entities(Path(entities)) if entities else dataset.entities if dataset else None
    return None if known is None else Catalogue(known)


def synthetic_dataset(name: str, specs: Sequence[RowSpec], location: str | None = None) -> Dataset:
    """Return a data set whose rows are made when they are asked for.

    Args:
        name: a short name to show.
        specs: the rows, in the order of the hub.
        location: what ``load`` opens again, if anything.
    """
    return Dataset(
        name,
        partial(row_records, name, lambda: make_rows(specs)),
        location=location,
        entity_ids=entities_of(specs),
        manifest=manifest_of(specs),
        rows_of=lambda sources: make_rows(specs, sources),
    )


def _is_synthetic(data: object) -> TypeGuard[str]:
    return isinstance(data, str) and data.startswith(_SYNTHETIC)


def _synthetic(name: str) -> Dataset:
    plan = DATASETS.get(name.removeprefix(_SYNTHETIC))
    if plan is None:
        known = [_SYNTHETIC + size for size in DATASETS]
        raise UsageError(unknown("no synthetic data named", name, known))
    return synthetic_dataset(name, list(plan(_SEED)), location=name)
