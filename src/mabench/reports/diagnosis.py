"""What ails a memory, in words: what it did not store, did not find, or was not shown."""

from __future__ import annotations

from collections.abc import Iterable

from mabench.results import MemorySummary, RetrievalSummary, RunSummary

# Points between "the gold was there" and "it was answered" from which the reader is to blame.
_READER_FALLS_SHORT = 20
# Percent of questions below which the memory is to blame, and how many questions that takes.
_FOUND_TOO_RARELY = 50
_QUESTIONS = 20


def diagnosis(summary: RunSummary) -> list[str]:
    """Return sentences on the memory in a run; whoever prints them escapes the agent's name."""
    agent, sources = summary.agent, summary.sources
    sentences: list[str] = []
    for name, source in sources.items():
        if source.memory:
            sentences += _storing(agent, name, source.memory)
        if source.retrieval:
            sentences += _retrieving(agent, name, source.retrieval)
    silent = [
        name
        for name, source in sources.items()
        if source.answered and source.memory and source.memory.memories and not source.retrieval
    ]
    if silent:
        sentences.append(
            f"{agent} holds memories, but no answer says what was retrieved: {', '.join(silent)}."
        )
    searches = {name: source.retrieval for name, source in sources.items() if source.retrieval}
    unsearched = [name for name, retrieval in searches.items() if _only_whole_rows(retrieval)]
    if unsearched:
        which = "This run" if len(unsearched) == len(searches) else ", ".join(unsearched)
        say = "says" if len(unsearched) in (1, len(searches)) else "say"
        sentences.append(f"{which} {say} nothing about the search: every chunk was retrieved.")
    return sentences


def _only_whole_rows(retrieval: RetrievalSummary) -> bool:
    return bool(retrieval.every_chunk) and retrieval.every_chunk == (
        retrieval.questions + retrieval.nothing
    )


def _storing(agent: str, name: str, memory: MemorySummary) -> Iterable[str]:
    if memory.failed:
        yield f"{agent} failed to memorize {memory.failed} of {memory.rows} rows of {name}."
    if empty := memory.chunks_without_memory:
        yield f"{agent} stored 0 memories for {empty} of {memory.chunks} chunks of {name}."
    if memory.dropped_share:
        share = _percent(memory.dropped_share)
        yield f"{share} of the history of {name} was dropped, in the mean."


def _retrieving(agent: str, name: str, retrieval: RetrievalSummary) -> Iterable[str]:
    nothing, questions = retrieval.nothing, retrieval.nothing + retrieval.questions
    if nothing and nothing == questions:
        yield f"{agent} retrieved nothing for all {nothing} questions of {name}."
        return
    if nothing:
        yield f"{agent} retrieved nothing for {nothing} of {questions} questions of {name}."
    whole = retrieval.every_chunk
    if whole and not _only_whole_rows(retrieval):
        yield (
            f"{name}: every chunk was retrieved for {whole} of {questions} questions, "
            "which say nothing about the search."
        )
    search, of = (retrieval.searched, "the other questions") if whole else (retrieval, "questions")
    if search is None or search.hit is None or search.answered is None:
        return
    rare = search.hit < _FOUND_TOO_RARELY and search.sought >= _QUESTIONS
    if rare:
        yield (
            f"{name}: the gold was retrieved for only {_percent(search.hit)} of {of}, "
            f"{search.depth:.0f} passages deep: the memory, or its depth."
        )
    if search.hit - search.answered >= _READER_FALLS_SHORT:
        cause = "the reader as well" if rare else "the reader, not the memory"
        yield (
            f"{name}: the gold was retrieved for {_percent(search.hit)} of {of} but answered for "
            f"{_percent(search.answered)}: {cause}."
        )


def _percent(share: float) -> str:
    """Return a share without decimals, but never 0 or 100 % of what is neither."""
    if 0 < share < 1:
        return "less than 1 %"
    if 99 < share < 100:
        return "more than 99 %"
    return f"{share:.0f} %"
