"""Sentences on what is wrong with a memory, as far as a run shows it.

A cause is named only if the run shows it for sure. The support of a question is what its answer
rests on. The part of a question says what became of it, such as *missed* (its support was not
retrieved), *misread* (retrieved, and answered wrong) or *unclear*. Stages are what was seen of the
support in the memory's own store.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from mabench.printable import write_count
from mabench.reports.sentences import say
from mabench.results import (
    MISSED,
    MemorySummary,
    RetrievalSummary,
    RunSummary,
    SourceSummary,
    StagesSummary,
)

# With fewer questions, nothing is said about where points are lost.
_FEWEST_QUESTIONS = 20
# A sentence lists at most this many sources.
_MOST_NAMES = 3
# From this percentage on, answers that are not in the requested form are mentioned.
_FORMLESS_PERCENT = 10


def diagnose(summary: RunSummary) -> list[str]:
    """Return sentences on the memory of a run. The caller escapes the agent's name."""
    agent = summary.agent
    sentences: list[str] = []
    for name, source in summary.sources.items():
        if source.memory:
            sentences += _memory_remarks(agent, name, source.memory)
        if source.retrieval:
            sentences += _retrieval_remarks(agent, name, source.retrieval)
        sentences += _loss_remarks(name, source)
        if source.stages:
            sentences += _stage_remarks(agent, name, source.stages)
    sentences += look_remarks(summary)
    sentences += _silence_remarks(summary)
    sentences += _exhaustive_remarks(summary)
    return sentences


def _silence_remarks(summary: RunSummary) -> Iterable[str]:
    """Yield a sentence on the sources of whose retrieval the agent reports nothing.

    Agents that answer without stored memories have nothing to report.
    """
    silent = []
    for name, source in summary.sources.items():
        stores_memories = source.memory is not None and source.memory.memories
        if source.answered and stores_memories and source.retrieval is None:
            silent.append(name)
    if silent:
        yield say("silent", agent=summary.agent, names=", ".join(silent))


def _exhaustive_remarks(summary: RunSummary) -> Iterable[str]:
    """Yield a sentence on the sources of which every chunk was retrieved for every question."""
    retrievals = {
        name: source.retrieval for name, source in summary.sources.items() if source.retrieval
    }
    exhaustive = [name for name, retrieval in retrievals.items() if retrieval.is_exhaustive]
    if not exhaustive:
        return
    if len(exhaustive) == len(retrievals):
        where = ""
    elif len(exhaustive) > _MOST_NAMES:
        where = f" on {len(exhaustive)} of {len(retrievals)} sources"
    else:
        where = f" on {', '.join(exhaustive)}"
    yield f"Every chunk was retrieved{where}, so this does not test search."


# What is doubtful about a record of a store, by the name of the count in ``StoreSummary``.
_STORE_WORDS = {
    "unsaid": "with a name or a number that nobody said",
    "copies": "that another record says word for word",
    "undated": "with an older value and no mark of time",
}


def store_remarks(summary: RunSummary) -> Iterable[str]:
    """Yield, for each source, an example of each kind of doubtful records in the memory's store."""
    for name, source in summary.sources.items():
        if source.stages is None or source.stages.store is None:
            continue
        for kind, words in _STORE_WORDS.items():
            examples = source.stages.store.examples.get(kind)
            if examples:
                yield f"{name}: a record {words}: {examples[0]!r}."


def _memory_remarks(agent: str, name: str, memory: MemorySummary) -> Iterable[str]:
    """Yield sentences on what the memory failed to store of the source called ``name``."""
    if memory.failed:
        rows = f"{memory.failed} of {write_count(memory.rows, 'row')}"
        yield f"{agent} failed to memorize {rows} of {name}."
    if memory.chunks_without_memory:
        chunks = write_count(memory.chunks or 0, "chunk")
        without_memory = f"{memory.chunks_without_memory} of {chunks}"
        yield f"{agent} stored 0 memories for {without_memory} of {name}."
    if memory.dropped_share:
        percent = _write_percent(memory.dropped_share)
        yield f"{percent} % of the history of {name} was dropped on average."


