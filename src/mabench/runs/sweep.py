"""Running an agent over synthetic rows of one source while one setting varies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.loading import synthetic_dataset
from mabench.runs.results.summaries import SourceSummary
from mabench.runs.run import DEFAULT_PROTOCOL, Run, run
from mabench.synthesis import Order, knobs_of, order_rows, sources_named

SIZES = ("tokens", "questions")


class SweepPoint(NamedTuple):
    """One value of the setting that varies, and the run over its row."""

    value: int | float
    run: Run

    @property
    def source(self) -> SourceSummary:
        """The summary of the one source of the run."""
        (summary,) = self.run.summary.sources.values()
        return summary


def sweep(
    agent: str | Callable[[], object],
    source: str,
    knob: str,
    values: Sequence[int | float],
    *,
    out: Path,
    seed: int = 0,
    protocol: str = DEFAULT_PROTOCOL,
    settings: Mapping[str, int | float] | None = None,
) -> Iterator[SweepPoint]:
    """Examine an agent over one row for each value of a setting, and yield each run.

    Args:
        agent: as for ``run``.
        source: a source, or the beginning of sources that differ in length, of which the nearest
            is taken.
        knob: ``tokens``, ``questions``, or a knob of the source's family.
        values: its values.
        out: the folder that holds a run folder for each value; a sweep that was stopped goes on.
        seed: the seed of the rows.
        protocol: as for ``run``.
        settings: values of other settings, by name, for all rows.

    Raises:
        UsageError: when the source or a setting is unknown, or a value out of range.
    """
    fixed = dict(settings or {})
    if knob in fixed:
        raise UsageError(f"{knob} is what varies; do not set it, too")
    orders = [_order(source, seed, {**fixed, knob: value}) for value in values]
    for value, order in zip(values, orders, strict=True):
        name = f"{knob}-{value}"
        dataset = synthetic_dataset(f"{source} {name}", [order])
        yield SweepPoint(value, run(agent, dataset, protocol=protocol, out=out / name))


def _order(source: str, seed: int, settings: dict[str, int | float]) -> Order:
    sizes = {name: round(settings.pop(name)) for name in SIZES if name in settings}
    names = sources_named(source, sizes.get("tokens"))
    if len(names) != 1:
        raise UsageError(f"{source} means {', '.join(names)}; name one")
    known = {knob.name for knob in knobs_of(names[0])}
    unknown = [name for name in settings if name not in known]
    if unknown:
        there = ", ".join((*SIZES, *sorted(known)))
        raise UsageError(f"{names[0]} has no knob {unknown[0]!r}; there are {there}")
    (order,) = order_rows(
        names[0],
        seed,
        tokens=sizes.get("tokens"),
        questions=sizes.get("questions"),
        rows=1,
        knobs=settings,
    )
    return order
