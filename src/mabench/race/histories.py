"""The histories of a race, a round of one from each source at a time, the same for every agent."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from mabench.data import Dataset, match_sources
from mabench.data.schemes import row_generator
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.loading import load
from mabench.specs import DataSpec, RaceSpec
from mabench.uncertainty import MIN_HISTORIES

_MADE_UP = "synthetic:"


class Histories(NamedTuple):
    """Where the rounds of a race come from."""

    # Returns some rounds; runs over them are of one data set, and each extends those before.
    rounds: Callable[[range], Dataset]
    sources: tuple[str, ...]
    most: int | None  # How many rounds there are; None for endless ones.
    order: Mapping[str, tuple[int, ...]] | None  # The rows of each source, where they are mixed.


def open_histories(data: DataSpec, race: RaceSpec) -> Histories:
    """Open made-up rows of sources, which are endless, or a data set with many histories.

    Raises:
        DataError: when the data cannot be read.
        UsageError: when a source is unknown, has fewer than five histories, or takes a judge; or
            what is for made-up rows is said of others.
    """
    name = str(data.data)
    made_up = name.removeprefix(_MADE_UP) if name.startswith(_MADE_UP) else ""
    if made_up and made_up not in row_generator().names():
        histories = _endless(made_up, race)
    else:
        histories = _of_data_set(data, race)
    known = histories.rounds(range(1)).sources
    for source in histories.sources:
        if family_of(source, known).needs_judge:
            raise UsageError(
                f"a judge scores answers about {source}, and a race counts scores as it goes; "
                "run both agents, judge the runs, and compare them"
            )
    return histories


def _endless(source: str, race: RaceSpec) -> Histories:
    rounds = partial(
        row_generator().generate_rounds,
        tuple(dict.fromkeys([source, *race.over])),
        seed=race.seed,
        tokens=race.tokens,
        questions=race.questions,
        difficulty=race.difficulty,
    )
    sources = (row.source for row in rounds(range(1)).outline)
    return Histories(rounds, tuple(dict.fromkeys(sources)), None, None)


def _of_data_set(data: DataSpec, race: RaceSpec) -> Histories:
    for name in ("tokens", "questions"):
        if getattr(race, name) is not None:
            raise UsageError(
                f"`{name}` is for made-up rows, such as the data synthetic:ruler_qa1_197K",
                parameter=name,
            )
    dataset = load(data.data, offline=data.offline)
    held: dict[str, list[int]] = defaultdict(list)
    for row in dataset.outline:
        held[row.source].append(row.row)
    sources = match_sources(race.over, dataset.sources, held) if race.over else [*held]
    for source in sources:
        if (count := len(held[source])) < MIN_HISTORIES:
            raise UsageError(
                f"{dataset.name} has {count} histor{'y' if count == 1 else 'ies'} of {source}; a "
                f"race takes {MIN_HISTORIES} at least, and mostly dozens. What can be done: a race "
                f"over endless made-up ones (`data` {_MADE_UP}{source}); over other sources "
                "(`over`); or run both agents and compare them on these histories"
            )
    most = min(len(held[source]) for source in sources)
    order = {
        source: tuple(random.Random(f"{race.seed}/{source}").sample(held[source], most))  # noqa: S311
        for source in sources
    }
    split = {row.source: row.split for row in dataset.outline}

    def rounds(chosen: range) -> Dataset:
        places = {(split[s], order[s][n]) for s in sources for n in chosen}
        until = {(split[s], order[s][n]) for s in sources for n in range(chosen.stop)}
        part = dataset.part(lambda row: (row.split, row.index) in places)
        outline = (row for row in dataset.outline if (row.split, row.row) in until)
        return part.stand_for(dataset.fingerprint, outline)

    return Histories(rounds, tuple(sources), most, order)
