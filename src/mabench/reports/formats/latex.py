"""Writes reports in LaTeX, for the package ``booktabs``.

Every text is escaped: no text of others becomes a command of LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Never

from mabench.printable import printable, write_number
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, Value
from mabench.results import THESE, Measure

# Characters with a meaning in LaTeX. Brackets and * have one only at the beginning of a row.
_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"}
    | {"±": r"$\pm$", "†": r"\textdagger{}"}
)
# Characters that LaTeX joins with the same character after them, such as -- to a dash.
_LIGATURES = re.compile(r"([-`',])(?=\1)")
# Wider tables, in characters, are turned sideways. A page has about half as many.
_WIDEST_UPRIGHT = 150
_WORDS = re.compile(r"[a-z0-9]+")
_LONGEST_LABEL = 50
# Shrinks a table that is wider than the page, and no other.
_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def format_latex(report: Report) -> str:
    """Return a report in LaTeX; sentences that explain no table become comments.

    The first table has the report's title as its caption; the others add what their rows are.
    Notes explain scores and intervals: they are below the tables with scores, or below the last
    table if none has any.
    """
    lines = []
    tables = [table for table in report.tables if table.values]
    has_scores = [any(isinstance(cell, Measure) for cell in table.values[0]) for table in tables]
    for number, table in enumerate(tables):
        title = report.title
        if title and number:
            same_rows = table.headers[0] == tables[0].headers[0]
            title += ": continued" if same_rows else f": {table.headers[0]}"
        is_last_resort = not any(has_scores) and number == len(tables) - 1
        with_notes = has_scores[number] or is_last_resort
        label = _label(report.title or table.headers[0], number)
        lines += _table_lines(table, title, label, report.notes if with_notes else ())
    for remark in (*report.first, *report.remarks):
        lines.append(f"% {' '.join(printable(remark).split())}")
    if tables:
        packages = "booktabs,graphicx"
        if r"\begin{sidewaystable}" in lines:
            packages += ",rotating"
        lines.insert(0, rf"% \usepackage{{{packages}}}")
    return "\n".join(lines)


def _label(title: str, number: int) -> str:
    """Return what references call a table: its title, and its number if it is not the first."""
    words = "-".join(_WORDS.findall(title.lower()))[:_LONGEST_LABEL].strip("-") or "scores"
    return f"tab:{words}-{number + 1}" if number else f"tab:{words}"


def _table_lines(table: Table, title: str, label: str, notes: Sequence[str]) -> list[str]:
    """Return the lines of a table, with a caption and with notes below it if there are any."""
    alignment = "".join("r" if numeric else "l" for numeric in table.numeric)
    header = " & ".join(map(_escape_latex, table.headers)) + r" \\"
    rows = [" & ".join(map(_latex_cell, table.columns, row)) + r" \\" for row in table.values]
    columns = zip(table.headers, *table.rows, strict=True)
    width = sum(2 + max(map(len, column)) for column in columns)
    environment = "sidewaystable" if width > _WIDEST_UPRIGHT else "table"
    lines = [rf"\begin{{{environment}}}", r"\centering\small\setlength{\tabcolsep}{4pt}"]
    if title:
        lines += [rf"\caption{{{_escape_latex(title)}}}", rf"\label{{{label}}}"]
    lines += [_SHRINK, rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", header, r"\midrule"]
    lines += [*rows, r"\bottomrule", r"\end{tabular}}"]
    if notes:
        lines.append(rf"\par\smallskip{{\footnotesize {_escape_latex(' '.join(notes))}\par}}")
    return [*lines, rf"\end{{{environment}}}"]


def _latex_cell(column: Column[Never], value: Value) -> str:
    """Return the value of a cell, a score with its interval and marks."""
    if not isinstance(value, Measure) or column.spec:
        return _escape_latex(column.text(value))
    number = write_number(value.value, ".1f")
    cell = rf"\textbf{{{number}}}" if value.best else number
    # A measure is printed as its value, its interval, and perhaps the mark ``THESE`` and letters.
    interval = f"{value._replace(letters='')}".removeprefix(number).replace(THESE, "")
    if interval:
        cell += rf" {{\footnotesize {_escape_latex(interval.strip())}}}"
    superscript = r"\dagger" if THESE in f"{value}" else ""
    if value.letters:
        superscript += rf"\textrm{{{value.letters}}}"
    return f"{cell}$^{{{superscript}}}$" if superscript else cell


def _escape_latex(text: str) -> str:
    """Return a text so that LaTeX prints it as it is."""
    text = _LIGATURES.sub(r"\1\0", " ".join(printable(text).split()))
    return text.translate(_ESCAPES).replace("\0", "{}")
