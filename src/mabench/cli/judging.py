"""The command `judge`: a model or a person judges the answers of a run.

It also compares judges that judged the same answers, and calibrates one: measures it on made-up
answers that are known to be right or wrong.

The parameters of the command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import UsageError
from mabench.outfile import check_writable
from mabench.specs import JudgeSpec

if TYPE_CHECKING:
    from mabench.models import CostEstimate
    from mabench.results import JudgingStoppedError, Requirement

# How many made-up answers of each kind and family a judge is asked about by default.
_CALIBRATION_QUESTIONS = 30


@opt.command(
    "judge",
    JudgeSpec,
    without=("temperature", "model_seed", "window"),
    model="gpt-4o",
)
def _judge(
    spec: JudgeSpec,
    runs: list[Path] | None = None,
    estimate: bool = False,
    compare: bool = False,
    by_hand: int | None = None,
    name: str | None = None,
    sheet: Path | None = None,
    marked: list[Path] | None = None,
    calibrate: bool = False,
    questions: int | None = None,
    seed: int | None = None,
    out: Path | None = None,
    calibration: Path | None = None,
    min_specificity: float | None = None,
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Judge the answers of a run, estimate the cost, or measure and compare judges."""
    from mabench.cli.by_hand import judge_by_hand

    if calibrate:
        if runs:
            raise UsageError("--calibrate takes no run: the answers are made up")
        count = _CALIBRATION_QUESTIONS if questions is None else questions
        if estimate:
            _estimate_calibration(spec, count, seed or 0, layout)
        else:
            _calibrate(spec, count, seed or 0, out, layout, quiet=quiet)
        return
    if questions is not None or seed is not None or out is not None:
        raise UsageError("--questions, --seed and --out are for --calibrate")
    most_runs = 2 if compare or by_hand is not None else 1
    if not runs or len(runs) > most_runs:
        raise UsageError("judge takes one run; with --by-hand or --compare, it may be two")
    if by_hand is not None:
        if name is None:
            raise UsageError("--by-hand stores verdicts under a name: give --name")
        judge_by_hand(runs, by_hand, name, sheet, marked or ())
        return
    if name is not None or sheet is not None or marked:
        raise UsageError("--name, --sheet and --marked are for --by-hand")
    if compare:
        _compare_judges(runs, layout)
    elif estimate:
        _estimate_judging(runs[0], spec, layout)
    else:
        requirement = _read_requirement(calibration, min_specificity)
        _judge_run(runs[0], spec, requirement, layout, quiet, full=full)


def _compare_judges(runs: list[Path], layout: str) -> None:
    """Print how far the judges of a run agree, or how two runs differ by their judges."""
    from mabench.reports.formats import show_reports
    from mabench.reports.verdicts.judges import compare_report, difference_report

    for run in runs:
        _print_damage(run)
    if len(runs) == 1:
        report, content = compare_report(runs[0])
    else:
        first_run, second_run = runs
        report, content = difference_report(first_run, second_run)
    show_reports([report], lambda: content, layout, con.output())


def _estimate_judging(run: Path, spec: JudgeSpec, layout: str) -> None:
    """Print what it would take and cost to judge the answers of a run."""
    from mabench.results import estimate_judging

    _print_damage(run)
    _print_estimates(estimate_judging(run, spec), spec, layout)


def _print_damage(run: Path) -> None:
    """Print a message about each line of a run's files that cannot be read."""
    from mabench.results import Run

    for message in Run(run).summary.damaged or ():
        con.messages().print(message)


def _print_estimates(estimates: Sequence[CostEstimate], spec: JudgeSpec, layout: str) -> None:
    """Print what judging would take and cost."""
    from mabench.reports.costs.estimates import estimate_report

    content = [estimate._asdict() for estimate in estimates]
    con.print_report(estimate_report(estimates, spec), content, layout)


