"""The command line: ``python -m tools.recording record`` and ``diff``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from tools.recording.difference import KINDS, differences, render
from tools.recording.recorder import record


def main(arguments: list[str] | None = None) -> int:
    """Record or compare; return 1 if two recordings differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.recording", description=__doc__)
    modes = parser.add_subparsers(dest="mode", required=True)
    recording = modes.add_parser("record", help="run the commands and write what they did")
    recording.add_argument("--python", type=Path, default=Path(sys.executable))
    recording.add_argument("--out", type=Path, required=True)
    recording.add_argument("--only", default="", help="a regular expression of groups to run")
    recording.add_argument("--keep", type=Path, help="run in this new folder, and keep it")
    comparing = modes.add_parser("diff", help="print how two recordings differ")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--kind", action="append", choices=KINDS, help="only this kind")
    comparing.add_argument("--only", default="", help="a regular expression of commands to compare")
    comparing.add_argument("--lines", type=int, default=12, help="lines printed per difference")
    given = parser.parse_args(arguments)
    if given.mode == "record":
        recorded = record(given.python, re.compile(given.only), given.keep)
        text = json.dumps(recorded, indent=1, ensure_ascii=False)
        given.out.write_text(text + "\n", encoding="utf-8")
        return 0
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (given.old, given.new))
    found = [
        one
        for one in differences(old, new)
        if one.kind in (given.kind or KINDS) and re.search(given.only, one.command)
    ]
    print(render(found, given.lines))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
