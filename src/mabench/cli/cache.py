"""`mabench cache`: the replies of language models that are kept."""

from __future__ import annotations

import typer

from mabench.cli import options as opt
from mabench.cli.console import print_line
from mabench.cli.verbs import Group, Verb

app = typer.Typer(
    help="Look at or delete the stored replies of language models.",
    no_args_is_help=True,
    cls=Group,
)


@app.command("show", cls=Verb)
def show(folder: opt.Folder = None) -> None:
    """Say where replies are kept, how many, and how much space they take."""
    from mabench.models import ResponseCache

    cache = ResponseCache(folder, reads_only=folder is not None)
    kept = cache.contents()
    print_line(f"{cache.path}: {kept.replies:,} replies, {kept.bytes / 1e6:,.1f} MB")


@app.command("clear", cls=Verb)
def clear(folder: opt.Folder = None) -> None:
    """Delete all kept replies; the next run pays for them again."""
    from mabench.models import ResponseCache

    cache = ResponseCache(folder)
    kept = cache.contents()
    cache.clear()
    print_line(f"{cache.path}: {kept.replies:,} replies forgotten")
