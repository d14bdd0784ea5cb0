"""`mabench sources`: the inventory."""

from __future__ import annotations

from dataclasses import asdict

from mabench.cli import options as opt
from mabench.cli.console import print_tables


def sources(layout: opt.Format = "table") -> None:
    """List the 22 sources of the benchmark, each with its split, column and metric."""
    from mabench.data.inventory import SOURCES
    from mabench.families import family_of
    from mabench.reports import inventory_table

    described = [
        asdict(one) | {"competency": one.competency, "metric": family_of(one.name).metric}
        for one in SOURCES
    ]
    print_tables([inventory_table()], described, layout)
