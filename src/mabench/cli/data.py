"""`mabench data`: begin one of your own, look at a data set, check it, write it out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, output, print_json
from mabench.printable import printable

if TYPE_CHECKING:
    from mabench.data import Problem

app = typer.Typer(help="Look at a data set, check it, write it out.", no_args_is_help=True)

_Data = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="A folder or file, 'hub', or 'synthetic:small' and its like.",
    ),
]


@app.command("validate")
def validate(
    path: _Data,
    complete: Annotated[
        bool, typer.Option("--complete", help="Rows missing from the inventory are errors.")
    ] = False,
    as_json: opt.Json = False,
    offline: opt.Offline = False,
) -> None:
    """Report every departure from the schema and from the inventory; exit 1 on an error."""
    from mabench.loading import validate as problems_of

    problems = problems_of(path, complete=complete, offline=offline)
    if as_json:
        print_json([problem.as_dict() for problem in problems])
    else:
        for problem in problems:
            print(printable(f"{problem.severity}: {problem.text}"))
    errors = sum(problem.severity == "error" for problem in problems)
    messages().print(f"errors: {errors}, warnings: {len(problems) - errors}")
    if errors:
        raise typer.Exit(1)


@app.command("init")
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
) -> None:
    """Write a small example of your own histories that runs: tickets.jsonl and sources.toml."""
    from mabench.data.example import write_example

    write_example(folder)
    messages().print(f"written: {folder}")
    messages().print(printable(f"To run it: mabench run --data {shlex.quote(str(folder))}"))


@app.command("import")
def import_(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="locomo, longmemeval or beam.")
    ],
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="Its file as published; for beam the folder.")
    ],
    out: Annotated[Path, typer.Option(help="A new folder, for --data of every command.")],
) -> None:
    """Write LoCoMo's, LongMemEval's or BEAM's histories as rows; say what is left out of each."""
    from mabench.cli.progress import ProgressBars
    from mabench.data.importing import import_published

    with ProgressBars() as bars:
        imported = import_published(benchmark, path, out, bars)
    for row in imported:
        print(f"{row.source} row {row.row}: {row.questions:,} questions, {row.turns:,} turns")
        for problem in row.problems:
            print(printable(f"  {_left_out(problem)}"))
    messages().print(f"written: {out}")
    messages().print(printable(f"To run it: mabench run --data {shlex.quote(str(out))}"))


def _left_out(problem: Problem) -> str:
    """Return what was left out of a row, and why."""
    if problem.field is None:
        return f"{problem.found}; kept: {problem.expected}"
    return f"{problem.field}: found {problem.found}; expected {problem.expected}"


@app.command("show")
def show(path: _Data, offline: opt.Offline = False) -> None:
    """Show what a data set holds, on one screen."""
    from mabench.loading import load
    from mabench.reports import contents_table, print_table

    dataset = load(path, offline=offline)
    console = output()
    print_table(contents_table(dataset), console)
    console.print(f"fingerprint {dataset.fingerprint}", soft_wrap=True)
    known = dataset.entities
    console.print(f"entities {len(known):,}" if known is not None else "no entity file")


@app.command("export")
def export(
    path: _Data,
    out: Annotated[Path, typer.Argument(help="A new folder, or with --questions a new file.")],
    questions: Annotated[
        bool, typer.Option("--questions", help="Write the flattened questions as JSONL.")
    ] = False,
    offline: opt.Offline = False,
) -> None:
    """Write a data set in the hub's layout, or its questions one a line."""
    from mabench.cli.progress import ProgressBars
    from mabench.data import export_hub_layout, export_questions
    from mabench.loading import load

    dataset = load(path, offline=offline)
    if questions:
        export_questions(dataset, out)
    else:
        with ProgressBars() as bars:
            export_hub_layout(dataset, out, bars)
    messages().print(f"written: {out}")


@app.command("chunks")
def chunks(
    path: _Data,
    source: Annotated[
        list[str] | None, typer.Option(help="Only this source; may be repeated.")
    ] = None,
    protocol: Annotated[str, typer.Option(help="structured, paper or repository.")] = "structured",
    chunk_tokens: Annotated[
        int | None, typer.Option(help="Size of a chunk, instead of the protocol's.", min=1)
    ] = None,
    as_json: opt.Json = False,
    offline: opt.Offline = False,
) -> None:
    """Show how each row would be cut: number, characters and sha256 of each chunk."""
    from mabench.injection import list_chunks, protocol_named
    from mabench.loading import load

    listed = list_chunks(
        load(path, offline=offline), protocol_named(protocol), source, chunk_tokens, offline=offline
    )
    if as_json:
        print_json([row._asdict() for row in listed])
        return
    for row in listed:
        title = (
            f"{row.split} row {row.row} {row.source}: {row.chunks} chunks of "
            f"{row.chunk_tokens} tokens, protocol {row.protocol}"
        )
        print(printable(title))
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True)):
            print(f"  {number:5} {length:8} characters  {digest}")
