"""`mabench judge`: let a language model judge the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import after_a_miss, again, higher
from mabench.cli.console import messages, output, print_tables, print_written
from mabench.specs import JudgeSpec


@opt.give_options(
    JudgeSpec,
    without=("temperature", "model_seed", "window"),
    model="gpt-4o",
    requests_in_flight=8,
)
def judge(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    spec: JudgeSpec,
    estimate: opt.Estimate = False,
    compare: Annotated[
        bool, opt.result("--compare", help="Send nothing: compare the judges so far.")
    ] = False,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Have LongMemEval answers and InfBench summaries judged by a language model.

    The server is OpenAI's, or the one of --base-url or OPENAI_BASE_URL, with the key
    OPENAI_API_KEY; provider/NAME without a server goes through litellm. What was judged or paid
    for before is not asked again. Exit 1 if a verdict is still missing.
    """
    from mabench.reports import agreement_table, estimate_table, judging_assumptions
    from mabench.results import Run, compare_judges, estimate_judging

    if not compare and not estimate:
        _judge(folder, spec, layout, quiet)
        return
    if compare:
        agreements = compare_judges(folder)
        table = agreement_table(agreements)
        sentences = []
        listed = [one.as_dict() for one in agreements]
    else:
        estimates = estimate_judging(folder, spec)
        table = estimate_table(estimates)
        sentences = judging_assumptions(spec, estimates)
        listed = [one._asdict() for one in estimates]
    for damage in Run(folder).summary.damaged or ():
        messages().print(damage)
    print_tables([table], listed, layout, sentences)


def _judge(folder: Path, spec: JudgeSpec, layout: str, quiet: bool) -> None:
    from mabench.cli.progress import ProgressBars
    from mabench.reports import show
    from mabench.results import JudgingStoppedError
    from mabench.results import judge as judge_run
    from mabench.tasks import RunInterrupt

    with ProgressBars(quiet=quiet) as bars:
        try:
            judging = judge_run(folder, spec, bars)
        except RunInterrupt as interrupt:
            bars.say(f"Stopped. What was paid for is kept. To resume: {again()}")
            raise typer.Exit(128 + interrupt.number) from None
        except JudgingStoppedError as stop:
            bars.say(f"mabench: {stop}")
            limit = higher(spec.max_cost, stop.spent) if stop.by_cost else None
            how = "To resume" if limit is None else "To resume with a higher limit"
            resumed = f"What was judged is kept. {how}: {again(max_cost=limit)}"
            if stop.not_kept and spec.model.replay:
                resumed = after_a_miss(spec.model.replay, cache=False)
            bars.say(resumed)
            raise typer.Exit(1) from None
    if quiet and layout == "table":
        print_written(folder, quiet)
    else:
        show(judging.run, layout, output())
    if judging.failures:
        bars.say(f"{judging.failures} without a verdict; the same command asks for them again.")
        raise typer.Exit(1)
