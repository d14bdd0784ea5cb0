"""The command `judge`: models and people judge answers, and judges are measured and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import UsageError
from mabench.outfile import check_writable
from mabench.specs import JudgeSpec

if TYPE_CHECKING:
    from mabench.results import JudgingStoppedError, Requirement


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
        _calibrate(runs, spec, questions, seed or 0, out, estimate, layout, quiet)
        return
    if questions is not None or seed is not None or out is not None:
        raise UsageError("--questions, --seed and --out are for --calibrate")
    if not runs or len(runs) > (2 if compare or by_hand is not None else 1):
        raise UsageError("judge takes one run; with --by-hand or --compare, it may be two")
    if by_hand is not None:
        if name is None:
            raise UsageError("--by-hand stores verdicts under a name: give --name")
        judge_by_hand(runs, by_hand, name, sheet, marked or ())
        return
    folder = runs[0]
    if name is not None or sheet is not None or marked:
        raise UsageError("--name, --sheet and --marked are for --by-hand")
    if compare or estimate:
        _report(runs, spec, layout, compare=compare)
    else:
        _judge_run(
            folder, spec, _requirement(calibration, min_specificity), layout, quiet, full=full
        )


def _report(runs: list[Path], spec: JudgeSpec, layout: str, *, compare: bool) -> None:
    """Print how far judges agree, how two runs differ by them, or what judging would take."""
    from mabench.reports.costs.estimates import estimate_report
    from mabench.reports.formats import show_reports
    from mabench.reports.verdicts.judges import compare_report, difference_report
    from mabench.results import Run, estimate_judging

    for run in runs:
        for damage in Run(run).summary.damaged or ():
            con.messages().print(damage)
    if compare:
        is_one = len(runs) == 1
        report, content = compare_report(runs[0]) if is_one else difference_report(*runs)
        show_reports([report], lambda: content, layout, con.output())
    else:
        estimates = estimate_judging(runs[0], spec)
        report = estimate_report(estimates, spec)
        listed = [estimate._asdict() for estimate in estimates]
        con.print_report(report, listed, layout)


def _requirement(file: Path | None, min_specificity: float | None) -> Requirement | None:
    """Return what the judge must have shown; None if nothing is required."""
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

    stopped = f"Stopped. What was paid for is kept. {con.to_resume()}"
    with con.ProgressBars(quiet, lambda _: stopped) as bars:
        try:
            judging = judge_run(folder, spec, bars, requirement)
        except JudgingStoppedError as stop:
            _say_how_to_resume(bars, stop, spec)
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


def _calibrate(
    runs: list[Path] | None,
    spec: JudgeSpec,
    questions: int | None,
    seed: int,
    out: Path | None,
    estimate: bool,
    layout: str,
    quiet: bool,
) -> None:
    """Measure what a judge passes of made-up answers, and print or keep it."""
    from mabench.reports.costs.estimates import estimate_report
    from mabench.reports.formats import show_reports
    from mabench.reports.verdicts.calibrations import calibration_report
    from mabench.results import JudgingStoppedError, calibrate, estimate_calibration

    if runs:
        raise UsageError("--calibrate takes no run: the answers are made up")
    count = _QUESTIONS if questions is None else questions
    if estimate:
        estimates = estimate_calibration(spec, count, seed)
        report = estimate_report(estimates, spec)
        content = [one._asdict() for one in estimates]
        con.print_report(report, content, layout)
        return
    if out is not None:
        check_writable(out)  # Before anything is paid for.
    stopped = f"Stopped. Replies that were paid for are cached. {con.to_resume()}"
    with con.ProgressBars(quiet, lambda _: stopped) as bars:
        try:
            calibration = calibrate(spec, count, seed, bars)
        except JudgingStoppedError as stop:
            _say_how_to_resume(bars, stop, spec)
            raise typer.Exit(1) from None
    if out is not None:
        calibration.write(out)
        con.print_written(out, quiet)
    if not quiet or out is None or layout != "table":
        report = calibration_report(calibration)
        show_reports([report], calibration.as_dict, layout, con.output())


# How many made-up answers of each kind and family a judge is asked about by default.
_QUESTIONS = 30


def _say_how_to_resume(bars: con.ProgressBars, stop: JudgingStoppedError, spec: JudgeSpec) -> None:
    bars.say(f"mabench: {stop}")
    if stop.not_kept and spec.model.replay:
        bars.say(con.after_a_miss(spec.model.replay, cache=False))
    else:
        how = con.to_resume(spec.max_cost if stop.by_cost else None, stop.spent)
        bars.say(f"What was judged is kept. {how}")
