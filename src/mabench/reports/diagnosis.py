"""What is wrong with a memory, as far as a run shows it, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from mabench.printable import write_count
from mabench.reports.sentences import say
from mabench.results import RetrievalSummary, RunSummary, SourceSummary

# With fewer questions nothing is said of where points are lost.
_FEWEST_QUESTIONS = 20
# Percent of the answers without the form asked for, from which that is said.
_FORMLESS = 10


def diagnose(summary: RunSummary) -> list[str]:
    """Return sentences on the memory of a run. The caller escapes the agent's name."""
    agent, sources = summary.agent, summary.sources
    sentences: list[str] = []
    for name, source in sources.items():
        if memory := source.memory:
            if memory.failed:
                rows = f"{memory.failed} of {write_count(memory.rows, 'row')}"
                sentences.append(f"{agent} failed to memorize {rows} of {name}.")
            if empty := memory.chunks_without_memory:
                chunks = f"{empty} of {write_count(memory.chunks or 0, 'chunk')}"
                sentences.append(f"{agent} stored 0 memories for {chunks} of {name}.")
            if share := memory.dropped_share:
                end = "more than 99" if 99 < share < 100 else f"{share:.0f}"
                bound = "less than 1" if share < 1 else end
                sentences.append(f"{bound} % of the history of {name} was dropped on average.")
        if source.retrieval:
            sentences += _retrieval_remarks(agent, name, source.retrieval)
        sentences += _loss_remarks(name, source)
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
        where = "" if len(unsearched) == len(searches) else f" on {', '.join(unsearched)}"
        sentences.append(f"Every chunk was retrieved{where}, so this does not test search.")
    return sentences


def _retrieval_remarks(agent: str, name: str, retrieval: RetrievalSummary) -> Iterable[str]:
    nothing, questions = retrieval.nothing, retrieval.nothing + retrieval.questions
    if nothing and nothing == questions:
        all_questions = "all " * (nothing > 1) + write_count(nothing, "question")
        yield f"{agent} retrieved nothing for {all_questions} of {name}."
        return
    if nothing:
        yield f"{agent} retrieved nothing for {nothing} of {questions} questions of {name}."
    whole = retrieval.every_chunk
    if whole and not retrieval.is_exhaustive:
        yield say("whole_for_some", source=name, whole=whole, questions=questions)


def _loss_remarks(name: str, source: SourceSummary) -> Iterable[str]:
    """Yield what costs a source most points, if it has enough questions to show that."""
    if source.n < _FEWEST_QUESTIONS:
        return
    parts, lead, retrieval = source.parts, source.misread_less_missed, source.retrieval
    limits = lead and (lead.new_histories or lead.these_histories)
    # All unclear questions may belong to the smaller part.
    is_sure = abs(parts["misread"] - parts["missed"]) > parts["unclear"]
    is_shown = bool(limits and limits[0] * limits[1] > 0)
    if limits and is_shown and is_sure and retrieval and not retrieval.is_exhaustive:
        of_100 = source.parts_of_100
        first, second = ("misread", "missed") if limits[0] > 0 else ("missed", "misread")
        cause = "reader" if limits[0] > 0 else "memory"
        by = ", judged by mentions of the gold" if retrieval.by == "mention" else ""
        which = {"first": first, "second": second, "by": by, "cause": cause}
        yield say("loses_most", source=name, more=of_100[first], fewer=of_100[second], **which)
    if parts["no_form"] >= source.n * _FORMLESS / 100:
        yield f"{parts['no_form']} of {source.n} answers of {name} are not in the requested form."
