"""Writes reports in Markdown; no text of others becomes markup."""

from __future__ import annotations

import re

from mabench.printable import printable
from mabench.reports.report import Report

# The beginning of an HTML entity.
_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKS = re.compile(r"[\\|*`\[\]~]")
# Underscores that are not between letters or digits.
_UNDERSCORES = re.compile(r"(?<![^\W_])(?<!_)_+|(?<!_)_+(?![^\W_])(?!_)")


def format_markdown(report: Report) -> str:
    """Return a report in Markdown."""
    parts = [f"**{escape_markdown(report.title)}**"] if report.title else []
    parts += map(escape_markdown, report.first)
    for table in report.tables:
        shown = table.in_format("markdown")
        rules = ["---:" if numeric else "---" for numeric in shown.numeric]
        rows = [
            map(escape_markdown, shown.headers),
            rules,
            *(map(escape_markdown, row) for row in shown.rows),
        ]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    remarks = [*report.notes, *report.remarks]
    if remarks:
        parts.append("\n".join(f"- {escape_markdown(remark)}" for remark in remarks))
    return "\n\n".join(parts)


def escape_markdown(text: str) -> str:
    """Return a text so that Markdown shows it as it is."""
    text = _ENTITY.sub("&amp;", printable(text))
    text = _MARKS.sub(r"\\\g<0>", text)
    text = _UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), text)
    return " ".join(text.replace("<", "&lt;").replace(">", "&gt;").split())
