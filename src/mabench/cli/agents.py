"""`mabench agents`: who can be examined."""

from __future__ import annotations

from mabench.cli import options as opt
from mabench.cli.console import print_tables

_OWN = "An agent of your own is named package.module:factory."


def agents(layout: opt.Format = "table") -> None:
    """List the agents that can be run by name."""
    from mabench.lookup import available
    from mabench.reports import agents_table

    listed = available()
    content = [{"name": one.name, "from": one.origin, "summary": one.summary} for one in listed]
    print_tables([agents_table(listed)], content, layout, [_OWN])
