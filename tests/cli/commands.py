"""Every command of the command line."""

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
