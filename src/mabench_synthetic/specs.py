"""Turns names of sources, families and data sets, sizes and knobs into specs of rows."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.resources import files
from math import ceil, inf

from mabench.data.inventory import BY_NAME, LISTED, SOURCES, Source
from mabench.errors import UsageError, unknown
from mabench_synthetic.families import generator_of
from mabench_synthetic.generator import Knob, RowSpec

# The ends of names that tell a source's length and nothing else.
_LENGTHS = ("6k", "32k", "64k", "262k", "full", "65536", "131072")
# What named data sets hold of each source, and what a difficulty sets of a family's knobs.
_TABLES = tomllib.loads(files("mabench_synthetic").joinpath("sets.toml").read_text("utf-8"))
DIFFICULTIES = ("easy", "real", "hard")
# A shorter factconsolidation row would not hold its questions.
_SHORTEST = 4_000


def knobs_of(source: str) -> tuple[Knob, ...]:
    """Return the knobs of a source's family."""
    return generator_of(source).knobs


def sources_named(name: str, tokens: int | None = None) -> list[str]:
    """Return the sources that a name means: one source, or all whose names begin with it.

    Of sources that differ only in length, such as ``factconsolidation_mh``, the one nearest to
    ``tokens`` is returned, if that is given.

    Raises:
        UsageError: when there is none.
    """
    if name in BY_NAME:
        return [name]
    groups: dict[str, list[Source]] = {}  # Each of sources that differ only in length.
    for source in SOURCES:
        begins = source.name.startswith(f"{name}_") or source.name.rstrip("*") == name
        if name == "all" or begins or source.family == name:
            stem, _, size = source.name.rpartition("_")
            groups.setdefault(stem if size in _LENGTHS else source.name, []).append(source)
    if not groups:
        raise UsageError(unknown("no source is named", name, _names(), LISTED))
    if tokens is not None:
        nearest = [
            min(group, key=lambda source: abs(source.context_tokens - tokens))
            for group in groups.values()
        ]
        return [source.name for source in nearest]
    return [source.name for group in groups.values() for source in group]


def _names() -> list[str]:
    """Return all names that mean one or more sources."""
    stems = (s.name.rpartition("_")[0] for s in SOURCES if s.name.rpartition("_")[2] in _LENGTHS)
    return list(dict.fromkeys(["all", *(s.family for s in SOURCES), *stems, *BY_NAME]))


