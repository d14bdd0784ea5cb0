"""The published figures as tables, with runs of one's own among them or beside one of them.

They are data, one a line in ``figures.jsonl``; ``docs/contribute/published-figure.md`` says how to
add one. Figures are never ranked across readers and judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import attrgetter
from statistics import fmean
from typing import Literal, NamedTuple

from rich.console import Console

from mabench.data.inventory import CATEGORIES, SOURCES, without_length
from mabench.errors import UsageError, unknown
from mabench.families import family_of
from mabench.json_text import IfKnown, JsonRecord, parse
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.run_tables import LIMITS
from mabench.reports.tables import Column, Table, Value, plain_table, tabulate
from mabench.results import Intervals, Measure, Run, refuse_repeated_paths

# The columns of the paper's table, the category after its columns, and the mean of all.
_PLACES = (
    *(place for category in CATEGORIES for place in (*category.columns, category.name)),
    "Overall",
)
# The first two categories, so that a table fits on a terminal of 80 columns.
_HALF = _PLACES.index("TTL") + 1
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_BEST = "best"
# What a program reads of a figure, before and behind its score.
_ABOUT = ("system", "version", "reader", "embedder", "judge", "on", "metric", "asked", "answered")
_OTHERS = ("published", "read", "party", "unlike")
# The settings that a figure says, in words.
_SETTINGS = {"agent": "system", "reader": "reader", "embedder": "embedder", "passages": "depth"}
_SETTINGS |= {"tokens a chunk": "chunk_tokens", "judge": "judge"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure(JsonRecord):
    """One figure, published or one's own; None is what nobody says, or what there is none of."""

    system: str
    version: str | None = None
    reader: str | None  # The language model that answers.
    embedder: str | None = None
    depth: int | None = None  # How many passages are retrieved.
    chunk_tokens: int | None
    judge: str | None  # The language model that judges.
    on: str  # A source, column or category, or ``Overall``.
    metric: str | None  # ``official`` for the mean of several metrics of the paper.
    score: float  # From 0 to 100.
    asked: int | None  # Questions.
    answered: int | None = None  # How many of them count; a failed answer that is wrong does.
    date: str | None = None  # YYYY-MM-DD or YYYY-MM.
    published: str  # Where; the folder of a run of one's own.
    read: Literal["source", "second-hand"] | None = None  # By whoever entered it.
    # The system's own authors measured it, or others; ``own`` of a run of one's own.
    party: Literal["first", "third", "own"]
    run: str | None = None  # The fingerprint of the data of a run that can be looked at.
    interval: IfKnown[Intervals | None] = None  # That a figure of one's own has.

    @property
    def measure(self) -> Measure:
        """The score with its intervals."""
        return Measure.of(self.score, self.interval) or Measure(self.score)

    @property
    def unlike(self) -> str:
        """Why it compares with no other figure; empty where it does."""
        members = [source for source in SOURCES if self.on in source.places]
        metrics = {family_of(source.name).metric for source in members}
        metric = metrics.pop() if len(metrics) == 1 else "official"
        whole = sum(source.questions for source in members)
        if self.metric is None or self.asked is None:
            return "metric or questions not stated"
        reasons = [f"by {self.metric}"] if self.metric != metric else []
        reasons += ["some questions"] if self.asked < whole else []
        reasons += ["answers left out"] if (self.answered or self.asked) < self.asked else []
        return ", ".join(reasons)


