"""Sentences on what is wrong with a memory, as far as a run shows it.

Nothing is said that the run does not show: a cause is named only if it is sure.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    agent, sources = summary.agent, summary.sources
    sentences: list[str] = []
    for name, source in sources.items():
        if source.memory:
            sentences += _memory_remarks(agent, name, source.memory)
        if source.retrieval:
            sentences += _retrieval_remarks(agent, name, source.retrieval)
        sentences += _loss_remarks(name, source)
        if source.stages:
            sentences += _stage_remarks(agent, name, source.stages)
    sentences += look_remarks(summary)
    # Sources of whose retrieval the agent reports nothing.
    silent = [
        name
        for name, source in sources.items()
        if source.answered and source.memory and source.memory.memories and not source.retrieval
    ]
    if silent:
        sentences.append(say("silent", agent=agent, names=", ".join(silent)))
    searches = {name: source.retrieval for name, source in sources.items() if source.retrieval}
    unsearched = [name for name, retrieval in searches.items() if retrieval.is_exhaustive]
    if unsearched:
        where = ""
        if len(unsearched) < len(searches):
            where = f" on {', '.join(unsearched)}"
            if len(unsearched) > _MOST_NAMES:
                where = f" on {len(unsearched)} of {len(searches)} sources"
        sentences.append(f"Every chunk was retrieved{where}, so this does not test search.")
    return sentences


_STORE_WORDS = {
    "unsaid": "with a name or a number that nobody said",
    "copies": "that another record says word for word",
    "undated": "with an older value and no mark of time",
}


def store_remarks(summary: RunSummary) -> Iterable[str]:
    """Yield an example of each thing that the stores of a run hold beside what was asked."""
    for name, source in summary.sources.items():
        store = source.stages.store if source.stages else None
        for kind, words in _STORE_WORDS.items():
            if store and (examples := store.examples.get(kind)):
                yield f"{name}: a record {words}: {examples[0]!r}."


def _memory_remarks(agent: str, name: str, memory: MemorySummary) -> Iterable[str]:
    """Yield sentences on what the memory failed to store of a source."""
    if memory.failed:
        rows = f"{memory.failed} of {write_count(memory.rows, 'row')}"
        yield f"{agent} failed to memorize {rows} of {name}."
    empty = memory.chunks_without_memory
    if empty:
        chunks = f"{empty} of {write_count(memory.chunks or 0, 'chunk')}"
        yield f"{agent} stored 0 memories for {chunks} of {name}."
    dropped = memory.dropped_share
    if dropped:
        percent = f"{dropped:.0f}"
        if dropped < 1:
            percent = "less than 1"
        elif 99 < dropped < 100:
            percent = "more than 99"
        yield f"{percent} % of the history of {name} was dropped on average."


def _retrieval_remarks(agent: str, name: str, retrieval: RetrievalSummary) -> Iterable[str]:
    """Yield sentences on questions for which the agent retrieved nothing, or everything."""
    nothing, questions = retrieval.nothing, retrieval.nothing + retrieval.questions
    if nothing and nothing == questions:
        counted = write_count(nothing, "question")
        all_questions = f"all {counted}" if nothing > 1 else counted
        yield f"{agent} retrieved nothing for {all_questions} of {name}."
        return
    if nothing:
        yield f"{agent} retrieved nothing for {nothing} of {questions} questions of {name}."
    retrieved_all = retrieval.every_chunk
    if retrieved_all and not retrieval.is_exhaustive:
        yield say("whole_for_some", source=name, whole=retrieved_all, questions=questions)


def _loss_remarks(name: str, source: SourceSummary) -> Iterable[str]:
    """Yield sentences on what costs a source most points, if it has enough questions."""
    if source.n < _FEWEST_QUESTIONS:
        return
    parts, retrieval = source.parts, source.retrieval
    # The interval of the share of misread questions less that of missed ones.
    lead = source.misread_less_missed
    limits = lead and (lead.new_histories or lead.these_histories)
    # All unclear questions may belong to the smaller part.
    is_sure = abs(parts["misread"] - source.missed) > parts["unclear"]
    excludes_zero = bool(limits and limits[0] * limits[1] > 0)
    if limits and excludes_zero and is_sure and retrieval and not retrieval.is_exhaustive:
        misread = source.parts_of_100["misread"]
        missed = sum(source.parts_of_100[part] for part in MISSED)
        if limits[0] > 0:
            first, more, second, fewer, cause = "misread", misread, "missed", missed, "reader"
        else:
            first, more, second, fewer, cause = "missed", missed, "misread", misread, "memory"
        by = ", judged by mentions of the gold" if retrieval.by == "mention" else ""
        yield say(
            "loses_most",
            source=name,
            more=more,
            fewer=fewer,
            first=first,
            second=second,
            by=by,
            cause=cause,
        )
    if parts["no_form"] >= source.n * _FORMLESS_PERCENT / 100:
        yield f"{parts['no_form']} of {source.n} answers of {name} are not in the requested form."


def look_remarks(summary: RunSummary) -> Iterable[str]:
    """Yield how the support of each source's questions was looked for in the memory."""
    for name, source in summary.sources.items():
        stages = source.stages
        if stages is None or not (source.missed or source.parts["cut"]):
            continue
        looks = []
        if stages.records is not None:
            looks.append(f"among {write_count(stages.records, 'record')}")
        if stages.judged:
            looks.append(f"in {write_count(stages.judged, 'record')} by a model")
        if stages.searched:
            queries = write_count(stages.searched, "query")
            looks.append(f"by {queries} for {stages.depth} passages")
        yield say(
            "looked_for",
            source=name,
            questions=write_count(stages.questions, "question"),
            where=" and ".join(looks) or "without a list or a search",
            seconds=f"{float(stages.seconds):.2g}",
            calls=write_count(stages.calls, "call"),
        )


def _stage_remarks(agent: str, name: str, stages: StagesSummary) -> Iterable[str]:
    """Yield what could not be read, or not whole, of a memory's store."""
    if stages.commonest_error:
        yield say("store_unread", agent=agent, source=name, error=stages.commonest_error)
    if stages.cut_lists:
        listed = write_count(stages.records or 0, "record")
        yield say("list_cut", agent=agent, source=name, records=listed)
