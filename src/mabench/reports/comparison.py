"""The report of a comparison: a table for each pair, and what was found in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from mabench.comparison import (
    ComparedRun,
    Comparison,
    Flip,
    GateResult,
    MeanDifference,
    Pair,
    SourceDifference,
)
from mabench.data import BY_NAME
from mabench.reports.call_tables import call_remarks, cost_rows
from mabench.reports.diagnosis import diagnosis
from mabench.reports.layout import (
    NONE,
    THESE,
    Layout,
    Report,
    Table,
    print_json,
    print_report,
    score_cell,
)
from mabench.reports.run_tables import DEPTHS
from mabench.results import SourceSummary
from mabench.uncertainty import ALPHA, MIN_DIFFERENT

if TYPE_CHECKING:
    from rich.console import Console

_SMALLEST_P = 0.001
# So many histories can show that a difference holds for new ones: with fewer, p stays above 0.05.
_ENOUGH = 6


def show_comparison(
    comparison: Comparison,
    layout: str,
    console: Console,
    flips: Mapping[tuple[str, str], Sequence[Flip]] | None = None,
    gates: Sequence[GateResult] = (),
    advice: str = "",
) -> None:
    """Print a comparison.

    Args:
        comparison: the comparison.
        layout: ``table``, ``markdown`` or ``json``.
        console: where to print.
        flips: by the names of each pair the questions on which its runs differ.
        gates: whether its runs pass gates.
        advice: how to make rows with more histories, after a colon.

    Raises:
        UsageError: when there is no such format.
    """
    form = Layout.named(layout)
    if form is Layout.JSON:
        content = comparison.as_dict()
        if flips is not None:
            content["flipped"] = [
                {"a": a, "b": b, "questions": [flip.as_dict() for flip in listed]}
                for (a, b), listed in flips.items()
            ]
        if gates:
            content["gates"] = [gate.as_dict() for gate in gates]
        print_json(content, console)
        return
    for pair in comparison.pairs:
        runs = [run for name in (pair.a, pair.b) for run in comparison.runs if run.run == name]
        tables = [pair_table(pair), *type_tables(pair), *_retrieval_tables(runs)]
        tables += cost_tables(runs, ("A", "B"))
        if flips is not None:
            tables.append(_flip_table(flips[pair.a, pair.b]))
        title = f"A: {_named(comparison, pair.a)}\nB: {_named(comparison, pair.b)}"
        print_report(Report(title, tables, [*findings(pair)]), form, console)
    sentences = [
        *(sentence for run in comparison.runs for sentence in _run_remarks(run)),
        *remarks(comparison, advice),
        *(gate.sentence for gate in gates),
    ]
    print_report(Report("", [], sentences), form, console)


def cost_tables(runs: Sequence[ComparedRun], names: Sequence[str]) -> list[Table]:
    """Return a table of what runs took beside their scores; none where no calls are known."""
    rows = cost_rows([run.calls for run in runs])
    if not rows:
        return []
    scores = ("Score, in the mean", *(score_cell(run.mean) for run in runs))
    headers = ("Score and cost", *names)
    return [Table(headers, [scores, *rows], (False, *[True] * len(names)))]


def _retrieval_tables(runs: Sequence[ComparedRun]) -> list[Table]:
    """Return by source how much of the evidence, and for how many questions a gold, was retrieved.

    The builds of a repeated run are averaged; sources for which nothing is known are left out.
    """
    tables = []
    sources = dict.fromkeys(name for run in runs for name in run.summaries[0].sources)
    for header, cell in (
        ("Evidence found", _evidence_cell),
        (f"Hit at {' / '.join(DEPTHS)}", _hits_cell),
    ):
        rows = [
            (name, *(cell([one.sources.get(name) for one in run.summaries]) for run in runs))
            for name in sources
        ]
        if rows := [row for row in rows if {*row[1:]} != {NONE}]:
            tables.append(Table((header, "A", "B"), rows, (False, True, True)))
    return tables


def _evidence_cell(builds: Sequence[SourceSummary | None]) -> str:
    recalls = [one.evidence_recall for one in builds if one and one.evidence_recall is not None]
    return score_cell(fmean(recalls) if recalls else None)


def _hits_cell(builds: Sequence[SourceSummary | None]) -> str:
    hits = [one.retrieval.hit_at for one in builds if one and one.retrieval]
    shares = [at for at in hits if at]
    if not shares:
        return NONE
    return " / ".join(score_cell(fmean(at[depth] for at in shares)) for depth in DEPTHS)


def _run_remarks(run: ComparedRun) -> Iterator[str]:
    """Yield what a reader must know of a run: damage, its calls, and what ails it."""
    for number, summary in enumerate(run.summaries, 1):
        name = run.run if run.builds == 1 else f"{run.run}, build {number}"
        calls = call_remarks(summary.calls) if summary.calls else ()
        for sentence in (*(summary.damaged or ()), *calls, *diagnosis(summary)):
            yield f"{name}: {sentence}"


def _named(comparison: Comparison, name: str) -> str:
    run = next(run for run in comparison.runs if run.run == name)
    if run.build_deviation is None:
        return f"{run.agent} ({name})"
    return f"{run.agent} ({name}), {run.builds} builds, SD of the mean {run.build_deviation:.1f}"


def pair_table(pair: Pair, a: str = "A", b: str = "B") -> Table:
    """Return the differences of a pair, whose runs are called ``a`` and ``b``."""
    headers = ("Source", a, b, f"{a} - {b}", "95 % interval", "p", "Won/lost/tied", "Histories")
    rows = [_source_cells(name, one) for name, one in pair.sources.items()]
    means = {**pair.columns, **pair.categories}
    means |= {"Overall": pair.overall} if pair.overall else {"All of these": pair.mean}
    rows += [(*_cells(name, one), "", "") for name, one in means.items()]
    return Table(headers, rows, (False, *[True] * 7))


def type_tables(pair: Pair, a: str = "A", b: str = "B") -> list[Table]:
    """Return the differences of a pair by type of question, for each source with types."""
    columns = pair_table(pair, a, b)
    return [
        Table(
            (f"{name} by type", *columns.headers[1:]),
            [_source_cells(kind, one) for kind, one in types.items()],
            columns.numeric,
        )
        for name, types in pair.types.items()
    ]


def _source_cells(name: str, one: SourceDifference) -> tuple[str, ...]:
    return (
        *_cells(name, one),
        f"{one.wins}/{one.losses}/{one.ties}",
        f"{one.history_wins}/{one.history_losses}/{one.history_ties}",
    )


def _cells(name: str, one: MeanDifference) -> tuple[str, ...]:
    mark = "" if one.of_new_histories else THESE
    p = f"<{_SMALLEST_P}" if one.adjusted_p < _SMALLEST_P else f"{one.adjusted_p:.3f}"
    return (
        name,
        score_cell(one.a),
        score_cell(one.b),
        f"{one.difference:+.1f}",
        interval_of(one),
        p + mark,
    )


def interval_of(one: MeanDifference) -> str:
    """Return the interval of a difference: for new histories if there is one, else marked."""
    limits = one.new_histories or one.these_histories
    if limits is None:
        return NONE
    mark = "" if one.new_histories else THESE
    return f"{limits.low:+.1f} to {limits.high:+.1f}{mark}"


def _flip_table(flips: Sequence[Flip]) -> Table:
    rows = [
        (
            flip.source,
            str(flip.row),
            str(flip.question_index),
            f"{flip.a:.2g}",
            f"{flip.b:.2g}",
            flip.question,
        )
        for flip in flips
    ]
    headers = ("Source", "Row", "Question", "A", "B", "Text")
    return Table(headers, rows, (False, True, True, True, True, False))


def findings(pair: Pair, a: str = "A", b: str = "B") -> Iterable[str]:
    """Say what was found on a pair, or that nothing can be told, and what would tell.

    Its runs are called ``a`` and ``b``.
    """
    one = pair.headline
    on = "Overall" if pair.overall else f"In the mean of {_counted(len(pair.sources), 'source')}"
    better, worse = (a, b) if one.difference > 0 else (b, a)
    limits = one.new_histories if one.of_new_histories else one.these_histories
    if one.adjusted_p < ALPHA and limits:
        sign = 1 if one.difference > 0 else -1
        low, high = sorted((sign * limits.low, sign * limits.high))
        histories, mark = ("new", "") if one.of_new_histories else ("these", THESE)
        yield (
            f"{on}, {better} is better than {worse} by {abs(one.difference):.1f} points "
            f"({low:+.1f} to {high:+.1f}{mark}) on {histories} histories."
        )
    else:
        yield (
            f"{on}, these questions cannot tell {a} from {b}: a difference of "
            f"{one.detectable:.1f} points would have been found in 4 of 5 cases, and the "
            f"difference seen is {abs(one.difference):.1f}."
        )
    for words, sign in ((f"{a} is better", 1), (f"{b} is better", -1)):
        names = [
            name
            for name, found in pair.sources.items()
            if found.adjusted_p < ALPHA and found.difference * sign > 0
        ]
        if names and len(pair.sources) > 1:
            yield f"{words} on {', '.join(names)}."


def remarks(comparison: Comparison, advice: str = "") -> list[str]:
    """Return what holds for all pairs: what marks mean, the best, and what was left out.

    ``advice`` says how to make rows with more histories, after a colon.
    """
    listed = []
    marked = [
        (name, one)
        for pair in comparison.pairs
        for name, one in pair.sources.items()
        if not one.of_new_histories
    ]
    few = [name for name, one in marked if one.histories < _ENOUGH]
    if few:
        listed.append(
            f"{THESE} holds for these histories only: a source needs six to show that a "
            "difference holds for new ones."
        )
        if any(name in BY_NAME for name in few):
            listed[-1] += f" Made-up rows can have as many as it takes{advice}."
    elif marked:
        listed.append(f"{THESE} holds for these histories only.")
    listed += [
        f"{name}: the runs differ in {one.history_wins + one.history_losses} of {one.histories} "
        f"histories, and at least {MIN_DIFFERENT} must to say something about new ones."
        for name, one in marked
        if one.histories >= _ENOUGH
    ]
    each = "sources and types" if any(pair.types for pair in comparison.pairs) else "sources"
    listed.append(
        f"p is adjusted for {_counted(len(comparison.pairs), 'pair')} (Holm) and for the {each} "
        "of each (Benjamini and Hochberg)."
    )
    if len(comparison.runs) > 2 and len(comparison.pairs) > len(comparison.runs) - 1:
        best = ", ".join(run.run for run in comparison.runs if run.among_best)
        listed.append(f"Not shown to be worse than the best: {best}.")
    for run in comparison.runs:
        for source, reason in run.not_compared.items():
            listed.append(f"{source} is not compared: {reason}.")
    return list(dict.fromkeys(listed))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
