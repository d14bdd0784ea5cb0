"""The published figures as tables, with runs of one's own among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from mabench.leaderboard import PLACES, Figure, figures
from mabench.reports.layout import Report, show_reports
from mabench.reports.remarks import interval_remarks
from mabench.reports.tables import Column, Measure, Table, Value, tabulate
from mabench.results import Intervals, Run

if TYPE_CHECKING:
    from rich.console import Console

# The first two categories, so that a table fits on a terminal of 80 columns.
_HALF = PLACES.index("TTL") + 1
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class _Group(NamedTuple):  # Figures are compared within one.
    reader: str | None
    judge: str | None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A system, or a run of one's own, with its scores."""

    system: str  # With its version.
    published: str  # Where its figures stand; the folder of a run of one's own.
    own: bool
    scores: Mapping[str, float]  # From 0 to 100, by column, category and ``Overall``.
    intervals: Mapping[str, Intervals | None]  # Of a run; no answers are known of others.


def show_leaderboard(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print the published figures by reader and judge, one's own runs among them."""
    groups = _standings(runs)

    def reports() -> Iterator[Report]:
        remarks: list[str] = []
        for group, listed in groups.items():
            halves = (_table(listed, places) for places in (PLACES[:_HALF], PLACES[_HALF:]))
            tables = [table for table in halves if table.values]
            remarks += interval_remarks(tables)
            reader = f"Reader {group.reader}" if group.reader else "Reader unknown, or none"
            judge = f"judge {group.judge}" if group.judge else "nothing judged"
            yield Report(f"{reader}, {judge}", tables)
        for run in runs:
            columns = run.summary.columns
            if not any(mean.complete for mean in columns.values()):
                why = "none of its columns is complete" if columns else "its rows feed no column"
                remarks.append(f"{run.folder} is not among them: {why}.")
        remarks.append("Scores are not to be ranked across tables: readers and judges differ.")
        yield Report(remarks=list(dict.fromkeys(remarks)))

    def system_json(system: _Entry) -> dict[str, object]:
        of = system.intervals.items()
        return asdict(system) | {"intervals": {name: one and one.as_dict() for name, one in of}}

    def content() -> object:
        listed = [
            {**group._asdict(), "systems": [system_json(system) for system in systems]}
            for group, systems in groups.items()
        ]
        return {"schema": 1, "groups": listed}

    show_reports(reports(), content, layout, console)


def _table(listed: Sequence[_Entry], places: Sequence[str]) -> Table:
    def score(place: str) -> Column[_Entry]:
        def value(system: _Entry) -> Value:
            return Measure.of(system.scores.get(place), system.intervals.get(place))

        return Column(place, value, "", when=lambda all_: any(place in one.scores for one in all_))

    def name(system: _Entry) -> str:
        return f"{system.system} ({system.published})" if system.own else system.system

    system: Column[_Entry] = Column("System", name)
    scored = [one for one in listed if any(place in one.scores for place in places)]
    return tabulate([system, *map(score, places)], scored)


def _standings(own: Sequence[Run]) -> dict[_Group, list[_Entry]]:
    """Return the systems of each group, those with the most figures first.

    A system that was published several times, or in several versions, stands once for each. What
    nobody judged stands with what was read by the same model, where one judge judged that.
    """
    systems: dict[tuple[str, str | None, str | None, str], list[Figure]] = {}
    for figure in figures():
        name = figure.system if figure.version is None else f"{figure.system} {figure.version}"
        place = figure.published.partition(",")[0]
        systems.setdefault((name, figure.reader, figure.embedder, place), []).append(figure)
    groups: dict[_Group, list[_Entry]] = {}
    for (name, reader, _, published), of_system in systems.items():
        group = _group(reader, [figure.judge for figure in of_system if figure.judge])
        scores = {figure.on: figure.score for figure in of_system}
        groups.setdefault(group, []).append(_Entry(name, published, False, scores, {}))
    for run in own:
        summary, model = run.summary, run.record.model
        judges = [source.judge.model for source in summary.sources.values() if source.judge]
        group = _group(model.name if model else None, judges)
        means = {name: (one.official, one.interval) for name, one in summary.columns.items()}
        means |= {name: (one.official, one.interval) for name, one in summary.categories.items()}
        means["Overall"] = summary.overall, summary.overall_interval
        scores = {name: score for name, (score, _) in means.items() if score is not None}
        intervals = {name: means[name][1] for name in scores}
        entry = _Entry(summary.agent, str(run.folder), True, scores, intervals)
        groups.setdefault(group, []).append(entry)
    for group in [group for group in groups if group.judge is None]:
        judged = [other for other in groups if other.reader == group.reader and other.judge]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop(group)

    def most_figures(item: tuple[_Group, list[_Entry]]) -> int:
        return max(len(entry.scores) for entry in item[1])

    return dict(sorted(groups.items(), key=most_figures, reverse=True))


def _group(reader: str | None, judges: Iterable[str]) -> _Group:
    """Return a group; the dates of the judges' versions are not always named by the paper."""
    undated = {_DATED.sub("", judge) for judge in judges}
    return _Group(reader, " and ".join(sorted(undated)) or None)
