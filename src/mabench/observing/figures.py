"""The figures that compare memories without golds.

They say what telling and searching took, how much was retrieved, how far two memories retrieve the
same turns, and which turns were never returned. A passage returns a turn if it quotes it word for
word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from mabench.data.evidence import Evidence
from mabench.data.turns.index import TurnIndex
from mabench.inspection.history import ChunkReader
from mabench.json_text import JsonRecord, Number
from mabench.loading import load
from mabench.observing.answers import share_same
from mabench.results import Key, Place, RetrievalSummary, Run, SourceSummary

_PERCENT = 100
_TOKENS = 1_000  # Records are counted for as many tokens of the history.
_LISTED = 20  # Turns that are listed as examples.


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRun(JsonRecord):
    """What one memory made of the conversations; null is what is not known."""

    agent: str
    run: str  # Its run folder.
    histories: int  # How many it was told.
    questions: int  # How many it was asked.
    failed: int  # How many of them have no answer.
    add_seconds: Number | None  # How long adding all texts took.
    add_dollars: Number | None  # What the models that it called meanwhile cost.
    model: str | None  # The language model that read what was retrieved; null for none.
    # What its answers took: tokens, and US dollars, of those whose use was reported.
    input_tokens: int | None
    output_tokens: int | None
    read_dollars: Number | None
    # From the last text of a history until it could be found, in the middle of all histories.
    ready_seconds: Number | None
    search_seconds: Number | None  # How long a search took, in the middle.
    tokens_shown: float | None  # Tokens of what was retrieved for a question, estimated.
    records_per_1000_tokens: float | None  # Records kept per 1,000 tokens told.
    evidence_recall: float | None  # Of the turns known to hold the answer, how many of 100 came.
    turns: int  # How many turns a search could return: told before the last question.
    never_returned: int | None  # How many of them no search returned; null if none is quoted.
    never_returned_examples: tuple[str, ...]  # The ids of the first of them.
    unquoted: float | None  # How many of 100 passages quote no turn: they are in other words.


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPair(JsonRecord):
    """What two memories returned for the same questions."""

    a: str
    b: str
    questions: int  # For how many both returned anything.
    # Of the turns that either returned for a question, how many of 100 both did; null if unknown.
    overlap: float | None
    # How many of 100 answers by a language model are the same, but for case, punctuation and
    # articles; null if none read for both.
    same_answers: float | None


# The ids of the turns that a run returned for each question.
_TurnsByQuestion = Mapping[Key, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReturnedTurns:
    """Which turns a run returned."""

    by_question: _TurnsByQuestion
    never: Sequence[str]  # The ids of turns that no search returned, in the order of the data.
    turns: int  # How many turns a search could return.
    unquoted: float | None  # The percentage of passages that quote no turn; None without passages.


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """What is known of each observed run, and of each pair of them."""

    runs: Sequence[ObservedRun]
    pairs: Sequence[ObservedPair]


def compare_observed(
    runs: Mapping[str, Run], answers: Mapping[str, Mapping[Key, str]]
) -> ComparedRuns:
    """Return what is known of each run, and of each pair of runs.

    Args:
        runs: the runs, by the names of their agents.
        answers: the answers of a language model to each question, by the names of the agents; an
            agent without a model has none.

    Raises:
        DataError: when the rows of the runs cannot be read again.
    """
    returned = {agent: _read_returned(run) for agent, run in runs.items()}
    pairs = []
    for a, b in combinations(runs, 2):
        shares = _shares_of_common_turns(returned[a].by_question, returned[b].by_question)
        pairs.append(
            ObservedPair(
                a=a,
                b=b,
                questions=len(shares),
                overlap=fmean(shares) if shares else None,
                same_answers=share_same(answers.get(a, {}), answers.get(b, {})),
            )
        )
    return ComparedRuns(
        runs=[_describe_run(agent, run, returned[agent]) for agent, run in runs.items()],
        pairs=pairs,
    )


def _describe_run(agent: str, run: Run, returned: _ReturnedTurns) -> ObservedRun:
    """Return what is known of a run, from its summary and from the turns that it returned."""
    summary, memory, model = run.summary, run.summary.memory, run.record.model
    retrievals = [source.retrieval for source in summary.sources.values() if source.retrieval]
    calls = summary.calls
    add = memory.add if memory else None
    # A memory may return everything in words of its own. Then nothing is known of turns.
    quotes_turns = returned.unquoted is not None and returned.unquoted < _PERCENT
    records = None
    if memory and memory.memories is not None and memory.tokens:
        records = _TOKENS * memory.memories / memory.tokens
    return ObservedRun(
        agent=agent,
        run=str(run.folder),
        histories=memory.rows if memory else 0,
        questions=summary.spent.n,
        failed=summary.spent.errors,
        add_seconds=add.seconds if add else None,
        add_dollars=calls.memorizing.totals.cost if calls and calls.metered else None,
        model=model.name if model else None,
        input_tokens=summary.spent.input_tokens,
        output_tokens=summary.spent.output_tokens,
        read_dollars=summary.spent.cost,
        ready_seconds=memory.ready.p50 if memory and memory.ready else None,
        search_seconds=memory.search.p50 if memory and memory.search else None,
        tokens_shown=_mean_tokens_shown(retrievals),
        records_per_1000_tokens=records,
        evidence_recall=_mean_recall(summary.sources.values()),
        turns=returned.turns,
        never_returned=len(returned.never) if quotes_turns else None,
        never_returned_examples=tuple(returned.never[:_LISTED]) if quotes_turns else (),
        unquoted=returned.unquoted,
    )


def _mean_tokens_shown(retrievals: Collection[RetrievalSummary]) -> float | None:
    """Return the mean over sources of the tokens retrieved for a question; None without any."""
    if not retrievals:
        return None
    return fmean(retrieval.shown_tokens or 0.0 for retrieval in retrievals)


def _mean_recall(sources: Collection[SourceSummary]) -> float | None:
    """Return the mean evidence recall over the sources where it is known, in percent."""
    known = [source.evidence_recall for source in sources if source.evidence_recall is not None]
    return fmean(known) if known else None


def _shares_of_common_turns(first: _TurnsByQuestion, second: _TurnsByQuestion) -> list[float]:
    """Return the percentage of turns that two runs both returned, of those that either returned.

    There is one for each question to which both returned a turn.
    """
    shares = []
    for key, turns in first.items():
        others = second.get(key)
        if turns and others:
            shares.append(_PERCENT * len(turns & others) / len(turns | others))
    return shares


def _read_returned(run: Run) -> _ReturnedTurns:
    """Return which turns a run returned: those that its passages quote word for word."""
    reader, rows = ChunkReader(run), _read_rows(run)
    by_question: dict[Key, frozenset[str]] = {}
    returned_from: defaultdict[Place, set[str]] = defaultdict(set)  # By row.
    passages = unquoted = 0
    for sample in run.samples():
        place = (sample.split, sample.row)
        chunks, evidence = reader.chunks(place), rows[place].evidence
        turns: frozenset[str] = frozenset()
        for passage in sample.retrieved:
            text = passage.text if passage.chunk is None else chunks[passage.chunk]
            quoted = evidence.named_in(text or "")
            turns |= quoted
            passages += 1
            if not quoted:
                unquoted += 1
        by_question[sample.key] = turns
        returned_from[place] |= turns
    never = [
        turn
        for place, row in rows.items()
        for turn in row.findable
        if turn not in returned_from[place]
    ]
    return _ReturnedTurns(
        by_question=by_question,
        never=never,
        turns=sum(len(row.findable) for row in rows.values()),
        unquoted=_PERCENT * unquoted / passages if passages else None,
    )


class _TurnsOfRow(NamedTuple):
    """The turns of a row."""

    evidence: Evidence  # Finds the turns in passages.
    findable: Sequence[str]  # The ids of those that were told before the last question.


def _read_rows(run: Run) -> dict[Place, _TurnsOfRow]:
    """Return the turns of each row of a run's data set.

    Raises:
        DataError: when the data set cannot be read.
    """
    dataset = load(run.record.data.location, offline=True)
    rows = {}
    for row in dataset.rows(list(run.record.questions)):
        evidence, index = Evidence(row), TurnIndex(row)
        turns = [turn.id for turn in row.turns or ()]
        # The number of turns before each question: all, if it is asked at the end.
        told_before = [
            len(turns) if asked_after is None else index.turns_before(asked_after)
            for asked_after in row.asked_after or [None]
        ]
        told = turns[: max(told_before)]
        findable = [turn for turn in told if turn in evidence.names]
        rows[row.split, row.index] = _TurnsOfRow(evidence, findable)
    return rows
