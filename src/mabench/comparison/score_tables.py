"""Anybody's scores: a table with a line for each question that an agent was asked.

Its columns are agent, source, history, question, score, and build if there are several builds of an
agent; also, if known, text (one name for histories that share their text) and part (what became of
the question, such as missed). A CSV or Parquet file has it, a data frame, or records in Python.
Nothing in it is guessed: a line that cannot be read is named, with what would mend it.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import isfinite, isnan
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from mabench.comparison.entries import Entry
from mabench.comparison.tables import BuildScores
from mabench.data.arrow import import_parquet
from mabench.errors import DataError, UsageError, reason, unknown
from mabench.results import PARTS
from mabench.uncertainty import Grouped

_NEEDED_COLUMNS = ("agent", "source", "history", "question", "score")
_OPTIONAL_COLUMNS = ("build", "text", "part")
_TEXT_COLUMNS = (*_NEEDED_COLUMNS[:-1], *_OPTIONAL_COLUMNS)
_SCORES_OF_WORDS = {"true": 1.0, "false": 0.0}
_TABLE_ENDINGS = (".csv", ".parquet")
_LONGEST_SHOWN = 60  # Characters of a value in an error.

# A history and a question of it.
Asked = tuple[str, str]
# The score of a question, and what became of it.
Scored = tuple[float, str]
# By build and source, the scores of questions.
_Builds = Mapping[str, Mapping[str, Mapping[Asked, Scored]]]


class _TableLine(NamedTuple):
    """A line of a table."""

    number: int  # In a file its line, the first being the titles; else from 1.
    agent: str
    source: str
    history: str
    question: str
    build: str
    text: str  # What names the text of the history, where several share it; empty if none is named.
    part: str  # What became of the question, one of ``PARTS``; empty if that is not told.
    score: float


@dataclass(frozen=True)
class ScoresEntry(Entry):
    """An agent of a table of scores."""

    name: str
    # By build and source, the scores of questions.
    builds: Sequence[Mapping[str, Mapping[Asked, Scored]]]
    texts: Mapping[tuple[str, str], str]  # What names the text of a source's history.
    without: Mapping[str, str]
    _tables: dict[str, BuildScores] = field(default_factory=dict, init=False, repr=False)

    @property
    def agent(self) -> str:  # type: ignore[override]
        """The agent as the table names it."""
        return self.name

    @property
    def builds_count(self) -> int:  # type: ignore[override]
        """How many builds there are."""
        return len(self.builds)

    @property
    def sources(self) -> Collection[str]:
        """The sources that have a score."""
        return self.builds[0].keys()

    def questions(self, source: str) -> Collection[Asked]:
        """Return the history and the name of each question of a source."""
        return self.builds[0].get(source, {}).keys()

    def table(self, source: str) -> BuildScores:
        """Return what the builds have of a source: drawn up once, for many pairs need it."""
        if source not in self._tables:
            self._tables[source] = self._draw_up(source)
        return self._tables[source]

    def _draw_up(self, source: str) -> BuildScores:
        """Return what the builds have of a source, with its questions by history and name."""
        asked = sorted(self.questions(source))
        answers = [[build[source][question] for question in asked] for build in self.builds]
        scores = np.array([[score for score, _ in build] for build in answers])
        parts = np.array([[part for _, part in build] for build in answers])
        histories = [history for history, _ in asked]
        # A history whose text has no name shares it with no other.
        texts = tuple(
            self.texts.get((source, history)) or (source, number)
            for number, history in enumerate(dict.fromkeys(histories))
        )
        # If it is not told of some questions, no part can be counted.
        undecided = frozenset(PARTS if "" in parts else ())
        return BuildScores(
            histories=Grouped.of(scores[0], histories).histories,
            texts=texts,
            kinds={},
            scores=scores,
            parts={part: (parts == part).astype(np.float64) for part in PARTS},
            undecided=undecided,
        )

    def only(self, asked: Mapping[str, Collection[Asked]]) -> Self:
        """Return the entry with no more than some questions, by source."""
        builds = [
            {name: {key: build[name][key] for key in keys} for name, keys in asked.items()}
            for build in self.builds
        ]
        why = "no question was asked of all agents"
        return replace(self, builds=builds, without=dict.fromkeys(self.sources - asked.keys(), why))


def is_score_table(given: object) -> bool:
    """Return whether something is a table of scores: a file of one, a data frame, or records."""
    if isinstance(given, str | Path):
        return Path(given).suffix.lower() in _TABLE_ENDINGS
    if _has_columns(given):
        return True
    return isinstance(given, Sequence) and bool(given) and isinstance(given[0], Mapping)


def open_scores(given: object, *, common: bool = False) -> tuple[list[ScoresEntry], list[str]]:
    """Return the agents of a table of scores, and the sources that all were asked.

    Args:
        given: the path of a CSV or Parquet file, a data frame (pandas or polars), a mapping of
            columns, or records, each a mapping.
        common: leave out the questions that not all were asked.

    Raises:
        DataError: when the table cannot be read, or a line of it lacks something.
        UsageError: when the agents were asked different questions, or there are fewer than two.
    """
    place = str(given) if isinstance(given, str | Path) else "the scores"
    agents, texts = _collect(_read_lines(given, place), place)
    if len(agents) < 2:
        found = f"has only {next(iter(agents))}" if agents else "has no line"
        raise UsageError(f"{place} {found}: a comparison needs two agents or more")
    entries = []
    for name, builds in agents.items():
        _check_builds(place, name, builds)
        entries.append(ScoresEntry(name=name, builds=[*builds.values()], texts=texts, without={}))
    shared = _shared_sources(place, entries)
    if common:
        return _keep_common(place, entries, shared)
    _check_same_questions(place, entries, shared)
    return [_leave_out_unshared(entry, shared) for entry in entries], shared


def _collect(
    lines: Iterable[_TableLine], place: str
) -> tuple[Mapping[str, _Builds], Mapping[tuple[str, str], str]]:
    """Return the builds of each agent, and the names of texts by source and history.

    Raises:
        DataError: when a question is scored twice, or a history has two texts.
    """
    agents: dict[str, dict[str, dict[str, dict[Asked, Scored]]]] = {}
    line_numbers: dict[tuple[str, ...], int] = {}
    texts: dict[tuple[str, str], str] = {}
    for line in lines:
        key = (line.agent, line.source, line.history, line.question, line.build)
        if key in line_numbers:
            what = f"question {line.question} of history {line.history} of {line.source}"
            builds = "" if line.build else "; if it was asked of several builds, add a column build"
            raise DataError(
                f"{place}, line {line.number}: {line.agent} has a score on {what} in line "
                f"{line_numbers[key]}, too; each question is scored once{builds}"
            )
        line_numbers[key] = line.number
        if texts.setdefault((line.source, line.history), line.text) != line.text:
            raise DataError(
                f"{place}, line {line.number}, text: history {line.history} of {line.source} has "
                "another one before; give one name for each history"
            )
        sources = agents.setdefault(line.agent, {}).setdefault(line.build, {})
        answers = sources.setdefault(line.source, {})
        answers[line.history, line.question] = (line.score, line.part)
    return agents, {key: text for key, text in texts.items() if text}


def _check_builds(place: str, agent: str, builds: _Builds) -> None:
    """Raise a UsageError if the builds of an agent, by their names, were not asked the same."""
    (first, here), *others = builds.items()
    for build, there in others:
        for source in dict.fromkeys([*here, *there]):
            if difference := _describe_difference(here.get(source, {}), there.get(source, {})):
                raise UsageError(
                    f"{place}: builds {first} and {build} of {agent} were asked different "
                    f"questions of {source}, such as {difference}; give the same for each build"
                )


def _shared_sources(place: str, entries: Sequence[ScoresEntry]) -> list[str]:
    """Return the sources on which all agents have a score, in the order of the table.

    Raises:
        UsageError: when there is none.
    """
    sources = dict.fromkeys(source for entry in entries for source in entry.sources)
    shared = [source for source in sources if all(source in entry.sources for entry in entries)]
    if not shared:
        raise UsageError(f"{place}: the agents share no source on which all have a score")
    return shared


def _check_same_questions(
    place: str, entries: Sequence[ScoresEntry], sources: Iterable[str]
) -> None:
    """Raise a UsageError if an agent was asked other questions of a source than the first one."""
    first, *others = entries
    for other, source in product(others, sources):
        difference = _describe_difference(first.questions(source), other.questions(source))
        if difference:
            raise UsageError(
                f"{place}: {first.name} and {other.name} were asked different questions "
                f"of {source}, such as {difference}; `common` compares those that all share"
            )


def _keep_common(
    place: str, entries: Sequence[ScoresEntry], sources: Iterable[str]
) -> tuple[list[ScoresEntry], list[str]]:
    """Return the agents with the questions that all were asked, and the sources that have some.

    Raises:
        UsageError: when no question was asked of all agents.
    """
    common: dict[str, list[Asked]] = {}
    for source in sources:
        questions = set.intersection(*({*entry.questions(source)} for entry in entries))
        if questions:
            common[source] = sorted(questions)
    if not common:
        raise UsageError(f"{place}: no question was asked of all agents")
    return [entry.only(common) for entry in entries], [*common]


def _leave_out_unshared(entry: ScoresEntry, shared: Collection[str]) -> ScoresEntry:
    """Return the agent, with the reason for each of its sources that is not compared."""
    unshared = [source for source in entry.sources if source not in shared]
    return replace(entry, without=dict.fromkeys(unshared, "not all agents have a score on it"))


def _describe_difference(here: Collection[Asked], there: Collection[Asked]) -> str:
    """Return in words a question that one has and the other lacks; empty if there is none."""
    different = {*here} ^ {*there}
    if not different:
        return ""
    history, question = min(different)
    return f"question {question} of history {history}"


def _read_lines(given: object, place: str) -> Iterator[_TableLine]:
    """Yield the lines of a table, whatever holds it.

    Raises:
        DataError: when the table cannot be read, lacks a column, or a line of it is wrong.
    """
    first_number = 1
    if isinstance(given, str | Path):
        path = Path(given)
        if path.suffix.lower() == ".csv":
            columns = _read_csv(path)
            first_number = 2  # The first line has the titles.
        else:
            columns = _read_parquet(path)
    elif _has_columns(given):
        columns = _take_columns(given)
    else:
        columns = _take_records(given, place)
    _check_columns(columns, place)
    for index, score_given in enumerate(columns["score"]):
        number = first_number + index
        texts = {
            name: _read_name(columns[name][index]) if name in columns else ""
            for name in _TEXT_COLUMNS
        }
        score = _read_score(score_given)
        if problem := _find_problem(texts, score, score_given):
            raise DataError(f"{place}, line {number}, {problem}")
        yield _TableLine(number=number, **texts, score=score or 0.0)


def _check_columns(columns: Mapping[str, Sequence[object]], place: str) -> None:
    """Raise a DataError if a needed column is missing, or if columns differ in length."""
    if missing := [name for name in _NEEDED_COLUMNS if name not in columns]:
        there = ", ".join(columns) or "none"
        raise DataError(
            f"{place}: no column {missing[0]}; there are {there}. A table of scores has the "
            f"columns {', '.join(_NEEDED_COLUMNS)}, and build if there are several builds"
        )
    count = len(columns["agent"])
    for name in (*_NEEDED_COLUMNS, *_OPTIONAL_COLUMNS):
        if name in columns and len(columns[name]) != count:
            raise DataError(f"{place}, {name}: not as long as the column agent")


def _find_problem(texts: Mapping[str, str], score: float | None, score_given: object) -> str:
    """Return which column of a line is wrong, how, and what would mend it; empty if none is."""
    for name, text in texts.items():
        if not text and name in _NEEDED_COLUMNS:
            return f"{name}: it is empty; name the {name}"
    if (part := texts["part"]) and part not in PARTS:
        return unknown("part: found", part[:_LONGEST_SHOWN], PARTS)
    if score is None:
        shown = repr(score_given)[:_LONGEST_SHOWN]
        return (
            f"score: found {shown}; expected a number from 0 to 1 (a share of a whole score, such "
            "as 0.5; divide percents by 100). A failed answer has 0"
        )
    return ""


def _read_name(value: object) -> str:
    """Return what names something, as text; empty if nothing does.

    Data frames turn whole numbers into decimals, and nothing into NaN, where a value of a column is
    missing: 3.0 is ``3`` again, and NaN is nothing.
    """
    if value is None:
        return ""
    if isinstance(value, float):
        if isnan(value):
            return ""
        if value.is_integer():
            return str(int(value))
    return str(value).strip()


def _read_score(value: object) -> float | None:
    """Return a score from 0 to 1; None for what is none. The words true and false are 1 and 0."""
    if isinstance(value, str):
        value = _SCORES_OF_WORDS.get(value.strip().lower(), value)
    try:
        score = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return score if isfinite(score) and 0 <= score <= 1 else None


def _read_csv(path: Path) -> Mapping[str, Sequence[object]]:
    """Return the columns of a CSV file by their titles, in small letters."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            titles = [title.strip().lower() for title in next(rows, [])]
            values: list[list[str]] = []
            for row in rows:
                # Empty lines are refused below, except at the end.
                if row and len(row) != len(titles):
                    raise DataError(
                        f"{path}, line {rows.line_num}: it has {len(row)} values, and the first "
                        f"line {len(titles)} titles; quote values that have commas"
                    )
                values.append(row)
    except (OSError, UnicodeError, csv.Error) as error:
        raise DataError(f"{path}: not readable as CSV: {reason(error)}") from error
    for title in titles:
        if title and titles.count(title) > 1:
            raise DataError(f"{path}: two columns are called {title}; rename one")
    while values and not values[-1]:
        values.pop()
    for number, row in enumerate(values, 2):
        if not row:
            raise DataError(f"{path}, line {number}: it is empty; take it out")
    return {title: [row[place] for row in values] for place, title in enumerate(titles)}


