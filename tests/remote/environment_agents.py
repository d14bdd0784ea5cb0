"""Agents that tell what they see of the run; this file imports nothing of mabench."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any


class Tells:
    """Answers with its environment, and with every path that it was told or can see."""

    def __init__(self) -> None:
        self.folders: list[str] = []

    def memorize(self, chunk: str) -> None: ...

    def save(self, folder: Path) -> None:
        self.folders.append(str(folder))
        (folder / "saved").touch()

    def load(self, folder: Path) -> None:
        self.folders.append(str(folder))

    def answer(self, query: Any) -> str:
        return json.dumps(
            {
                "environment": dict(os.environ),
                "arguments": [*sys.argv, *sys.orig_argv],
                "descriptors": list(descriptors()),
                "folders": self.folders,
                "saved": bool(self.folders),
                "cwd": str(Path.cwd()),
            }
        )


def descriptors() -> list[str]:
    found = []
    for number in range(256):
        with contextlib.suppress(OSError):
            found.append(str(Path(f"/proc/self/fd/{number}").readlink()))
    return found


class NeedsKey(Tells):
    def __init__(self) -> None:
        super().__init__()
        self.key = os.environ["OPENAI_API_KEY"]


class Broken(Tells):
    def __init__(self) -> None:
        raise ValueError("no client can be made")


def main() -> None:
    """Speak the line protocol, as a program of its own."""
    tells = Tells()
    for line in sys.stdin.buffer:
        request = json.loads(line.lstrip(b"\x1e"))
        result: object = {"kind": "agent"} if request["method"] == "make" else None
        if request["method"] == "answer":
            result = tells.answer("")
        message = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        sys.stdout.buffer.write(b"\x1e" + json.dumps(message).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
