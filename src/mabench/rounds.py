"""The rows of a race, in rounds: one row of each source, either made up without end or shuffled.

Which rows a round has depends on the race's seed only, so that a race can be resumed.
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

_ENDLESS = 1_000  # Rounds, at least: each row is made when it is asked for.


# Returns some rounds: a run over them extends one over the rounds before.
OpenPart = Callable[[range], Dataset]
# The rows of each source in the order in which rounds take them, by source.
_Held = dict[str, list[RowOutline]]


def open_rounds(spec: RaceSpec) -> tuple[OpenPart, dict[str, tuple[int, ...]]]:
    """Open made-up rows of sources, which are endless, or a data set with many histories.

    Returns:
        What returns some rounds, with a row of each source. And the numbers of the rows of each
        source in the order in which they come, where they are shuffled.

    Raises:
        DataError, UsageError: as ``load``, or a source has too few histories or needs a judge.
    """
    data, endless = _open_data(spec)
    held: _Held = defaultdict(list)
    for row in data.outline:
        held[row.source].append(row)
    sources = [*held] if endless or not spec.over else match_sources(spec.over, data.sources, held)
    for name in sources:
        if not endless:
            _refuse_few_histories(data, name, len(held[name]))
        _refuse_judged(data, name)
    order = {} if endless else _shuffle(held, sources, spec.seed)

    def part(rounds: range) -> Dataset:
        until = {row for name in sources for row in held[name][: rounds.stop]}
        asked = {row[:2] for name in sources for row in held[name][rounds.start : rounds.stop]}
        rows = data.part(lambda row: (row.split, row.index) in asked)
        return rows.stand_for(data.fingerprint, (row for row in data.outline if row in until))

    return part, order


def _open_data(spec: RaceSpec) -> tuple[Dataset, bool]:
    """Open the rows of a race; return them, and whether they are made up without end."""
    scheme, _, source = str(spec.run.data.data).partition(":")
    sizes = {"tokens": spec.tokens, "questions": spec.questions}
    if source and scheme == GENERATOR and source not in row_generator().names():
        rounds = max(spec.max_histories, _ENDLESS)
        data = row_generator().generate_rounds(
            [source, *spec.over], rounds, **sizes, seed=spec.seed, difficulty=spec.difficulty
        )
        return data, True
    if given := [name for name, size in sizes.items() if size is not None]:
        raise UsageError(f"`{given[0]}` is for made-up rows, as of {GENERATOR}:SOURCE")
    return load(spec.run.data.data, offline=spec.run.data.offline), False


def _refuse_few_histories(data: Dataset, source: str, count: int) -> None:
    if count < MIN_HISTORIES:
        made = f"have endless made-up ones ({GENERATOR}:{source}) or " * (source in BY_NAME)
        raise UsageError(
            f"{data.name} has {write_count(count, 'history')} of {source}, but a race needs "
            f"at least {MIN_HISTORIES}. It can {made}take other sources (`over`); or run each "
            "agent, and compare the runs on these histories"
        )


def _refuse_judged(data: Dataset, source: str) -> None:
    needs = family_of(source, data.sources).needs
    if needs == "golds":
        raise UsageError(f"{source} has no golds, but a race needs scores; run `mabench observe`")
    if needs == "judge":
        raise UsageError(
            f"a judge scores {source}, but a race needs each score at once; judge a run of each "
            "agent and compare them"
        )


def _shuffle(held: _Held, sources: Sequence[str], seed: int) -> dict[str, tuple[int, ...]]:
    """Shuffle the rows of each source, as many as the shortest has; return their numbers."""
    fewest = min(len(held[name]) for name in sources)
    for name in sources:
        held[name] = random.Random(f"{seed}/{name}").sample(held[name], fewest)  # noqa: S311
    return {name: tuple(row.row for row in held[name]) for name in sources}
