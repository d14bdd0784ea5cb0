"""Gives a race its rows in rounds, each of which has one row of every source.

The rows are made up without end, or are those of a data set in random order. Which rows a round has
depends only on the settings of the race and its seed, so that a race can be resumed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

from mabench.data import Dataset
from mabench.data.inventory import BY_NAME, match_sources
from mabench.data.schema import RowOutline
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.loading.opening import load
from mabench.loading.schemes import GENERATOR, row_generator
from mabench.printable import write_count
from mabench.specs import RaceSpec
from mabench.uncertainty import MIN_HISTORIES

# Rounds of made-up rows, at least. They count as endless: a row is made only once it is needed.
_ENDLESS = 1_000


# Returns the data set of some rounds: a run over them extends one over the rounds before.
OpenPart = Callable[[range], Dataset]
# The rows of each source, in the order in which rounds take them, by the name of the source.
_RowsBySource = dict[str, list[RowOutline]]


def open_rounds(spec: RaceSpec) -> tuple[OpenPart, dict[str, tuple[int, ...]]]:
    """Open the rows of a race: made-up ones, or those of a data set with many histories.

    Returns:
        A function that returns the data set of some rounds. And the numbers of the rows of each
        source in the order in which rounds take them; empty if the rows are made up, whose order is
        that of their numbers.

    Raises:
        DataError: as ``load`` does.
        UsageError: as ``load`` does, or when a source has too few histories or needs a judge.
    """
    data, is_endless = _open_data(spec)
    rows_by_source: _RowsBySource = defaultdict(list)
    for row in data.outline:
        rows_by_source[row.source].append(row)
    sources = list(rows_by_source)
    if spec.over and not is_endless:
        sources = match_sources(spec.over, data.sources, rows_by_source)
    for name in sources:
        if not is_endless:
            _refuse_few_histories(data, name, len(rows_by_source[name]))
        _refuse_unscored(data, name)
    order = {} if is_endless else _shuffle(rows_by_source, sources, spec.seed)

    def open_part(rounds: range) -> Dataset:
        # The data set has the rows of these rounds. It has the fingerprint of the whole, and an
        # outline of the rows of all rounds so far: a run over it extends that over those before.
        all_rows: set[RowOutline] = set()
        new_places: set[tuple[str, int]] = set()  # Split and number.
        for name in sources:
            all_rows.update(rows_by_source[name][: rounds.stop])
            for row in rows_by_source[name][rounds.start : rounds.stop]:
                new_places.add((row.split, row.row))
        new_data = data.part(lambda row: (row.split, row.index) in new_places)
        outline = (row for row in data.outline if row in all_rows)
        return new_data.stand_for(data.fingerprint, outline)

    return open_part, order


def _open_data(spec: RaceSpec) -> tuple[Dataset, bool]:
    """Open the rows of a race; return them, and whether they are made up without end."""
    scheme, _, name = str(spec.run.data.data).partition(":")
    sizes = {"tokens": spec.tokens, "questions": spec.questions}
    # A name that is no data set of a fixed size is that of a source.
    names_source = bool(name) and scheme == GENERATOR and name not in row_generator().names()
    if names_source:
        rounds = max(spec.max_histories, _ENDLESS)
        data = row_generator().generate_rounds(
            [name, *spec.over], rounds, **sizes, seed=spec.seed, difficulty=spec.difficulty
        )
        return data, True
    for parameter, size in sizes.items():
        if size is not None:
            raise UsageError(f"`{parameter}` is for made-up rows, as of {GENERATOR}:SOURCE")
    return load(spec.run.data.data, offline=spec.run.data.offline), False


def _refuse_few_histories(data: Dataset, source: str, count: int) -> None:
    """Raise a ``UsageError`` if a source has too few histories to compare agents on."""
    if count >= MIN_HISTORIES:
        return
    can_be_made_up = source in BY_NAME
    remedy = f"have endless made-up ones ({GENERATOR}:{source}) or " if can_be_made_up else ""
    raise UsageError(
        f"{data.name} has {write_count(count, 'history')} of {source}, but a race needs "
        f"at least {MIN_HISTORIES}. It can {remedy}take other sources (`over`); or run each "
        "agent, and compare the runs on these histories"
    )


def _refuse_unscored(data: Dataset, source: str) -> None:
    """Raise a ``UsageError`` if answers to a source have no score at once."""
    needs = family_of(source, data.sources).needs
    if needs == "golds":
        raise UsageError(f"{source} has no golds, but a race needs scores; run `mabench observe`")
    if needs == "judge":
        raise UsageError(
            f"a judge scores {source}, but a race needs each score at once; judge a run of each "
            "agent and compare them"
        )


def _shuffle(
    rows_by_source: _RowsBySource, sources: Sequence[str], seed: int
) -> dict[str, tuple[int, ...]]:
    """Shuffle the rows of each source in place, and return their numbers.

    Of each source as many rows are kept as the source with the fewest has.
    """
    fewest = min(len(rows_by_source[name]) for name in sources)
    for name in sources:
        generator = random.Random(f"{seed}/{name}")  # noqa: S311 - no secret.
        rows_by_source[name] = generator.sample(rows_by_source[name], fewest)
    return {name: tuple(row.row for row in rows_by_source[name]) for name in sources}
