"""The summary of a run: scores by source, column and category, from its samples alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from mabench.data.inventory import (
    BY_NAME,
    CATEGORIES,
    SOURCES,
    Source,
    source_named,
    sources_declared,
)
from mabench.runs.records.judgments import JudgeName, Verdicts, by_judge
from mabench.runs.records.sample import Sample
from mabench.runs.records.store import SCHEMA, RunFolder
from mabench.runs.results.memory import memory_summaries
from mabench.runs.results.tally import Tally
from mabench.runs.results.usage import Usage, total_of


def summarize(folder: RunFolder) -> dict[str, Any]:
    """Return the summary of a run; scores run from 0 to 100.

    ``sources`` maps a source to ``n`` (questions so far), ``expected`` (questions in all),
    ``answered``, ``errors``, ``missing`` (those of the errors to which a file of predictions has no
    answer), ``metric`` (the one that the paper reports), ``official`` and
    ``corrected`` (None when they take a judge or an entity file), ``metrics`` (every official
    metric), ``differences`` (samples by the rule on which the two scores differ), ``needs`` (what
    the official score lacks, or None), ``input_tokens``, ``output_tokens``, ``dropped_tokens`` and
    ``cost`` (in US dollars; totals, None where no sample says), ``judge`` (model and prompts hash
    of the judge behind the score, the last one to have judged every answer; None without),
    ``judges`` (all of them, see ``judged_summary``), ``evidence_recall`` (share of the questions
    for which a turn of evidence was retrieved; None where there is none), ``retrieval``,
    ``memory``, ``seconds_memorize`` and ``seconds_answer``.

    ``retrieval`` is None where the agent reported no passages, else ``questions`` (for which there
    were passages), ``nothing`` (answered without any), ``depth`` and ``shown_tokens`` (passages
    and their tokens, about, in the mean of ``questions``), ``sought`` (answered questions whose
    golds can be looked for in passages), and of these, from 0 to 100, ``hit`` (the share for which
    one stood in a passage), ``hit_at`` (in the first 1, 5 and 10), ``answered`` (the official
    score) and ``answered_when_hit`` (that of the hits); None where nothing was sought.

    ``memory`` is None where no row was memorized, else ``rows``, ``failed`` (rows that could not be
    memorized), ``chunks``, ``memories`` and ``bytes`` (stored in the end),
    ``chunks_without_memory`` (after which there were no more memories than before; like the three
    before it, None unless it is known of every row) and ``dropped_share`` (how much of the history
    an answer did without, in the mean, from 0 to 100; None where no agent says).

    ``rows`` lists for each row what its answers took, and ``spent`` what the run took: ``n``,
    ``errors``, tokens and ``cost`` as above.

    A column has scores only when every question of its sources in the inventory is there, a
    category only when all its columns have, and ``overall`` only when all categories do.
    """
    settings = folder.settings()
    judges = by_judge(folder.judgments(), folder.samples())
    summary = summarize_samples(
        folder.samples(), settings["questions"], judges, sources_declared(settings.get("sources"))
    )
    for name, seconds in _seconds(folder, settings["questions"]).items():
        summary["sources"][name] |= seconds
    memories = memory_summaries(folder.memories(), summary["rows"])
    for name, source in summary["sources"].items():
        source["memory"] = memories.get(name)
    named = {"agent": settings["agent"], "data": settings["data"]["name"]}
    return {"schema": SCHEMA, **named, "protocol": settings["protocol"], **summary}


def summarize_samples(
    samples: Iterable[Sample],
    questions: Mapping[str, int],
    judges: Mapping[str, Mapping[JudgeName, Verdicts]] | None = None,
    sources: Mapping[str, Source] = BY_NAME,
) -> dict[str, Any]:
    """Return the scores in the summary of a run, from its samples.

    Args:
        samples: the samples.
        questions: how many questions there are in all, by source.
        judges: the judgments on the samples, by source and judge.
        sources: the sources that there are, by name.
    """
    verdicts = judges or {}
    tallies = {name: Tally(source_named(name, sources)) for name in questions}
    rows: dict[tuple[str, int], Usage] = {}
    for sample in samples:
        tallies[sample.source].add(sample)
        rows.setdefault((sample.split, sample.row), Usage(sample.source)).add(sample)
    summaries = {
        name: {**tally.summary(verdicts.get(name, {})), "expected": questions[name]}
        for name, tally in tallies.items()
    }
    columns = _columns(summaries)
    categories = _categories(columns)
    return {
        "sources": summaries,
        "rows": [
            {"split": split, "row": row, **spent.totals()}
            for (split, row), spent in sorted(rows.items(), key=lambda item: item[0])
        ],
        "spent": total_of(rows.values()),
        "columns": columns,
        "categories": categories,
        "overall": _mean_of("official", categories.values()),
        "overall_corrected": _mean_of("corrected", categories.values()),
    }


def _seconds(folder: RunFolder, names: Iterable[str]) -> dict[str, dict[str, float]]:
    totals = {name: {"seconds_memorize": 0.0, "seconds_answer": 0.0} for name in names}
    source_of_row = {}
    for place, memory in folder.memories().items():
        source_of_row[place] = memory["source"]
        totals[memory["source"]]["seconds_memorize"] += memory["seconds"]
    for (split, row, _), seconds in folder.seconds():
        totals[source_of_row[split, row]]["seconds_answer"] += seconds
    return totals


def _columns(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Summarize each column that a source of the run feeds."""
    columns: dict[str, dict[str, Any]] = {}
    for name in sources:
        column = BY_NAME[name].column if name in BY_NAME else None
        if column and column not in columns:
            columns[column] = _column(column, sources)
    return columns


def _column(column: str, sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    members = [source for source in SOURCES if source.column == column]
    present = [sources[member.name] for member in members if member.name in sources]
    expected = sum(member.questions for member in members)
    complete = sum(source["n"] for source in present) == expected
    given = sum(source["n"] - source["missing"] for source in present)
    return {
        "official": _mean_of("official", present) if complete else None,
        "corrected": _mean_of("corrected", present) if complete else None,
        "complete": complete,
        "coverage": given / expected,
    }


def _categories(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    categories = {}
    for category in CATEGORIES:
        parts = [columns.get(name, {}) for name in category.columns]
        complete = all(part.get("complete") for part in parts)
        categories[category.name] = {
            "official": _mean_of("official", parts),
            "corrected": _mean_of("corrected", parts),
            "complete": complete,
            "coverage": fmean(part.get("coverage", 0.0) for part in parts),
        }
    return categories


def _mean_of(score: str, parts: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the mean of a score over all parts; None unless every part has it."""
    values = [part.get(score) for part in parts]
    if not values or any(value is None for value in values):
        return None
    return fmean(value for value in values if value is not None)
