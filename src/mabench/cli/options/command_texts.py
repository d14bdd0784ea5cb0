"""Reads the help texts and options of commands from ``commands.toml``, which explains its form."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

# By the command, such as "data show": its help, its examples and its options.
COMMAND_TEXTS: dict[str, Any] = tomllib.loads(
    Path(__file__).parent.with_name("commands.toml").read_text("utf-8")
)
# Options that several commands have, by the name of their parameter.
SHARED_OPTIONS = COMMAND_TEXTS.pop("shared")
