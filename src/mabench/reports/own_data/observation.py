"""The report of an observation: what memories did with conversations, without golds to score them.

Memories are told a user's own conversations and asked questions. The report says what that took,
what they returned, how far two of them return the same turns, and what they never returned.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from mabench.observing import AskedOf, Observation, ObservedPair, ObservedRun
from mabench.printable import write_count
from mabench.reports.costs.durations import write_seconds
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value, plain_table, record_table, tabulate

# From this percentage of passages on that quote no turn, figures about turns say little.
_MOSTLY = 50
# How many pairs of memories a sentence on their answers has; the table has all.
_MOST_PAIRS = 3
# Whose questions were asked, as the end of a noun.
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
    tables = [tabulate(_COLUMNS, observation.runs)]
    remarks = [*_remarks(observation)]
    if full:
        tables += [tabulate(_PAIR_COLUMNS, observation.pairs), *_answer_tables(observation)]
        remarks += [*_examples(observation)]
    report = Report(first=[_first_sentence(observation)], tables=tables, remarks=remarks)
    show_reports(
        [report],
        observation.as_dict,
        layout,
        console,
        lambda: record_table(observation.runs),
    )


def _first_sentence(observation: Observation) -> str:
    """Return what the memories were told and asked, and how far they return the same."""
    memories = " and ".join(run.agent for run in observation.runs)
    conversations = write_count(observation.conversations, "conversation")
    told = f"{memories} were told {conversations}"
    if observation.asked == AskedOf.NOBODY or not observation.questions:
        return f"{told} and asked nothing but the last turn of each."
    questions = write_count(observation.questions, "question")
    whose = _ASKED[AskedOf(observation.asked)]
    return f"{told} and asked {questions} {whose}; {_overlap_words(observation)}."


def _overlap_words(observation: Observation) -> str:
    """Return how many of their turns the two memories share that differ most, as a clause."""
    known = [pair for pair in observation.pairs if pair.overlap is not None]
    if not known:
        return "what they return cannot be compared turn by turn"
    most_different = min(known, key=lambda pair: pair.overlap or 0.0)
    both = f"both return {most_different.overlap:.0f} %"
    if len(known) == 1:
        return f"of the turns that either returns for a question, {both}"
    return f"{most_different.a} and {most_different.b} differ most: {both} of their turns"


def _answer_tables(observation: Observation) -> Iterator[Table]:
    """Yield a table of the questions that are answered differently, with the answers, if any.

    Its last column is what is known of the answer: that of a sheet, or what was said next.
    """
    if not observation.differing:
        return
    last_title = "Sheet" if observation.asked == AskedOf.SHEET else "Said next"
    agents = [run.agent for run in observation.runs if run.model]
    rows = [
        (asked.question, *(asked.answers.get(agent) for agent in agents), asked.known)
        for asked in observation.differing
    ]
    yield plain_table(("Question", *agents, last_title), rows)


def _write_time(seconds: float | None) -> str | None:
    """Return a time with its unit; None if it is unknown."""
    return None if seconds is None else write_seconds(float(seconds))


def _count_never_returned(run: ObservedRun) -> Value:
    """Return how many of all turns a memory never returned; None if unknown."""
    return None if run.never_returned is None else f"{run.never_returned} of {run.turns}"


_COLUMNS: tuple[Column[ObservedRun], ...] = (
    Column("Memory", lambda run: run.agent),
    Column("Add", lambda run: _write_time(run.add_seconds), spec="", when="known"),
    Column("Dollars to add", lambda run: run.add_dollars, spec=".4f", when="known"),
    Column("Ready", lambda run: _write_time(run.ready_seconds), spec="", when="known"),
    Column("Search", lambda run: _write_time(run.search_seconds), spec="", when="known"),
    Column("Tokens shown", lambda run: run.tokens_shown, spec=",.0f", when="known"),
    Column("Dollars to read", lambda run: run.read_dollars, spec=".4f", when="known"),
    Column("Records per 1,000", lambda run: run.records_per_1000_tokens, spec=".1f", when="known"),
    Column("Never returned", _count_never_returned, spec="", when="known"),
    Column("Evidence", lambda run: run.evidence_recall, spec=".0f", when="known"),
    Column(
        "Failed",
        lambda run: run.failed,
        spec="",
        when=lambda runs: any(run.failed for run in runs),
    ),
)
_PAIR_COLUMNS: tuple[Column[ObservedPair], ...] = (
    Column("A", lambda pair: pair.a),
    Column("B", lambda pair: pair.b),
    Column("Questions", lambda pair: pair.questions, spec=""),
    Column("Overlap", lambda pair: pair.overlap, spec=".1f"),
    Column("Same answers", lambda pair: pair.same_answers, spec=".1f", when="known"),
)


def _remarks(observation: Observation) -> Iterator[str]:
    """Yield what the figures do not say, and what a model answered with the passages."""
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
    answered = [pair for pair in observation.pairs if pair.same_answers is not None]
    if answered:
        models = dict.fromkeys(run.model for run in observation.runs if run.model)
        shares = ", ".join(
            f"to {pair.same_answers:.0f} % of the questions with {pair.a} and {pair.b}"
            for pair in answered[:_MOST_PAIRS]
        )
        yield f"{' and '.join(models)} gives the same answer {shares}."
    tokens = ", ".join(
        f"{run.input_tokens:,} in and {run.output_tokens or 0:,} out with {run.agent}"
        for run in observation.runs
        if run.input_tokens is not None
    )
    if tokens:
        yield f"Tokens of answers: {tokens}."


def _examples(observation: Observation) -> Iterator[str]:
    """Yield for each memory the first of the turns that it never returned."""
    for run in observation.runs:
        examples = run.never_returned_examples
        if examples:
            others = (run.never_returned or 0) - len(examples)
            more = f" and {others} more" if others > 0 else ""
            yield f"{run.agent} never returned {', '.join(examples)}{more}."
