"""`mabench audit`: look at the answer key."""

from __future__ import annotations

from mabench.cli import options as opt
from mabench.cli.console import print_tables


def audit(
    path: opt.DataArgument,
    entities: opt.Entities = None,
    offline: opt.Offline = False,
    layout: opt.Format = "table",
) -> None:
    """List the questions whose gold is doubtful, with the reason, and count them.

    What it prints with --format json can be given to `mabench report --verified`.
    """
    from mabench.audit import audit as examine
    from mabench.loading import catalogue_of, load
    from mabench.reports import audit_tables, leak_remarks

    dataset = load(path, offline=offline)
    found = examine(dataset, catalogue_of(dataset, entities))
    print_tables(audit_tables(found), found.as_dict(), layout, leak_remarks(found.leaks))
