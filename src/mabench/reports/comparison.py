"""The report of a comparison: one table of all runs, what was found in words, and the pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from rich.console import Console

from mabench.comparison import ComparedRun, Comparison, Flip, GateResult, MeanDifference, Pair
from mabench.data import BY_NAME
from mabench.printable import write_count
from mabench.reports.costs.calls import call_remarks, cost_tables
from mabench.reports.costs.memories import MemoryRow
from mabench.reports.diagnosis import diagnose
from mabench.reports.failures import failure_remarks
from mabench.reports.formats import show_reports
from mabench.reports.program_tables import compared_table
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, retitle, tabulate, titles_of
from mabench.results import PARTS, THESE, Measure, RunSummary
from mabench.uncertainty import ALPHA, LEAST_HISTORIES

_SMALLEST_P = 0.001
_HISTORIES = ("history_wins", "history_losses", "history_ties")
_FLIPS: tuple[Column[Flip], ...] = (
    Column("Source", lambda flip: flip.source),
    Column("Row", lambda flip: flip.row, ""),
    Column("Question", lambda flip: flip.question_index, ""),
    Column("A", lambda flip: flip.a, ".2g"),
    Column("B", lambda flip: flip.b, ".2g"),
    Column("Text", lambda flip: flip.question),
)


def show_comparison(
    comparison: Comparison,
    layout: str,
    console: Console,
    flips: Mapping[tuple[str, str], Sequence[Flip]] | None = None,
    gates: Sequence[GateResult] = (),
    advice: str = "",
    *,
    pairs: bool = False,
) -> None:
    """Print a comparison.

    Args:
        comparison: what is printed.
        layout: as for ``show_reports``.
        console: where to print.
        flips: the questions on which the runs of each pair differ; None leaves them out.
        gates: what gates decided.
        advice: how to make more histories, after a colon.
        pairs: prints the tables of every pair; a single pair always has them.

    Raises:
        UsageError: when the layout is unknown.
    """
    pairs = pairs or len(comparison.pairs) == 1

    def content() -> object:
        fields = comparison.as_dict()
        if flips is not None:
            fields["flipped"] = [
                {"a": a, "b": b, "questions": [flip.as_dict() for flip in listed]}
                for (a, b), listed in flips.items()
            ]
        if gates:
            fields["gates"] = [gate.as_dict() for gate in gates]
        return fields

    def reports() -> Iterator[Report]:
        runs = {run.run: run for run in comparison.runs}
        standings = standings_report(comparison)
        remarks = [*standings.remarks, *_left_out(comparison)]
        yield standings._replace(remarks=remarks)
        for pair in comparison.pairs:
            sides = [runs[pair.a], runs[pair.b]]
            report, tables = pair_report(pair), list[Table]()
            if pairs:
                tables = [*report.tables, *cost_tables(sides, "AB")]
            if flips is not None:
                tables.append(tabulate(_FLIPS, flips[pair.a, pair.b]))
            if tables:
                yield report._replace(title="\n".join(map(_side, "AB", sides)), tables=tables)
        own = [sentence for run in comparison.runs for sentence in _run_remarks(run, pairs)]
        shared = comparison_remarks(comparison, advice) if pairs else _not_compared(comparison)
        yield Report(remarks=[*own, *shared, *(gate.sentence for gate in gates)])

    titles = titles_of(summary for run in comparison.runs for summary in run.summaries)
    titled = (retitle(report, titles) for report in reports())
    tidy = partial(compared_table, comparison, pairs=pairs)
    show_reports(titled, content, layout, console, tidy)


def standings_report(comparison: Comparison, names: Mapping[str, str] | None = None) -> Report:
    """Return a table of all runs, one of their memories, and which run is best.

    The table has a row for each run, the best first, with its scores and what it took. The scores
    are those on the columns of the paper if all sources feed complete ones, else on the sources.
    ``names`` are those of runs, by folder; by default their agents.
    """
    runs = comparison.runs
    first = runs[0]
    fed = {_column_of(name) for name in first.sources}
    across = [*first.sources]
    if first.columns.keys() >= fed:
        across = [name for name in first.columns if name in fed]

    def column(name: str) -> Column[ComparedRun]:
        own_of = {run.run: {**run.sources, **run.columns}.get(name, run.headline) for run in runs}
        best = max(own_of.values(), key=lambda one: one.score)

        def value(run: ComparedRun) -> Measure:
            own = own_of[run.run]
            return own.measure._replace(best=own.is_like(best) and bool(own.letters))

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
        for name, summary in _named_builds(run):
            for sentence in failure_remarks(summary):
                yield f"{name}: {sentence}"


def _search_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield the sources on which no search was compared, since every chunk was retrieved."""
    summaries = [summary for run in comparison.runs for summary in run.summaries]
    compared = comparison.runs[0].sources
    for name in compared:
        retrievals = [summary.sources[name].retrieval for summary in summaries]
        if all(each and each.is_exhaustive for each in retrievals):
            yield say("no_search_compared", source=name)


