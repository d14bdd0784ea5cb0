"""`mabench stress`: looks for faults of a memory in use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.agents import SETTINGS_OF_RUNS
from mabench.outfile import check_writable
from mabench.settings import RunPart
from mabench.specs import AgentSpec, StressSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class _StressSettings(RunPart):
    """The settings of an agent and of the test, which become options of one command."""

    agent: AgentSpec
    stress: StressSpec


# How many times longer the test is that is proposed after one without a finding.
_LONGER = 10
# Settings that have no option here, or that the command reads itself.
_OF_MODELS = ("meter", "cache")
_WITHOUT = ["for", "clients", "faults", *({*SETTINGS_OF_RUNS} - {*_OF_MODELS})]


@opt.command("stress", _StressSettings, without=_WITHOUT, agent=...)
def _stress(
    spec: _StressSettings,
    seconds: float = StressSpec().seconds,
    clients: str = "1,8,64",
    faults: list[str] | None = None,
    replay: Path | None = None,
    baseline: Path | None = None,
    out: Path | None = None,
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Use a memory at random and under load; exit with 1 if it has faults."""
    from mabench.reports.experiments.stress import stress_report
    from mabench.stressing import stress as run_stress
    from mabench.tasks.signals import raise_on_signals

    if out is not None:
        place = out.absolute()  # The memory's code may change the current folder.
        check_writable(out)
    rates = opt.read_pairs(faults, "--faults", "model=RATE, such as model=0.1")
    settings = replace(
        spec.stress,
        seconds=seconds,
        clients=tuple(int(n) if n.strip().isdecimal() else 0 for n in clients.split(",")),
        faults={each: float(opt.read_amount(rate, "--faults")) for each, rate in rates.items()},
    )
    raise_on_signals()  # So that a signal leaves no process or folder behind.
    stopped = f"Stopped. Nothing of it is kept. To begin again: {con.again()}"
    with con.ProgressBars(quiet, lambda _: stopped) as bars:
        report = run_stress(spec.agent, settings, replay=replay, baseline=baseline, progress=bars)
    is_brief = layout == "table" and not full
    con.print_report(stress_report(report, brief=is_brief, quiet=quiet), report.as_dict(), layout)
    if out is not None:
        report.write(place)
    if out is not None and not quiet:
        con.print_written(out)
    if report.findings and not (replay or quiet):
        con.messages().print(to_play_again(report.seed, out))
    elif not (replay or quiet) and layout == "table":
        longer = con.again(**{"for": f"{_LONGER * seconds:g}"})
        con.print_next(longer, con.command_line("run", spec.agent.agent))
    if not report.passed:
        raise typer.Exit(1)


def to_play_again(seed: int, out: Path | None) -> str:
    """Return a sentence with the command that repeats the operations that found faults."""
    if out is None:
        line = con.again(seed=seed, out="report.json")
        return f"To find these histories again, and keep them for --replay: {line}"
    # None leaves an option out: the report has them all.
    left_out: dict[str, Any] = dict.fromkeys(("out", "seed", "for", "clients", "baseline"))
    return f"To play these histories again: {con.again(**left_out, replay=out)}"
