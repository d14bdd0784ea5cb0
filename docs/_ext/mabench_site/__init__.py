"""The documentation site: what Sphinx needs to know beyond its own settings.

Pages under ``docs/reference`` hold markers such as ``<!-- generated: commands -->``. They are
replaced by Markdown that is made from the program, before Sphinx reads the page. A fault that
Sphinx cannot see (an option without a description, a dead link in the README) is reported as a
warning, which ends a strict build.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from dataclasses import is_dataclass
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from mabench.settings import list_fields
from mabench_site.generated import expanded, faults
from mabench_site.links import broken_links
from mabench_site.schemas import field_comments

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[3]
_MADE = re.compile(r"<(?:factory|function [^ ]*<lambda>)>|\{'\w+': Source\(.*\)\}")
_PARTS = "mabench.specs"
_SEARCHED = tomllib.loads(Path(__file__).with_name("searched.toml").read_text("utf-8"))
# Files outside the site that link into it.
OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook the generated parts and our own checks into a build."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("csv", TextLexer)  # Pygments knows none.
    app.connect("source-read", _expand)
    app.connect("builder-inited", _check)
    app.connect("autodoc-skip-member", _is_tuple_field)
    app.connect("autodoc-process-signature", _shown_signature)
    app.connect("autodoc-process-docstring", _describe_fields, priority=400)  # Before napoleon.
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _expand(app: Sphinx, page: str, source: list[str]) -> None:
    """Fill in the generated parts, and what the search finds a heading by besides its words."""
    text = expanded(source[0])
    for heading, words in _SEARCHED.get(page, {}).items():
        before, found, after = text.partition(f"{heading}\n")
        if not found:
            raise ValueError(f"{page}: no heading {heading!r}, which searched.toml names")
        entries = ", ".join(f"! {word}" for word in words)
        text = f"{before}{heading}\n\n```{{index}} {entries}\n```\n{after}"
    source[0] = text


def _check(app: Sphinx) -> None:
    from sphinx.util.logging import getLogger

    logger = getLogger(__name__)
    docs = Path(app.srcdir)
    outside = [docs.parent / name for name in OUTSIDE if (docs.parent / name).exists()]
    for fault in [*faults(docs), *broken_links(outside)]:
        logger.warning("%s", fault, type="mabench")


def _is_tuple_field(
    app: Sphinx, what: str, name: str, member: object, skip: bool, options: object
) -> bool | None:
    """Leave out the fields of named tuples, which their class describes as attributes."""
    return True if type(member).__name__ == "_tuplegetter" else None


def _describe_fields(
    app: Sphinx, what: str, name: str, thing: Any, options: object, lines: list[str]
) -> None:
    """Add what is said of its settings to a part of a run, and of its fields to a record."""
    if not isinstance(thing, type):
        return
    if is_dataclass(thing) and thing.__module__.startswith(_PARTS):
        fields = {}
        for field in list_fields(thing):
            part = inspect.cleandoc(field.kind.__doc__ or "").partition("\n")[0]
            fields[field.name] = field.setting.sentence if field.setting else part
    else:
        fields = field_comments(thing)
    if fields and "Attributes:" not in lines:
        lines += ["", "Attributes:"]
        for said, names in groupby((name for name in fields if name[0] != "_"), fields.get):
            lines.append(f"    {', '.join(names)}: {said}")
        lines.append("")


def _shown_signature(
    app: Sphinx,
    what: str,
    name: str,
    thing: object,
    options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Leave out the signature of what nobody calls; write defaults that are made as dots."""
    if getattr(thing, "__module__", "").startswith(_PARTS) and isinstance(thing, type):
        from sphinx.util.inspect import stringify_signature

        hints = get_type_hints(thing)
        parameters = inspect.signature(thing).parameters.values()
        plain = [each.replace(annotation=hints[each.name]) for each in parameters]
        return _MADE.sub(
            "...", stringify_signature(inspect.Signature(plain), unqualified_typehints=True)
        ), returns
    is_enum = isinstance(thing, type) and issubclass(thing, Enum)
    if is_enum or getattr(thing, "_is_protocol", False):
        return "", returns
    return signature and _MADE.sub("...", signature), returns
