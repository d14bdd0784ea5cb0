"""`mabench paper-settings`: the paper's baselines as commands."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def paper_settings(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the command that runs each baseline of the paper with its settings."""
    from mabench.reports import PAPER_ROWS

    if as_json:
        print(json.dumps([row._asdict() for row in PAPER_ROWS], indent=2, ensure_ascii=False))
        return
    for row in PAPER_ROWS:
        overall = "" if row.overall is None else f", {row.overall} overall in the paper"
        note = f"; {row.note}" if row.note else ""
        print(f"# {row.agent}{overall}{note}", row.command or "", sep="\n" if row.command else "")
