"""The scheme ``synthetic:`` of data sets, and the rows for `generate` and `sweep`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from mabench.data import Dataset, RowOutline
from mabench.errors import UsageError, unknown
from mabench.json_text import to_json
from mabench_synthetic.generator import RowSpec
from mabench_synthetic.material import read_material as read_material
from mabench_synthetic.rows import entities_of, make_rows, manifest_of, read_manifest, row_makers
from mabench_synthetic.specs import (
    DATASETS,
    knobs_of,
    row_specs,
    row_specs_named,
    sources_named,
    whole_numbers,
)

_NAME = "synthetic"
_SEED = 0
_SIZES = ("tokens", "questions")


def names() -> Sequence[str]:
    """Return the names of the data sets."""
    return list(DATASETS)


def open_data(name: str) -> Dataset:
    """Return a data set by name; its rows are made when they are needed."""
    named = f"{_NAME}:{name}"
    return synthetic_dataset(named, DATASETS[name](_SEED), location=named)


def generate(sources: Collection[str], **asked: Any) -> Dataset:
    """Return a data set of rows of sources and families; ``asked`` is as in ``row_specs_named``.

    Raises:
        UsageError: when a source, a size or a knob is wrong.
    """
    return synthetic_dataset(_NAME, row_specs_named(sources, **asked))


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
    sizes = {size: settings[size] for size in _SIZES if size in settings}
    tokens, questions = (whole_numbers(sizes).get(size) for size in _SIZES)
    only = _one_source(source, tokens)
    specs = row_specs(
        only, seed, tokens=tokens, questions=questions, rows=1, knobs=knobs, difficulty=difficulty
    )
    return synthetic_dataset(_NAME, specs)


def generate_rounds(
    sources: Collection[str], rounds: int, *, tokens: int | None, **asked: Any
) -> Dataset:
    """Return the first rounds of an endless data set, each with a row of every source.

    Its fingerprint is that of the first round and of ``asked``, which is as in ``row_specs``.

    Raises:
        UsageError: when a name means no source or several, or a size is wrong.
    """
    names = list(dict.fromkeys(_one_source(name, tokens) for name in sources))
    of_sources = (row_specs(name, tokens=tokens, rows=rounds, **asked) for name in names)
    specs = [spec for of_round in zip(*of_sources, strict=True) for spec in of_round]
    first_round = specs[: len(names)]
    first = synthetic_dataset(_NAME, first_round)
    recipe = f"{to_json(manifest_of(first_round))} {first.fingerprint}"
    outline = (RowOutline(m.split, m.index, m.source, m.spec.questions) for m in row_makers(specs))
    whole = synthetic_dataset(f"{_NAME}:{','.join(names)}", specs)
    return whole.stand_for(sha256(recipe.encode()).hexdigest(), outline)


def _one_source(name: str, tokens: int | None) -> str:
    """Return the only source that a name means, or raise a ``UsageError``."""
    first, *others = sources_named(name, tokens)
    if others:
        remedy = "name one, or give a length" if tokens is None else "name one"
        raise UsageError(f"{name} means {', '.join([first, *others])}; {remedy}")
    return first


def repeat_manifest(file: Path) -> Dataset:
    """Return the rows that a ``manifest.json`` describes.

    Raises:
        DataError: when the file cannot be read or is no manifest.
    """
    return synthetic_dataset(_NAME, read_manifest(file))


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
