"""Where commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mabench.cli.flags import in_options

if TYPE_CHECKING:
    from rich.console import Console

_NOT_A_TERMINAL = 160
# What is printed is never markup, and the middle of a:label:b no picture.
_PLAIN: Mapping[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def output() -> Console:
    """Return the console for results; its width is fixed where there is no terminal."""
    from rich.console import Console

    console = Console(**_PLAIN)
    return console if console.is_terminal else Console(width=_NOT_A_TERMINAL, **_PLAIN)


def print_sentences(sentences: Iterable[str]) -> None:
    """Print sentences of the library, in the words of the command line, one a line."""
    for sentence in sentences:
        output().print(in_options(sentence), soft_wrap=True)


def messages() -> Console:
    """Return the console for progress and messages."""
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True, **_PLAIN)
