"""Writing a data set out while showing how far it is."""

from __future__ import annotations

from pathlib import Path

from mabench.cli.console import messages
from mabench.data import Dataset, Row, export_hub_layout


def export_shown(dataset: Dataset, out: Path) -> None:
    """Write a data set in the hub's layout, with a bar on a terminal.

    Raises:
        UsageError: when ``out`` is not an empty or a new folder.
        DataError: when a row cannot be read or a file cannot be written.
    """
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = messages()
    total = len(dataset.manifest["rows"]) if dataset.manifest else None
    with Progress(
        TextColumn("{task.description}", markup=False),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        task = bars.add_task("rows", total=total)

        def written(row: Row) -> None:
            bars.update(task, advance=1, description=f"rows: {row.source}")

        export_hub_layout(dataset, out, written)
