"""The published figures as tables, with runs of one's own among them or beside one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from mabench.data.inventory import SOURCES, without_length
from mabench.errors import UsageError
from mabench.leaderboard import PLACES, Figure, figures, places_of
from mabench.reports.layout import Report, show_reports
from mabench.reports.remarks import interval_remarks
from mabench.reports.run_tables import overall_score
from mabench.reports.tables import Column, Measure, Table, Value, interval_columns, tabulate
from mabench.results import MeanScore, Run
from mabench.suggestions import unknown

if TYPE_CHECKING:
    from rich.console import Console

# The first two categories, so that a table fits on a terminal of 80 columns.
_HALF = PLACES.index("TTL") + 1
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class _Group(NamedTuple):  # Figures are compared within one.
    reader: str | None
    judge: str | None


class _Line(NamedTuple):
    """A figure as it is printed: published, or that of a run of one's own, with intervals."""

    figure: Figure
    score: Measure


class _Entry(NamedTuple):
    """A system as it was published at one place, or a run of one's own."""

    system: str  # With its version.
    reader: str | None
    embedder: str | None
    published: str  # Where; the folder of a run.
    own: bool

    @classmethod
    def of(cls, figure: Figure) -> _Entry:
        """Return what a figure is of."""
        name = figure.system if figure.version is None else f"{figure.system} {figure.version}"
        own = figure.party == "own"
        place = figure.published if own else figure.published.partition(",")[0]
        return cls(f"{name} ({place})" if own else name, figure.reader, figure.embedder, place, own)


_Listed = Sequence[tuple[_Entry, Mapping[str, _Line]]]  # By place.


