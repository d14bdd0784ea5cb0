"""The report of an observation: what memories took, showed, shared and never returned."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from mabench.observing import AskedOf, Observation, ObservedPair, ObservedRun
from mabench.printable import write_count
from mabench.reports.costs.durations import write_seconds
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value, plain_table, record_table, tabulate

_MOSTLY = 50  # Of 100.
_MOST_PAIRS = 3  # Whose answers are compared in a sentence; the table has all.
_ASKED = {
    AskedOf.USERS: "that users asked in them",
    AskedOf.SHEET: "of the sheet",
    AskedOf.NOBODY: "",
}


def show_observation(
    observation: Observation, layout: str, console: Console, *, full: bool = False
) -> None:
    """Print an observation: a sentence and one table, or all of it.

    Raises:
        UsageError: when the layout is unknown.
    """
    tables = [_table(observation)]
    remarks = [*_remarks(observation)]
    if full:
        tables += [tabulate(_PAIR_COLUMNS, observation.pairs), *_answer_tables(observation)]
        remarks += [*_examples(observation)]
    report = Report(first=[_sentence(observation)], tables=tables, remarks=remarks)
    show_reports(
        [report],
        observation.as_dict,
        layout,
        console,
        lambda: record_table(observation.runs),
    )


def _sentence(observation: Observation) -> str:
    """Return what was told and asked, and what most sets the memories apart."""
    names = " and ".join(run.agent for run in observation.runs)
    told = write_count(observation.conversations, "conversation")
    if observation.asked == AskedOf.NOBODY or not observation.questions:
        return f"{names} were told {told} and asked nothing but the last turn of each."
    asked = f"{write_count(observation.questions, 'question')} {_ASKED[AskedOf(observation.asked)]}"
    return f"{names} were told {told} and asked {asked}; {_overlap_words(observation)}."


def _overlap_words(observation: Observation) -> str:
    known = [pair for pair in observation.pairs if pair.overlap is not None]
    if not known:
        return "what they return cannot be compared turn by turn"
    least = min(known, key=lambda pair: pair.overlap or 0.0)
    if len(known) == 1:
        share = f"both return {least.overlap:.0f} %"
        return f"of the turns that either returns for a question, {share}"
    return f"{least.a} and {least.b} differ most: both return {least.overlap:.0f} % of their turns"


def _answer_tables(observation: Observation) -> Iterator[Table]:
    """Yield the questions that are answered differently, with the answers."""
    if not observation.differing:
        return
    known = "Sheet" if observation.asked == AskedOf.SHEET else "Said next"
    names = [run.agent for run in observation.runs if run.model]
    rows = [
        (one.question, *(one.answers.get(name) for name in names), one.known)
        for one in observation.differing
    ]
    yield plain_table(("Question", *names, known), rows)


def _table(observation: Observation) -> Table:
    return tabulate(_COLUMNS, observation.runs)


def _seconds(value: Value) -> str | None:
    return write_seconds(float(value)) if isinstance(value, int | float) else None


def _never(run: ObservedRun) -> Value:
    return None if run.never_returned is None else f"{run.never_returned} of {run.turns}"


_COLUMNS: tuple[Column[ObservedRun], ...] = (
    Column("Memory", lambda run: run.agent),
    Column("Add", lambda run: _seconds(run.add_seconds), "", when="known"),
    Column("Dollars to add", lambda run: run.add_dollars, ".4f", when="known"),
    Column("Ready", lambda run: _seconds(run.ready_seconds), "", when="known"),
    Column("Search", lambda run: _seconds(run.search_seconds), "", when="known"),
    Column("Tokens shown", lambda run: run.tokens_shown, ",.0f", when="known"),
    Column("Dollars to read", lambda run: run.read_dollars, ".4f", when="known"),
    Column("Records per 1,000", lambda run: run.records_per_1000_tokens, ".1f", when="known"),
    Column("Never returned", _never, "", when="known"),
    Column("Evidence", lambda run: run.evidence_recall, ".0f", when="known"),
    Column(
        "Failed",
        lambda run: run.failed,
        "",
        when=lambda runs: any(run.failed for run in runs),
    ),
)
_PAIR_COLUMNS: tuple[Column[ObservedPair], ...] = (
    Column("A", lambda pair: pair.a),
    Column("B", lambda pair: pair.b),
    Column("Questions", lambda pair: pair.questions, ""),
    Column("Overlap", lambda pair: pair.overlap, ".1f"),
    Column("Same answers", lambda pair: pair.same_answers, ".1f", when="known"),
)


def _remarks(observation: Observation) -> Iterator[str]:
    yield "Nobody said which answers are right, so nothing is scored."
    yield from _reading_sentences(observation)
    for run in observation.runs:
        if run.unquoted is not None and run.unquoted >= _MOSTLY:
            yield (
                f"Of {run.agent}'s passages {run.unquoted:.0f} % quote no turn word for word, so "
                "overlap and what was never returned say little of it."
            )


def _reading_sentences(observation: Observation) -> Iterator[str]:
    """Yield what a language model answered with the passages of the memories, and its tokens."""
    models = " and ".join(dict.fromkeys(run.model for run in observation.runs if run.model))
    same = [pair for pair in observation.pairs if pair.same_answers is not None]
    if same:
        shares = ", ".join(
            f"to {pair.same_answers:.0f} % of the questions with {pair.a} and {pair.b}"
            for pair in same[:_MOST_PAIRS]
        )
        yield f"{models} gives the same answer {shares}."
    tokens = ", ".join(
        f"{run.input_tokens:,} in and {run.output_tokens or 0:,} out with {run.agent}"
        for run in observation.runs
        if run.input_tokens is not None
    )
    if tokens:
        yield f"Tokens of answers: {tokens}."


def _examples(observation: Observation) -> Iterator[str]:
    """Yield which turns a memory never returned, the first of them."""
    for run in observation.runs:
        if run.never_returned_examples:
            listed = ", ".join(run.never_returned_examples)
            rest = (run.never_returned or 0) - len(run.never_returned_examples)
            more = f" and {rest} more" if rest > 0 else ""
            yield f"{run.agent} never returned {listed}{more}."
