"""Commands and options that pages name, held against the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mabench import pytest_plugin
from mabench_site.commands import commands, global_options

_FENCED = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
# A command of another program, which has options of its own.
_OTHERS = re.compile(r"'stdio:[^']*'")
# Typer's own.
_ALWAYS = frozenset({"--help"})
_SHELLS = ("sh", "console", "bash", "")


def unknown(page: Path, text: str) -> Iterator[str]:
    """Yield the commands and options named on a page that the program does not have."""
    for line in _command_lines(text):
        yield from (f"{page}: {fault}" for fault in _faults(line))


def _faults(line: str) -> Iterator[str]:
    words = line.split()
    if words[0] != "mabench":
        for option in _OPTION.findall(words[0]):
            if option not in _all_options():
                yield f"no command of mabench takes {option}"
        return
    command = _command(words[1:])
    if command is None:
        if len(words) > 1 and re.fullmatch(r"[a-z][a-z-]+", words[1]) and words[1] not in _groups():
            yield f"`{line}`: mabench has no command {words[1]}"
        return
    for option in _OPTION.findall(_OTHERS.sub("", line)):
        if option not in _options_of()[command] | _ALWAYS:
            yield f"`{line}`: mabench {command} does not take {option}"


def _command_lines(text: str) -> Iterator[str]:
    """Yield every line of code that begins with mabench, and every option in a text."""
    for fenced in _FENCED.finditer(text):
        if fenced[2] in _SHELLS:
            joined = fenced[3].replace("\\\n", " ")
            lines = (line.strip().removeprefix("$ ") for line in joined.splitlines())
            yield from (_bare(line) for line in lines if line.startswith("mabench "))
    for inline in _INLINE.findall(_FENCED.sub("", text)):
        if inline.startswith(("--", "mabench ")):
            yield _bare(inline)


def _bare(line: str) -> str:
    """Return a command without its comment and without what follows a pipe or another command."""
    return re.split(r"\s(?:#|\||&&|;|>)", line)[0].strip()


def _command(words: list[str]) -> str | None:
    return next(
        (name for name in (" ".join(words[:2]), " ".join(words[:1])) if name in _options_of()), None
    )


@cache
def _options_of() -> dict[str, frozenset[str]]:
    return {
        one.words: frozenset(name for option in one.options for name in option.names)
        for one in commands()
    }


@cache
def _all_options() -> frozenset[str]:
    before = (name for option in global_options() for name in option.names)
    plugin = Path(pytest_plugin.__file__).read_text("utf-8")
    of_pytest = re.findall(r'"(--mabench-[a-z]+)"', plugin)
    return frozenset().union(*_options_of().values(), before, of_pytest, _ALWAYS)


@cache
def _groups() -> frozenset[str]:
    return frozenset(name.partition(" ")[0] for name in _options_of())
