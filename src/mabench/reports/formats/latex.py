"""Reports in LaTeX, for ``booktabs``."""

from __future__ import annotations

import re
from typing import Never

from mabench.printable import printable
from mabench.reports.report import Report
from mabench.reports.tables import Column, Value
from mabench.results import THESE, Measure

# Characters that LaTeX obeys, or takes for an argument at the beginning of a row.
_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"}
    | {"±": r"$\pm$", "†": r"\textdagger{}"}
)
_LIGATURES = re.compile(r"([-`',])(?=\1)")
# Tables with longer lines, in characters, are turned sideways: about two lines of a page.
_SIDEWAYS = 150
# Shrinks a table that is wider than the line, and no other.
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def format_latex(report: Report) -> str:
    """Return a report in LaTeX, for `booktabs`; remarks that explain no table become comments.

    The first table has the title; the others also say what their rows are, if that differs. Notes
    explain scores and their intervals: they are below the tables that have some, or else below the
    last table.
    """
    lines = []
    tables = [table for table in report.tables if table.values]
    scored = [any(isinstance(cell, Measure) for cell in table.values[0]) for table in tables]
    for number, table in enumerate(tables):
        rows_are = "continued" if table.headers[0] == tables[0].headers[0] else table.headers[0]
        title = f"{report.title}: {rows_are}" if number else report.title
        caption = [rf"\caption{{{_escape_latex(title)}}}"] if report.title else []
        explained = scored[number] or (number == len(tables) - 1 and not any(scored))
        notes = [rf"\par\smallskip{{\footnotesize {_escape_latex(' '.join(report.notes))}\par}}"]
        letters = "".join("r" if numeric else "l" for numeric in table.numeric)
        body = (map(_latex_cell, table.columns, row) for row in table.values)
        texts = [map(_escape_latex, table.headers), *body]
        heads, *rows = (" & ".join(cells) + r" \\" for cells in texts)
        cells = zip(table.headers, *table.rows, strict=True)
        wide = sum(2 + max(map(len, column)) for column in cells) > _SIDEWAYS
        name = "sidewaystable" if wide else "table"
        lines += [rf"\begin{{{name}}}", r"\centering\small\setlength{\tabcolsep}{4pt}", *caption]
        lines += [_SHRUNK, rf"\begin{{tabular}}{{{letters}}}", r"\toprule", heads, r"\midrule"]
        lines += [*rows, r"\bottomrule", r"\end{tabular}}"]
        lines += notes if report.notes and explained else []
        lines.append(rf"\end{{{name}}}")
    lines += [
        f"% {' '.join(printable(remark).split())}" for remark in (*report.first, *report.remarks)
    ]
    rotating = ",rotating" * (r"\begin{sidewaystable}" in lines)
    return "\n".join([rf"% \usepackage{{booktabs,graphicx{rotating}}}"] * bool(tables) + lines)


def _latex_cell(column: Column[Never], value: Value) -> str:
    if not isinstance(value, Measure) or column.spec:
        return _escape_latex(column.text(value))
    score = rf"\textbf{{{value.value:.1f}}}" if value.best else f"{value.value:.1f}"
    half = f"{value._replace(letters='')}".removeprefix(f"{value.value:.1f}").replace(THESE, "")
    mark = r"\dagger" if THESE in f"{value}" else ""
    interval = rf" {{\footnotesize {_escape_latex(half.strip())}}}" if half else ""
    above = "".join([mark, rf"\textrm{{{value.letters}}}" if value.letters else ""])
    return score + interval + (f"$^{{{above}}}$" if above else "")


def _escape_latex(text: str) -> str:
    text = _LIGATURES.sub(r"\1\0", " ".join(printable(text).split()))
    return text.translate(_ESCAPES).replace("\0", "{}")
