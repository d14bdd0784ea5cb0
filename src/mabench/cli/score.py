"""`mabench score`: score a stored run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.console import output


def score(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    entities: Annotated[
        Path | None, typer.Option(help="entity2id.json, to score recommendations.")
    ] = None,
) -> None:
    """Score a run's stored answers again, by this version's rules, and print the table."""
    from mabench.reports import show
    from mabench.runs import rescore

    show(rescore(run, entities), "table", output())
