"""The scheme ``synthetic:`` of data sets, and rows to order for `generate` and `sweep`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.suggestions import unknown
from mabench_synthetic import material
from mabench_synthetic.generator import RowSpec
from mabench_synthetic.manifest import manifest_of, read_manifest
from mabench_synthetic.rows import entities_of, make_rows, row_makers
from mabench_synthetic.specs import (
    DATASETS,
    knobs_of,
    row_specs,
    row_specs_named,
    sources_named,
)

_NAME = "synthetic"
_SEED = 0
_SIZES = ("tokens", "questions")


def names() -> Sequence[str]:
    """Return the names of the data sets."""
    return list(DATASETS)


def open_data(name: str) -> Dataset:
    """Return a data set by name; its rows are made when they are asked for."""
    return synthetic_dataset(
        f"synthetic:{name}", DATASETS[name](_SEED), location=f"synthetic:{name}"
    )


def generate(
    sources: Collection[str],
    *,
    seed: int,
    tokens: int | None,
    rows: int | None,
    questions: int | None,
    knobs: Mapping[str, int | float],
    difficulty: str,
) -> Dataset:
    """Return a data set of rows of sources and families; see ``row_specs_named``.

    Raises:
        UsageError: if a source, a size or a knob is wrong.
    """
    specs = row_specs_named(
        sources,
        seed,
        tokens=tokens,
        rows=rows,
        questions=questions,
        knobs=knobs,
        difficulty=difficulty,
    )
    return synthetic_dataset(_NAME, specs)


def generate_row(
    source: str, *, seed: int, settings: Mapping[str, int | float], difficulty: str
) -> Dataset:
    """Return a data set of one row of a source.

    Args:
        source: the source, or the beginning of sources that differ in length, of which the
            nearest to ``tokens`` is taken.
        seed: the seed.
        settings: ``tokens``, ``questions``, and knobs of the family.
        difficulty: what sets the other knobs.

    Raises:
        UsageError: if the name means several sources, or a setting is wrong.
    """
    known = {knob.name for meant in sources_named(source) for knob in knobs_of(meant)}
    for setting in settings:
        if setting not in {*_SIZES, *known}:
            message = unknown(f"{source} has no knob", setting, (*_SIZES, *sorted(known)))
            raise UsageError(f"{message}; the agent's own go with `settings`")
    knobs = {setting: value for setting, value in settings.items() if setting not in _SIZES}
    tokens, questions = (round(settings[size]) if size in settings else None for size in _SIZES)
    first, *others = sources_named(source, tokens)
    if others:
        raise UsageError(f"{source} means {', '.join([first, *others])}; name one")
    specs = row_specs(
        first, seed, tokens=tokens, questions=questions, rows=1, knobs=knobs, difficulty=difficulty
    )
    return synthetic_dataset(_NAME, specs)


def repeat_manifest(file: Path) -> Dataset:
    """Return the rows that a ``manifest.json`` describes.

    Raises:
        DataError: if the file cannot be read or is no manifest.
    """
    return synthetic_dataset(_NAME, read_manifest(file))


def read_material(
    source: str, file: Path, *, seed: int, tokens: int | None, questions: int | None
) -> Dataset:
    """Return rows in the form of a source, made of a user's own file.

    Raises:
        UsageError: if no file can be read for that source.
        DataError: naming everything that is wrong with the file.
    """
    rows = material.read_material(source, file, seed=seed, tokens=tokens, questions=questions)
    return Dataset.from_rows(_NAME, lambda: rows)


def synthetic_dataset(name: str, specs: Sequence[RowSpec], location: str | None = None) -> Dataset:
    """Return a data set whose rows are made when they are asked for.

    Args:
        name: a short name to show.
        specs: the rows, in the order of the hub.
        location: what ``load`` opens again, if anything.
    """
    return Dataset.from_rows(
        name,
        partial(make_rows, specs, data=location),
        makers=row_makers(specs, location),
        location=location,
        entity_ids=entities_of(specs),
        manifest=manifest_of(specs),
    )
