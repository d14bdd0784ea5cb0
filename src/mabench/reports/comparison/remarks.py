"""Sentences on the runs of a comparison, and on all of its pairs.

A compared run may be of several builds: runs with the same settings.
"""

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
    """Return sentences on all pairs: what intervals and p mean, and what was not compared.

    ``advice`` says how to make more histories: a command after a colon, or nothing.
    """
    remarks = []
    sources = comparison.pairs[0].sources  # The same in all pairs.
    of_few_histories = [name for name, source in sources.items() if not source.of_new_histories]
    if of_few_histories:
        # More histories can be made for the sources of the benchmark.
        can_be_generated = any(name in BY_NAME for name in of_few_histories)
        generate = f" Generate as many histories as you need{advice}." if can_be_generated else ""
        remark = say("too_few_histories", mark=THESE, fewest=MIN_HISTORIES, generate=generate)
        remarks.append(remark)
    pairs = write_count(len(comparison.pairs), "pair")
    each = "sources and parts" if len(sources) > 1 else "parts"
    remarks.append(say("adjusted", pairs=pairs, each=each))
    if any(pair.builds_may_differ for pair in comparison.pairs):
        is_of_runs = bool(comparison.runs[0].summaries)  # And not of a table of scores.
        remarks.append(say("builds_may_differ") if is_of_runs else say("builds_not_given"))
    return [*remarks, *not_compared_remarks(comparison)]


def run_remarks(run: ComparedRun, *, with_diagnosis: bool) -> Iterator[str]:
    """Yield what is damaged in a run; with a diagnosis, also what is wrong with its memory."""
    for name, summary in named_builds(run):
        sentences = [*(summary.damaged or ())]
        if with_diagnosis:
            sentences += [*call_remarks(summary.calls), *diagnose(summary)]
        for sentence in sentences:
            yield f"{name}: {sentence}"


def left_out_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield how many questions of each run were compared, if not all."""
    for run in comparison.runs:
        if not run.summaries:  # Of a table of scores, which has only what is compared.
            continue
        compared = sum(score.n for score in run.sources.values())
        asked = sum(run.summaries[0].sources[name].n for name in run.sources)
        if compared < asked:
            yield say("left_out", run=run.run, n=compared, asked=asked)


def not_compared_remarks(comparison: Comparison) -> list[str]:
    """Return which sources were not compared, with each reason of any run."""
    reasons_by_source: dict[str, list[str]] = {}
    for run in comparison.runs:
        for source, reason in run.not_compared.items():
            reasons = reasons_by_source.setdefault(source, [])
            if reason not in reasons:
                reasons.append(reason)
    return [
        f"{source} is not compared: {'; '.join(reasons)}."
        for source, reasons in reasons_by_source.items()
    ]


def named_builds(run: ComparedRun) -> Iterator[tuple[str, RunSummary]]:
    """Yield what each build is called, and its summary."""
    for number, summary in enumerate(run.summaries, 1):
        name = run.run if run.builds == 1 else f"{run.run}, build {number}"
        yield name, summary


def column_of(source: str) -> str | None:
    """Return the column of the paper's table that a source feeds; None for no column."""
    return BY_NAME[source].column if source in BY_NAME else None
