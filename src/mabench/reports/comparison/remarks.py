"""Sentences on the runs of a comparison, and on all of its pairs."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.comparison import ComparedRun, Comparison
from mabench.data import BY_NAME
from mabench.printable import write_count
from mabench.reports.costs.calls import call_remarks
from mabench.reports.diagnosis import diagnose
from mabench.reports.sentences import say
from mabench.results import THESE, RunSummary
from mabench.uncertainty import MIN_HISTORIES


def comparison_remarks(comparison: Comparison, advice: str = "") -> list[str]:
    """Return sentences on all pairs; ``advice`` says how to make more histories, after a colon."""
    sentences, (pair, *_) = list[str](), comparison.pairs
    if few := [name for name, source in pair.sources.items() if not source.of_new_histories]:
        generate = f" Generate as many histories as you need{advice}."
        generate *= any(name in BY_NAME for name in few)
        sentences.append(
            say("too_few_histories", mark=THESE, fewest=MIN_HISTORIES, generate=generate)
        )
    each = "sources and parts" if len(pair.sources) > 1 else "parts"
    sentences.append(say("adjusted", pairs=write_count(len(comparison.pairs), "pair"), each=each))
    if any(one.builds_may_differ for one in comparison.pairs):
        is_of_runs = bool(comparison.runs[0].summaries)
        sentences.append(say("builds_may_differ") if is_of_runs else say("builds_not_given"))
    return [*sentences, *not_compared_remarks(comparison)]


def run_remarks(run: ComparedRun, diagnoses: bool) -> Iterator[str]:
    """Yield what is damaged in a run and, if wanted, what is wrong with its memory."""
    for name, summary in named_builds(run):
        sentences = [*(summary.damaged or ())]
        if diagnoses:
            sentences += [*call_remarks(summary.calls), *diagnose(summary)]
        for sentence in sentences:
            yield f"{name}: {sentence}"


def left_out_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield how many questions of each run were compared, if not all."""
    for run in (run for run in comparison.runs if run.summaries):
        n = sum(score.n for score in run.sources.values())
        asked = sum(run.summaries[0].sources[name].n for name in run.sources)
        if n < asked:
            yield say("left_out", run=run.run, n=n, asked=asked)


def not_compared_remarks(comparison: Comparison) -> list[str]:
    """Return which sources were not compared, and why."""
    reasons: dict[str, dict[str, None]] = {}  # By source, without duplicates.
    for name, why in (each for run in comparison.runs for each in run.not_compared.items()):
        reasons.setdefault(name, {})[why] = None
    return [f"{name} is not compared: {'; '.join(of)}." for name, of in reasons.items()]


def named_builds(run: ComparedRun) -> Iterator[tuple[str, RunSummary]]:
    """Yield the name and the summary of each build."""
    for number, summary in enumerate(run.summaries, 1):
        yield run.run if run.builds == 1 else f"{run.run}, build {number}", summary


def column_of(source: str) -> str | None:
    """Return the column of the paper that a source feeds."""
    return BY_NAME[source].column if source in BY_NAME else None
