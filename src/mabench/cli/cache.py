"""`mabench cache`: the replies of language models that are kept."""

from __future__ import annotations

import typer

app = typer.Typer(help="The replies of language models that are kept.", no_args_is_help=True)


@app.command("show")
def show() -> None:
    """Say where replies are kept, how many, and how much they take."""
    from mabench.models import ResponseCache

    cache = ResponseCache()
    kept = cache.contents()
    print(f"{cache.path}: {kept.replies:,} replies, {kept.bytes / 1e6:,.1f} MB")


@app.command("clear")
def clear() -> None:
    """Forget all replies; what they answer will be paid for again."""
    from mabench.models import ResponseCache

    cache = ResponseCache()
    kept = cache.contents()
    cache.clear()
    print(f"{cache.path}: {kept.replies:,} replies forgotten")
