"""Writes reports in LaTeX, for the package ``booktabs``.

Every text is escaped, so that nothing that a model or a data set says becomes a command of LaTeX.
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

    Tables without rows are left out. Notes explain scores and intervals: they are below the tables
    with scores, or below the last table if none has any.
    """
    lines = []
    tables = [table for table in report.tables if table.values]
    has_scores = [any(isinstance(cell, Measure) for cell in table.values[0]) for table in tables]
    for number, table in enumerate(tables):
        is_last = number == len(tables) - 1
        with_notes = has_scores[number] or (is_last and not any(has_scores))
        lines += _table_lines(
            table,
            caption=_caption(report.title, tables, number),
            label=_label(report.title or table.headers[0], number),
            notes=report.notes if with_notes else (),
        )
    for remark in (*report.first, *report.remarks):
        lines.append(f"% {' '.join(printable(remark).split())}")
    if tables:
        packages = "booktabs,graphicx"
        if r"\begin{sidewaystable}" in lines:
            packages += ",rotating"
        lines.insert(0, rf"% \usepackage{{{packages}}}")
    return "\n".join(lines)


def _caption(title: str, tables: Sequence[Table], number: int) -> str:
    """Return the caption of a table: the report's title, and for a later table what its rows are.

    Empty if the report has no title. ``number`` is the table's place among ``tables``, from 0.
    """
    if not title or number == 0:
        return title
    rows_are = tables[number].headers[0]
    return f"{title}: continued" if rows_are == tables[0].headers[0] else f"{title}: {rows_are}"


def _label(title: str, number: int) -> str:
    r"""Return the label by which ``\ref`` finds a table, such as ``tab:bm25-on-longmemeval-2``.

    ``number`` is the table's place in the report, from 0; the first one's label has no number.
    """
    words = "-".join(_WORDS.findall(title.lower()))[:_LONGEST_LABEL].strip("-") or "scores"
    return f"tab:{words}-{number + 1}" if number else f"tab:{words}"


def _table_lines(table: Table, caption: str, label: str, notes: Sequence[str]) -> list[str]:
    """Return the lines of a table, with a caption and with notes below it if there are any."""
    alignment = "".join("r" if is_number else "l" for is_number in table.numeric)
    header = " & ".join(map(_escape_latex, table.headers)) + r" \\"
    rows = [" & ".join(map(_latex_cell, table.columns, row)) + r" \\" for row in table.values]
    cells_by_column = zip(table.headers, *table.rows, strict=True)
    width = sum(2 + max(map(len, cells)) for cells in cells_by_column)  # 2: space between columns.
    environment = "sidewaystable" if width > _WIDEST_UPRIGHT else "table"
    lines = [rf"\begin{{{environment}}}", r"\centering\small\setlength{\tabcolsep}{4pt}"]
    if caption:
        lines += [rf"\caption{{{_escape_latex(caption)}}}", rf"\label{{{label}}}"]
    lines += [_SHRINK, rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", header, r"\midrule"]
    lines += [*rows, r"\bottomrule", r"\end{tabular}}"]
    if notes:
        lines.append(rf"\par\smallskip{{\footnotesize {_escape_latex(' '.join(notes))}\par}}")
    return [*lines, rf"\end{{{environment}}}"]


def _latex_cell(column: Column[Never], value: Value) -> str:
    """Return the value of a cell; a score with its interval in small print and its marks above.

    A column with a format of its own shows only the score.
    """
    if not isinstance(value, Measure) or column.spec:
        return _escape_latex(column.text(value))
    number = write_number(value.value, ".1f")
    cell = rf"\textbf{{{number}}}" if value.best else number
    # Without letters it is printed as its number, its interval, and perhaps the mark ``THESE``.
    printed = f"{value._replace(letters='')}"
    interval = printed.removeprefix(number).replace(THESE, "").strip()
    if interval:
        cell += rf" {{\footnotesize {_escape_latex(interval)}}}"
    superscript = r"\dagger" if THESE in printed else ""
    if value.letters:
        superscript += rf"\textrm{{{value.letters}}}"
    return f"{cell}$^{{{superscript}}}$" if superscript else cell


def _escape_latex(text: str) -> str:
    """Return a text on one line, escaped so that LaTeX prints it as it is."""
    one_line = " ".join(printable(text).split())
    # ``{}`` divides ligatures; NUL holds its place until the braces of the text are escaped.
    divided = _LIGATURES.sub(r"\1\0", one_line)
    return divided.translate(_ESCAPES).replace("\0", "{}")