def _read_parquet(path: Path) -> Mapping[str, Sequence[object]]:
    """Return the columns of a Parquet file."""
    parquet = import_parquet()
    import pyarrow

    try:
        with parquet.ParquetFile(path) as file:
            names = [
                name
                for name in file.schema_arrow.names
                if name in (*_NEEDED_COLUMNS, *_OPTIONAL_COLUMNS)
            ]
            table = file.read(columns=names)
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"{path}: not readable as Parquet: {reason(error)}") from error
    return {name: table[name].to_pylist() for name in table.column_names}


def _has_columns(given: object) -> bool:
    """Return whether something is a data frame, or a mapping of columns."""
    return isinstance(given, Mapping) or hasattr(given, "columns")


def _take_columns(frame: Any) -> Mapping[str, Sequence[object]]:
    """Return the columns of a data frame, or of a mapping of columns."""
    names = frame.keys() if isinstance(frame, Mapping) else frame.columns
    return {str(name): [*frame[name]] for name in names}


def _take_records(records: Any, place: str) -> Mapping[str, Sequence[object]]:
    """Return records as columns; a record has None where it lacks what another has."""
    checked: list[Mapping[str, object]] = []
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise DataError(
                f"{place}, record {number}: found a {type(record).__name__}, no mapping"
            )
        checked.append(record)
    names = dict.fromkeys(name for record in checked for name in record)
    return {str(name): [record.get(name) for record in checked] for name in names}
