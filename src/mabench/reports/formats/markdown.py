"""Writes reports in Markdown.

Every text is escaped, so that nothing that a model or a data set says becomes markup.
"""

from __future__ import annotations

import re

from mabench.printable import printable
from mabench.reports.report import Report
from mabench.reports.tables import Table

# The beginning of an HTML entity such as ``&amp;`` or ``&#38;``.
_ENTITY = re.compile(r"&(?=#?\w+;)")
# Characters that Markdown reads as markup anywhere.
_MARKS = re.compile(r"[\\|*`\[\]~]")
# Underscores that are not between letters or digits.
_UNDERSCORES = re.compile(r"(?<![^\W_])(?<!_)_+|(?<!_)_+(?![^\W_])(?!_)")


def format_markdown(report: Report) -> str:
    """Return a report in Markdown: title, first sentences, tables, and a list of the others."""
    blocks = [f"**{escape_markdown(report.title)}**"] if report.title else []
    blocks += [escape_markdown(sentence) for sentence in report.first]
    blocks += [_table_block(table.in_format("markdown")) for table in report.tables]
    remarks = [*report.notes, *report.remarks]
    if remarks:
        blocks.append("\n".join(f"- {escape_markdown(remark)}" for remark in remarks))
    return "\n\n".join(blocks)


def _table_block(table: Table) -> str:
    """Return a table in Markdown, with numbers to the right."""
    alignments = ["---:" if is_number else "---" for is_number in table.numeric]
    header = [escape_markdown(title) for title in table.headers]
    rows = [[escape_markdown(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, alignments, *rows))


def escape_markdown(text: str) -> str:
    """Return a text on one line, escaped so that Markdown shows it as it is."""
    escaped = _ENTITY.sub("&amp;", printable(text))
    escaped = _MARKS.sub(r"\\\g<0>", escaped)
    escaped = _UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), escaped)
    escaped = escaped.replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(escaped.split())
