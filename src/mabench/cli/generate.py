"""`mabench generate`: make rows of any source, any length, from any seed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.amounts import knob_settings, whole_amount
from mabench.cli.console import messages
from mabench.errors import UsageError


def generate(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...", help="Sources, families, 'all', or a manifest.json to make again."
        ),
    ],
    out: Annotated[Path, typer.Option(help="A new folder, in the hub's layout.")],
    seed: Annotated[int, typer.Option(help="Other seeds give other names and facts.")] = 0,
    tokens: Annotated[
        str | None, typer.Option(help="Length of each context, such as 6k or 1m.")
    ] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of each source.")] = None,
    questions: Annotated[int | None, typer.Option(help="Questions of each row.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KNOB=VALUE", help="A difficulty knob; may be repeated."),
    ] = None,
    difficulty: opt.Difficulty = "real",
    material: Annotated[
        Path | None, typer.Option("--from", help="Make the rows of a file of your own.")
    ] = None,
) -> None:
    """Make rows in the official schema: as on the hub, or of other lengths and difficulties.

    With --from, the rows are made of your own material: `icl` from labelled texts (CSV),
    `factconsolidation` from triples (CSV), `ruler_qa1` from SQuAD's form (JSON), `longmemeval`
    from chats (JSON). docs/explanation/made-up-rows.md describes the forms and the knobs.
    """
    from mabench.cli.progress import ProgressBars
    from mabench.data import Dataset, export_hub_layout
    from mabench.loading import synthetic_dataset
    from mabench.synthesis import read_manifest, row_specs_named
    from mabench.synthesis.material import read_material

    length = whole_amount(tokens, "--tokens")
    knobs = knob_settings(set_)
    if len(sources) == 1 and Path(sources[0]).suffix == ".json":
        if seed or length or rows or questions or knobs or material or difficulty != "real":
            raise UsageError("a manifest says all about its rows; give --out alone with it")
        dataset = synthetic_dataset(out.name, read_manifest(Path(sources[0])))
    elif material is None:
        specs = row_specs_named(
            sources,
            seed,
            tokens=length,
            rows=rows,
            questions=questions,
            knobs=knobs,
            difficulty=difficulty,
        )
        dataset = synthetic_dataset(out.name, specs)
    elif len(sources) > 1 or rows or knobs or difficulty != "real":
        raise UsageError("--from takes one source and none of --rows, --set and --difficulty")
    else:
        own = read_material(sources[0], material, seed=seed, tokens=length, questions=questions)
        dataset = Dataset.from_rows(out.name, lambda: own)
    with ProgressBars() as bars:
        export_hub_layout(dataset, out, bars)
    messages().print(f"written: {out}")
