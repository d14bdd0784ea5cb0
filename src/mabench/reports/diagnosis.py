"""What ails a memory, in words: what it did not store, did not find, or was not shown."""

from __future__ import annotations

from collections.abc import Iterable

from mabench.reports.run_tables import hundredths
from mabench.results import MemorySummary, RetrievalSummary, RunSummary, SourceSummary

# Below so many questions nothing is said of where points are lost.
_QUESTIONS = 20
# Percent of the answers that lack the form that was asked for, from which that is said.
_FORMLESS = 10


def diagnosis(summary: RunSummary) -> list[str]:
    """Return sentences on the memory in a run; whoever prints them escapes the agent's name."""
    agent, sources = summary.agent, summary.sources
    sentences: list[str] = []
    for name, source in sources.items():
        if source.memory:
            sentences += _storing(agent, name, source.memory)
        if source.retrieval:
            sentences += _retrieving(agent, name, source.retrieval)
        sentences += _losing(name, source)
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


def _losing(name: str, source: SourceSummary) -> Iterable[str]:
    """Yield by what a source loses most, where its questions are enough to show that."""
    if source.n < _QUESTIONS:
        return
    parts, lead, retrieval = source.parts, source.misread_less_missed, source.retrieval
    limits = lead and (lead.new_histories or lead.these_histories)
    if limits and limits[0] * limits[1] > 0 and retrieval and not _only_whole_rows(retrieval):
        of_100 = hundredths(parts)
        first, second = ("misread", "missed") if limits[0] > 0 else ("missed", "misread")
        cause = "reader" if limits[0] > 0 else "memory"
        by = " by mentions of the gold" if retrieval.by == "mention" else ""
        yield (
            f"{name}: of 100 questions {of_100[first]} are {first} and {of_100[second]} "
            f"{second}{by}: the {cause} loses more."
        )
    if parts["no_form"] >= source.n * _FORMLESS / 100:
        yield f"{parts['no_form']} of {source.n} answers of {name} have not the form asked for."


def _percent(share: float) -> str:
    """Return a share without decimals, but never 0 or 100 % of what is neither."""
    if 0 < share < 1:
        return "less than 1 %"
    if 99 < share < 100:
        return "more than 99 %"
    return f"{share:.0f} %"
