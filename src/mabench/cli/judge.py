"""`mabench judge`: let a language model judge the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import after_a_miss, to_resume
from mabench.cli.console import messages, output, print_tables, print_written
from mabench.specs import JudgeSpec


@opt.give_options(
    JudgeSpec, without=("temperature", "model_seed", "window"), model="gpt-4o", requests_in_flight=8
)
def judge(
    folder: Annotated[Path, opt.run_argument("RUN", "A run.")],
    spec: JudgeSpec,
    estimate: opt.Estimate = False,
    compare: Annotated[
        bool, opt.result("--compare", "Send nothing: compare the judges so far.")
    ] = False,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Judge LongMemEval answers and InfBench summaries with a language model.

    The server is OpenAI's, or the one of --base-url or OPENAI_BASE_URL, with the key
    OPENAI_API_KEY; provider/NAME without a server goes through litellm. What was judged or paid
    for before is not asked again. Exit 1 if a verdict is still missing.
    """
    from mabench.reports.assumptions import judging_assumptions
    from mabench.reports.listings import estimate_table, list_table
    from mabench.results import Agreement, Run, compare_judges, estimate_judging

    if not compare and not estimate:
        _judge(folder, spec, layout, quiet)
        return
    if compare:
        agreements = compare_judges(folder)
        table, sentences = list_table(Agreement, agreements), []
        content = [agreement.as_dict() for agreement in agreements]
    else:
        estimates = estimate_judging(folder, spec)
        table, sentences = estimate_table(estimates), judging_assumptions(spec, estimates)
        content = [estimate._asdict() for estimate in estimates]
    for damage in Run(folder).summary.damaged or ():
        messages().print(damage)
    print_tables([table], content, layout, sentences)


def _judge(folder: Path, spec: JudgeSpec, layout: str, quiet: bool) -> None:
    from mabench.cli.progress import ProgressBars
    from mabench.reports.run_report import show
    from mabench.results import JudgingStoppedError
    from mabench.results import judge as judge_run

    stopped = f"Stopped. What was paid for is kept. {to_resume()}"
    with ProgressBars(quiet, lambda _: stopped) as bars:
        try:
            judging = judge_run(folder, spec, bars)
        except JudgingStoppedError as stop:
            bars.say(f"mabench: {stop}")
            if stop.not_kept and spec.model.replay:
                bars.say(after_a_miss(spec.model.replay, cache=False))
            else:
                how = to_resume(spec.max_cost if stop.by_cost else None, stop.spent)
                bars.say(f"What was judged is kept. {how}")
            raise typer.Exit(1) from None
    if quiet and layout == "table":
        print_written(folder, quiet)
    else:
        show(judging.run, layout, output())
    if judging.failures:
        bars.say(f"{judging.failures} without a verdict; the same command asks for them again.")
        raise typer.Exit(1)
