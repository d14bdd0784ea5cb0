"""`mabench agents`: who can be examined."""

from __future__ import annotations

from mabench.cli.console import output


def agents() -> None:
    """List the agents that can be run by name."""
    from rich.table import Table
    from rich.text import Text

    from mabench.lookup import available

    table = Table("Agent", "From", "What it is")
    for agent in available():
        table.add_row(Text(agent.name), Text(agent.origin), Text(agent.summary))
    console = output()
    console.print(table)
    console.print("An agent of your own is named package.module:factory.")
