"""The fenced blocks of a page, and what each is: commands, their output, a file, a script, data.

- ``sh``: commands, run in order in one folder for each page.
- ``text`` right after commands or a script, or after ``<!-- output -->``: what was printed last; a
  line ``...`` stands for any lines.
- ``python``: a file where the first line is ``# NAME.py``, else a script.
- ``json``, ``toml``, ``yaml``, ``csv``, ``js``: a file where the line before ends with its name in
  backquotes and a colon; else an excerpt that must parse.
- ``<!-- not run: REASON -->`` before a block: it is not run.
- ``<!-- exits with N -->`` before commands: so the last one ends; else all end with 0.
"""

import re
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^\n`]*)$")
_NAMED = re.compile(r"`(?P<name>[\w./-]+\.(?:py|json|jsonl|toml|yaml|yml|csv|txt|js))`:$")
_FIRST_LINE = re.compile(r"^# (?P<name>[\w/]+\.py)$")
_NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
_EXITS = re.compile(r"^<!-- exits with (?P<code>[0-9]+) -->$")


class Block(NamedTuple):
    """A fenced block."""

    line: int  # Of the page, from 1.
    language: str
    text: str  # Without the fence's indent.
    file: str | None  # That it is, by a path in the page's folder.
    not_run: str | None  # Why.
    code: int  # What its commands exit with.
    is_output: bool  # Of what was printed last.


def blocks_of(page: Path) -> list[Block]:
    """Return a page's fenced blocks in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found: list[Block] = []
    number, last_end = 0, len(lines)
    while number < len(lines):
        opened = _FENCE.match(lines[number])
        if not opened:
            number += 1
            continue
        rest = (place for place, line in enumerate(lines) if line.strip() == opened["fence"])
        end = next((place for place in rest if place > number), None)
        if end is None:
            raise ValueError(f"{page}:{number + 1}: a block that is not closed")
        width = len(opened["indent"])
        text = "".join(line[width:] + "\n" for line in lines[number + 1 : end])
        before = next((line for line in reversed(lines[:number]) if line.strip()), "")
        not_run, exits = _NOT_RUN.match(before.strip()), _EXITS.match(before.strip())
        is_next = last_end < number and not any(map(str.strip, lines[last_end + 1 : number]))
        is_output = before.strip() == "<!-- output -->" or is_next
        language = opened["info"].strip()
        first = _FIRST_LINE.match(text.partition("\n")[0]) if language == "python" else None
        named = _NAMED.search(before.rstrip()) if language not in {"sh", "text"} else None
        file = (first or named or {"name": None})["name"]
        why, code = not_run["reason"] if not_run else None, int(exits["code"]) if exits else 0
        found.append(Block(number + 1, language, text, file, why, code, is_output))
        number, last_end = end + 1, end
    return found
