"""The help texts and options of commands, from ``commands.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

# By the command, such as "data show".
COMMAND_TEXTS: dict[str, Any] = tomllib.loads(
    Path(__file__).parent.with_name("commands.toml").read_text("utf-8")
)
# Options of several commands.
SHARED_OPTIONS = COMMAND_TEXTS.pop("shared")
