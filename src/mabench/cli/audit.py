"""`mabench audit`: look at the answer key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output, print_json


def audit(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A data set, as for `run`.")],
    entities: Annotated[
        Path | None, typer.Option(help="entity2id.json, to look at recommendations.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for --verified.")] = False,
    offline: opt.Offline = False,
) -> None:
    """List the questions of which the gold is doubtful, with the reason, and count them."""
    from mabench.audit import audit as examine
    from mabench.loading import catalogue_of, load
    from mabench.reports import audit_tables, print_table

    dataset = load(path, offline=offline)
    found = examine(dataset, catalogue_of(dataset, entities))
    if as_json:
        print_json(found.as_dict())
        return
    for table in audit_tables(found):
        print_table(table, output())
