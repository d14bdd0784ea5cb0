"""Tables of lists of records: agents, runs, findings of a check, pairs of a race and more.

``list_table`` makes the table of any kind; ``_COLUMNS`` has the columns of each kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Never, cast

from mabench.audit import QuestionPlaces
from mabench.check.findings import Finding
from mabench.comparison import Design
from mabench.data import Problem
from mabench.data.inventory import Source
from mabench.families import family_of
from mabench.lookup import AgentInfo
from mabench.printable import write_count
from mabench.reports.costs.durations import write_hours
from mabench.reports.tables import NONE, Column, Table, tabulate
from mabench.results import Agreement, JudgeName, ListedRun, RacePair, State

_RUNS_FOLDER = "runs/"
# The state of a race without a winner, by what its verdict says.
_OPEN_RACES = {
    "cannot be told apart": "undecided",
    " are equal ": "equal",
    "in a circle": "in a circle",
    "History ": "undecided",
}
# Characters of a folder in a list of runs with numbers.
_LONGEST_NAME = 14
# Units of time in seconds, the largest first.
_UNITS = (("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
# The length of an ISO 8601 time up to the minute.
_MINUTE = 16


def list_table(kind: type, items: Iterable[object]) -> Table:
    """Return a table with a row for each item; ``kind`` is their type, one in ``_COLUMNS``."""
    return tabulate(cast(Sequence[Column[object]], _COLUMNS[kind]), items)


def _short_name(run: ListedRun) -> str:
    """Return the folder of a run; where it has a number, by its name, and cut in the middle."""
    name = run.folder
    if run.number is None:
        return name
    name = name.removeprefix(_RUNS_FOLDER)
    if len(name) <= _LONGEST_NAME:
        return name
    end = (_LONGEST_NAME - 1) // 2
    return f"{name[: _LONGEST_NAME - 1 - end]}…{name[-end:]}"


def runs_sentence(runs: Sequence[ListedRun]) -> str:
    """Return how many runs or races are listed, and the data that all of them have."""
    data = f", all on {runs[0].data}" if _share_data(runs) else ""
    races = sum(run.race is not None for run in runs)
    counted = [(len(runs) - races, "run"), (races, "race")]
    listed = " and ".join(write_count(number, noun) for number, noun in counted if number)
    return f"{listed}{data}{', the newest first' if len(runs) > 1 else ''}."


def _share_data(runs: Sequence[ListedRun]) -> bool:
    """Return whether all runs are on the same data, which is then said once."""
    return len({run.data for run in runs}) == 1 and runs[0].data is not None


def _sources(run: ListedRun) -> str:
    """Return the source of a run, or of several how many."""
    return run.sources[0] if len(run.sources) == 1 else write_count(len(run.sources), "source")


def _data(run: ListedRun) -> str:
    """Return the data of a run and its sources: their names, or of several how many."""
    if run.data is None:
        return NONE
    if len(run.sources) == 1 and run.data.endswith(run.sources[0]):
        return run.data
    if len(run.sources) == 1:
        return f"{run.data}, {run.sources[0]}"
    return f"{run.data}, {len(run.sources)} sources" if run.sources else run.data


def describe_state(run: ListedRun) -> str:
    """Return the state of a run, with how far it got or what failed."""
    if run.problem:
        return f"damaged: {run.problem}"
    if run.race is not None and run.state == run.race:
        verdict = run.race.partition(" after ")[0]
        words = (word for said, word in _OPEN_RACES.items() if said in verdict)
        return next(words, verdict)
    if run.state == State.FAILED:
        return f"{run.errors} failed"
    if run.state == State.COMPLETE:
        return run.state
    return f"{run.state}, {run.asked}/{run.questions}"


def _age(run: ListedRun) -> str | None:
    """Return how long ago a run began, as 3 days, 5 h, 20 min or 40 s."""
    if run.date is None:
        return None
    try:
        began = datetime.fromisoformat(run.date)
    except ValueError:
        return None
    seconds = (datetime.now(UTC) - began.replace(tzinfo=began.tzinfo or UTC)).total_seconds()
    for unit, length in _UNITS:
        if seconds > 2 * length or unit == "s":
            break
    return f"{max(seconds, 0) / length:.0f} {unit}"


def _ends(limits: tuple[float, float] | None, form: str) -> str:
    return f"{limits[0]:{form}} to {limits[1]:{form}}" if limits else "too few histories"


def _judge(judge: JudgeName) -> str:
    return f"{judge.model} ({judge.prompts[:8]})"


_SOURCES: tuple[Column[Source], ...] = (
    Column("Source", lambda source: source.name),
    Column("Split", lambda source: source.split),
    Column("Column", lambda source: source.column),
    Column("Metric", lambda source: family_of(source.name).metric),
    Column("Rows", lambda source: source.rows, ""),
    Column("Questions", lambda source: source.questions, ""),
    Column("Tokens", lambda source: source.context_tokens, ","),  # Of o200k_base.
    Column("Limit", lambda source: source.context_limit, ","),
)
_PROBLEMS: tuple[Column[Problem], ...] = (
    Column("Severity", lambda problem: problem.severity),
    Column("File", lambda problem: problem.file),
    Column("Row", lambda problem: problem.row, ""),
    Column("Field", lambda problem: problem.field or None),
    Column("Found", lambda problem: problem.found),
    Column("Expected", lambda problem: problem.expected),
)
_AGENTS: tuple[Column[AgentInfo], ...] = (
    Column("Agent", lambda agent: agent.name),
    Column("From", lambda agent: agent.origin),
    Column("What it is", lambda agent: agent.summary),
)
_FINDINGS: tuple[Column[Finding], ...] = (
    Column("Check", lambda finding: finding.check),
    Column("Result", lambda finding: finding.status.replace("failed", "FAILED")),
    Column("What was seen", lambda finding: finding.message),
    Column("Seconds", lambda finding: finding.seconds, ".1f"),
)
_RUNS: tuple[Column[ListedRun], ...] = (
    Column("No.", lambda run: run.number, "", when="known"),
    # Never cut or left out: often it is all that two runs differ in.
    Column("Run", _short_name, key=True, formats=["table"]),
    Column("Run", lambda run: run.folder, key=True, formats=["markdown", "latex", "csv"]),
    Column("Agent", lambda run: run.agent or NONE, least=8),
    Column("Sources", _sources, formats=["table"], when=_share_data, least=11),
    Column("Data", _data, when=lambda runs: not _share_data(runs), formats=["table"], least=11),
    Column("Data", _data, formats=["markdown", "latex", "csv"]),
    Column("Score", lambda run: run.score, ".1f"),
    Column("State", describe_state, least=9),
    Column("Race", lambda run: run.race, formats=["markdown", "csv"], when="known"),
    Column("Age", _age, formats=["table"], least=6),
    Column(
        "Began, UTC",
        lambda run: (run.date or NONE)[:_MINUTE].replace("T", " "),
        formats=["markdown", "csv"],
    ),
)
_AGREEMENTS: tuple[Column[Agreement], ...] = (
    Column("Source", lambda row: row.source),
    Column("Judge", lambda row: _judge(row.one)),
    Column("Other judge", lambda row: _judge(row.other)),
    Column("Compared", lambda row: row.compared),
    Column("n", lambda row: row.n, ""),
    Column("Agree", lambda row: row.agreed, ".1%"),
    Column("95 %", lambda row: _ends(row.agreed_interval, ".1%"), ""),
    Column("Kappa", lambda row: row.kappa, ".3f"),
    Column("95 %, new histories", lambda row: _ends(row.kappa_interval, ".2f"), ""),
    Column("Score apart", lambda row: 100 * row.difference, ".1f"),
)
_SHOWN = {"a": "A is better", "b": "B is better", "equal": "equal", "undecided": "not decided"}


def _describe_decision(pair: RacePair) -> str:
    words = _SHOWN[pair.decision]
    return words.replace("is better", "is more often better") if pair.is_by_signs else words


_RACE_PAIRS: tuple[Column[RacePair], ...] = (
    Column("A", lambda pair: pair.a, key=True),
    Column("B", lambda pair: pair.b, key=True),
    Column("A - B", lambda pair: pair.difference, "+.1f"),
    Column("95 % interval", lambda pair: pair.interval, ""),
    Column("Histories", lambda pair: pair.histories, ""),
    Column("Shown", _describe_decision),
)
_DESIGNS: tuple[Column[Design], ...] = (
    Column("Source", lambda each: each.source, when="several"),
    Column("Power", lambda each: each.power, ".0f", key=True),
    Column("Points", lambda each: each.difference, ".1f", "none"),
    Column("Histories", lambda each: each.histories, ",", ">10,000"),
    Column(
        "95 %",
        lambda each: each.low and f"{each.low} to {each.high or '>10,000'}",
        missing=">10,000 to >10,000",
        when="known",
    ),
    Column("Questions", lambda each: each.questions, ""),
    Column("Builds", lambda d: d.builds, "", when=lambda all_: any(d.builds > 1 for d in all_)),
    Column("Tokens memorized", lambda each: each.tokens, ",.0f", when="known"),
    Column("Of models", lambda each: each.model_tokens, ",.0f", when="known"),
    Column("Dollars", lambda each: each.cost, ".2f", when="known"),
    Column("Time", lambda each: write_hours(each.hours or None), "", when="known"),
)
_QUESTIONS: tuple[Column[QuestionPlaces], ...] = (
    Column("Source", lambda view: view.question.source),
    Column("Row", lambda view: view.question.row, ""),
    Column("Question", lambda view: view.question.question_index, ""),
    Column("Text", lambda view: view.question.question),
    Column("Golds", lambda view: " | ".join(gold.text for gold in view.golds.candidates)),
    Column("Places", lambda view: None if view.places is None else len(view.places), ""),
)
_COLUMNS: Mapping[type, Sequence[Column[Never]]] = {
    QuestionPlaces: _QUESTIONS,
    Source: _SOURCES,
    Problem: _PROBLEMS,
    AgentInfo: _AGENTS,
    Finding: _FINDINGS,
    ListedRun: _RUNS,
    RacePair: _RACE_PAIRS,
    Design: _DESIGNS,
    Agreement: _AGREEMENTS,
}