def whole_numbers(sizes: Mapping[str, int | float | None]) -> dict[str, int | None]:
    """Return sizes as integers.

    Raises:
        UsageError: when one is not a whole number of at least 1.
    """
    for name, number in sizes.items():
        if number is not None and not (number == number // 1 and number < inf):
            raise UsageError(f"{name}={number}: must be a whole number")
        if number is not None and number < 1:
            raise UsageError(f"{name} must be at least 1, not {number}")
    return {name: None if number is None else int(number) for name, number in sizes.items()}


def row_specs(
    source: str,
    seed: int,
    *,
    tokens: int | None = None,
    rows: int | None = None,
    questions: int | None = None,
    knobs: Mapping[str, int | float] | None = None,
    difficulty: str = "real",
) -> list[RowSpec]:
    """Return the specs of rows of a source; what is left out is as on the hub.

    Args:
        source: the source.
        seed: the seed.
        tokens: length of each context, in o200k_base tokens.
        rows: how many rows.
        questions: how many questions each row has.
        knobs: values by name; the others are set by the difficulty.
        difficulty: ``easy``, ``real`` (as hard as the rows of the hub) or ``hard``.

    Raises:
        UsageError: when a knob is unknown or out of range, a number is not positive, or there is
            no such difficulty.
    """
    if difficulty not in DIFFICULTIES:
        message = unknown("no such difficulty:", difficulty, DIFFICULTIES)
        raise UsageError(message, parameter="difficulty")
    sizes = whole_numbers({"tokens": tokens, "rows": rows, "questions": questions})
    tokens, rows, questions = sizes.values()
    on_hub, generator = BY_NAME[source], generator_of(source)
    preset = _TABLES.get(difficulty, {}).get(on_hub.family, {})
    values = generator.knob_values({**preset, **(knobs or {})})
    return [
        RowSpec(
            source=source,
            seed=seed,
            row=row,
            tokens=on_hub.context_tokens if tokens is None else tokens,
            questions=generator.public_questions(on_hub, row) if questions is None else questions,
            knobs=values,
            difficulty=difficulty,
        )
        for row in range(on_hub.rows if rows is None else rows)
    ]


def row_specs_named(
    names: Iterable[str],
    seed: int,
    *,
    tokens: int | None = None,
    rows: int | None = None,
    questions: int | None = None,
    knobs: Mapping[str, int | float] | None = None,
    difficulty: str = "real",
) -> list[RowSpec]:
    """Return the specs of rows of sources and families, in the order of the hub.

    Arguments are as for ``row_specs``, but a knob goes to those families that have it.

    Raises:
        UsageError: when a name or a value is wrong, or no family among them has a knob.
    """
    chosen = knobs or {}
    sources = {source for name in names for source in sources_named(name, tokens)}
    available = {source: {knob.name for knob in knobs_of(source)} for source in sources}
    for name in chosen:
        if not any(name in of_source for of_source in available.values()):
            known = sorted(set().union(*available.values()))
            raise UsageError(unknown("no source asked for has a knob", name, known))
    return [
        spec
        for source in SOURCES
        if source.name in sources
        for spec in row_specs(
            source.name,
            seed,
            tokens=tokens,
            rows=rows,
            questions=questions,
            knobs={k: v for k, v in chosen.items() if k in available[source.name]},
            difficulty=difficulty,
        )
    ]


def _listed(name: str, seed: int) -> list[RowSpec]:
    """Return the specs of the rows in the table of a data set."""
    specs: list[RowSpec] = []
    for source, (rows, tokens, questions) in _TABLES[name].items():
        specs += row_specs(source, seed, tokens=tokens, rows=rows, questions=questions)
    return specs


def _compare(seed: int) -> list[RowSpec]:
    """Return the specs of `synthetic:compare`: 20 histories of each family, to compare agents.

    The rows of a source grow evenly from the shortest to the longest. Rows of a source with
    entities have the mean length, because only rows of one length share their entities.
    """
    specs: list[RowSpec] = []
    before: Counter[str] = Counter()  # The rows of each family so far.
    for source, (rows, questions, shortest, longest) in _TABLES["compare"].items():
        lengths = [shortest + i * (longest - shortest) // (rows - 1) for i in range(rows)]
        if generator_of(source).entities:
            lengths = [(shortest + longest) // 2] * rows
        # Rows of one number share their history where sources differ in questions only.
        family = BY_NAME[source].family
        first = before[family]
        before[family] += rows
        numbered = row_specs(source, seed, rows=first + rows, questions=questions)[first:]
        specs += [s._replace(tokens=n) for s, n in zip(numbered, lengths, strict=True)]
    return specs


def _medium(seed: int) -> list[RowSpec]:
    """Return the specs of `synthetic:medium`: all 22 sources, about a tenth of the whole.

    A source keeps one row in ten, but at least one, and its rows are shorter where that is still
    more than a tenth. Each row has half its questions.
    """
    specs: list[RowSpec] = []
    for source in SOURCES:
        rows = ceil(source.rows / 10)
        tokens = max(_SHORTEST, source.context_tokens * source.rows // (10 * rows))
        questions = max(1, generator_of(source.name).public_questions(source, 0) // 2)
        specs += row_specs(source.name, seed, tokens=tokens, rows=rows, questions=questions)
    return specs


# From a seed to the specs of a data set, by the name behind `synthetic:`.
DATASETS: Mapping[str, Callable[[int], list[RowSpec]]] = {
    "small": partial(_listed, "small"),  # 13 rows of all eight families, half a megabyte.
    "start": partial(_listed, "start"),  # A row of each kind that a memory must search.
    "compare": _compare,
    "medium": _medium,
    # The inventory of the hub, row by row.
    "full": lambda seed: [spec for source in SOURCES for spec in row_specs(source.name, seed)],
}
