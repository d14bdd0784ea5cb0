"""`mabench stress`: what a memory does when it is used."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import again
from mabench.cli.console import print_tables, print_written
from mabench.errors import UsageError
from mabench.specs import AgentSpec


@opt.give_options(AgentSpec, without=[name for name in opt.OF_RUNS if name != "meter"], agent=...)
def stress(
    spec: AgentSpec,
    seconds: Annotated[
        float, opt.limit("--for", metavar="SECONDS", help="Total time limit.")
    ] = 60.0,
    patience: Annotated[
        float,
        opt.limit(metavar="SECONDS", help="How long to wait until a write is found."),
    ] = 10.0,
    seed: Annotated[
        int, opt.data(metavar="N", help="The seed of the histories and their words.")
    ] = 0,
    clients: Annotated[
        str, opt.data(metavar="N,N,...", help="Numbers of concurrent clients under load.")
    ] = "1,8,64",
    faults: Annotated[
        list[str] | None,
        opt.data(metavar="model=RATE", help="Let the server of --meter misbehave at a rate."),
    ] = None,
    replay: Annotated[
        Path | None,
        opt.data(metavar="REPORT", help="Carry out the histories of a report.", dir_okay=False),
    ] = None,
    baseline: Annotated[
        Path | None,
        opt.data(metavar="REPORT", help="Faults that this report has do not count."),
    ] = None,
    out: Annotated[
        Path | None,
        opt.result(
            metavar="FILE.json",
            help="Also write the report as JSON.",
            callback=opt.file_ending_in(".json"),
        ),
    ] = None,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Run random operations on a memory and look for faults; exit 1 if one is found.

    Invented facts are added, updated, deleted and searched for, by several users and clients, with
    its process killed, in the limits of what the memory declares. A model says what each search may
    show. A fault comes with the shortest history that shows it.
    """
    from mabench.cli.progress import ProgressBars
    from mabench.reports.stress import conclude_stress, stress_tables
    from mabench.stress_tests import stress as run_stress

    for number in (signal.SIGINT, signal.SIGTERM):  # So that no process or folder is left.
        signal.signal(number, _stop)
    stopped = f"Stopped. Nothing of it is kept. To begin again: {again()}"
    with ProgressBars(quiet, lambda _: stopped) as bars:
        report = run_stress(
            spec,
            seconds=seconds,
            seed=seed,
            patience=patience,
            clients=_read_clients(clients),
            replay=replay,
            baseline=baseline,
            faults=_read_faults(faults),
            progress=bars,
        )
    if out is not None:
        report.write(out)
    tables = [] if quiet else [each for of in stress_tables([report]).values() for each in of]
    print_tables(tables, report.as_dict(), layout, conclude_stress(report, quiet))
    if out is not None and not quiet:
        print_written(out)
    if not report.passed:
        raise typer.Exit(1)


class _StressInterrupt(KeyboardInterrupt):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _stop(number: int, frame: object) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):  # The second ends it at once.
        signal.signal(each, signal.SIG_DFL)
    raise _StressInterrupt(number)


def _read_faults(words: list[str] | None) -> dict[str, float]:
    pairs = opt.read_pairs(words, "--faults", "model=RATE, such as model=0.1")
    return {name: float(opt.read_amount(rate, "--faults")) for name, rate in pairs.items()}


def _read_clients(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise UsageError(f"--clients {text}: write numbers, such as 1,8,64") from None
