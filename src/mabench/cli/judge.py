"""`mabench judge`: let a language model judge the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import after_a_miss, again, higher
from mabench.cli.console import messages, output, print_json, print_sentences

if TYPE_CHECKING:
    from mabench.runs import JudgeSpec


def judge(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    judge_model: Annotated[
        str, typer.Option(help="The judge: NAME on an OpenAI-compatible server, or provider/NAME.")
    ] = "gpt-4o",
    base_url: opt.BaseUrl = None,
    data: Annotated[str | None, typer.Option(help="The run's data set, if it has moved.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="A TOML file of prompts that replace ours.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(help="How many requests may be in flight.", min=1)
    ] = 8,
    prices: opt.Prices = None,
    replay: opt.Replay = None,
    max_cost: opt.MaxCost = None,
    estimate: opt.Estimate = False,
    unclear: Annotated[
        bool, typer.Option("--unclear", help="Settle just what the corrected score cannot tell.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Ask nothing: compare the judges so far.")
    ] = False,
    as_json: opt.Json = False,
) -> None:
    """Have LongMemEval answers and InfBench summaries judged by a language model.

    The server is OpenAI's, or that of --base-url or OPENAI_BASE_URL, and its key is
    OPENAI_API_KEY; without a server, provider/NAME goes through litellm. What was judged or paid
    for before is not asked again. Exit 1 if a verdict is still lacking.
    """
    from mabench.models import ModelSpec
    from mabench.reports import (
        agreement_table,
        estimate_table,
        judging_assumptions,
        print_table,
    )
    from mabench.runs import JudgeSpec, Run, compare_judges, estimate_judging

    model = ModelSpec(
        judge_model,
        base_url=base_url,
        requests_in_flight=concurrency,
        prices=prices,
        replay=replay,
    )
    spec = JudgeSpec(model=model, prompts=prompts, data=data, max_cost=max_cost, unclear=unclear)
    if not compare and not estimate:
        _judge(folder, spec, as_json)
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
    if as_json:
        print_json(listed)
    else:
        print_table(table, output())
        print_sentences(sentences)


def _judge(folder: Path, spec: JudgeSpec, as_json: bool) -> None:
    from mabench.cli.progress import ProgressBars
    from mabench.reports import show
    from mabench.runs import JudgingStoppedError, RunInterrupt
    from mabench.runs import judge as judge_run

    with ProgressBars() as bars:
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
    show(judging.run, "json" if as_json else "table", output())
    if judging.failures:
        bars.say(f"{judging.failures} without a verdict; the same command asks for them again.")
        raise typer.Exit(1)