def _read_requirement(file: Path | None, min_specificity: float | None) -> Requirement | None:
    """Return what the judge must have shown in a calibration; None if nothing is required.

    ``file`` is the calibration. ``min_specificity`` is the least share, from 0 to 1, of wrong
    answers that the judge must have called wrong.
    """
    from mabench.results import Calibration, Requirement

    if file is None:
        if min_specificity is not None:
            raise UsageError("--min-specificity needs the --calibration that it is looked up in")
        return None
    if min_specificity is not None and not 0 <= min_specificity <= 1:
        raise UsageError(f"--min-specificity must be from 0 to 1, not {min_specificity:g}")
    return Requirement(file, Calibration.read(file), min_specificity)


def _judge_run(
    folder: Path,
    spec: JudgeSpec,
    requirement: Requirement | None,
    layout: str,
    quiet: bool,
    *,
    full: bool,
) -> None:
    """Judge the answers of a run and print its report."""
    from mabench.reports.run_report import ReportOptions, show
    from mabench.reports.score_remarks import judged_sentences
    from mabench.results import JudgingStoppedError
    from mabench.results import judge as judge_run

    after_signal = f"Stopped. What was paid for is kept. {con.to_resume()}"
    with con.ProgressBars(quiet, lambda _: after_signal) as bars:
        try:
            judging = judge_run(folder, spec, bars, requirement)
        except JudgingStoppedError as stop:
            _print_how_to_resume(bars, stop, spec)
            raise typer.Exit(1) from None
    if quiet and layout == "table":
        con.print_written(folder, quiet)
    else:
        if layout == "table":
            for sentence in judged_sentences(judging.run.summary):
                con.output().print(sentence)
        show(judging.run, layout, con.output(), options=ReportOptions(full=full))
        if layout == "table":
            con.print_next(con.command_line("show", folder), con.command_line("page", folder))
    if judging.failures:
        bars.say(f"{judging.failures} without a verdict; the same command asks for them again.")
        raise typer.Exit(1)


def _estimate_calibration(spec: JudgeSpec, count: int, seed: int, layout: str) -> None:
    """Print what it would take and cost to calibrate a judge."""
    from mabench.results import estimate_calibration

    _print_estimates(estimate_calibration(spec, count, seed), spec, layout)


def _calibrate(
    spec: JudgeSpec, count: int, seed: int, out: Path | None, layout: str, *, quiet: bool
) -> None:
    """Measure which made-up answers a judge calls right, and print the result or write it.

    ``count`` is how many answers of each kind and family the judge is asked about; ``seed`` draws
    other ones.
    """
    from mabench.reports.formats import show_reports
    from mabench.reports.verdicts.calibrations import calibration_report
    from mabench.results import JudgingStoppedError, calibrate

    if out is not None:
        check_writable(out)  # Before anything is paid for.
    after_signal = f"Stopped. Replies that were paid for are cached. {con.to_resume()}"
    with con.ProgressBars(quiet, lambda _: after_signal) as bars:
        try:
            calibration = calibrate(spec, count, seed, bars)
        except JudgingStoppedError as stop:
            _print_how_to_resume(bars, stop, spec)
            raise typer.Exit(1) from None
    if out is not None:
        calibration.write(out)
        con.print_written(out, quiet)
    # With --quiet the file alone is enough; another format than the table is asked for to be read.
    if not quiet or out is None or layout != "table":
        report = calibration_report(calibration)
        show_reports([report], calibration.as_dict, layout, con.output())


def _print_how_to_resume(
    bars: con.ProgressBars, stop: JudgingStoppedError, spec: JudgeSpec
) -> None:
    """Print why judging stopped, what is kept, and the command that goes on."""
    bars.say(f"mabench: {stop}")
    if stop.not_kept and spec.model.replay:  # A reply that was to be replayed is not there.
        bars.say(con.after_a_miss(spec.model.replay, cache=False))
    else:
        max_cost = spec.max_cost if stop.by_cost else None
        bars.say(f"What was judged is kept. {con.to_resume(max_cost, spent=stop.spent)}")
