"""The parts of the reference that are made from the program, and what is missing for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import mabench
from mabench_site import (
    columns,
    commands,
    decisions,
    fields,
    figures,
    http,
    options,
    paper_settings,
    result_formats,
    rules,
    systems,
    tables,
)

_DOCUMENTED = re.compile(r"^\.\. auto\w+:: mabench\.(\w+)$", re.MULTILINE)
_MARKER = re.compile(r"^<!-- generated: ([a-z0-9-]+) -->$", re.MULTILINE)
# The groups in which `mabench --help` lists commands.
_GROUPS = ("run-and-compare", "look", "data", "models", "more")
PARTS: Mapping[str, Callable[[], str]] = {
    "audit-flags": tables.flags_in_markdown,
    "commands": commands.list_in_markdown,
    **{f"commands-{group}": partial(commands.commands_in_markdown, group) for group in _GROUPS},
    "decisions": decisions.decisions_in_markdown,
    "families": tables.families_in_markdown,
    "fields": fields.fields_in_markdown,
    "global-options": commands.global_options_in_markdown,
    "http-contract": http.contract_in_markdown,
    "knobs": tables.knobs_in_markdown,
    "other-sources": tables.other_sources_in_markdown,
    "own-families": tables.own_families_in_markdown,
    "question-columns": columns.question_columns_in_markdown,
    "published-claims": figures.claims_in_markdown,
    "published-figures": figures.figures_in_markdown,
    "paper-settings": paper_settings.paper_settings_in_markdown,
    "result-formats": result_formats.result_formats_in_markdown,
    "rules": rules.rules_in_markdown,
    "sources": tables.sources_in_markdown,
    "systems": systems.systems_in_markdown,
}


def expanded(text: str) -> str:
    """Return the text of a page with its markers replaced by what they stand for."""
    return _MARKER.sub(lambda marker: _part(marker[1]) if marker[1] in PARTS else "", text)


def faults(docs: Path) -> list[str]:
    """Return what the reference lacks, one line for each fault.

    Args:
        docs: the folder of the pages.
    """
    pages = {page: page.read_text("utf-8") for page in sorted(docs.rglob("*.md"))}
    documented = {"__version__", *_DOCUMENTED.findall("\n".join(pages.values()))}
    named = {marker[1] for text in pages.values() for marker in _MARKER.finditer(text)}
    return [
        *commands.undocumented(),
        *tables.undescribed_flags(),
        *fields.undescribed_fields(),
        *rules.without_example(),
        *(
            f"mabench.{name} is public and on no page"
            for name in dir(mabench)
            if name not in documented
        ),
        *(f"no page has the generated part {name}" for name in PARTS.keys() - named),
        *(f"no part is named {name}, as on a page" for name in named - PARTS.keys()),
        *(fault for page, text in pages.items() for fault in options.unknown(page, text)),
    ]


@cache
def _part(name: str) -> str:
    return PARTS[name]()
