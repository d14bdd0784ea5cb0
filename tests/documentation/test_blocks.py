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

import csv
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

import mabench
from mabench.data import export_hub_layout
from tests.documentation.shell import ROOT, Shell, programs, shell

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


_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


_PARSERS: dict[str, Callable[[str], object]] = {
    "json": _json,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "csv": lambda text: [*csv.reader(text.splitlines(), strict=True)],
}
_LANGUAGES = {"sh", "text", "python", "js", *_PARSERS}
# A measured time or speed, a date, a size on this disk, a digest: another one on each machine.
_VARIES = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"| *\b\d+(?:\.\d+)? ?(?:ms|s|min|MB|MiB|kB)\b"
    r"|\b[0-9a-f]{7,64}\b"
)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    hub = tmp_path_factory.mktemp("hub")
    export_hub_layout(mabench.load("synthetic:small"), hub)
    with programs(tmp_path_factory.mktemp("programs"), hub) as folder:
        yield folder


# What a new user pastes first is run by default; all pages take some minutes (`make test-docs`).
_FIRST = {"docs/start/get-started.md"}


def _with_code() -> Iterator[object]:
    for page in _PAGES:
        name = str(page.relative_to(ROOT))
        if any(block.language in _LANGUAGES - {"text"} for block in blocks_of(page)):
            yield pytest.param(page, id=name, marks=[] if name in _FIRST else pytest.mark.slow)


@pytest.mark.parametrize("page", [*_with_code()])
def test_a_page_runs_as_pasted(page: Path, commands: Path, tmp_path: Path) -> None:
    with shell(tmp_path / "page", commands) as here:
        printed = ""
        for block in blocks_of(page):
            printed = _take(block, here, printed, f"{page.relative_to(ROOT)}:{block.line}")


def test_every_block_says_what_it_is_and_does_not_scroll_sideways() -> None:
    """A block of the site has room for 90 columns in a window of 1,366 pixels."""
    for page in _PAGES:
        for block in blocks_of(page):
            assert block.language in _LANGUAGES or block.language.startswith("{"), (page, block)
            wide = [line for line in block.text.splitlines() if len(line) > 90]
            assert not wide, (page, block)


def _take(block: Block, here: Shell, printed: str, where: str) -> str:
    if block.not_run:
        return ""
    if block.language == "text":
        if block.is_output and printed:
            assert_printed(printed, block.text, where)
        return ""
    if block.file:
        here.write(block.file, block.text)
    if block.language in _PARSERS:
        _PARSERS[block.language](block.text)
    if block.language == "sh" or (block.language == "python" and not block.file):
        done = here.run(block.text) if block.language == "sh" else here.run_script(block.text)
        assert done.code == block.code, (
            f"{where} exits with {done.code}:\n{block.text}\n{done.out}{done.err}"
        )
        return done.out or done.err or "\n"  # Progress goes beside what is asked for.
    return ""


def assert_printed(printed: str, shown: str, where: str) -> None:
    """Assert that what is shown was printed; a line ``...`` stands for any lines."""
    parts = re.split(r"^\.\.\.\n", _lines(shown), flags=re.MULTILINE)
    pattern = "(?:.*\n)*".join(map(re.escape, parts))
    assert re.fullmatch(pattern, _lines(printed)), (
        f"{where} shows\n{shown}\nand what is printed is\n{printed}"
    )


def _lines(text: str) -> str:
    """Return lines without what varies between machines, and without spaces at their ends."""
    lines = (_VARIES.sub("~", line).rstrip() for line in text.strip("\n").splitlines())
    return "".join(f"{line}\n" for line in lines)
