"""`mabench judge`: let a language model judge the answers of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.console import output


def judge(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    judge_model: Annotated[str, typer.Option(help="The judge, as its server names it.")] = "gpt-4o",
    data: Annotated[str | None, typer.Option(help="The run's data set, if it has moved.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="A TOML file of prompts that replace ours.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(help="How many requests may be in flight.", min=1)
    ] = 8,
    compare: Annotated[
        bool, typer.Option("--compare", help="Ask nothing: compare the judges so far.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Have LongMemEval answers and InfBench summaries judged by a language model.

    The server is OpenAI's, or that of OPENAI_BASE_URL; the key is OPENAI_API_KEY. What was judged
    or paid for before is not asked again. Exit 1 if a verdict is still lacking.
    """
    from mabench.reports import show

    if compare:
        _compare(folder, as_json)
        return
    from mabench.cli.judging_progress import JudgingBar
    from mabench.models import AdaptiveLimit, Cached, OpenAICompatible, ResponseCache
    from mabench.runs import judge as examine

    client = OpenAICompatible(judge_model, limit=AdaptiveLimit(concurrency))
    model = Cached(client, ResponseCache(), client.base_url)
    with JudgingBar() as bar:
        try:
            done = examine(
                folder, model, data=data, prompts=prompts, concurrency=concurrency, watch=bar
            )
        except KeyboardInterrupt:
            bar.say("Stopped. The same command goes on from here; what was paid for is kept.")
            raise typer.Exit(1) from None
    show(done, "json" if as_json else "table", output())
    if bar.failed:
        bar.say(f"{bar.failed} without a verdict; the same command asks for them again.")
        raise typer.Exit(1)


def _compare(folder: Path, as_json: bool) -> None:
    from mabench.reports import agreement_table, print_table
    from mabench.runs import compare_judges

    found = compare_judges(folder)
    if as_json:
        print(json.dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False))
    else:
        print_table(agreement_table(found), output())
