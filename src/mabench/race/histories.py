"""The histories of a race, a round of one from each source at a time, the same for every agent."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from mabench.data import Dataset, match_sources
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.loading import load, row_generator
from mabench.specs import RaceSpec
from mabench.uncertainty import MIN_HISTORIES

_MADE_UP = "synthetic:"


class RaceRows(NamedTuple):
    """Where the rounds of a race come from."""

    # Returns some rounds; runs over them are of one data set, and each extends those before.
    rounds: Callable[[range], Dataset]
    sources: tuple[str, ...]
    most: int | None = None  # How many rounds there are; None for endless ones.
    order: Mapping[str, tuple[int, ...]] | None = None  # The rows of each source, when shuffled.


def open_histories(spec: RaceSpec) -> RaceRows:
    """Open made-up rows of sources, which are endless, or a data set with many histories.

    Raises:
        DataError: when the data cannot be read.
        UsageError: when a source is unknown, has fewer than five histories or takes a judge; or
            the size of rows that are not made up is given.
    """
    name = str(spec.run.data.data)
    source = name.removeprefix(_MADE_UP) if name.startswith(_MADE_UP) else ""
    endless = source and source not in row_generator().names()
    histories = _make_histories(source, spec) if endless else _shuffle_histories(spec)
    known = histories.rounds(range(1)).sources
    for name in histories.sources:
        if family_of(name, known).needs_judge:
            raise UsageError(
                f"a judge scores {name}, and a race takes scores as it goes; judge a run of each "
                "agent and compare them"
            )
    return histories


def _make_histories(source: str, spec: RaceSpec) -> RaceRows:
    rounds = partial(
        row_generator().generate_rounds,
        tuple(dict.fromkeys([source, *spec.over])),
        seed=spec.seed,
        tokens=spec.tokens,
        questions=spec.questions,
        difficulty=spec.difficulty,
    )
    return RaceRows(rounds, tuple({row.source: row for row in rounds(range(1)).outline}))


def _shuffle_histories(spec: RaceSpec) -> RaceRows:
    for name in ("tokens", "questions"):
        if getattr(spec, name) is not None:
            raise UsageError(f"`{name}` is for made-up rows, as of {_MADE_UP}SOURCE")
    dataset = load(spec.run.data.data, offline=spec.run.data.offline)
    held, split = defaultdict[str, list[int]](list), dict[str, str]()
    for row in dataset.outline:
        held[row.source].append(row.row)
        split[row.source] = row.split
    sources = match_sources(spec.over, dataset.sources, held) if spec.over else [*held]
    for source in sources:
        if (count := len(held[source])) < MIN_HISTORIES:
            raise UsageError(
                f"{dataset.name} has {count} histor{'y' if count == 1 else 'ies'} of {source}, and "
                f"a race takes {MIN_HISTORIES} at least. It can have endless made-up ones "
                f"({_MADE_UP}{source}) or take other sources (`over`); or run each agent, and "
                "compare the runs on these histories"
            )
    most = min(len(held[source]) for source in sources)
    order = {
        source: tuple(random.Random(f"{spec.seed}/{source}").sample(held[source], most))  # noqa: S311
        for source in sources
    }

    def rounds(chosen: range) -> Dataset:
        asked, until = (
            {(split[source], order[source][n]) for source in sources for n in numbers}
            for numbers in (chosen, range(chosen.stop))
        )
        outline = (row for row in dataset.outline if (row.split, row.row) in until)
        part = dataset.part(lambda row: (row.split, row.index) in asked)
        return part.stand_for(dataset.fingerprint, outline)

    return RaceRows(rounds, tuple(sources), most, order)
