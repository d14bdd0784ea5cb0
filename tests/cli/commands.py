"""Every command of the command line, and words that it takes."""

from collections.abc import Iterator
from typing import Any

from mabench.cli.app import app
from tests.command_line import get_command


def _leaves(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        place = f"{before} {name}".strip()
        if hasattr(command, "commands"):
            yield from _leaves(command, place)
        else:
            yield place, command


ROOT: Any = get_command(app)
# The commands that do something, by what is typed for them: "run", "data show".
COMMANDS: dict[str, Any] = dict(_leaves(ROOT))


def words_of(name: str) -> list[str]:
    """Return a command with something for each argument and option that it requires."""
    words = name.split()
    for param in COMMANDS[name].params:
        if param.required:
            option = param.opts[0] if param.opts[0].startswith("--") else None
            words += [option, "x"] if option else ["x"]
    return words
