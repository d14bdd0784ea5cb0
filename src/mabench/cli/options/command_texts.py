"""What ``commands.toml`` says of commands and their options."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

# By what is typed for a command, such as "data show".
WORDS: dict[str, Any] = tomllib.loads(
    Path(__file__).parent.with_name("commands.toml").read_text("utf-8")
)
# Options that several commands have.
SHARED = WORDS.pop("shared")
