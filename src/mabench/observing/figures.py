"""What can be said of memories without golds: what they took, showed, shared and never returned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from mabench.data.evidence import Evidence
from mabench.data.turns.index import TurnIndex
from mabench.inspection.history import ChunkReader
from mabench.json_text import JsonRecord, Number
from mabench.loading import load
from mabench.observing.answers import share_same
from mabench.results import Key, Place, Run, SourceSummary

_PERCENT = 100
_THOUSAND = 1000
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
_ByQuestion = Mapping[Key, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Returned:
    """What a run returned, by the ids of turns."""

    by_question: _ByQuestion
    never: Mapping[Place, Collection[str]]
    turns: int
    unquoted: float | None


def compare_observed(
    runs: Mapping[str, Run], answers: Mapping[str, Mapping[Key, str]]
) -> tuple[list[ObservedRun], list[ObservedPair]]:
    """Return what is known of each run, by the name of its agent, and of each pair of them.

    ``answers`` are those of a language model, by the same name.

    Raises ``DataError`` when the rows of the runs cannot be read again.
    """
    returned = {name: _read_returned(run) for name, run in runs.items()}
    observed = [_observe(name, run, returned[name]) for name, run in runs.items()]
    pairs = []
    for a, b in combinations(runs, 2):
        count, overlap = _overlap(returned[a].by_question, returned[b].by_question)
        same = share_same(answers.get(a, {}), answers.get(b, {}))
        pairs.append(ObservedPair(a=a, b=b, questions=count, overlap=overlap, same_answers=same))
    return observed, pairs


def _observe(name: str, run: Run, returned: _Returned) -> ObservedRun:
    summary, memory, model = run.summary, run.summary.memory, run.record.model
    shown = [each.retrieval for each in summary.sources.values() if each.retrieval]
    calls = summary.calls
    add = memory.add if memory else None
    never = [turn for turns in returned.never.values() for turn in turns]
    is_quoting = returned.unquoted is not None and returned.unquoted < _PERCENT
    records = None
    if memory and memory.memories is not None and memory.tokens:
        records = _THOUSAND * memory.memories / memory.tokens
    return ObservedRun(
        agent=name,
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
        tokens_shown=fmean(each.shown_tokens or 0.0 for each in shown) if shown else None,
        records_per_1000_tokens=records,
        evidence_recall=_recall([*summary.sources.values()]),
        turns=returned.turns,
        never_returned=len(never) if is_quoting else None,
        never_returned_examples=tuple(never[:_LISTED]) if is_quoting else (),
        unquoted=returned.unquoted,
    )


def _recall(sources: Collection[SourceSummary]) -> float | None:
    known = [each.evidence_recall for each in sources if each.evidence_recall is not None]
    return fmean(known) if known else None


def _overlap(first: _ByQuestion, second: _ByQuestion) -> tuple[int, float | None]:
    """Return for how many questions both returned turns, and how many of 100 they share."""
    both = [(own, second[key]) for key, own in first.items() if own and second.get(key)]
    shares = [_PERCENT * len(own & other) / len(own | other) for own, other in both]
    return len(both), fmean(shares) if shares else None


def _read_returned(run: Run) -> _Returned:
    """Return which turns a run returned, by the rule of evidence: word for word."""
    reader, evidence = ChunkReader(run), _evidence(run)
    by_question: dict[Key, frozenset[str]] = {}
    ever: defaultdict[Place, set[str]] = defaultdict(set)
    passages = unquoted = 0
    for sample in run.samples():
        place = sample.split, sample.row
        chunks, own = reader.chunks(place), evidence[place][0]
        turns: frozenset[str] = frozenset()
        for one in sample.retrieved:
            text = one.text if one.chunk is None else chunks[one.chunk]
            found = own.named_in(text or "")
            turns |= found
            passages += 1
            unquoted += not found
        by_question[sample.key] = turns
        ever[place] |= turns
    never = {
        place: [turn for turn in told if turn not in ever[place]]
        for place, (_, told) in evidence.items()
    }
    return _Returned(
        by_question,
        never,
        turns=sum(len(told) for _, told in evidence.values()),
        unquoted=_PERCENT * unquoted / passages if passages else None,
    )


def _evidence(run: Run) -> dict[Place, tuple[Evidence, list[str]]]:
    """Return, by row, what finds its turns in passages, and which a search could return."""
    return dict(_evidence_of_rows(run))


def _evidence_of_rows(run: Run) -> Iterator[tuple[Place, tuple[Evidence, list[str]]]]:
    dataset = load(run.record.data.location, offline=True)
    for row in dataset.rows([*run.record.questions]):
        evidence, index = Evidence(row), TurnIndex(row)
        turns = [turn.id for turn in row.turns or ()]
        points = row.asked_after or [None]
        told = max(len(turns) if each is None else index.turns_before(each) for each in points)
        known = [turn for turn in turns[:told] if turn in evidence.names]
        yield (row.split, row.index), (evidence, known)
