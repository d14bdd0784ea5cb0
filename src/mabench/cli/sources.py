"""`mabench sources`: the inventory."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from mabench.cli.console import output


def sources(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the 22 sources of the benchmark: where they stand and what they count towards."""
    from mabench.dataset.inventory import SOURCES

    described = [
        _described(asdict(source) | {"competency": source.competency}) for source in SOURCES
    ]
    if as_json:
        print(json.dumps(described, indent=2))
        return
    from rich.table import Table

    table = Table("Source", "Split", "Family", "Column", "Metric")
    for header in ("Rows", "Questions", "Tokens", "Limit"):
        table.add_column(header, justify="right")
    for source in described:
        table.add_row(
            *(str(source[name] or "-") for name in ("name", "split", "family", "column", "metric")),
            *(
                f"{source[name]:,}"
                for name in ("rows", "questions", "context_tokens", "context_limit")
            ),
        )
    output().print(table)


def _described(source: dict[str, Any]) -> dict[str, Any]:
    from mabench.sources import family_of

    return source | {"metric": family_of(source["name"]).metric}
