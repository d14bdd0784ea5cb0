"""The table of all compared runs, the best first, and which run is best in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mabench.comparison import ComparedRun, Comparison
from mabench.printable import write_count
from mabench.reports.comparison.findings import describe_headline
from mabench.reports.comparison.remarks import column_of, named_builds
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.failures import failure_remarks
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, tabulate
from mabench.results import Measure


def standings_report(comparison: Comparison, names: Mapping[str, str] | None = None) -> Report:
    """Return a table of all runs, one of their memories, and which run is best.

    The table has a row for each run, the best first, with its scores and what it took. The scores
    are those on the columns of the paper if all sources feed complete ones, else on the sources.
    ``names`` are those of runs, by folder; by default their agents.
    """
    runs = comparison.runs
    first = runs[0]
    fed = {column_of(name) for name in first.sources}
    across = [*first.sources]
    if first.columns.keys() >= fed:
        across = [name for name in first.columns if name in fed]

    def column(name: str) -> Column[ComparedRun]:
        own_of = {run.run: {**run.sources, **run.columns}.get(name, run.headline) for run in runs}
        best, second = sorted((one.score for one in own_of.values()), reverse=True)[:2]

        def value(run: ComparedRun) -> Measure:
            own = own_of[run.run]
            return own.measure._replace(best=own.score == best > second)

        return Column(name, value, "")

    names = names or comparison.names

    def time(run: ComparedRun) -> str | None:
        seconds = run.mean_seconds()
        return None if seconds is None else f"{seconds:.0f} s"

    columns: list[Column[ComparedRun]] = [
        Column("Agent", lambda run: names[run.run]),
        *map(column, [comparison.headline, *across] if len(across) > 1 else across),
        Column("Dollars", ComparedRun.mean_dollars, ".4f", when="known"),
        Column("Time", time, "", when="known"),
    ]
    table = tabulate(columns, runs)
    letters = say("same_letters", pairs=write_count(len(comparison.pairs), "pair"))
    notes = [letters] if first.headline.letters else []
    title = "Scores"
    if first.summaries:
        summary = first.summaries[0]
        title = f"{comparison.score.capitalize()} scores on {summary.data}, {summary.protocol}"
    memories = MemoryRow.tables([MemoryRow.of_run(names[run.run], run) for run in runs])
    tables = [table, *memories]
    remarks = [*_best_remarks(comparison), *_search_remarks(comparison)]
    report = Report.of(title, tables, remarks, *notes, compares=True)
    return report._replace(first=[*_failures(comparison)])


def _failures(comparison: Comparison) -> Iterator[str]:
    """Yield for each run with failed answers how many failed, and why."""
    for run in comparison.runs:
        for name, summary in named_builds(run):
            for sentence in failure_remarks(summary):
                yield f"{name}: {sentence}"


def _search_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield the sources on which no search was compared, since every chunk was retrieved."""
    summaries = [summary for run in comparison.runs for summary in run.summaries]
    compared = comparison.runs[0].sources
    for name in compared:
        retrievals = [summary.sources[name].retrieval for summary in summaries]
        if retrievals and all(each and each.is_exhaustive for each in retrievals):
            yield say("no_search_compared", source=name)


def _best_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield which run is best, and which are not shown to differ; or each against a baseline."""
    best, *others = comparison.runs
    if not best.headline.letters:
        for pair in comparison.pairs:
            yield describe_headline(pair, pair.a, pair.b, comparison.equal_within)
        return
    agents = {run.run: run.agent for run in comparison.runs}
    names = agents if len({*agents.values()}) == len(agents) else {run: run for run in agents}

    def be(runs: Sequence[ComparedRun]) -> str:
        *listed, last = [names[run.run] for run in runs]
        return f"{', '.join(listed)} and {last} are" if listed else f"{last} is"

    if all(run.headline.score == best.headline.score for run in others):
        yield f"{be(comparison.runs).rsplit(' ', 1)[0]} have the same score."
        return
    like = [run for run in others if run.among_best]
    shown = len(others) - len(like)
    of_new = comparison.pairs[0].headline.of_new_histories
    histories = "new histories too" if of_new else "these histories"
    builds = any(pair.builds_may_differ for pair in comparison.pairs)
    of_builds = f", of these {'' if others[1:] else 'two '}builds" if builds else ""
    better = f"shown to be better than {'all others' if shown > 1 else 'the other'}"
    if not like:
        yield f"{be([best])} best: {better}, on {histories}{of_builds}."
        return
    ahead = be([best]).replace(" is", " leads")
    more = f"; the rest are shown to be worse, on {histories}{of_builds}" if shown > 1 else ""
    if shown == 1:
        worse = next(run for run in others if not run.among_best)
        more = f"; {be([worse])} shown to be worse, on {histories}{of_builds}"
    yield f"{ahead}, and {be(like)} not shown to differ{more}."
