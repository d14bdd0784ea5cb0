"""The report of all compared runs: a table, the best run first, and in words which run is best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mabench.comparison import ComparedRun, Comparison, RunScore
from mabench.printable import write_count
from mabench.reports.comparison.findings import describe_headline
from mabench.reports.comparison.remarks import column_of, named_builds
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.failures import failure_remarks
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import Measure


def standings_report(comparison: Comparison, names: Mapping[str, str] | None = None) -> Report:
    """Return a table of all runs, one of their memories, and which run is best.

    ``names`` are what runs are called, by folder; by default their agents.
    """
    names = names or comparison.names
    memories = [MemoryRow.of_run(names[run.run], run) for run in comparison.runs]
    notes = []
    if comparison.runs[0].headline.letters:
        notes.append(say("same_letters", pairs=write_count(len(comparison.pairs), "pair")))
    report = Report.of(
        _title(comparison),
        [_runs_table(comparison, names), *MemoryRow.tables(memories)],
        [*_best_remarks(comparison), *_search_remarks(comparison)],
        *notes,
        compares=True,
    )
    return report._replace(first=[*_failures(comparison)])


def _title(comparison: Comparison) -> str:
    """Return which scores are compared, on which data; a table of scores does not say the data."""
    if not comparison.runs[0].summaries:
        return "Scores"
    summary = comparison.runs[0].summaries[0]
    return f"{comparison.score.capitalize()} scores on {summary.data}, {summary.protocol}"


def _runs_table(comparison: Comparison, names: Mapping[str, str]) -> Table:
    """Return a table with a row for each run, the best first, with its scores and what it took.

    ``names`` are what runs are called, by folder.
    """
    scores_on = _choose_scores(comparison)
    if len(scores_on) > 1:
        scores_on = [comparison.headline, *scores_on]
    columns: list[Column[ComparedRun]] = [
        Column("Agent", lambda run: names[run.run]),
        *(_score_column(name, comparison.runs) for name in scores_on),
        Column("Dollars", ComparedRun.mean_dollars, spec=".4f", when="known"),
        Column("Time", _write_time, spec="", when="known"),
    ]
    return tabulate(columns, comparison.runs)


def _choose_scores(comparison: Comparison) -> list[str]:
    """Return what the table has scores on: columns of the paper's table, or else the sources.

    It has columns if every source feeds one of which all runs have the score.
    """
    run = comparison.runs[0]  # All runs have the same sources and columns.
    fed = {column_of(source) for source in run.sources}
    if fed <= run.columns.keys():
        return [name for name in run.columns if name in fed]
    return [*run.sources]


def _score_column(name: str, runs: Sequence[ComparedRun]) -> Column[ComparedRun]:
    """Return the column of the scores on a source, a column of the paper, or the mean of all.

    A score that is higher than all others is marked as the best.
    """

    def score(run: ComparedRun) -> RunScore:
        """Return a run's score on what the column is about."""
        return {**run.sources, **run.columns}.get(name, run.headline)

    best, second = sorted((score(run).score for run in runs), reverse=True)[:2]

    def measure(run: ComparedRun) -> Measure:
        """Return a run's score with its interval, marked if it is the best."""
        is_best = score(run).score == best and best > second
        return score(run).measure._replace(best=is_best)

    return Column(name, measure, spec="")


def _write_time(run: ComparedRun) -> str | None:
    """Return how long a run took in seconds, in the mean of its builds; None if unknown."""
    seconds = run.mean_seconds()
    return None if seconds is None else f"{seconds:.0f} s"


def _failures(comparison: Comparison) -> Iterator[str]:
    """Yield for each run with failed answers how many failed, and why."""
    for run in comparison.runs:
        for name, summary in named_builds(run):
            for sentence in failure_remarks(summary):
                yield f"{name}: {sentence}"


def _search_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield the sources on which no search was compared, since every chunk was retrieved."""
    summaries = [summary for run in comparison.runs for summary in run.summaries]
    compared_sources = comparison.runs[0].sources
    for source in compared_sources:
        retrievals = [summary.sources[source].retrieval for summary in summaries]
        if retrievals and all(one is not None and one.is_exhaustive for one in retrievals):
            yield say("no_search_compared", source=source)


def _best_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield which run is best, and which are not shown to differ; or each against a baseline."""
    best, *others = comparison.runs
    if not best.headline.letters:  # Every run was compared with a baseline only.
        for pair in comparison.pairs:
            yield describe_headline(pair, pair.a, pair.b, comparison.equal_within)
    elif all(run.headline.score == best.headline.score for run in others):
        yield f"{_join_with_and(_call(comparison, comparison.runs))} have the same score."
    else:
        yield _best_sentence(comparison)


def _best_sentence(comparison: Comparison) -> str:
    """Return which run is best, and which are not shown to differ from it or to be worse."""
    best, *others = comparison.runs
    alike = [run for run in others if run.among_best]
    worse = [run for run in others if not run.among_best]
    best_name = _join_with_and(_call(comparison, [best]))
    on = _on_histories(comparison)
    if not alike:
        all_others = "all others" if len(worse) > 1 else "the other"
        return f"{best_name} is best: shown to be better than {all_others}, {on}."
    leads = f"{best_name} leads, and {_subject(comparison, alike)} not shown to differ"
    if not worse:
        return f"{leads}."
    subject = "the rest are" if len(worse) > 1 else _subject(comparison, worse)
    return f"{leads}; {subject} shown to be worse, {on}."


def _on_histories(comparison: Comparison) -> str:
    """Return on which histories, and of which builds, the differences are shown."""
    of_new = comparison.pairs[0].headline.of_new_histories
    on = "on new histories too" if of_new else "on these histories"
    if not any(pair.builds_may_differ for pair in comparison.pairs):
        return on
    return f"{on}, of these builds" if len(comparison.runs) > 2 else f"{on}, of these two builds"


def _call(comparison: Comparison, runs: Sequence[ComparedRun]) -> list[str]:
    """Return what runs are called: by their agents if these differ in all runs, else by folders."""
    agents = [run.agent for run in comparison.runs]
    do_agents_differ = len({*agents}) == len(agents)
    return [run.agent if do_agents_differ else run.run for run in runs]


def _subject(comparison: Comparison, runs: Sequence[ComparedRun]) -> str:
    """Return runs as the beginning of a clause, with its verb: ``a and b are``."""
    verb = "is" if len(runs) == 1 else "are"
    return f"{_join_with_and(_call(comparison, runs))} {verb}"


def _join_with_and(names: Sequence[str]) -> str:
    """Return names as a list: ``a, b and c``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
