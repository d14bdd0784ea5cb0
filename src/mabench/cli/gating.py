"""`mabench gate`: fails where an agent is worse than its baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.run import complete_spec, progress_bars, read_agent
from mabench.errors import MabenchError, UsageError
from mabench.outfile import check_writable, write_file
from mabench.specs import RunSpec


@opt.command("gate", RunSpec, without=("protocol",), agent=..., data="")
def _gate(
    spec: RunSpec,
    baseline: str,
    protocol: str | None = None,
    margin: float = 0.0,
    strict: bool = False,
    on: str | None = None,
    score: str = "official",
    repeat: int = 1,
    baselines: Path | None = None,
    page: Path | None = None,
    comment: Path | None = None,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Judge an agent beside its baseline; exit with 1 if it is worse, 2 if that is not known."""
    from mabench.gating import FOLDER, GateTerms, run_gate
    from mabench.page.document import require_packages
    from mabench.page.pages import comparison_page
    from mabench.reports.experiments.gate import markdown_of, show_gate
    from mabench.results import Run

    terms = GateTerms(margin, strict, on, score, repeat, (baselines or FOLDER).absolute())
    # An agent may change the current folder.
    page, comment = (file and file.absolute() for file in (page, comment))
    if page:
        require_packages()
    for file in filter(None, (page, comment)):
        check_writable(file)
    agent = read_agent(str(spec.agent.agent), spec.agent)
    held = read_agent(baseline, replace(spec.agent, settings={}))
    spec = complete_spec(replace(spec, agent=agent), fail_fast=False)
    try:
        with progress_bars(quiet, spec, "gate") as bars:
            result = run_gate(
                spec,
                agent if agent.settings else str(agent.agent),
                held if held.settings else baseline,
                terms,
                protocol=protocol,
                progress=bars,
            )
    except UsageError:
        raise
    except MabenchError as error:
        # It would exit with 1, which here means that the agent is worse.
        raise UsageError(str(error)) from error
    show_gate(result, layout, con.output())
    if comment:
        write_file(comment, markdown_of(result))
    if page:
        sides = (Path(side.run) for side in (result.now, result.baseline))
        con.write_page(page, comparison_page([Run(_first_build(side)) for side in sides]))
    if not result.passed:
        raise typer.Exit(1 if result.judged else 2)


def _first_build(folder: Path) -> Path:
    """Return the folder of a run, or that of the first of its builds."""
    return folder if (folder / "run.json").exists() else folder / "repeat-1"
