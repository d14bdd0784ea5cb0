"""Several runs beside each other: a row for each source, columns for each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mabench.reports.call_tables import call_remarks, cost_rows
from mabench.reports.diagnosis import diagnosis
from mabench.reports.layout import Layout, Report, Table, print_json, print_report, score_cell
from mabench.reports.run_tables import DEPTHS, hit_cell
from mabench.runs import RetrievalSummary, Run
from mabench.runs.results.summaries import TypeScores

if TYPE_CHECKING:
    from rich.console import Console


def show_beside(runs: Sequence[Run], layout: str, console: Console) -> None:
    """Print several runs beside each other.

    Args:
        runs: the runs.
        layout: ``table``, ``markdown`` or ``json`` (a list of summaries).
        console: where to print.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there is no such format.
    """
    form = Layout.named(layout)
    if form is Layout.JSON:
        print_json([run.summary.as_dict() for run in runs], console)
    else:
        print_report(Report("", _tables(runs), _notes(runs)), form, console)


def _tables(runs: Sequence[Run]) -> list[Table]:
    """Return the table of official scores and, where passages were reported, that of hits."""
    labels, numeric = _labels(runs), (False,) + (True,) * len(runs)
    sources = {name: [run.summary.sources.get(name) for run in runs] for name in _sources(runs)}
    scores = [
        (name, *(score_cell(one.official if one else None) for one in row))
        for name, row in sources.items()
    ]
    retrievals = {
        name: [one.retrieval if one else None for one in row] for name, row in sources.items()
    }
    hits = [
        (name, *map(_hits, row))
        for name, row in retrievals.items()
        if any(one and one.hit_at for one in row)
    ]
    tables = [Table(("Official", *labels), scores, numeric), *_type_tables(runs, labels)]
    if found := _evidence(runs):
        tables.append(Table(("Evidence found", *labels), found, numeric))
    if hits:
        tables.append(Table((f"Hit at {' / '.join(DEPTHS)}", *labels), hits, numeric))
    if costs := cost_rows([run.summary.calls for run in runs]):
        tables.append(Table(("Model calls", *labels), costs, numeric))
    return tables


def _type_tables(runs: Sequence[Run], labels: Sequence[str]) -> list[Table]:
    """Return the official scores by type of question, a table for each source with types."""
    tables = []
    for name in _sources(runs):
        ours = [one.types if (one := run.summary.sources.get(name)) else None for run in runs]
        kinds = dict.fromkeys(kind for types in ours for kind in types or ())
        rows = [(kind, *(score_cell(_official(types, kind)) for types in ours)) for kind in kinds]
        if rows:
            headers = (f"{name} by type", *labels)
            tables.append(Table(headers, rows, (False,) + (True,) * len(runs)))
    return tables


def _official(types: Mapping[str, TypeScores] | None, kind: str) -> float | None:
    return types[kind].official if types and kind in types else None


def _evidence(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    """Return how much of the evidence was retrieved, for each source that tells."""
    rows = []
    for name in _sources(runs):
        ours = [run.summary.sources.get(name) for run in runs]
        recalls = [one.evidence_recall if one else None for one in ours]
        if any(recall is not None for recall in recalls):
            rows.append((name, *map(score_cell, recalls)))
    return rows


def _notes(runs: Sequence[Run]) -> list[str]:
    """Return what a reader of the tables must know: where runs differ, and what ails each."""
    differences = ", ".join(_differences(runs))
    notes = [f"Not to be compared: the runs differ in {differences}."] if differences else []
    for label, run in zip(_labels(runs), runs, strict=True):
        asked = run.summary.spent.n
        expected = sum(source.expected for source in run.summary.sources.values())
        if asked < expected:
            notes.append(f"{label}: unfinished, {asked} of {expected} questions so far.")
        notes += [f"{label}: {sentence}" for sentence in run.summary.damaged or ()]
        if run.summary.calls:
            notes += [f"{label}: {sentence}" for sentence in call_remarks(run.summary.calls)]
        notes += [
            sentence if sentence.startswith(label) else f"{label}: {sentence}"
            for sentence in diagnosis(run.summary)
        ]
    return notes


def _hits(retrieval: RetrievalSummary | None) -> str:
    cells = [hit_cell(retrieval, depth) for depth in DEPTHS]
    return " / ".join(cells if retrieval and retrieval.hit_at else cells[:1])


def _sources(runs: Iterable[Run]) -> list[str]:
    """Return the sources of all runs, each once, in the order in which they come."""
    return list(dict.fromkeys(name for run in runs for name in run.summary.sources))


def _labels(runs: Sequence[Run]) -> list[str]:
    """Return what to call each run: its agent, with the folder where agents are the same."""
    agents = Counter(run.summary.agent for run in runs)
    return [
        run.summary.agent
        if agents[run.summary.agent] == 1
        else f"{run.summary.agent} ({run.folder})"
        for run in runs
    ]


def _differences(runs: Sequence[Run]) -> Iterable[str]:
    """Name what keeps the runs' scores from being compared."""
    records = [run.record for run in runs]
    if len({record.protocol for record in records}) > 1:
        yield "protocol"
    if len({record.chunk_tokens for record in records}) > 1:
        yield "chunk-tokens"
    if len({record.prompts for record in records}) > 1:
        yield "prompts"
    if len({record.data.fingerprint for record in records}) > 1:
        yield "data"
        return
    asked = [record.questions for record in records]
    if any(len({of[name] for of in asked if name in of}) > 1 for name in _sources(runs)):
        yield "questions asked"
