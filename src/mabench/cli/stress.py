"""`mabench stress`: looks for faults of a memory that is used at random and under load.

The parameters of the command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.outfile import check_writable
from mabench.settings import RunPart
from mabench.specs import AgentSpec, StressSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class _StressSettings(RunPart):
    """The settings of an agent and of the test, which become options of one command."""

    agent: AgentSpec
    stress: StressSpec


# After a test without a finding, one that takes this many times longer is proposed.
_TIMES_LONGER = 10
# Settings that the command reads itself, in another form.
_READ_HERE = ("for", "clients", "faults")
# Settings of an agent that have no meaning in a stress test.
_MEANINGLESS = ("keep_memories", "same_code", "replay", "requests_in_flight", "prices")


@opt.command("stress", _StressSettings, without=(*_READ_HERE, *_MEANINGLESS), agent=...)
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
        check_writable(out)
    # Taken now: the memory's code may change the current folder.
    report_file = None if out is None else out.absolute()
    rates = opt.read_pairs(faults, "--faults", "model=RATE, such as model=0.1")
    settings = replace(
        spec.stress,
        seconds=seconds,
        clients=_read_clients(clients),
        faults={name: float(opt.read_amount(rate, "--faults")) for name, rate in rates.items()},
    )
    raise_on_signals()  # So that a signal leaves no process or folder behind.
    after_signal = f"Stopped. Nothing of it is kept. To begin again: {con.again()}"
    with con.ProgressBars(quiet, lambda _: after_signal) as bars:
        report = run_stress(spec.agent, settings, replay=replay, baseline=baseline, progress=bars)
    is_brief = layout == "table" and not full
    con.print_report(stress_report(report, brief=is_brief, quiet=quiet), report.as_dict(), layout)
    if report_file is not None:
        report.write(report_file)
    if out is not None and not quiet:
        con.print_written(out)
    if not (replay or quiet):
        if report.findings:
            con.messages().print(to_play_again(report.seed, out))
        elif layout == "table":
            longer = con.again(**{"for": f"{_TIMES_LONGER * seconds:g}"})
            con.print_next(longer, con.command_line("run", spec.agent.agent))
    if not report.passed:
        raise typer.Exit(1)


def _read_clients(text: str) -> tuple[int, ...]:
    """Return the numbers of clients in a text such as 1,8,64.

    What is no number becomes 0, which the settings refuse.
    """
    words = [word.strip() for word in text.split(",")]
    return tuple(int(word) if word.isdecimal() else 0 for word in words)


def to_play_again(seed: int, out: Path | None) -> str:
    """Return a sentence with the command that repeats the operations that found faults.

    ``out`` is the file of the report, which has the operations; None if it was not written.
    """
    if out is None:
        line = con.again(seed=seed, out="report.json")
        return f"To find these histories again, and keep them for --replay: {line}"
    # None leaves an option out: the report has its value.
    left_out: dict[str, Any] = dict.fromkeys(("out", "seed", "for", "clients", "baseline"))
    return f"To play these histories again: {con.again(**left_out, replay=out)}"