@cache
def figures() -> tuple[_Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.reports").joinpath("figures.jsonl").read_text(encoding="utf-8")
    return tuple(parse(_Figure, line) for line in text.splitlines())


class _Rank(NamedTuple):
    """A system as it was published at one place, or a run of one's own."""

    system: str  # With its version.
    reader: str | None
    embedder: str | None
    published: str  # Where; the folder of a run.


_Kind = tuple[str | None, str | None]  # Reader and judge: figures are compared within one.
_Entry = tuple[_Rank, Mapping[str, _Figure]]  # By place.


def show_leaderboard(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print the published figures by reader and judge, or those that runs can be compared with.

    Raises ``UsageError`` where a run is given twice.
    """
    refuse_repeated_paths(run.folder for run in runs)
    own = [score for run in runs for score in _own_scores(run).values()]
    shown = [place for place in _PLACES if not runs or any(one.on == place for one in own)]
    scores = [*figures(), *own]

    def reports() -> Iterator[Report]:
        remarks = [why for run in runs for why in _shortfalls(run)]
        for group, listed in _standings(one for one in scores if not one.unlike).items():
            parties = {one.party for _, of in listed for one in of.values()}
            if runs and "own" not in parties:
                continue
            reader = f"Reader {group[0]}" if group[0] else "Reader unknown or missing"
            title = f"{reader}, {f'judge {group[1]}' if group[1] else 'no judge'}"
            if parties == {"own"}:
                remarks.append(f"{title}: no figures have been published for these.")
            yield Report.of(title, _tables(listed, shown))
        if shown:
            claims = _by_entry(one for one in scores if one.unlike)
            title = "Claims of another kind, not comparable with the figures above"
            yield Report(title, _tables([*claims.items()], shown, claims=True))
            remarks.append("Do not rank scores across tables: readers and judges differ.")
        yield Report(remarks=remarks)

    def tidy() -> Table:
        about, others = attrgetter(*_ABOUT), attrgetter(*_OTHERS)
        rows = ([*about(one), *one.measure.spread_out(), *others(one)] for one in scores)
        return plain_table((*_ABOUT, "score", *LIMITS, *_OTHERS), rows)

    def content() -> object:
        table = tidy()
        listed = [dict(zip(table.headers, row, strict=True)) for row in table.values]
        return {"schema": 1, "figures": listed}

    show_reports(reports(), content, layout, console, tidy)


def _tables(listed: Sequence[_Entry], shown: Sequence[str], *, claims: bool = False) -> list[Table]:
    """Return the figures at some places, in two tables where there are many."""

    def score(place: str) -> Column[_Entry]:
        def value(row: _Entry) -> Value:
            return row[1][place].measure if place in row[1] else None

        return Column(place, value, "", when="known")

    def why(row: _Entry) -> str:
        figures = [figure for place, figure in row[1].items() if place in shown]
        second = ["second-hand"] * any(figure.read == "second-hand" for figure in figures)
        return "; ".join(dict.fromkeys([*(figure.unlike for figure in figures), *second]))

    about: list[Column[_Entry]] = [Column("System", lambda row: row[0].system)]
    if claims:
        about += [Column("Reader", lambda row: row[0].reader), Column("Why", why)]
    tables = list[Table]()
    for places in [shown] if len(shown) <= _HALF else [shown[:_HALF], shown[_HALF:]]:
        rows = [row for row in listed if not row[1].keys().isdisjoint(places)]
        tables += [tabulate([*about, *map(score, places)], rows)] if rows else []
    return tables


def _by_entry(scores: Iterable[_Figure]) -> dict[_Rank, dict[str, _Figure]]:
    """Return what each system has; one that was published several times stands once for each."""
    entries: dict[_Rank, dict[str, _Figure]] = {}
    for figure in scores:
        place = figure.published.partition(",")[0]
        name = figure.system if figure.version is None else f"{figure.system} {figure.version}"
        if figure.party == "own":
            place = figure.published
            name += f" ({place})"
        entry = _Rank(name, figure.reader, figure.embedder, place)
        entries.setdefault(entry, {})[figure.on] = figure
    return entries


def _standings(scores: Iterable[_Figure]) -> dict[_Kind, Sequence[_Entry]]:
    """Return the systems of each group, those with the most figures first.

    What nobody judged stands with what was read by the same model, where one judge judged that.
    """
    groups: dict[_Kind, list[_Entry]] = {}
    for entry, of in _by_entry(scores).items():
        # The dates of the judges' versions are not always named by the paper.
        judges = {_DATED.sub("", one.judge) for one in of.values() if one.judge}
        group = (entry.reader, " and ".join(sorted(judges)) or None)
        groups.setdefault(group, []).append((entry, of))
    for reader in [reader for reader, judge in groups if judge is None]:
        judged = [other for other in groups if other[0] == reader and other[1]]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop((reader, None))
    most = {group: max(len(scores) for _, scores in of) for group, of in groups.items()}
    return dict(sorted(groups.items(), key=lambda item: -most[item[0]]))


def _own_scores(run: Run) -> dict[str, _Figure]:
    """Return what a run has on the columns and categories that it completes, by their names."""
    summary, record = run.summary, run.record
    scores = {}
    for place, mean in summary.means.items():
        names = [one.name for one in SOURCES if place in one.places]
        parts = [summary.sources[name] for name in names if name in summary.sources]
        metrics = {one.metric for one in parts}
        if mean.official is not None:
            scores[place] = _Figure(
                system=summary.agent,
                reader=record.model.name if record.model else None,
                chunk_tokens=record.chunk_tokens,
                judge=" and ".join(sorted({one.judge.model for one in parts if one.judge})) or None,
                on=place,
                metric=metrics.pop() if len(metrics) == 1 else "official",
                score=mean.official,
                asked=sum(one.n for one in parts),
                published=str(run.folder),
                party="own",
                interval=mean.interval,
            )
    return scores


def _shortfalls(run: Run) -> Iterator[str]:
    """Say why a run completes no column, or what the columns that it touches lack."""
    sources, folder, columns = run.summary.sources, run.folder, run.summary.columns
    if not run.record.data.benchmark:
        yield f"{folder} feeds no column: its rows are not the benchmark's own."
        return
    touched = {without_length(name) for name in sources}
    lacks = []
    for column in {one.column: None for one in SOURCES if without_length(one.name) in touched}:
        members = [one for one in SOURCES if column and one.column == column]
        asked = {one.name: sources[one.name].n if one.name in sources else 0 for one in members}
        missing = [
            one.name + (f" ({asked[one.name]} of {one.questions} asked)" * (asked[one.name] > 0))
            for one in members
            if asked[one.name] < one.questions
        ]
        if missing:
            lacks.append(f"{column} needs {', '.join(missing)}")
        elif members and columns[column or ""].official is None:
            needs = {sources[name].needs or "" for name in asked} - {""}
            lacks.append(f"{column} needs {', '.join(sorted(needs))}: mabench judge, or entities")
    what = "lacks columns" if _own_scores(run) else "does not complete any column"
    if lacks or not _own_scores(run):
        yield f"{folder} {what}: {'; '.join(lacks) or 'no column uses its sources'}."


def beside(run: Run, system: str) -> tuple[Report, Sequence[_Figure]]:
    """Return a run beside a published system, or beside the best of each column, and its figures.

    Of a system that was published several times, the one counts that was read by the run's model,
    then the one with more figures. Raises ``UsageError`` for a system that nobody published.
    """
    own, model = _own_scores(run), run.record.model
    listed = [one for one in figures() if not one.unlike]
    entries = _by_entry(listed)
    named = [of for entry, of in entries.items() if entry.system.lower() == system.lower()]
    if system == _BEST:  # Whoever reads and judges.
        fit = [one for one in listed if one.read != "second-hand"]
        named = [{one.on: one for one in sorted(fit, key=lambda one: one.score)}]
    if not named:
        systems = dict.fromkeys([_BEST, *(entry.system for entry in entries)])
        raise UsageError(unknown("unknown system", system, systems), parameter="beside")

    def nearness(of: Mapping[str, _Figure]) -> tuple[bool, int]:
        readers = {one.reader for one in of.values()}
        return readers == {model.name if model else None}, len(of.keys() & own)

    theirs = {on: one for on, one in max(named, key=nearness).items() if on in own}
    columns: tuple[Column[tuple[Measure, _Figure]], ...] = (
        Column("Column", lambda row: row[1].on),
        Column("Here", lambda row: row[0], ""),
        Column("Published", lambda row: row[1].score, ".1f"),
        Column("Difference", lambda row: row[0].value - row[1].score, "+.1f"),
        Column("System", lambda row: row[1].system),
        Column("Reader", lambda row: row[1].reader),
    )
    table = tabulate(columns, [(own[on].measure, figure) for on, figure in theirs.items()])
    tables = [table, _other_settings(run, own, [*theirs.values()])] if theirs else []
    places = ", ".join(dict.fromkeys(figure.published for figure in theirs.values()))
    remarks = [*([f"Published: {places}."] if theirs else []), *_shortfalls(run)]
    return Report("", [one for one in tables if one.values], remarks), [*theirs.values()]


def _other_settings(run: Run, own: Mapping[str, _Figure], theirs: Sequence[_Figure]) -> Table:
    depths = [one.retrieval.depth for one in run.summary.sources.values() if one.retrieval]
    known = [depth for depth in depths if depth is not None]
    rows = []
    for title, field in _SETTINGS.items():
        here, there = (
            ", ".join({f"{value}": 0 for one in listed if (value := getattr(one, field))})
            for listed in ([own[figure.on] for figure in theirs], theirs)
        )
        if field == "depth" and known:
            here = f"{fmean(known):.3g}"
        if field == "chunk_tokens":
            here = here or f"by the protocol {run.record.protocol}"
        if here != there:
            rows.append((title, here or None, there or None))
    return plain_table(("Setting", "Here", "Published"), rows)
