"""`mabench sweep`: how an agent's score changes with one setting of the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.amounts import amount, pairs
from mabench.cli.console import messages, output
from mabench.errors import UsageError


def sweep(
    agent: Annotated[str, typer.Argument(help="As for `run`.")],
    source: Annotated[str, typer.Option(help="A source, or a stem such as factconsolidation_mh.")],
    knob: Annotated[
        str, typer.Option(metavar="KNOB=V1,V2,...", help="tokens, questions or a difficulty knob.")
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KNOB=VALUE", help="Another setting, for all rows."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the rows.")] = 0,
    protocol: Annotated[str, typer.Option(help="structured, paper or repository.")] = "structured",
    out: Annotated[
        Path | None, typer.Option(help="Where the run folders go.", file_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a row for each value, run the agent over it, and print the scores as a table."""
    from mabench.reports import print_table, sweep_table
    from mabench.runs import sweep as examine

    ((name, listed),) = pairs([knob]).items()
    values = [amount(value) for value in listed.split(",")]
    if len({*values}) < len(values):
        raise UsageError(f"--knob {knob}: a value comes twice")
    folder = out or Path("runs") / f"sweep-{agent}-{source}-{name}".replace(":", "-")
    steps = []
    for step in examine(
        agent,
        source,
        name,
        values,
        out=folder,
        seed=seed,
        protocol=protocol,
        settings={key: amount(value) for key, value in pairs(set_ or ()).items()},
    ):
        messages().print(f"{name}={step.value}: {step.run.folder}")
        steps.append(step)
    if as_json:
        print(
            json.dumps([{"value": step.value, **step.source.as_dict()} for step in steps], indent=2)
        )
    else:
        print_table(sweep_table(name, steps), output())
