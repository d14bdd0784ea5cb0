"""`mabench generate`: make rows of any source, any length, from any seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import print_written
from mabench.errors import UsageError


def generate(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Sources, families, 'all', or a manifest.json to make again.",
            autocompletion=opt.complete_source,
        ),
    ],
    *,
    seed: opt.RowSeed = 0,
    tokens: Annotated[
        str | None, opt.data(metavar="N", help="Length of each context, such as 6k or 1m.")
    ] = None,
    rows: Annotated[int | None, opt.data(metavar="N", help="Rows of each source.")] = None,
    questions: Annotated[int | None, opt.data(metavar="N", help="Questions of each row.")] = None,
    knob: Annotated[
        list[str] | None,
        opt.data("--knob", metavar="KNOB=VALUE", help="A difficulty knob; repeatable."),
    ] = None,
    difficulty: opt.Difficulty = "real",
    material: Annotated[
        Path | None,
        opt.data("--from", metavar="FILE", help="Make the rows out of a file of your own."),
    ] = None,
    out: Annotated[Path, opt.result(metavar="FOLDER", help="A new folder, in the hub's layout.")],
    quiet: opt.Quiet = False,
) -> None:
    """Make rows in the official schema: as on the hub, or of other lengths and difficulties.

    With --from, rows are made out of your own material: `icl` from labelled texts (CSV),
    `factconsolidation` from triples (CSV), `ruler_qa1` from SQuAD's form (JSON), `longmemeval`
    from chats (JSON). docs/explanation/made-up-rows.md describes the forms and the knobs.
    """
    from mabench.cli.progress import ProgressBars
    from mabench.data import export_hub_layout
    from mabench.data.schemes import row_generator

    generator = row_generator()
    length = None if tokens is None else round(opt.read_amount(tokens, "--tokens"))
    knobs = {
        name: opt.read_amount(value, f"--knob {name}")
        for name, value in opt.read_pairs(knob, "--knob").items()
    }
    if len(sources) == 1 and Path(sources[0]).suffix == ".json":
        if seed or length or rows or questions or knobs or material or difficulty != "real":
            raise UsageError("a manifest says all about its rows; besides it, give only --out")
        dataset = generator.repeat_manifest(Path(sources[0]))
    elif material is None:
        dataset = generator.generate(
            sources,
            seed=seed,
            tokens=length,
            rows=rows,
            questions=questions,
            knobs=knobs,
            difficulty=difficulty,
        )
    elif len(sources) > 1 or rows or knobs or difficulty != "real":
        raise UsageError("--from takes one source and none of --rows, --knob and --difficulty")
    else:
        dataset = generator.read_material(
            sources[0], material, seed=seed, tokens=length, questions=questions
        )
    with ProgressBars(quiet) as bars:
        export_hub_layout(replace(dataset, name=out.name), out, bars)
    print_written(out, quiet)