def _named_builds(run: ComparedRun) -> Iterator[tuple[str, RunSummary]]:
    """Yield the name and the summary of each build."""
    for number, summary in enumerate(run.summaries, 1):
        yield run.run if run.builds == 1 else f"{run.run}, build {number}", summary


def _column_of(source: str) -> str | None:
    return BY_NAME[source].column if source in BY_NAME else None


def _best_remarks(comparison: Comparison) -> Iterator[str]:
    """Yield which run is best, and which are not shown to be worse; or each against a baseline."""
    best, *others = comparison.runs
    if not best.headline.letters:
        for pair in comparison.pairs:
            yield next(_findings(pair, pair.a, pair.b))
        return
    agents = {run.run: run.agent for run in comparison.runs}
    names = agents if len({*agents.values()}) == len(agents) else {run: run for run in agents}

    def be(runs: Sequence[ComparedRun]) -> str:
        *listed, last = [names[run.run] for run in runs]
        return f"{', '.join(listed)} and {last} are" if listed else f"{last} is"

    same = [run for run in others if run.headline.score == best.headline.score]
    like = [run for run in others if run.among_best and run not in same]
    said = f"{be([best, *same])} best{', with the same score' * bool(same)}"
    if like:
        said += f"; {be(like)} not significantly worse"
    elif rest := len(others) - len(same):
        said += f": {'the other is' if rest == 1 else 'all others are'} significantly worse"
    yield f"{said}."


def _left_out(comparison: Comparison) -> Iterator[str]:
    for run in comparison.runs:
        n = sum(score.n for score in run.sources.values())
        asked = sum(run.summaries[0].sources[name].n for name in run.sources)
        if n < asked:
            yield say("left_out", run=run.run, n=n, asked=asked)


def _side(letter: str, run: ComparedRun) -> str:
    builds = f", {run.builds} builds, SD of the mean {run.build_deviation or 0:.1f}"
    return f"{letter}: {run.agent} ({run.run}){builds * (run.builds > 1)}"


def _run_remarks(run: ComparedRun, diagnoses: bool) -> Iterator[str]:
    for name, summary in _named_builds(run):
        sentences = [*(summary.damaged or ())]
        if diagnoses:
            sentences += [*call_remarks(summary.calls), *diagnose(summary)]
        for sentence in sentences:
            yield f"{name}: {sentence}"


def pair_report(pair: Pair, a: str = "A", b: str = "B") -> Report:
    """Return the differences of a pair on sources, means, types and parts, with findings."""
    fed = Counter(map(_column_of, pair.sources))  # A column of one source would repeat its line.
    means = {name: mean for name, mean in pair.columns.items() if fed[name] > 1}
    means |= pair.categories
    if pair.overall:
        means["Overall"] = pair.overall
    elif len(pair.sources) > 1:
        means["All of these"] = pair.mean
    tables = [
        _difference_table("Source", {**pair.sources, **means}, a, b),
        *(_difference_table(f"{name} by type", types, a, b) for name, types in pair.types.items()),
        *_parts_table(pair, a, b),
    ]
    return Report("", tables, [*_findings(pair, a, b)])


def _difference_table(
    title: str, differences: Mapping[str, MeanDifference], a: str, b: str
) -> Table:
    def p(mean: MeanDifference) -> str:
        p = f"<{_SMALLEST_P}" if mean.adjusted_p < _SMALLEST_P else f"{mean.adjusted_p:.3f}"
        return p if mean.of_new_histories else p + THESE

    def counts(mean: MeanDifference, *fields: str) -> str:  # Only a source has them.
        return "/".join(str(getattr(mean, field)) for field in fields if hasattr(mean, field))

    columns: tuple[Column[tuple[str, MeanDifference]], ...] = (
        Column(title, lambda row: row[0]),
        *_difference_columns(a, b),
        Column("p", lambda row: p(row[1]), ""),
        Column("Won/lost/tied", lambda row: counts(row[1], "wins", "losses", "ties"), ""),
        Column("Histories", lambda row: counts(row[1], *_HISTORIES), ""),
    )
    return tabulate(columns, differences.items())


