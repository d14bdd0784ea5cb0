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
    paper_settings,
    report,
    run,
    score,
    show,
    sources,
    sweep,
)

app = typer.Typer(
    name="mabench",
    help="Run MemoryAgentBench over any agent with a memory, and get scores that can be trusted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mabench {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Take the options that stand before a verb."""


app.command("run")(run.run)
app.command("score")(score.score)
app.command("show")(show.show)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("export")(export.export)
app.command("page")(page.page)
app.command("judge")(judge.judge)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("check")(check.check)
app.command("audit")(audit.audit)
app.command("generate")(generate.generate)
app.command("sweep")(sweep.sweep)
app.command("sources")(sources.sources)
app.command("agents")(agents.agents)
app.command("paper-settings")(paper_settings.paper_settings)
app.add_typer(data.app, name="data")
app.add_typer(cache.app, name="cache")
