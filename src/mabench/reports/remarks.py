"""What a reader must know beside the tables, and what ails a memory, one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.data import BY_NAME
from mabench.printable import write_count
from mabench.reports.layout import say
from mabench.reports.tables import Table
from mabench.results import (
    THESE,
    AnswerUsage,
    Measure,
    RetrievalSummary,
    RunSummary,
    ScoreSummary,
    SourceScores,
    SourceSummary,
)
from mabench.uncertainty import MIN_HISTORIES

# Below so many questions nothing is said of where points are lost.
_QUESTIONS = 20
# Percent of the answers that lack the form that was asked for, from which that is said.
_FORMLESS = 10


def interval_remarks(tables: Sequence[Table]) -> list[str]:
    """Return what the intervals in tables mean; nothing where there are none."""
    values = [value for table in tables for row in table.values for value in row]
    measures = [value for value in values if isinstance(value, Measure)]
    remarks = []
    if any(measure.new for measure in measures):
        remarks.append(say("of_new_histories", fewest=MIN_HISTORIES))
    if any(measure.these and not measure.new for measure in measures):
        remarks.append(say("of_these_histories", mark=THESE))
    if remarks and any(f"{measure}".find("[") > 0 for measure in measures):
        remarks[-1] += " Near 0 and 100 the interval itself is shown in brackets."
    return remarks


def score_remarks(summary: ScoreSummary) -> Iterator[str]:
    """Yield what the scores take or lack, what they cost, and how the two kinds differ."""
    sources = summary.sources
    expected = sum(source.expected for source in sources.values())
    if summary.spent.n < expected:
        yield f"Unfinished: {summary.spent.n} of {expected} questions so far."
    for need, why in (
        ("judge", "need a language model's verdict: mabench judge RUN"),
        ("entities", "need the entity file: rescore the run with entity2id.json"),
    ):
        if names := [name for name, source in sources.items() if source.needs == need]:
            yield f"No score yet for {', '.join(names)}: they {why}."
    for name, source in sources.items():
        for judge in source.judges:  # The last one to be through stands in the table.
            score = "unfinished" if judge.official is None else f"score {judge.official:.1f}"
            about = judge.as_dict() | {"prompts": judge.prompts[:8]}
            yield say("judged", source=name, score=score, **about)
    yield from _spent(summary.spent)
    if rules := sum((Counter(source.differences) for source in sources.values()), Counter()):
        counts = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
        answers = write_count(rules.total(), "answer")
        yield f"Official and corrected differ on {answers}: {counts}."
    yield from _unclear(sources)
    if redacted := sum(source.redacted or 0 for source in sources.values()):
        yield say("redacted", answers=write_count(redacted, "answer"))
    if own := [name for name in sources if name not in BY_NAME]:
        yield say("own_sources", names=", ".join(own))
    if not summary.columns and any(name in BY_NAME and BY_NAME[name].column for name in sources):
        yield "The rows are not the benchmark's own: they feed no column of the paper's table."
    if summary.columns and any(not category.complete for category in summary.categories.values()):
        yield "A mean appears once every question of its columns has been asked."


def _unclear(sources: Mapping[str, SourceScores]) -> Iterable[str]:
    asked = sum(source.n for source in sources.values() if source.needs != "judge")
    unclear = sum(source.unclear or 0 for source in sources.values())
    if unclear:
        them, percent = "it" if unclear == 1 else "them", 100 * unclear / asked
        yield say("unclear", unclear=unclear, asked=asked, percent=percent, them=them)
    for name, source in sources.items():
        if source.extremes:
            low, high = source.extremes
            wrong, right = f"all {source.unclear} unclear answers are wrong", "all are right"
            if source.unclear == 1:
                wrong, right = "its unclear answer is wrong", "it is right"
            yield f"{name}: the corrected score is {low:.1f} if {wrong}, {high:.1f} if {right}."
        if source.settled and source.judge:
            yield f"{name}: {source.judge.model} settled {source.settled} unclear answers."


def _spent(spent: AnswerUsage) -> Iterable[str]:
    if spent.input_tokens is None:
        if spent.cost:
            yield f"Cost: ${spent.cost:.4f}."
        return
    dollars = "" if spent.cost is None else f", ${spent.cost:.4f}"
    yield f"Tokens: {spent.input_tokens:,} in, {spent.output_tokens or 0:,} out{dollars}."
    if spent.dropped_tokens:
        each = spent.dropped_tokens / spent.n
        yield f"{each:,.0f} tokens of the history were dropped per question on average."


def leak_remarks(leaks: Mapping[str, str]) -> list[str]:
    """Return a line for each source whose contexts tell agents about the golds."""
    return [say("leak", source=source, what=what) for source, what in leaks.items()]


def diagnosis(summary: RunSummary) -> list[str]:
    """Return sentences on the memory in a run; whoever prints them escapes the agent's name."""
    agent, sources = summary.agent, summary.sources
    sentences: list[str] = []
    for name, source in sources.items():
        if memory := source.memory:
            if memory.failed:
                rows = f"{memory.failed} of {memory.rows} rows"
                sentences.append(f"{agent} failed to memorize {rows} of {name}.")
            if empty := memory.chunks_without_memory:
                chunks = f"{empty} of {memory.chunks} chunks"
                sentences.append(f"{agent} stored 0 memories for {chunks} of {name}.")
            if share := memory.dropped_share:
                end = "more than 99" if 99 < share < 100 else f"{share:.0f}"
                bound = "less than 1" if share < 1 else end
                sentences.append(f"{bound} % of the history of {name} was dropped on average.")
        if source.retrieval:
            sentences += _retrieving(agent, name, source.retrieval)
        sentences += _losing(name, source)
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


def _retrieving(agent: str, name: str, retrieval: RetrievalSummary) -> Iterable[str]:
    nothing, questions = retrieval.nothing, retrieval.nothing + retrieval.questions
    if nothing and nothing == questions:
        yield f"{agent} retrieved nothing for all {nothing} questions of {name}."
        return
    if nothing:
        yield f"{agent} retrieved nothing for {nothing} of {questions} questions of {name}."
    whole = retrieval.every_chunk
    if whole and not retrieval.is_exhaustive:
        yield say("whole_for_some", source=name, whole=whole, questions=questions)


def _losing(name: str, source: SourceSummary) -> Iterable[str]:
    """Yield by what a source loses most, where its questions are enough to show that."""
    if source.n < _QUESTIONS:
        return
    parts, lead, retrieval = source.parts, source.misread_less_missed, source.retrieval
    limits = lead and (lead.new_histories or lead.these_histories)
    if limits and limits[0] * limits[1] > 0 and retrieval and not retrieval.is_exhaustive:
        of_100 = source.parts_of_100
        first, second = ("misread", "missed") if limits[0] > 0 else ("missed", "misread")
        cause = "reader" if limits[0] > 0 else "memory"
        by = ", judged by mentions of the gold" if retrieval.by == "mention" else ""
        which = {"first": first, "second": second, "by": by, "cause": cause}
        yield say("loses_most", source=name, more=of_100[first], fewer=of_100[second], **which)
    if parts["no_form"] >= source.n * _FORMLESS / 100:
        yield f"{parts['no_form']} of {source.n} answers of {name} are not in the requested form."