def show_leaderboard(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print the published figures by reader and judge, or those that compare with given runs."""
    own = [line for run in runs for line in _own_lines(run)]
    shown = [place for place in PLACES if any(line.figure.on == place for line in own)]
    lines = [*(_Line(figure, Measure(figure.score)) for figure in figures()), *own]

    def reports() -> Iterator[Report]:
        remarks = []
        for group, listed in _standings([line for line in lines if not line.figure.unlike]).items():
            if runs and not any(entry.own for entry, _ in listed):
                continue
            reader = f"Reader {group.reader}" if group.reader else "Reader unknown, or none"
            title = f"{reader}, {f'judge {group.judge}' if group.judge else 'nothing judged'}"
            if all(entry.own for entry, _ in listed):
                remarks.append(f"{title}: nobody published figures of these.")
            tables = _tables(listed, shown or PLACES)
            yield Report(title, tables, notes=interval_remarks(tables))
        claims = [line for line in lines if line.figure.unlike]
        if shown or not runs:
            title = "Claims of another kind, which compare with none of these"
            yield Report(title, _tables([*_by_entry(claims).items()], shown or PLACES, claims=True))
            remarks.append("Scores are not to be ranked across tables: readers and judges differ.")
        yield Report(remarks=[*(why for run in runs for why in _shortfalls(run)), *remarks])

    def content() -> object:
        limits = interval_columns(lambda line: line.score)
        listed = (
            {**asdict(line.figure), **{column.title: column.value(line) for column in limits}}
            | {"unlike": line.figure.unlike}
            for line in lines
        )
        return {"schema": 1, "figures": [*listed]}

    show_reports(reports(), content, layout, console, lambda: _line_table(lines))


def _line_table(lines: Iterable[_Line]) -> Table:
    """Return a row for each figure, for programs."""

    def column(name: str, spec: str | None = None) -> Column[_Line]:
        return Column(name, lambda line: getattr(line.figure, name), spec)

    texts = ("system", "version", "reader", "embedder", "judge")
    columns: list[Column[_Line]] = [
        *map(column, texts),
        Column("source", lambda line: line.figure.on),
        *(column("metric"), column("asked", ""), column("answered", "")),
        Column("score", lambda line: line.score, ".1f"),
        *interval_columns(lambda line: line.score),
        *map(column, ("published", "read", "party", "unlike")),
    ]
    return tabulate(columns, lines)


def _tables(listed: _Listed, shown: Sequence[str], *, claims: bool = False) -> list[Table]:
    """Return the figures at some places: one table, or two for all that there are."""

    def score(place: str) -> Column[tuple[_Entry, Mapping[str, _Line]]]:
        def value(row: tuple[_Entry, Mapping[str, _Line]]) -> Value:
            return row[1][place].score if place in row[1] else None

        return Column(place, value, "", when=lambda rows: any(place in row[1] for row in rows))

    def why(row: tuple[_Entry, Mapping[str, _Line]]) -> str:
        second = any(line.figure.read == "second-hand" for line in row[1].values())
        reasons = dict.fromkeys(line.figure.unlike for line in row[1].values())
        return "; ".join([*reasons, *["second-hand"] * second])

    about: list[Column[tuple[_Entry, Mapping[str, _Line]]]] = [
        Column("System", lambda row: row[0].system)
    ]
    if claims:
        about += [Column("Reader", lambda row: row[0].reader), Column("Why", why)]
    halves = [shown] if len(shown) < _HALF else [shown[:_HALF], shown[_HALF:]]
    tables = []
    for places in halves:
        rows = [row for row in listed if any(place in row[1] for place in places)]
        if rows:
            tables.append(tabulate([*about, *map(score, places)], rows))
    return tables


def _by_entry(lines: Iterable[_Line]) -> dict[_Entry, dict[str, _Line]]:
    entries: dict[_Entry, dict[str, _Line]] = {}
    for line in lines:
        entries.setdefault(_Entry.of(line.figure), {})[line.figure.on] = line
    return entries


def _standings(lines: Iterable[_Line]) -> dict[_Group, _Listed]:
    """Return the systems of each group, those with the most figures first.

    A system that was published several times, or in several versions, stands once for each. What
    nobody judged stands with what was read by the same model, where one judge judged that.
    """
    groups: dict[_Group, list[tuple[_Entry, Mapping[str, _Line]]]] = {}
    for entry, scores in _by_entry(lines).items():
        # The dates of the judges' versions are not always named by the paper.
        judges = (line.figure.judge for line in scores.values() if line.figure.judge)
        undated = sorted({_DATED.sub("", judge) for judge in judges})
        group = _Group(entry.reader, " and ".join(undated) or None)
        groups.setdefault(group, []).append((entry, scores))
    for group in [group for group in groups if group.judge is None]:
        judged = [other for other in groups if other.reader == group.reader and other.judge]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop(group)

    def most_figures(item: tuple[_Group, _Listed]) -> int:
        return max(len(scores) for _, scores in item[1])

    return dict(sorted(groups.items(), key=most_figures, reverse=True))


def _own_lines(run: Run) -> Iterator[_Line]:
    """Yield what a run has on complete sources of the benchmark, columns and categories."""
    summary, record = run.summary, run.record
    if not record.data.benchmark:
        return
    asked = {name: source for name, source in summary.sources.items()}
    means: dict[str, MeanScore] = {**summary.columns, **summary.categories}
    means["Overall"] = overall_score(summary)
    for source in SOURCES:
        if source.name in asked and asked[source.name].n == source.questions:
            one = asked[source.name]
            means[source.name] = MeanScore(
                official=one.official,
                corrected=None,
                interval=one.interval,
                complete=True,
                coverage=1.0,
            )
    for place, mean in means.items():
        members = [
            asked[one.name] for one in SOURCES if place in places_of(one) and one.name in asked
        ]
        score = Measure.of(mean.official, mean.interval)
        if score is None:
            continue
        metrics = {one.metric for one in members}
        judges = sorted({one.judge.model for one in members if one.judge})
        yield _Line(
            Figure(
                system=summary.agent,
                version=None,
                reader=record.model.name if record.model else None,
                embedder=None,
                depth=None,
                chunk_tokens=record.chunk_tokens,
                judge=" and ".join(judges) or None,
                on=place,
                metric=metrics.pop() if len(metrics) == 1 else "official",
                score=score.value,
                asked=sum(one.n for one in members),
                answered=None,
                date=record.date,
                published=str(run.folder),
                read="source",
                party="own",
                run=record.data.fingerprint,
            ),
            score,
        )


def _shortfalls(run: Run) -> Iterator[str]:
    """Say why a run completes no column, or what the columns that it touches lack."""
    summary, folder = run.summary, run.folder
    if not run.record.data.benchmark:
        yield f"{folder} feeds no column: its rows are not the benchmark's own."
        return
    touched = {without_length(name) for name in summary.sources}
    names = [one.column for one in SOURCES if one.column and without_length(one.name) in touched]
    lacks = []
    for column in dict.fromkeys(names):
        members = [one for one in SOURCES if one.column == column]
        asked = {
            one.name: summary.sources[one.name].n for one in members if one.name in summary.sources
        }
        missing = [
            one.name
            + (f" ({asked[one.name]} of {one.questions} asked)" if one.name in asked else "")
            for one in members
            if asked.get(one.name, 0) < one.questions
        ]
        if missing:
            lacks.append(f"{column} needs {', '.join(missing)}")
        elif summary.columns[column].official is None:
            needs = {summary.sources[one.name].needs for one in members}
            lacks.append(
                f"{column} has no score without {' and '.join(sorted(filter(None, needs)))}"
            )
    if not any(mean.official is not None for mean in summary.columns.values()):
        yield f"{folder} completes no column: {'; '.join(lacks) or 'none takes its sources'}."
    elif lacks:
        yield f"{folder} lacks a part: {'; '.join(lacks)}."


def beside(run: Run, system: str) -> Report:
    """Return what a run and a published system have, their differences, and other settings.

    Of several the one counts that was read by the run's model, then the one with more figures.

    Raises:
        UsageError: when nobody published a system of that name.
    """
    entries = _by_entry(_Line(one, Measure(one.score)) for one in figures() if not one.unlike)
    named = {entry: of for entry, of in entries.items() if entry.system.lower() == system.lower()}
    if not named:
        names = dict.fromkeys(entry.system for entry in entries)
        raise UsageError(unknown("unknown system", system, names), parameter="beside")
    own = {line.figure.on: line for line in _own_lines(run)}
    reader = run.record.model.name if run.record.model else None

    def fit(entry: _Entry) -> tuple[bool, int]:
        return entry.reader == reader, len(named[entry].keys() & own)

    entry = max(named, key=fit)
    pairs = [(own[on], line) for on, line in named[entry].items() if on in own]
    columns: tuple[Column[tuple[_Line, _Line]], ...] = (
        Column("Score", lambda pair: pair[0].figure.on),
        Column("Here", lambda pair: pair[0].score, ""),
        Column(entry.system, lambda pair: pair[1].score, ".1f"),
        Column("Difference", lambda pair: pair[0].score.value - pair[1].score.value, "+.1f"),
    )
    title = f"Beside {entry.system}, {entry.published}"
    if not pairs:
        return Report(title, remarks=[*_shortfalls(run)])
    settings = _settings(run, [line for pair in pairs for line in pair])
    tables = [tabulate(columns, pairs), settings]
    return Report(title, [table for table in tables if table.values], [*_shortfalls(run)])


def _settings(run: Run, lines: Sequence[_Line]) -> Table:
    """Return the settings in which a run and what was published beside it differ."""
    depths = [one.retrieval.depth for one in run.summary.sources.values() if one.retrieval]
    known = [depth for depth in depths if depth is not None]
    here = {
        "agent": run.record.agent,
        "passages": f"{fmean(known):.3g}" if known else None,
        "chunk_tokens": f"{run.record.chunk_tokens or f'by the protocol {run.record.protocol}'}",
    }
    rows = []
    for title, name in (
        ("agent", "system"),
        ("reader", "reader"),
        ("embedder", "embedder"),
        ("passages", "depth"),
        ("chunk_tokens", "chunk_tokens"),
        ("judge", "judge"),
    ):
        sides = [
            ", ".join(
                {
                    f"{value}": None
                    for line in lines
                    if (line.figure.party == "own") is own
                    and (value := getattr(line.figure, name)) is not None
                }
            )
            for own in (True, False)
        ]
        mine = here.get(title, sides[0])
        if mine != sides[1]:
            rows.append((title.replace("_", " "), mine or None, sides[1] or None))
    from mabench.reports.tables import plain_columns

    return tabulate(plain_columns(("Setting", "Here", "There"), texts=(0, 1, 2)), rows)
