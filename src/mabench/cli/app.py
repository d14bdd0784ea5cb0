"""The verbs, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from mabench._version import __version__
from mabench.cli import (
    agents,
    audit,
    cache,
    check,
    compare,
    data,
    export,
    generate,
    judge,
    leaderboard,
    page,
    report,
    run,
    runs,
    score,
    show,
    sources,
    sweep,
)
from mabench.cli import options as opt
from mabench.cli.verbs import Group, Verb

app = typer.Typer(
    name="mabench",
    help="Run MemoryAgentBench over any agent with a memory, and get scores that can be trusted.",
    no_args_is_help=True,
    cls=Group,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mabench {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        opt.about("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before a verb."""


app.command("run", cls=Verb)(run.run)
app.command("runs", cls=Verb)(runs.runs)
app.command("score", cls=Verb)(score.score)
app.command("show", cls=Verb)(show.show)
app.command("report", cls=Verb)(report.report)
app.command("compare", cls=Verb)(compare.compare)
app.command("export", cls=Verb)(export.export)
app.command("page", cls=Verb)(page.page)
app.command("judge", cls=Verb)(judge.judge)
app.command("leaderboard", cls=Verb)(leaderboard.leaderboard)
app.command("check", cls=Verb)(check.check)
app.command("audit", cls=Verb)(audit.audit)
app.command("generate", cls=Verb)(generate.generate)
app.command("sweep", cls=Verb)(sweep.sweep)
app.command("sources", cls=Verb)(sources.sources)
app.command("agents", cls=Verb)(agents.agents)
app.add_typer(data.app, name="data")
app.add_typer(cache.app, name="cache")
