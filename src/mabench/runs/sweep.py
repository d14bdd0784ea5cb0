"""Running an agent over synthetic rows of one source while one setting varies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.loading import synthetic_dataset
from mabench.progress import Progress
from mabench.runs.execution import execute
from mabench.runs.results.run import Run
from mabench.runs.results.summaries import SourceSummary
from mabench.runs.spec import RunSpec
from mabench.synthesis import RowSpec, knobs_of, row_specs, sources_named

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


def sweep(spec: RunSpec, rows: SweepSpec, progress: Progress | None = None) -> Iterator[SweepPoint]:
    """Run an agent over one row for each value of a setting, and yield each run.

    Args:
        spec: the run; its data are replaced by the rows of the sweep, and its ``out`` is the
            folder that holds a run folder for each value. A sweep that was stopped is resumed.
        rows: which rows.
        progress: told how each run goes.

    Raises:
        UsageError: when the source or a setting is unknown, or a value out of range.
    """
    specs = rows.specs()
    for value, row_spec in zip(rows.values, specs, strict=True):
        name = f"{rows.knob}-{value}"
        dataset = synthetic_dataset(f"{rows.source} {name}", [row_spec])
        one = replace(spec, data=replace(spec.data, data=dataset), out=spec.out and spec.out / name)
        yield SweepPoint(value, execute(one, progress))


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepSpec:
    """The rows of a sweep: one for each value of a setting.

    Attributes:
        source: a source, or the beginning of sources that differ in length, of which the nearest
            is taken.
        knob: ``tokens``, ``questions``, or a knob of the source's family.
        values: its values.
        seed: the seed of the rows.
        knobs: values of other settings, by name, for all rows.
    """

    source: str
    knob: str
    values: tuple[int | float, ...]
    seed: int = 0
    knobs: Mapping[str, int | float] = field(default_factory=dict)

    def specs(self) -> list[RowSpec]:
        """Return the row of each value.

        Raises:
            UsageError: when the source or a setting is unknown, or a value out of range.
        """
        if self.knob in self.knobs:
            raise UsageError(f"{self.knob} is what varies; do not set it, too", parameter="knobs")
        return [
            _row_spec(self.source, self.seed, {**self.knobs, self.knob: value})
            for value in self.values
        ]


def _row_spec(source: str, seed: int, settings: dict[str, int | float]) -> RowSpec:
    sizes = {name: round(settings.pop(name)) for name in SIZES if name in settings}
    names = sources_named(source, sizes.get("tokens"))
    if len(names) != 1:
        raise UsageError(f"{source} means {', '.join(names)}; name one")
    known = {knob.name for knob in knobs_of(names[0])}
    unknown = [name for name in settings if name not in known]
    if unknown:
        there = ", ".join((*SIZES, *sorted(known)))
        raise UsageError(f"{names[0]} has no knob {unknown[0]!r}; there are {there}")
    (row_spec,) = row_specs(
        names[0],
        seed,
        tokens=sizes.get("tokens"),
        questions=sizes.get("questions"),
        rows=1,
        knobs=settings,
    )
    return row_spec