def _write_percent(share: float) -> str:
    """Return a share above 0 as a whole percentage that is 100 only if nothing is left over."""
    if share < 1:
        return "less than 1"
    if 99 < share < 100:
        return "more than 99"
    return f"{share:.0f}"


def _retrieval_remarks(agent: str, name: str, retrieval: RetrievalSummary) -> Iterable[str]:
    """Yield sentences on questions for which the agent retrieved nothing, or everything."""
    without_passages = retrieval.nothing
    questions = retrieval.nothing + retrieval.questions
    if without_passages and without_passages == questions:
        counted = write_count(questions, "question")
        all_questions = f"all {counted}" if questions > 1 else counted
        yield f"{agent} retrieved nothing for {all_questions} of {name}."
        return
    if without_passages:
        of_all = f"{without_passages} of {questions} questions"
        yield f"{agent} retrieved nothing for {of_all} of {name}."
    with_every_chunk = retrieval.every_chunk
    if with_every_chunk and not retrieval.is_exhaustive:
        yield say("whole_for_some", source=name, whole=with_every_chunk, questions=questions)


def _loss_remarks(name: str, source: SourceSummary) -> Iterable[str]:
    """Yield sentences on what costs a source most points, if it has enough questions."""
    if source.n < _FEWEST_QUESTIONS:
        return
    retrieval, main_cause = source.retrieval, _find_main_cause(source)
    if retrieval and not retrieval.is_exhaustive and main_cause is not None:
        misread = source.parts_of_100["misread"]
        missed = sum(source.parts_of_100[part] for part in MISSED)
        if main_cause == "reader":
            more, first, fewer, second = misread, "misread", missed, "missed"
        else:
            more, first, fewer, second = missed, "missed", misread, "misread"
        yield say(
            "loses_most",
            source=name,
            more=more,
            first=first,
            fewer=fewer,
            second=second,
            by=", judged by mentions of the gold" if retrieval.by == "mention" else "",
            cause=main_cause,
        )
    formless = source.parts["no_form"]
    if formless >= source.n * _FORMLESS_PERCENT / 100:
        yield f"{formless} of {source.n} answers of {name} are not in the requested form."


def _find_main_cause(source: SourceSummary) -> Literal["reader", "memory"] | None:
    """Return whether the reader or the memory costs a source more points; None if it is not sure.

    The reader costs the misread questions, the memory the missed ones. The 95 % interval of their
    difference must not include 0, and the difference must remain if all questions with an unclear
    cause belonged to the smaller part.
    """
    intervals = source.misread_less_missed
    limits = (intervals.new_histories or intervals.these_histories) if intervals else None
    unclear = source.parts["unclear"]
    if limits is None or abs(source.parts["misread"] - source.missed) <= unclear:
        return None
    low, high = limits
    if low > 0:
        return "reader"
    return "memory" if high < 0 else None


def look_remarks(summary: RunSummary) -> Iterable[str]:
    """Yield how the support of each source's questions was looked for in the memory."""
    for name, source in summary.sources.items():
        stages = source.stages
        has_lost_support = source.missed or source.parts["cut"]
        if stages is None or not has_lost_support:
            continue
        ways = []
        if stages.records is not None:
            ways.append(f"among {write_count(stages.records, 'record')}")
        if stages.judged:
            ways.append(f"in {write_count(stages.judged, 'record')} by a model")
        if stages.searched:
            queries = write_count(stages.searched, "query")
            ways.append(f"by {queries} for {stages.depth} passages")
        yield say(
            "looked_for",
            source=name,
            questions=write_count(stages.questions, "question"),
            where=" and ".join(ways) if ways else "without a list or a search",
            seconds=f"{float(stages.seconds):.2g}",
            calls=write_count(stages.calls, "call"),
        )


def _stage_remarks(agent: str, name: str, stages: StagesSummary) -> Iterable[str]:
    """Yield why the memory's store could not be read, or that its list was not complete."""
    if stages.commonest_error:
        yield say("store_unread", agent=agent, source=name, error=stages.commonest_error)
    if stages.cut_lists:
        listed = write_count(stages.records or 0, "record")
        yield say("list_cut", agent=agent, source=name, records=listed)
