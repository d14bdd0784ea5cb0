"""An agent that answers with all that it can see; this file imports nothing of mabench."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


class Sees:
    """Answers with its environment, its files, and what it was told and asked."""

    def __init__(self) -> None:
        self.seen: list[Any] = [dict(os.environ), sys.argv, sys.orig_argv]

    def memorize(self, chunk: str) -> None:
        self.seen.append(chunk)

    def save(self, folder: Path) -> None:
        # Nothing below what lies beside it: a worker's folder is in that of all programs.
        self.seen.append([folder, *folder.parent.iterdir()])
        (folder / "saved").write_text("\n".join(map(str, self.seen)))

    def load(self, folder: Path) -> None:
        self.seen += [[place, place.is_file() and place.read_text()] for place in folder.rglob("*")]

    def answer(self, query: Any) -> str:
        asked = {name: getattr(query, name) for name in dir(query) if not name.startswith("__")}
        return json.dumps([self.seen, query, asked], default=repr)
