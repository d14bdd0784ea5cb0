"""A page as one HTML file that fetches nothing and runs one script, and what it is made of."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from mabench._version import __version__
from mabench.errors import require
from mabench.page.charts import Dot
from mabench.printable import printable
from mabench.reports.tables import Table, plain_table, retitle
from mabench.results import THESE, Run


class Chart(NamedTuple):
    """A drawing, what it shows in a sentence, and its figures."""

    title: str
    drawing: tuple[str, str]  # For wide windows, and for narrow ones.
    table: Table
    notes: Sequence[str] = ()


class Section(NamedTuple):
    """A part of a page, in the order in which it is read; ``name`` is its place in the address.

    Of its ``pairs`` of runs one is shown at a time; ``strips`` are histories by source.
    """

    name: str
    title: str
    sentences: Sequence[str] = ()
    findings: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    pairs: Sequence[Section] = ()
    strips: Sequence[tuple[str, Sequence[Mapping[str, str]]]] = ()


# What filters questions: its id, its label, the option that filters nothing, others by value.
Menu = tuple[str, str, str, Mapping[str, str]]


class Tile(NamedTuple):
    """One figure at the top of a page."""

    label: str
    value: str
    note: str = ""


def interval_notes(dots: Sequence[Dot]) -> list[str]:
    """Return what the lines through dots mean; nothing where there are none."""
    notes = []
    if any(dot.these for dot in dots):
        notes.append(
            f"Thick lines, and {THESE}: the 95 % interval for other questions about these "
            "histories."
        )
    if any(dot.new for dot in dots):
        notes.append("Thin lines: the 95 % interval for new histories like these.")
    return [" ".join(notes)] if notes else []


def require_packages() -> None:
    """Raise ``MissingPackageError`` before anything is done when no page could be made."""
    for module in ("vl_convert", "jinja2"):
        require(module, "page")


def render(
    title: str,
    subtitle: str,
    tiles: Iterable[Tile],
    sections: Iterable[Section],
    settings: Section,
    titles: Mapping[str, str] | None = None,
    explorer: Mapping[str, Any] | None = None,
) -> str:
    """Return a page as HTML; raises ``MissingPackageError``.

    ``titles`` stand in the place of the names of sources; an ``explorer`` is of its questions.
    """
    jinja2 = require("jinja2", "page")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    script = read_asset(explorer["script"]) + read_asset("page.js") if explorer else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    html: str = environment.get_template("page.html").render(
        page={"title": title, "subtitle": subtitle, "tiles": tiles, "settings": settings},
        sections=retitle([*sections], titles or {}),
        explorer=explorer,
        style=read_asset("page.css"),
        script=script,
        policy=f"'sha256-{digest}'" if script else "'none'",
        version=__version__,
    )
    return html


def read_asset(name: str) -> str:
    """Return a part of the page's shell."""
    return resources.files("mabench.page").joinpath("assets", name).read_text(encoding="utf-8")


def settings_of(runs: Sequence[Run], names: Sequence[str]) -> Section:
    """Return what runs were made with, one column for each, under its name where there are many."""
    settings = [_describe(run) for run in runs]
    keys = dict.fromkeys(key for one in settings for key, value in one.items() if value)
    rows = [(key, *(one.get(key) or None for one in settings)) for key in keys]
    table = plain_table(("Setting", *(names if len(runs) > 1 else ["Value"])), rows)
    return Section("settings", "Settings and versions", tables=[table])


def _describe(run: Run) -> Mapping[str, str | None]:
    record, model = run.record, run.record.model
    return {
        "run": run.folder.name,
        "agent": record.agent,
        "data": record.data.name,
        "data from": record.data.location,
        "revision": record.data.revision,
        "fingerprint": record.data.fingerprint,
        "questions": f"{sum(record.questions.values()):,}",
        "protocol": record.protocol,
        "conversations": str(record.takes) if record.takes else None,
        "chunk tokens": str(record.chunk_tokens or "the protocol's"),
        "prompts": record.prompts,
        "model": f"{model.name}, temperature {model.temperature:g}" if model else None,
        "rows": ", ".join(map(str, record.rows)) if record.rows is not None else "all",
        "questions of each row": str(record.limit_questions or "all"),
        "date": record.date,
        "command": record.command,
        "mabench": record.mabench + (f", {record.commit[:12]}" if record.commit else ""),
        "python": f"{record.python} on {record.platform}",
        **record.packages,
    }
