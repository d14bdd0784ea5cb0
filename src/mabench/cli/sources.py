"""`mabench sources`: the inventory."""

from __future__ import annotations

from dataclasses import asdict

from mabench.cli import options as opt
from mabench.cli.console import output, print_json


def sources(
    as_json: opt.Json = False,
) -> None:
    """List the 22 sources of the benchmark: where they stand and what they count towards."""
    from mabench.data.inventory import SOURCES
    from mabench.families import family_of
    from mabench.reports import inventory_table, print_table

    if not as_json:
        print_table(inventory_table(), output())
        return
    described = [
        asdict(one) | {"competency": one.competency, "metric": family_of(one.name).metric}
        for one in SOURCES
    ]
    print_json(described)
