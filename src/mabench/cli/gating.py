"""`mabench gate`: fails a build if an agent is worse than its baseline.

The parameters of the command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.run import check_page, complete_spec, progress_bars, read_agent
from mabench.errors import MabenchError, UsageError
from mabench.outfile import check_writable, write_file
from mabench.specs import RunSpec

if TYPE_CHECKING:
    from mabench.comparison import GateResult


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
    from mabench.reports.experiments.gate import markdown_of, show_gate

    terms = GateTerms(
        margin=margin,
        strict=strict,
        on=on,
        score=score,
        repeat=repeat,
        folder=(baselines or FOLDER).absolute(),
    )
    # All paths are made absolute, because an agent may change the current folder.
    if page:
        page = page.absolute()
        check_page(page)
    if comment:
        comment = comment.absolute()
        check_writable(comment)
    agent = read_agent(str(spec.agent.agent), spec.agent)
    # --set is for the agent; the baseline has only the settings in its brackets.
    baseline_agent = read_agent(baseline, replace(spec.agent, settings={}))
    spec = complete_spec(replace(spec, agent=agent), fail_fast=False)
    try:
        with progress_bars(quiet, spec, "gate") as bars:
            result = run_gate(
                spec,
                # With settings in brackets it is an agent. A text alone may also name a run.
                agent if agent.settings else str(agent.agent),
                baseline_agent if baseline_agent.settings else baseline,
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
        _write_page(result, page)
    if not result.passed:
        raise typer.Exit(1 if result.judged else 2)


def _write_page(result: GateResult, page: Path) -> None:
    """Write the page that compares the runs of the agent and of its baseline."""
    from mabench.page.pages import comparison_page
    from mabench.results import Run

    folders = [Path(result.now.run), Path(result.baseline.run)]
    runs = [Run(_first_build(folder)) for folder in folders]
    con.write_page(page, comparison_page(runs))


def _first_build(folder: Path) -> Path:
    """Return the folder of a run, or that of the first build of a run that was repeated."""
    return folder if (folder / "run.json").exists() else folder / "repeat-1"
