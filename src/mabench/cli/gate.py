"""The command `mabench gate`: whether an agent may take the place of its baseline."""

from __future__ import annotations

from dataclasses import replace

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.run import complete_spec, progress_bars
from mabench.errors import DataError, UsageError
from mabench.specs import GateSpec

_UNJUDGED = 2


@opt.command("gate", GateSpec, without=("agent", "retry_errors", "fresh"), data=None)
def _gate(
    subject: str,
    baseline: str,
    spec: GateSpec,
    fail_fast: bool = False,
    layout: str = "text",
    quiet: bool = False,
) -> None:
    """Hold an agent to a baseline; exit with 1 if it fails, with 2 if that cannot be judged."""
    from mabench.gating import run_gate
    from mabench.reports.experiments.gate import GateLayout, gate_text

    chosen = opt.read_choice(GateLayout, layout, "--format") or GateLayout.TEXT
    spec = replace(spec, run=complete_spec(spec.run, fail_fast))
    # Without a terminal, progress would be printed as lines of text before the verdict.
    hides_progress = quiet or not con.messages().is_terminal
    try:
        with progress_bars(hides_progress, spec.run, "gate") as bars:
            result = run_gate(subject, baseline, spec, bars)
    except DataError as error:
        # A DataError would exit with 1, which here means that the agent is worse.
        raise UsageError(str(error)) from error
    shows_flips = ("compare", result.gated.run, "--baseline", result.baseline.run, "--flipped")
    text = gate_text(result, chosen, con.command_line(*shows_flips))
    for line in con.in_options(text).splitlines():
        con.print_line(line)
    if not result.passed:
        raise typer.Exit(1 if result.judged else _UNJUDGED)
