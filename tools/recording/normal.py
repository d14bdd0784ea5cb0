"""Takes out of output what differs between runs: times, paths, versions and identities."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

# Numbers and texts under these keys become "*"; null and the shape of lists stay.
_VARYING = re.compile(
    r"""^(
        .*seconds.* | .*latency.* | date | finished | started | made | time | age
        | p50 | p95 | p99 | max | per_second | add_per_1000_tokens | adds
        | mabench | version | commit | python | platform | packages | run | files
        | bytes_in_memory | rss.* | directory | folder | path | plan | written
    )$""",
    re.VERBOSE,
)
# Of stress: how much was tried depends on the machine.
_TRIED = re.compile(r"^(histories|calls|complete|history|harness|readiness|not_tried|n)$")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
_UNITS = r"(?:ns|µs|ms|s|min|h|d|MB|KB|kB|GB|seconds?|minutes?|hours?|days?)"
_REPLACED = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(rf"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-?\d+)? {_UNITS}\b"), "<amount>"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "<id>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<server>"),
)
_LINES = re.compile(r"[─━│┃┏┓┗┛┡┩┳┻╇┴└┘├┤┬┼╭╮╰╯╞╡═╪|]+")


class Normalizer:
    """Knows the folders and the version of a recording."""

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

    def text(self, text: str, *, volatile: bool = False) -> list[str]:
        """Return the lines of a text without the frames of tables."""
        lines = (" ".join(_LINES.sub(" ", self.line(line)).split()) for line in text.splitlines())
        kept = [line for line in lines if line]
        if volatile:
            # One of each: how many there are depends on the machine.
            kept = list(dict.fromkeys(_NUMBER.sub("#", line) for line in kept))
        return kept

    def data(self, data: Any, key: str = "") -> Any:
        """Return parsed JSON with the same structure; a report of stress is told by its keys."""
        if isinstance(data, dict):
            stressed = "not_tried" in data or key == "stress"
            return {
                self.line(str(name)): (
                    _shape(value)
                    if _VARYING.match(name) or (stressed and _TRIED.match(name))
                    else self.data(value, "stress" if stressed else "")
                )
                for name, value in data.items()
            }
        if isinstance(data, list):
            return [self.data(one, key) for one in data]
        if isinstance(data, str):
            return self.line(data)
        return round(data, 9) if isinstance(data, float) else data

    def file(self, path: Path, *, volatile: bool = False) -> Any:
        """Return what a file holds: parsed JSON, a page's text, or lines."""
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix in {".json", ".jsonl"}:
            data = parsed(text)
            if data is not None:
                normal = self.data(data)
                # Rows that run at a time are stored in any order.
                return sorted(normal, key=json.dumps) if path.suffix == ".jsonl" else normal
        if path.suffix == ".html":
            reader = _PageText()
            reader.feed(text)
            text = "\n".join(reader.texts)
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


def _shape(value: Any) -> Any:
    """Return what kind of value it is."""
    if value is None or isinstance(value, bool):
        return value
    return f"<{type(value).__name__}>".replace("<int>", "<float>")


class _PageText(HTMLParser):
    """Collects the visible texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in {"script", "style", "template"}

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)
