"""The shell of a page: one HTML file that fetches nothing and runs one script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from mabench._version import __version__
from mabench.errors import require
from mabench.page.charts import EXTRA
from mabench.page.content import VERDICTS, Questions
from mabench.page.explorer import packed
from mabench.page.parts import Page
from mabench.printable import printable

if TYPE_CHECKING:
    from jinja2 import Environment

_SENTENCES = {
    "right": "right",
    "partial": "partly right",
    "wrong": "wrong",
    "unclear": "unclear",
    "not judged": "not judged yet",
    "error": "errors",
}


class Choice(NamedTuple):
    """One choice of a filter: what the script reads, and what a reader does."""

    value: str
    label: str


class Explorer(NamedTuple):
    """The questions for the script, what they can be filtered by, and what is not known of them."""

    data: str
    total: int
    sources: Sequence[str]
    outcomes: Sequence[Choice]
    hits: Sequence[Choice]
    notes: Sequence[str]


def explorer(questions: Sequence[Questions], names: Sequence[str]) -> Explorer:
    """Return the questions of runs with their filters; those of the first run are listed."""
    runs = [one.asked for one in questions]
    verdicts = {one.result.verdict for one in runs[0]}
    sought = any(one.result.hit is not None for run in runs for one in run)
    if len(runs) == 1:
        outcomes = [Choice(name, _SENTENCES[name]) for name in VERDICTS if name in verdicts]
        hits = [Choice("0:hit", "retrieved"), Choice("0:miss", "not retrieved")]
    else:
        outcomes = [
            *(Choice(f"only:{n}", f"only {name} right, or better") for n, name in enumerate(names)),
            Choice("all", "all right"),
            Choice("none", "none right"),
            Choice("differ", "scores differ"),
        ]
        hits = [
            Choice(f"{number}:{value}", f"{label} by {name}")
            for number, name in enumerate(names)
            for value, label in (("hit", "retrieved"), ("miss", "not retrieved"))
        ]
    return Explorer(
        data=packed(runs),
        total=len(runs[0]),
        sources=list(dict.fromkeys(one.source for one in runs[0])),
        outcomes=outcomes,
        hits=hits if sought else [],
        notes=list(dict.fromkeys(filter(None, (one.without for one in questions)))),
    )


def require_packages() -> None:
    """Complain before anything is done when a page could not be made.

    Raises:
        MissingPackageError: when the packages of the extra ``page`` are not installed.
    """
    for module in ("altair", "vl_convert", "jinja2"):
        require(module, EXTRA)


def document(page: Page, questions: Explorer | None = None) -> str:
    """Return a page as HTML.

    Raises:
        MissingPackageError: when the packages of the extra ``page`` are not installed.
    """
    script = _asset("page.js") if questions else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            explorer=questions,
            style=_asset("page.css"),
            script=script,
            policy=f"'sha256-{digest}'" if script else "'none'",
            version=__version__,
        )
    )


def _environment() -> Environment:
    jinja2 = require("jinja2", EXTRA)
    made: Environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    return made


def _asset(name: str) -> str:
    return resources.files("mabench.page").joinpath("assets", name).read_text(encoding="utf-8")
