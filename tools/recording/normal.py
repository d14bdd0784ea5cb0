"""Takes out of output what differs between runs: times, paths, versions and identities."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

# Of the value of such a key in JSON, or such a column of a table, only the type is kept.
_VARYING = re.compile(
    r"""^(
        .*seconds.* | .*latency.* | date | finished | started | made | time | age
        | p50 | p95 | p99 | max | per_second | add_per_1000_tokens | adds | hours
        | mabench | version | commit | python | platform | packages | run | files | plan | written
        | bytes_in_memory | rss.* | directory | folder | path | call | reply
    )$""",
    re.VERBOSE,
)
# Of plans: which designs are best depends on how long a history took.
_PLANNED = "designs"
# Of stress: how much was tried depends on the machine.
_TRIED = re.compile(r"^(tried|histories|history|harness|readiness|not_tried|sizes|known)$")
# Growth is measured in seconds and bytes, and is now and then a finding by chance.
_GROWTH = {"growth", "grows"}
_NUMBER = re.compile(r"[-+\u2212]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
_UNITS = r"(?:ns|µs|ms|s|min|h|d|MB|KB|kB|GB|seconds?|minutes?|hours?|days?)"
_REPLACED = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(rf"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-?\d+)? {_UNITS}\b"), "<amount>"),
    (re.compile(r"\b(?:[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})\b"), "<id>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\b0\.\d+\.\d+\b(?!\.)"), "<version>"),
)
_LAST_SECONDS = re.compile(r"(?: \d+\.\d\d?)+$")
_LINES = re.compile(r"[─━│┃┏┓┗┛┡┩┳┻╇┴└┘├┤┬┼╭╮╰╯╞╡═╪|]+")


class Normalizer:
    """Knows the folders and the server of a recording."""

    def __init__(self, root: Path, program: list[str], server: str) -> None:
        """Take the folder of the recording, how mabench is started, and the model's server."""
        checkout = Path(program[0]).parents[2]
        self._literal = [
            (" ".join(program), "mabench"),
            (server, "<server>/v1"),
            (str(root / "work"), "<folder>"),
            (str(root), "<root>"),
            (str(checkout), "<checkout>"),
        ]

    def line(self, text: str) -> str:
        """Return a text without folders, times and identities."""
        for literal, name in self._literal:
            text = text.replace(literal, name)
        for pattern, name in _REPLACED:
            text = pattern.sub(name, text)
        return text

    def text(self, text: str, *, volatile: bool = False, timed: bool = False) -> list[str]:
        """Return the lines of a text without the frames of tables.

        Args:
            text: what was printed.
            volatile: how much is printed depends on the machine: no numbers, and each line once.
            timed: lines end in seconds.
        """
        if timed:
            text = "\n".join(line for line in text.splitlines() if "growth" not in line)
        lines = (" ".join(_LINES.sub(" ", self.line(line)).split()) for line in text.splitlines())
        kept = [_LAST_SECONDS.sub("", line) if timed else line for line in lines if line]
        if volatile:
            kept = sorted({_NUMBER.sub("#", line) for line in kept})
        return kept

    def table(self, text: str) -> list[str]:
        """Return the lines of CSV, without the numbers that are times."""
        rows = list(csv.reader(io.StringIO(text)))
        header = rows[0] if rows else []
        varying = {number for number, name in enumerate(header) if _VARYING.match(name)}
        lines = []
        for row in rows:
            is_timed = row is not header and any("seconds" in cell for cell in row)
            cells = []
            for number, cell in enumerate(row):
                if row is not header and number in varying and cell:
                    cells.append("*")
                elif is_timed:
                    cells.append(_NUMBER.sub("#", cell))
                else:
                    cells.append(self.line(cell))
            lines.append(",".join(cells))
        return lines

    def data(self, data: Any, *, stressed: bool = False) -> Any:
        """Return parsed JSON in which only the types are kept of values that vary between runs.

        ``stressed`` says that the data are within the report of a stress test.
        """
        if isinstance(data, dict):
            stressed = stressed or "not_tried" in data
            fields = {}
            for name, value in data.items():
                varies = _VARYING.match(name) or name == _PLANNED
                if varies or (stressed and _TRIED.match(name)):
                    fields[self.line(name)] = _type(value)
                else:
                    fields[self.line(name)] = self.data(value, stressed=stressed)
            return fields
        if isinstance(data, list):
            items = [self.data(item, stressed=stressed) for item in data if not _of_growth(item)]
            return _without_chance(items) if stressed else items
        if isinstance(data, str):
            return self.line(data)
        return round(data, 9) if isinstance(data, float) else data

    def file(self, path: Path, *, volatile: bool = False) -> Any:
        """Return what a file holds: parsed JSON, a table, a page's text, or lines."""
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix in {".json", ".jsonl"}:
            data = parsed(text)
            if data is not None:
                normal = self.data(data)
                # Rows that run at a time are stored in any order.
                return sorted(normal, key=json.dumps) if path.suffix == ".jsonl" else normal
        if path.suffix == ".csv":
            return self.table(text)
        if path.suffix in {".html", ".svg"}:
            # Their figures are those of the JSON, and where a label stands depends on times.
            reader = _PageText()
            reader.feed(text)
            text, volatile = "\n".join(reader.texts), True
        return self.text(text, volatile=volatile)


def parsed(text: str) -> Any:
    """Return the JSON, or the JSON Lines, that a text is; None if it is neither."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()] or None
    except ValueError:
        return None


def _without_chance(items: list[Any]) -> list[Any]:
    """Return the items of a list of a stress test without what depends on how much was tried.

    Of findings their names and severities are kept, and of other objects the types of the values.
    """
    if all(isinstance(item, dict) and "severity" in item for item in items):
        return sorted(f"{item['name']}: {item['severity']}" for item in items)
    if all(isinstance(item, dict) for item in items):
        return sorted({json.dumps(_types(item), sort_keys=True) for item in items})
    return items


def _of_growth(finding: Any) -> bool:
    """Return whether a value is a finding about growth."""
    if not isinstance(finding, dict):
        return False
    return finding.get("check") in _GROWTH or finding.get("name") in _GROWTH


def _type(value: Any) -> Any:
    """Return what kind of value it is; whole numbers and fractions are one."""
    if value is None or isinstance(value, bool):
        return value
    return f"<{type(value).__name__}>".replace("<int>", "<float>")


def _types(data: dict[str, Any]) -> dict[str, Any]:
    """Return the kind of each value but texts."""
    return {key: one if isinstance(one, str) else _type(one) for key, one in data.items()}


class _PageText(HTMLParser):
    """Collects the visible texts of a page or a drawing."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note whether the text in the element is hidden."""
        self._hidden = tag in {"script", "style", "template"}

    def handle_endtag(self, tag: str) -> None:
        """Note that what follows is visible: hidden elements hold no others."""
        self._hidden = False

    def handle_data(self, data: str) -> None:
        """Keep a text that is visible."""
        if not self._hidden:
            self.texts.append(data)
