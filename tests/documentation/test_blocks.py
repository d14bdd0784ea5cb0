"""Every page runs as a reader would paste it. Sybil finds the fenced blocks, in order:

- ``sh``: commands, run in one folder for each page.
- ``text`` right after commands or a script, or after ``<!-- output -->``: what was printed last; a
  line ``...`` matches any lines.
- ``python``: a file if the first line is ``# NAME.py``, else a script.
- ``json``, ``toml``, ``yaml``, ``csv``, ``js``: a file if the line before ends with its name in
  backquotes and a colon; else an excerpt that must parse.
- ``<!-- not run: REASON -->`` before a block: it is not run.
- ``<!-- exits with N -->`` before commands: the status of the last one; else all end with 0.
"""

import csv
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

import mabench
from mabench.data import export_hub_layout
from tests.documentation.shell import ROOT, Shell, programs, shell

_NAMED = re.compile(r"`([\w./-]+\.(?:py|json|jsonl|toml|yaml|yml|csv|txt|js))`:$")
_FIRST_LINE = re.compile(r"# ([\w/]+\.py)\n")
_EXITS = re.compile(r"<!-- exits with ([0-9]+) -->$")
_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# What a new user pastes first is run by default; all pages take some minutes (`make test-docs`).
_FIRST = {"docs/start/get-started.md"}
# A measured time or speed, a date, a size on this disk, a digest: another one on each machine.
_VARIES = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"| *\b\d+(?:\.\d+)? ?(?:ms|s|min|MB|MiB|kB)\b"
    r"|\b[0-9a-f]{7,64}\b"
)


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


def _run(example: Example) -> str | None:
    """Run commands or a script; note in the page's namespace what it printed."""
    page, here = example.namespace, _shell(example)
    text, language = example.parsed, example.region.lexemes["language"]
    done = here.run(text) if language == "sh" else here.run_script(text)
    page["printed"] = done.out or done.err or "\n"  # Progress goes beside what is asked for.
    expected = int((_EXITS.search(_line_before(example.region, example.document)) or "00")[1])
    if done.code != expected:
        return f"it exits with {done.code}:\n{text}\n{done.out}{done.err}"
    return None


def _check_data(example: Example) -> None:
    """Read an excerpt or a file of data as its language, and write the file."""
    example.namespace["printed"] = ""
    parse = _PARSERS.get(str(example.region.lexemes["language"]))
    if parse:
        parse(example.parsed)
    if name := _file_name(example.region, example.document):
        _shell(example).write(name, example.parsed)


def _compare_output(example: Example) -> str | None:
    """Compare the text with what was printed last; a line ``...`` matches any lines."""
    printed, example.namespace["printed"] = example.namespace.get("printed", ""), ""
    document, start = example.document, example.region.start
    gap = document.text[document.namespace.get("end", 0) : start]
    is_output = not gap.strip() or gap.rstrip().endswith("<!-- output -->")
    if not (printed and is_output):
        return None
    parts = re.split(r"^\.\.\.\n", _comparable(example.parsed), flags=re.MULTILINE)
    pattern = "(?:.*\n)*".join(map(re.escape, parts))
    if re.fullmatch(pattern, _comparable(printed)):
        return None
    return f"it shows\n{example.parsed}\nand what is printed is\n{printed}"


def _skip(example: Example) -> None:
    example.namespace["printed"] = ""


_EVALUATORS: dict[str, Callable[[Example], str | None]] = {
    "sh": _run,
    "python": _run,
    "text": _compare_output,
    "js": _check_data,
    **dict.fromkeys(_PARSERS, _check_data),
}


def _parse_blocks(document: Document) -> Iterator[Region]:
    """Yield the fenced blocks of a page, each with what evaluates it."""
    lexer = RawFencedCodeBlockLexer(re.compile(r"(?P<language>[^\n]*)\n"))
    for region in lexer(document):
        region.parsed = region.lexemes["source"]
        evaluate = _EVALUATORS.get(str(region.lexemes["language"]), _skip)
        if _line_before(region, document).startswith("<!-- not run: "):
            evaluate = _skip
        elif evaluate is _run and _file_name(region, document):
            evaluate = _check_data
        region.evaluator = evaluate
        yield region


def _line_before(region: Region, document: Document) -> str:
    """Return the last line of text above a block, without space around it."""
    return document.text[: region.start].rstrip().rpartition("\n")[2].strip()


def _file_name(region: Region, document: Document) -> str | None:
    """Return the name of the file that a block shows; None if it is no file."""
    language = region.lexemes["language"]
    first = _FIRST_LINE.match(region.parsed) if language == "python" else None
    named = None if language in {"sh", "text"} else _NAMED.search(_line_before(region, document))
    found = first or named
    return found[1] if found else None


def _shell(example: Example) -> Shell:
    here: Shell = example.namespace["shell"]
    return here


def _comparable(text: str) -> str:
    """Return lines without what varies between machines, and without spaces at their ends."""
    lines = (_VARIES.sub("~", line).rstrip() for line in text.strip("\n").splitlines())
    return "".join(f"{line}\n" for line in lines)


_SYBIL = Sybil([_parse_blocks])


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    hub = tmp_path_factory.mktemp("hub")
    export_hub_layout(mabench.load("synthetic:small"), hub)
    with programs(tmp_path_factory.mktemp("programs"), hub) as folder:
        yield folder


def _pages_with_code() -> Iterator[Any]:
    for page in _PAGES:
        name = str(page.relative_to(ROOT))
        languages = {example.region.lexemes["language"] for example in _SYBIL.parse(page)}
        if not languages.isdisjoint({*_EVALUATORS} - {"text"}):
            yield pytest.param(page, id=name, marks=[] if name in _FIRST else pytest.mark.slow)


@pytest.mark.parametrize("page", [*_pages_with_code()])
def test_a_page_runs_as_pasted(page: Path, commands: Path, tmp_path: Path) -> None:
    document = _SYBIL.parse(page)
    with shell(tmp_path / "page", commands) as document.namespace["shell"]:
        for example in document:
            example.evaluate()
            document.namespace["end"] = example.end


def test_every_block_says_what_it_is_and_does_not_scroll_sideways() -> None:
    """A block of the site has room for 90 columns in a window of 1,366 pixels."""
    for page in _PAGES:
        for block in _SYBIL.parse(page):
            language = block.region.lexemes["language"]
            assert language in _EVALUATORS or language.startswith("{"), (page, block.line)
            lines = block.parsed.splitlines()
            assert not [line for line in lines if len(line) > 90], (page, block.line)
            assert not any(line.startswith("```") for line in lines), (page, block.line)
