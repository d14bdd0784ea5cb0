"""`mabench sources`: the inventory."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from mabench.cli import options as opt
from mabench.cli.console import output


def sources(
    as_json: opt.Json = False,
) -> None:
    """List the 22 sources of the benchmark: where they stand and what they count towards."""
    from mabench.data.inventory import SOURCES

    described = [
        _described(asdict(source) | {"competency": source.competency}) for source in SOURCES
    ]
    if as_json:
        print(json.dumps(described, indent=2))
        return
    from mabench.reports import inventory_table, print_table

    print_table(inventory_table(), output())


def _described(source: dict[str, Any]) -> dict[str, Any]:
    from mabench.families import family_of

    return source | {"metric": family_of(source["name"]).metric}
