"""Several runs beside each other: a row for each source, columns for each run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mabench.reports.diagnosis import diagnosis
from mabench.reports.run_tables import DEPTHS, hit_cell
from mabench.reports.table import (
    Layout,
    Table,
    markdown_list,
    markdown_table,
    print_plain,
    print_table,
    score_cell,
)
from mabench.runs import RetrievalSummary, Run

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
    from rich.text import Text

    form = Layout.named(layout)
    if form is Layout.JSON:
        summaries = [run.summary.as_dict() for run in runs]
        print_plain(console, json.dumps(summaries, indent=2, ensure_ascii=False))
        return
    tables, notes = tables_beside(runs), notes_beside(runs)
    if form is Layout.MARKDOWN:
        parts = [*map(markdown_table, tables), markdown_list(notes)]
        print_plain(console, "\n\n".join(part for part in parts if part))
        return
    for table in tables:
        print_table(table, console)
    for note in notes:
        console.print(Text(note))


def tables_beside(runs: Sequence[Run]) -> tuple[Table, ...]:
    """Return the table of official scores and, where passages were reported, that of hits."""
    labels, sources = _labels(runs), _sources(runs)
    scores = [(name, *(_official(run, name) for run in runs)) for name in sources]
    hits = [
        (name, *(_hits(_retrieval(run, name)) for run in runs))
        for name in sources
        if any((retrieval := _retrieval(run, name)) and retrieval.hit_at for run in runs)
    ]
    numeric = (False,) + (True,) * len(runs)
    official = Table(("Official", *labels), scores, numeric)
    if not hits:
        return (official,)
    return official, Table((f"Hit at {' / '.join(DEPTHS)}", *labels), hits, numeric)


def notes_beside(runs: Sequence[Run]) -> list[str]:
    """Return what a reader of the tables must know: where runs differ, and what ails each."""
    differences = list(_differences(runs))
    notes = []
    if differences:
        notes.append(f"Not to be compared: the runs differ in {', '.join(differences)}.")
    for label, run in zip(_labels(runs), runs, strict=True):
        asked = run.summary.spent.n
        expected = sum(source.expected for source in run.summary.sources.values())
        if asked < expected:
            notes.append(f"{label}: unfinished, {asked} of {expected} questions so far.")
        notes += [
            sentence if sentence.startswith(label) else f"{label}: {sentence}"
            for sentence in diagnosis(run.summary)
        ]
    return notes


def _official(run: Run, name: str) -> str:
    source = run.summary.sources.get(name)
    return score_cell(source.official if source else None)


def _retrieval(run: Run, name: str) -> RetrievalSummary | None:
    source = run.summary.sources.get(name)
    return source.retrieval if source else None


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
