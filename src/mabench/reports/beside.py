"""Several runs beside each other: a row for each source, columns for each run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabench.errors import UsageError
from mabench.reports.diagnosis import diagnosis
from mabench.reports.render import FORMATS, escaped, markdown_table, print_plain, print_table
from mabench.reports.retrieval import DEPTHS, hit_cell
from mabench.reports.table import Table, score_cell
from mabench.runs import Run

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

    if layout not in FORMATS:
        raise UsageError(f"unknown format {layout!r}; there are {', '.join(FORMATS)}")
    if layout == "json":
        summaries = [run.summary for run in runs]
        print_plain(console, json.dumps(summaries, indent=2, ensure_ascii=False))
        return
    tables, notes = tables_beside(runs), notes_beside(runs)
    if layout == "markdown":
        listed = "\n".join(f"- {escaped(note)}" for note in notes)
        parts = [*map(markdown_table, tables), *([listed] if listed else [])]
        print_plain(console, "\n\n".join(parts))
        return
    for table in tables:
        print_table(table, console)
    for note in notes:
        console.print(Text(note))


def tables_beside(runs: Sequence[Run]) -> tuple[Table, ...]:
    """Return the table of official scores and, where passages were reported, that of hits."""
    labels, sources = _labels(runs), _sources(runs)
    found = [{name: one.get("retrieval") for name, one in _of(run).items()} for run in runs]
    scores = [
        (name, *(score_cell(_of(run).get(name, {}).get("official")) for run in runs))
        for name in sources
    ]
    hits = [
        (name, *(_hits(one.get(name)) for one in found))
        for name in sources
        if any((one.get(name) or {}).get("hit_at") for one in found)
    ]
    numeric = (False,) + (True,) * len(runs)
    official = Table(("Official", *labels), scores, numeric)
    if not hits:
        return (official,)
    return official, Table((f"Hit at {' / '.join(DEPTHS)}", *labels), hits, numeric)


def notes_beside(runs: Sequence[Run]) -> list[str]:
    """Return what a reader of the tables must know: where runs differ, and what ails each."""
    differences = list(_differences(runs))
    said = (
        [f"Not to be compared: the runs differ in {', '.join(differences)}."] if differences else []
    )
    for label, run in zip(_labels(runs), runs, strict=True):
        asked = sum(source["n"] for source in _of(run).values())
        expected = sum(source["expected"] for source in _of(run).values())
        if asked < expected:
            said.append(f"{label}: unfinished, {asked} of {expected} questions so far.")
        said += [
            sentence if sentence.startswith(label) else f"{label}: {sentence}"
            for sentence in diagnosis(run.summary)
        ]
    return said


def _hits(retrieval: Mapping[str, Any] | None) -> str:
    cells = [hit_cell(retrieval, depth) for depth in DEPTHS]
    return " / ".join(cells if retrieval and retrieval["hit_at"] else cells[:1])


def _of(run: Run) -> Mapping[str, Mapping[str, Any]]:
    sources: Mapping[str, Mapping[str, Any]] = run.summary["sources"]
    return sources


def _sources(runs: Iterable[Run]) -> list[str]:
    """Return the sources of all runs, each once, in the order in which they come."""
    return list(dict.fromkeys(name for run in runs for name in _of(run)))


def _labels(runs: Sequence[Run]) -> list[str]:
    """Return what to call each run: its agent, with the folder where agents are the same."""
    agents = Counter(run.summary["agent"] for run in runs)
    named = [(run.summary["agent"], str(run.folder)) for run in runs]
    return [agent if agents[agent] == 1 else f"{agent} ({folder})" for agent, folder in named]


def _differences(runs: Sequence[Run]) -> Iterable[str]:
    """Name what keeps the runs' scores from being compared."""
    for what in ("protocol", "chunk_tokens", "prompts"):
        if len({run.settings[what] for run in runs}) > 1:
            yield what.replace("_", "-")
    asked = [(run.settings["data"]["fingerprint"], run.settings["questions"]) for run in runs]
    if len({fingerprint for fingerprint, _ in asked}) > 1:
        yield "data"
    elif any(len({of[name] for _, of in asked if name in of}) > 1 for name in _sources(runs)):
        yield "questions asked"