def _difference_columns(a: str, b: str) -> Iterator[Column[tuple[object, MeanDifference]]]:
    yield Column(a, lambda row: row[1].a, ".1f")
    yield Column(b, lambda row: row[1].b, ".1f")
    yield Column(f"{a} - {b}", lambda row: row[1].measure, "+.1f")
    yield Column("95 % interval", lambda row: row[1].measure.range("+.1f"), "")


def _parts_table(pair: Pair, a: str, b: str) -> list[Table]:
    """Return where two runs lose points on each source, if that is known of any."""
    rows = [
        ((name, PARTS[part].head), difference)
        for name, parts in pair.parts.items()
        if any(PARTS[part].tells for part in parts)
        for part, difference in parts.items()
    ]
    columns: tuple[Column[tuple[tuple[str, str], MeanDifference]], ...] = (
        Column("Of 100 questions", lambda row: row[0][0]),
        Column("Part", lambda row: row[0][1], key=True),
        *_difference_columns(a, b),
    )
    return [tabulate(columns, rows)] if rows else []


def _findings(pair: Pair, a: str, b: str) -> Iterator[str]:
    """Yield what was found on a pair, or that the runs cannot be told apart."""
    mean = pair.headline
    several = not pair.overall and len(pair.sources) > 1
    on = f"On average over {len(pair.sources)} sources" if several else "Overall"
    better, worse = (a, b) if mean.difference > 0 else (b, a)
    points = abs(mean.difference)
    new = mean.of_new_histories
    limits = mean.new_histories if new else mean.these_histories
    if mean.adjusted_p < ALPHA and limits:
        sign = 1 if mean.difference > 0 else -1
        low, high = sorted((sign * limits.low, sign * limits.high))
        known = {"points": points, "low": low, "high": high, "mark": "" if new else THESE}
        histories = "new histories too" if new else "these histories"
        yield say("beats", on=on, better=better, worse=worse, histories=histories, **known)
    else:
        yield say("cannot_tell", on=on, a=a, b=b, points=points, detectable=mean.detectable)
    for name, sign in ((a, 1), (b, -1)):
        sources = [
            source
            for source, each in pair.sources.items()
            if each.adjusted_p < ALPHA and each.difference * sign > 0
        ]
        if sources and len(pair.sources) > 1:
            yield f"{name} is better on {', '.join(sources)}."
    for source, parts in pair.parts.items():
        for part, difference in parts.items():
            if (lost := PARTS[part].lost) and difference.adjusted_p < ALPHA:
                more, less = (a, b) if difference.difference > 0 else (b, a)
                # The interval is that of "more".
                measure = difference.measure if more == a else difference.measure.opposite()
                named = {"more": more, "less": less, "lost": lost, "points": measure.value}
                yield say("loses_by_part", source=source, interval=measure.range(".1f"), **named)
    for source, unknown in pair.unknown_parts.items():
        heads = " and ".join(PARTS[part].head for part in unknown)
        yield say("unknown_parts", source=source, parts=heads)


def comparison_remarks(comparison: Comparison, advice: str = "") -> list[str]:
    """Return sentences on all pairs; ``advice`` says how to make more histories, after a colon."""
    sentences, compared = [], [each for pair in comparison.pairs for each in pair.sources.items()]
    marked = [(name, source) for name, source in compared if not source.of_new_histories]
    if few := [name for name, source in marked if source.histories < LEAST_HISTORIES]:
        generate = f" Generate as many histories as you need{advice}."
        generate *= any(name in BY_NAME for name in few)
        sentences.append(say("too_few_histories", mark=THESE, generate=generate))
    elif marked:
        sentences.append(f"{THESE} holds for these histories only.")
    sentences += [
        say(
            "few_that_differ",
            source=name,
            differ=source.history_wins + source.history_losses,
            histories=source.histories,
        )
        for name, source in marked
        if source.histories >= LEAST_HISTORIES
    ]
    each = "sources and types" if any(pair.types for pair in comparison.pairs) else "sources"
    sentences.append(say("adjusted", pairs=write_count(len(comparison.pairs), "pair"), each=each))
    return list(dict.fromkeys([*sentences, *_not_compared(comparison)]))


def _not_compared(comparison: Comparison) -> list[str]:
    reasons: dict[str, dict[str, None]] = {}  # By source, without duplicates.
    for name, why in (each for run in comparison.runs for each in run.not_compared.items()):
        reasons.setdefault(name, {})[why] = None
    return [f"{name} is not compared: {'; '.join(of)}." for name, of in reasons.items()]
