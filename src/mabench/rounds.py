"""The rows of a race, in rounds: one row of each source, either made up without end or shuffled.

Which rows a round has depends on the race's seed only, so that a race can be resumed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable

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


def open_rounds(spec: RaceSpec) -> tuple[Callable[[range], Dataset], dict[str, tuple[int, ...]]]:
    """Open made-up rows of sources, which are endless, or a data set with many histories.

    Returns:
        What returns some rounds, with a row of each source: a run over them extends one over those
        before. And the rows of each source as they come, where they are shuffled.

    Raises:
        DataError, UsageError: as ``load``, or a source has too few histories or needs a judge.
    """
    scheme, _, source = str(spec.run.data.data).partition(":")
    endless = source and scheme == GENERATOR and source not in row_generator().names()
    asked = {name: getattr(spec, name) for name in ("tokens", "questions")}
    if endless:
        asked |= {"seed": spec.seed, "difficulty": spec.difficulty}
        most = max(spec.max_histories, _ENDLESS)
        data = row_generator().generate_rounds([source, *spec.over], most, **asked)
    elif sizes := [name for name, size in asked.items() if size is not None]:
        raise UsageError(f"`{sizes[0]}` is for made-up rows, as of {GENERATOR}:SOURCE")
    else:
        data = load(spec.run.data.data, offline=spec.run.data.offline)
    held: dict[str, list[RowOutline]] = defaultdict(list)
    for row in data.outline:
        held[row.source].append(row)
    sources = [*held] if endless or not spec.over else match_sources(spec.over, data.sources, held)
    for name in sources:
        if not endless and (count := len(held[name])) < MIN_HISTORIES:
            made = f"have endless made-up ones ({GENERATOR}:{name}) or " * (name in BY_NAME)
            raise UsageError(
                f"{data.name} has {write_count(count, 'history')} of {name}, but a race needs "
                f"at least {MIN_HISTORIES}. It can {made}take other sources (`over`); or run each "
                "agent, and compare the runs on these histories"
            )
        if family_of(name, data.sources).needs == "judge":
            raise UsageError(
                f"a judge scores {name}, but a race needs each score at once; judge a run of each "
                "agent and compare them"
            )
    fewest, order = min(len(held[name]) for name in sources), dict[str, tuple[int, ...]]()
    for name in () if endless else sources:
        held[name] = random.Random(f"{spec.seed}/{name}").sample(held[name], fewest)  # noqa: S311
        order[name] = tuple(row.row for row in held[name])

    def part(rounds: range) -> Dataset:
        until = {row for name in sources for row in held[name][: rounds.stop]}
        asked = {row[:2] for name in sources for row in held[name][rounds.start : rounds.stop]}
        rows = data.part(lambda row: (row.split, row.index) in asked)
        return rows.stand_for(data.fingerprint, (row for row in data.outline if row in until))

    return part, order
