"""`mabench cache`: the replies of language models that are kept."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, print_line
from mabench.cli.verbs import Group, Verb

if TYPE_CHECKING:
    from mabench.models import ResponseCache

app = typer.Typer(
    help="Look at, share or delete the stored replies of language models.",
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


@app.command("export", cls=Verb)
def export(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new file, such as run.replies.gz.")],
    run: Annotated[
        list[Path] | None,
        opt.data(metavar="RUN", help="Only the replies that this run used; repeatable."),
    ] = None,
    folder: opt.Folder = None,
) -> None:
    """Write kept replies to one file, from which others can replay a run without a key.

    It holds the replies and hashes of what was asked: no prompts, no headers and no keys.
    """
    from mabench.models.replies.exchange import export_replies
    from mabench.runs.results.calls import used_replies

    keys: set[str] | None = None
    for used in map(used_replies, run or ()):
        keys = {*(keys or ()), *used.keys}
        if used.lacking:
            messages().print(
                f"{used.lacking} calls have no kept reply; a replay stops at the first of them"
            )
    number = export_replies(_opened(folder), out, keys)
    print_line(f"{out}: {number:,} replies")
    messages().print(f"To use them: mabench cache import {shlex.quote(str(out))}")


@app.command("import", cls=Verb)
def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A file that `cache export` wrote, or a folder of replies."
        ),
    ],
    folder: opt.Folder = None,
) -> None:
    """Add the replies of a file to a folder; replies that it already keeps stay.

    A run with --replay FOLDER then uses them, and asks no server. Replies are what models said:
    import them from people whose results you would trust.
    """
    from mabench.models import ResponseCache
    from mabench.models.replies.exchange import import_replies

    cache = ResponseCache(folder)
    imported = import_replies(source, cache)
    there = imported.replies - imported.new
    print_line(f"{cache.path}: {imported.new:,} replies imported, {there:,} were there already")
    place = shlex.quote(str(cache.path.parent))
    messages().print(f"To use them alone: mabench run ... --replay {place}")


def _opened(folder: Path | None) -> ResponseCache:
    from mabench.models import ResponseCache

    return ResponseCache(folder, reads_only=folder is not None)
